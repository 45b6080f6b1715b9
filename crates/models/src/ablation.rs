//! Ablation: mutes parts of a model, sets attention weights by hand, or changes the number of
//! levels, to see what the parts are worth (Michel et al. 2019; Voita et al. 2019). Parameters and
//! checkpoints stay unchanged.

mod check;
mod levels;
mod part;

use std::collections::{BTreeMap, BTreeSet};

use burn::tensor::Tensor;
use strata_attention::{
    ConfigError, ForcedRow, Mechanism, MultiHeadAttention, Muted, Node, Score, Site,
};

pub use levels::SiteLevels;
pub use part::Part;

use crate::reader::{Levels, Matching, Reader, site};
use crate::seq2seq::{self, Decoder};
use crate::transformer::FeedForward;
use crate::{LayerName, Model, SequenceModel, Side, SiteName, SiteRows};

/// Inputs of an attention site's score function: queries, keys and values, head by head.
#[derive(Clone, Debug)]
pub struct SiteInputs {
    /// Queries, `[B, H, T, D_h]`.
    pub queries: Tensor<4>,
    /// Keys, `[B, H, S, D_g]`.
    pub keys: Tensor<4>,
    /// Values, `[B, H, S, D_v]`.
    pub values: Tensor<4>,
    /// Score function f(h, g).
    pub score: Score,
    /// Term that the site's positions add to the scores, `[1, H, T, S]`; `None` unless the
    /// positions are ALiBi.
    pub bias: Option<Tensor<4>>,
}

/// Attention of a model, to be muted or inspected.
enum Attention<'a> {
    /// Attention layer with heads.
    MultiHead(&'a mut MultiHeadAttention),
    /// Recurrent decoder, whose attention has no heads.
    Decoder(&'a mut Decoder),
    /// Mechanism of a reader, and whether its result is muted.
    Mechanism(&'a mut Mechanism, &'a mut bool),
    /// Levels that a reader computes itself, and whether their result is muted.
    Levels(&'a mut Levels, &'a mut bool),
}

impl Attention<'_> {
    fn heads(&self) -> usize {
        match self {
            Self::MultiHead(layer) => layer.heads(),
            Self::Decoder(_) | Self::Mechanism(..) | Self::Levels(..) => 1,
        }
    }

    fn mechanism(&self) -> Option<&Mechanism> {
        match self {
            Self::MultiHead(layer) => Some(&layer.mechanism),
            Self::Decoder(decoder) => decoder.attention.as_ref(),
            Self::Mechanism(mechanism, _) => Some(mechanism),
            Self::Levels(..) => None,
        }
    }

    fn levels(&self) -> usize {
        match self {
            Self::Levels(levels, _) => levels.count(),
            _ => self.mechanism().map_or(0, Mechanism::levels),
        }
    }

    fn shares(&self) -> Option<Tensor<2>> {
        match self {
            Self::Levels(levels, _) => levels.shares(),
            _ => self.mechanism()?.shares(),
        }
    }

    fn mute(&mut self, muted: Muted) {
        match self {
            Self::MultiHead(layer) => layer.mute(muted),
            Self::Decoder(decoder) => {
                decoder.muted = muted.site;
                if let Some(mechanism) = &mut decoder.attention {
                    mechanism.mute(&muted);
                }
            }
            Self::Mechanism(mechanism, is_muted) => {
                **is_muted = muted.site;
                mechanism.mute(&muted);
            }
            Self::Levels(levels, is_muted) => {
                **is_muted = muted.site;
                levels.mute(&muted.levels);
            }
        }
    }
}

impl Model {
    /// Lists the parts that can be muted, in the order of a pass: each site, its heads and levels
    /// if it has several, and each feed-forward block.
    pub fn parts(&self) -> Vec<Part> {
        // A clone shares the tensors of the model.
        let mut model = self.clone();
        let mut parts = Vec::new();
        for (site, attention) in model.attentions() {
            parts.push(Part::Site { site });
            let several = |count: usize| if count > 1 { 0..count } else { 0..0 };
            parts.extend(several(attention.heads()).map(|head| Part::Head { site, head }));
            let levels = several(attention.levels());
            parts.extend(levels.map(|level| Part::Level { site, level }));
        }
        let layers = model.feed_forwards().into_iter().map(|(layer, _)| layer);
        parts.extend(layers.map(|layer| Part::FeedForward { layer }));
        parts
    }

    /// Mutes these parts, forces the weights of the rows among them, and computes with the numbers
    /// of levels among them. Replaces what an earlier call changed.
    ///
    /// # Errors
    /// If the model lacks one of the parts, if no level of a site would stay, if a row cannot have
    /// the weights, or if a site cannot compute with the number of levels. The model is then
    /// unchanged.
    pub fn mute(&mut self, parts: &[Part]) -> Result<(), ConfigError> {
        self.check_parts(parts)?;
        // A clone shares the tensors of the model.
        let mut changed = self.clone();
        changed.change(parts)?;
        *self = changed;
        Ok(())
    }

    /// Applies parts that the model has. If that fails, some of the parts may have been applied.
    fn change(&mut self, parts: &[Part]) -> Result<(), ConfigError> {
        let mut sites: BTreeMap<SiteName, Muted> = BTreeMap::new();
        let mut rows: BTreeMap<SiteName, Vec<ForcedRow>> = BTreeMap::new();
        let mut counts: BTreeMap<SiteName, usize> = BTreeMap::new();
        let mut layers = BTreeSet::new();
        for part in parts.iter().collect::<BTreeSet<_>>() {
            match part {
                Part::Site { site } => sites.entry(*site).or_default().site = true,
                Part::Head { site, head } => sites.entry(*site).or_default().heads.push(*head),
                Part::Level { site, level } => sites.entry(*site).or_default().levels.push(*level),
                Part::Levels { site, count } => {
                    counts.insert(*site, *count);
                }
                Part::FeedForward { layer } => {
                    layers.insert(*layer);
                }
                Part::Row { .. } => {
                    if let Some((site, forced)) = part.forced() {
                        rows.entry(site).or_default().push(forced);
                    }
                }
                Part::Node { site, level, index } => {
                    let (level, index) = (*level, *index);
                    let nodes = &mut sites.entry(*site).or_default().nodes;
                    nodes.push(Node { level, index });
                }
            }
        }
        let mut attentions = self.attentions();
        for (site, attention) in &mut attentions {
            attention.set_levels(*site, counts.get(site).copied())?;
            let levels = attention.levels();
            let is_there = |level: &&usize| **level < levels;
            let muted = sites
                .get(site)
                .map_or(0, |it| it.levels.iter().filter(is_there).count());
            if muted > 0 && muted == levels {
                return Err(ConfigError::new(format!(
                    "{site} has {muted} levels, and one of them must stay: mute the whole site instead"
                )));
            }
        }
        for (site, attention) in &mut attentions {
            attention.mute(Muted {
                rows: rows.remove(site).unwrap_or_default().into(),
                ..sites.remove(site).unwrap_or_default()
            });
        }
        for (layer, feed_forward) in self.feed_forwards() {
            feed_forward.muted = layers.contains(&layer);
        }
        Ok(())
    }

    /// Share of each level in the result of a site, `[1 or H, d]`; `None` if the site does not
    /// exist or mixes no levels.
    pub fn shares(&self, site: SiteName) -> Option<Tensor<2>> {
        let mut model = self.clone();
        let mut attentions = model.attentions().into_iter();
        let (_, attention) = attentions.find(|(name, _)| *name == site)?;
        attention.shares()
    }

    /// Computes the inputs of a site's score function from rows that
    /// [`trace_rows`](Self::trace_rows) recorded; `None` for a reader's sites, and for a mechanism
    /// that has no score of a pair.
    pub fn inputs(&self, site: SiteName, rows: &SiteRows) -> Option<SiteInputs> {
        let mut model = self.clone();
        let mut attentions = model.attentions().into_iter();
        let (_, attention) = attentions.find(|(name, _)| *name == site)?;
        let score = attention.mechanism()?.score()?.clone();
        let (queries, keys) = (rows.queries.clone(), rows.keys.clone());
        let lengths = [queries.dims()[1], keys.dims()[1]];
        let bias = match &attention {
            Attention::MultiHead(layer) => layer.bias(lengths, &keys.device()),
            _ => None,
        };
        let [queries, keys, values] = match &attention {
            Attention::MultiHead(layer) => layer.project(queries, keys),
            Attention::Decoder(_) => {
                let keys = keys.unsqueeze_dim::<4>(1);
                [queries.unsqueeze_dim(1), keys.clone(), keys]
            }
            Attention::Mechanism(..) | Attention::Levels(..) => return None,
        };
        Some(SiteInputs {
            queries,
            keys,
            values,
            score,
            bias,
        })
    }

    /// Lists the attention sites by name, in the order of a pass.
    fn attentions(&mut self) -> Vec<(SiteName, Attention<'_>)> {
        match self {
            Self::Sequence(model) => model.attentions(),
            Self::Reader(model) => of_reader(model),
        }
    }

    /// Lists the feed-forward blocks by the names of their layers, in the order of a pass.
    fn feed_forwards(&mut self) -> Vec<(LayerName, &mut FeedForward)> {
        match self {
            Self::Sequence(model) => model.feed_forwards(),
            Self::Reader(_) => Vec::new(),
        }
    }
}

impl SequenceModel {
    /// Lists the attention sites by name, in the order of a pass.
    fn attentions(&mut self) -> Vec<(SiteName, Attention<'_>)> {
        match self {
            Self::Seq2Seq(model) => match model.decoder.attention {
                Some(_) => vec![(seq2seq::SITE, Attention::Decoder(&mut model.decoder))],
                None => Vec::new(),
            },
            Self::Transformer(model) => {
                let encoder = model.encoder.iter_mut().enumerate().map(|(i, layer)| {
                    let attention = Attention::MultiHead(&mut layer.attention);
                    (SiteName::in_layer(i, Site::EncoderSelf), attention)
                });
                let decoder = model.decoder.iter_mut().enumerate().flat_map(|(i, layer)| {
                    let past = Attention::MultiHead(&mut layer.attention);
                    let cross = Attention::MultiHead(&mut layer.cross);
                    [
                        (SiteName::in_layer(i, Site::DecoderSelf), past),
                        (SiteName::in_layer(i, Site::Cross), cross),
                    ]
                });
                encoder.chain(decoder).collect()
            }
            Self::RecurrentLm(_) | Self::Rnnpg(_) => Vec::new(),
            Self::Tagger(model) => {
                let layers = model.encoder.iter_mut().enumerate();
                let layers = layers.map(|(i, layer)| {
                    let attention = Attention::MultiHead(&mut layer.attention);
                    (SiteName::in_layer(i, Site::EncoderSelf), attention)
                });
                layers.collect()
            }
            Self::TransformerLm(model) => {
                let layers = model.layers.iter_mut().enumerate();
                let layers = layers.map(|(i, layer)| {
                    let attention = Attention::MultiHead(&mut layer.attention);
                    (SiteName::in_layer(i, Site::DecoderSelf), attention)
                });
                layers.collect()
            }
        }
    }

    /// Lists the feed-forward blocks by the names of their layers, in the order of a pass.
    fn feed_forwards(&mut self) -> Vec<(LayerName, &mut FeedForward)> {
        let name = |side, layer| LayerName { side, layer };
        match self {
            Self::Seq2Seq(_) | Self::RecurrentLm(_) | Self::Rnnpg(_) => Vec::new(),
            Self::Transformer(model) => {
                let encoder = model.encoder.iter_mut().enumerate();
                let encoder =
                    encoder.map(|(i, layer)| (name(Side::Source, i), &mut layer.feed_forward));
                let decoder = model.decoder.iter_mut().enumerate();
                let decoder =
                    decoder.map(|(i, layer)| (name(Side::Target, i), &mut layer.feed_forward));
                encoder.chain(decoder).collect()
            }
            Self::Tagger(model) => {
                let layers = model.encoder.iter_mut().enumerate();
                layers
                    .map(|(i, layer)| (name(Side::Source, i), &mut layer.feed_forward))
                    .collect()
            }
            Self::TransformerLm(model) => {
                let layers = model.layers.iter_mut().enumerate();
                layers
                    .map(|(i, layer)| (name(Side::Target, i), &mut layer.feed_forward))
                    .collect()
            }
        }
    }
}

/// Lists the attention sites of a reader, in the order of a pass.
fn of_reader(model: &mut Reader) -> Vec<(SiteName, Attention<'_>)> {
    match model {
        Reader::Bidaf(model) => {
            let flow = &mut model.flow;
            let [to_query, to_context] = &mut flow.muted;
            let query = Attention::Mechanism(&mut flow.context_to_query, to_query);
            let context = Attention::Levels(&mut flow.query_to_context, to_context);
            vec![
                (site(Site::ContextToQuery), query),
                (site(Site::QueryToContext), context),
            ]
        }
        Reader::MatchLstm(model) => vec![of_matching(&mut model.matching)],
        Reader::Rnet(model) => {
            let itself = &mut model.self_matching;
            let attention = Attention::Mechanism(&mut itself.attention, &mut itself.muted);
            vec![
                of_matching(&mut model.matching),
                (site(Site::SelfMatching), attention),
            ]
        }
    }
}

fn of_matching(matching: &mut Matching) -> (SiteName, Attention<'_>) {
    let levels = Attention::Levels(&mut matching.levels, &mut matching.muted);
    (site(Site::Matching), levels)
}
