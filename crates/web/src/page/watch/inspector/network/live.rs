//! Numbers and words of each block of a drawn model, for the watched example.

use crate::page::base::format;
use crate::page::watch::inspector::tabs::reads;
use strata_models::{AttentionBlock, Block, Side, Site, SiteName};
use strata_session::protocol::{
    NetworkView, Part, SiteOutline, SiteView, ViewData, ViewUpdate, decoder_input,
};

/// The view of a whole model, and the muted parts.
#[derive(Clone, Copy)]
pub struct Live<'a> {
    pub update: &'a ViewUpdate,
    network: &'a NetworkView,
    muted: &'a [Part],
}

impl<'a> Live<'a> {
    /// Returns the view if it is of a whole model; `None` for other views.
    pub fn of(update: &'a ViewUpdate, muted: &'a [Part]) -> Option<Self> {
        match &update.data {
            ViewData::Network(network) => Some(Self {
                update,
                network,
                muted,
            }),
            _ => None,
        }
    }

    /// Returns the site that is shown in full.
    pub fn chosen(&self) -> Option<&'a SiteView> {
        self.network.chosen.as_ref()
    }

    /// Returns the attention weights of a site, as its stamp shows them.
    pub fn stamp(&self, site: SiteName) -> Option<&'a SiteView> {
        let found = self.network.sites.iter().find(|it| it.site == site)?;
        let size = found.rows * found.columns;
        (size > 0 && found.weights.len() == size).then_some(found)
    }

    /// Returns the heads and levels of a site.
    pub fn outline(&self, site: SiteName) -> Option<&'a SiteOutline> {
        self.update.sites.iter().find(|it| it.site == site)
    }

    /// Returns the share of each level of a site that mixes levels, as the mean over its heads.
    pub fn shares(&self, site: SiteName) -> Option<Vec<f32>> {
        let found = self.network.shares.iter().find(|it| it.site == site)?;
        let heads = found.shares.len().max(1) as f32;
        let mut mean = vec![0.0; found.shares.first()?.len()];
        for head in &found.shares {
            for (sum, share) in mean.iter_mut().zip(head) {
                *sum += share / heads;
            }
        }
        Some(mean)
    }

    /// Returns how much a block changes its input, relative to the input's norm.
    pub fn change(&self, block: &Block) -> Option<f32> {
        let blocks = &self.network.blocks;
        let found = blocks.iter().find(|it| it.block == block.name)?;
        Some(found.change)
    }

    /// True if the block is muted.
    pub fn is_muted(&self, block: &Block) -> bool {
        block.part().is_some_and(|part| self.muted.contains(&part))
    }

    /// Returns the tokens that a stack reads.
    pub fn tokens(&self, side: Side) -> Vec<String> {
        match side {
            Side::Source => self.update.source.clone(),
            // A reader's second stack reads the whole passage.
            Side::Target if reads(self.update) => self.update.target.clone(),
            // The decoder reads each token one step after writing the token.
            Side::Target => {
                let (source, target) = (&self.update.source, &self.update.target);
                let mut read = decoder_input(source, target);
                read.truncate(target.len());
                read
            }
        }
    }

    /// Describes a block for a screen reader: its name, mechanism and change.
    pub fn words(&self, block: &Block) -> String {
        let mut words = vec![block.words()];
        if let Some(attention) = block.attention() {
            words.push(attention.words());
            words.extend(
                self.levels(attention)
                    .map(|levels| format!("{levels} levels")),
            );
            words.extend(self.shares(attention.site).map(|shares| {
                let shares: Vec<String> = shares
                    .iter()
                    .map(|share| format::percent(f64::from(*share)))
                    .collect();
                format!("mixed {}", shares.join(", "))
            }));
        }
        match (self.is_muted(block), self.change(block)) {
            (true, _) => words.push("taken away".to_owned()),
            (false, Some(change)) => words.push(change_in_words(block, change)),
            (false, None) => {}
        }
        words.join(", ")
    }

    /// Returns the number of levels of a site; `None` if there is only one.
    pub fn levels(&self, attention: &AttentionBlock) -> Option<usize> {
        let levels = self.outline(attention.site)?.levels;
        (levels > 1).then_some(levels)
    }
}

/// Returns `changes its input by 0.42`.
fn change_in_words(block: &Block, change: f32) -> String {
    match block.residual {
        Some(_) => format!("changes its input by {change:.2}"),
        None => format!("gives {change:.2} times as much as the state"),
    }
}

/// Describes the rows and columns of a site's weights.
pub fn axes(site: SiteName) -> &'static str {
    match site.place {
        Site::EncoderSelf => {
            "Rows and columns are source tokens: each row shows what its token reads."
        }
        Site::DecoderSelf => {
            "Each row is the next token of the reference, whose earlier tokens are given (teacher \
             forcing); each column is one of those."
        }
        Site::Cross => {
            "Each row is the next token of the reference, whose earlier tokens are given (teacher \
             forcing); each column is a source token that it reads."
        }
        Site::ContextToQuery | Site::Matching => {
            "Each row is a word of the passage, each column a word of the question that it reads."
        }
        Site::QueryToContext => {
            "The row is the question, each column a word of the passage that it reads."
        }
        Site::SelfMatching => {
            "Rows and columns are words of the passage: each row shows what its word reads."
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_models::{ModelConfig, Vocabularies};
    use strata_session::protocol::{BlockView, SharesView, View, ViewRequest};

    fn update() -> ViewUpdate {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let site = SiteName::in_layer(0, Site::EncoderSelf);
        ViewUpdate {
            step: 3,
            request: ViewRequest {
                example: 0,
                view: View::Network { site: None },
            },
            source: words("a b"),
            target: words("x y </s>"),
            sites: vec![SiteOutline {
                site,
                heads: 2,
                levels: 3,
                rows: 2,
                columns: 2,
                mixes: true,
                descends: false,
            }],
            data: ViewData::Network(NetworkView {
                sites: Vec::new(),
                chosen: None,
                shares: vec![SharesView {
                    site,
                    shares: vec![vec![0.5, 0.5, 0.0], vec![0.0, 0.5, 0.5]],
                }],
                blocks: vec![BlockView {
                    block: site.to_string(),
                    change: 0.4219,
                }],
            }),
            ..ViewUpdate::default()
        }
    }

    #[test]
    fn a_block_is_said_with_its_mechanism_and_its_change() {
        let diagram = ModelConfig::default().diagram(Vocabularies {
            source: 5,
            target: 5,
        });
        let block = diagram.block("encoder.0.self").unwrap();
        let update = update();
        let live = Live::of(&update, &[]).unwrap();
        let words = live.words(block);
        assert!(
            words.starts_with("Encoder 1, self-attention, multi-head scaled dot product, 3 levels"),
            "{words}"
        );
        assert!(words.ends_with("changes its input by 0.42"), "{words}");
        assert_eq!(
            live.shares(block.attention().unwrap().site),
            Some(vec![0.25, 0.5, 0.25])
        );
        let parts = [block.part().unwrap()];
        let muted = Live::of(&update, &parts).unwrap();
        assert!(muted.is_muted(block) && muted.words(block).ends_with("taken away"));
        let other = diagram.block("decoder_norm").unwrap();
        assert_eq!(live.words(other), "Decoder, LayerNorm");
    }

    #[test]
    fn a_decoder_reads_what_it_wrote_one_later() {
        let update = update();
        let live = Live::of(&update, &[]).unwrap();
        assert_eq!(live.tokens(Side::Target), ["<s>", "x", "y"]);
        assert_eq!(live.tokens(Side::Source), ["a", "b"]);
    }
}
