//! Blocks of each architecture, and the arrows between them.

use strata_attention::{RelativePositions, Site};

use super::{
    Arrow, AttentionBlock, Axis, Block, BlockKind, Carries, Diagram, NormPlacement, Shape, Side,
    Stack, lines, readers, tagger,
};
use crate::seq2seq::SITE;
use crate::{
    LayerName, ModelConfig, PositionKind, RecurrentLmConfig, Seq2SeqConfig, SiteName,
    TransformerConfig, TransformerLmConfig, Vocabularies,
};

pub(super) fn diagram(model: &ModelConfig, vocabularies: Vocabularies) -> Diagram {
    let sites = Sites(model);
    match model {
        ModelConfig::Seq2Seq(config) => seq2seq(config, &sites, vocabularies.target),
        ModelConfig::Transformer(config) => transformer(config, &sites, vocabularies.target),
        ModelConfig::RecurrentLm(config) => recurrent_lm(config, vocabularies.target),
        ModelConfig::TransformerLm(config) => transformer_lm(config, &sites, vocabularies.target),
        ModelConfig::Bidaf(config) => readers::bidaf(config, &sites, vocabularies),
        ModelConfig::MatchLstm(config) => readers::match_lstm(config, &sites, vocabularies),
        ModelConfig::Rnet(config) => readers::rnet(config, &sites, vocabularies),
        ModelConfig::Rnnpg(config) => lines::rnnpg(config, vocabularies.target),
        ModelConfig::Tagger(config) => tagger::tagger(config, &sites, vocabularies.target),
    }
}

/// Attention sites of a model.
pub(super) struct Sites<'a>(&'a ModelConfig);

impl Sites<'_> {
    /// Attention block of a site, with the mechanism from the model's list of sites.
    pub(super) fn block(&self, site: SiteName, heads: usize) -> BlockKind {
        let described = self.0.sites();
        let described = described.iter().find(|it| it.site == site.place);
        let described = described.expect("an architecture lists each of its sites");
        let [across, rows, columns] = match site.place {
            Site::EncoderSelf => [Axis::Heads(heads), Axis::SourceLength, Axis::SourceLength],
            Site::DecoderSelf => [Axis::Heads(heads), Axis::TargetLength, Axis::TargetLength],
            Site::Cross => [Axis::Heads(heads), Axis::TargetLength, Axis::SourceLength],
            Site::ContextToQuery => [Axis::Size(1), Axis::PassageLength, Axis::QuestionLength],
            Site::QueryToContext => [Axis::Size(1), Axis::Size(1), Axis::PassageLength],
            // The axis of size 2 holds both directions.
            Site::Matching => [Axis::Size(2), Axis::PassageLength, Axis::QuestionLength],
            Site::SelfMatching => [Axis::Size(1), Axis::PassageLength, Axis::PassageLength],
        };
        BlockKind::Attention(AttentionBlock {
            site,
            path: format!("model.{}", described.name),
            mechanism: described.mechanism,
            positions: self.positions(site.place),
            heads,
            weights: Shape(vec![Axis::Batch, across, rows, columns]),
        })
    }

    /// Positions that the sites of this kind tell by themselves.
    fn positions(&self, place: Site) -> RelativePositions {
        match place {
            Site::EncoderSelf | Site::DecoderSelf => {
                self.0.relative_positions().unwrap_or_default()
            }
            _ => RelativePositions::None,
        }
    }
}

/// Stack under construction.
pub(super) struct Builder {
    pub(super) stack: Stack,
    length: Axis,
}

impl Builder {
    pub(super) fn new(title: &'static str, side: Side) -> Self {
        let length = match side {
            Side::Source => Axis::SourceLength,
            Side::Target => Axis::TargetLength,
        };
        Self::of_length(title, side, length)
    }

    /// Begins a stack for texts of this length.
    pub(super) fn of_length(title: &'static str, side: Side, length: Axis) -> Self {
        let blocks = Vec::new();
        Self {
            stack: Stack {
                title,
                side,
                loops: 1,
                blocks,
            },
            length,
        }
    }

    /// Adds a block of this width outside the layers, with these parameters.
    pub(super) fn push(&mut self, name: &str, kind: BlockKind, width: usize, parameters: &[&str]) {
        let shape = match kind {
            BlockKind::Bridge | BlockKind::LineVector => vec![Axis::Batch, Axis::Size(width)],
            BlockKind::Span => vec![Axis::Batch, Axis::Size(width), self.length],
            _ => vec![Axis::Batch, self.length, Axis::Size(width)],
        };
        self.stack.blocks.push(Block {
            name: name.to_owned(),
            place: self.stack.title.to_owned(),
            layer: None,
            kind,
            residual: None,
            parameters: parameters.iter().map(|&it| it.to_owned()).collect(),
            shape: Shape(shape),
        });
    }

    /// Adds a block to a layer.
    pub(super) fn push_in(
        &mut self,
        layer: usize,
        block: (String, BlockKind),
        width: usize,
        own: &[String],
    ) {
        let (name, kind) = block;
        self.push(&name, kind, width, &[]);
        if let Some(block) = self.stack.blocks.last_mut() {
            block.layer = Some(layer);
            block.place = format!("{} {}", self.stack.title, layer + 1);
            block.parameters = own.to_vec();
        }
    }

    /// Arrows from each block of the stack to the next.
    pub(super) fn chain(&self) -> Vec<Arrow> {
        let pairs = self.stack.blocks.windows(2);
        pairs
            .map(|pair| arrow(&pair[0].name, &pair[1].name, Carries::Result))
            .collect()
    }
}

pub(super) fn arrow(from: &str, to: &str, carries: Carries) -> Arrow {
    Arrow {
        from: from.to_owned(),
        to: to.to_owned(),
        carries,
    }
}

/// Layers of a Transformer's stack, without the blocks before and after them.
pub(super) struct Layers<'a> {
    /// Settings that all layers share.
    pub(super) config: &'a TransformerConfig,
    pub(super) sites: &'a Sites<'a>,
    /// Prefix of the layers' parameters: `encoder`.
    pub(super) parameters: &'static str,
    /// Sites of a layer, in the order of a pass, each with the name of its module.
    pub(super) places: &'a [(Site, &'static str)],
}

impl Layers<'_> {
    pub(super) fn push(&self, to: &mut Builder) {
        let (config, width) = (self.config, self.config.width);
        let residual = if config.norm_first {
            NormPlacement::First
        } else {
            NormPlacement::Last
        };
        let first = to.stack.blocks.len();
        to.stack.loops = config.loops;
        for layer in 0..config.layers {
            let own = |module: &str, place: usize| {
                let layer = format!("{}.{layer}", self.parameters);
                [
                    format!("{layer}.{module}"),
                    format!("{layer}.residuals.{place}"),
                ]
            };
            for (at, &(place, module)) in self.places.iter().enumerate() {
                let site = SiteName::in_layer(layer, place);
                let kind = self.sites.block(site, config.heads);
                to.push_in(layer, (site.to_string(), kind), width, &own(module, at));
            }
            let name = LayerName {
                side: to.stack.side,
                layer,
            };
            let kind = BlockKind::FeedForward {
                layer: name,
                inner: config.feed_forward,
            };
            let last = own("feed_forward", self.places.len());
            to.push_in(layer, (format!("{name}.feed_forward"), kind), width, &last);
        }
        for block in &mut to.stack.blocks[first..] {
            block.residual = Some(residual);
        }
    }
}

/// Adds the block of the position encodings, if any are added to the embeddings.
pub(super) fn push_positions(to: &mut Builder, kind: PositionKind, width: usize, name: &str) {
    let learned = match kind {
        PositionKind::Learned => true,
        PositionKind::Sinusoidal => false,
        PositionKind::Rotary | PositionKind::Alibi | PositionKind::None => return,
    };
    let parameters: &[&str] = if learned { &[name] } else { &[] };
    to.push(name, BlockKind::Positions { learned }, width, parameters);
}

pub(super) fn push_output(to: &mut Builder, tied: bool, vocabulary: usize) {
    let parameters: &[&str] = if tied {
        &["output_bias"]
    } else {
        &["output", "output_bias"]
    };
    to.push("output", BlockKind::Output { tied }, vocabulary, parameters);
}

fn transformer(config: &TransformerConfig, sites: &Sites<'_>, vocabulary: usize) -> Diagram {
    let width = config.width;
    let embed = |to: &mut Builder, [embedding, positions]: [&str; 2]| {
        to.push(embedding, BlockKind::Embedding, width, &[embedding]);
        push_positions(to, config.positions, width, positions);
    };
    let layers = |to: &mut Builder, parameters, places: &[_]| {
        Layers {
            config,
            sites,
            parameters,
            places,
        }
        .push(to);
        if config.norm_first {
            let norm = format!("{parameters}_norm");
            to.push(&norm, BlockKind::Norm, width, &[&norm]);
        }
    };
    let mut encoder = Builder::new("Encoder", Side::Source);
    embed(&mut encoder, ["source_embedding", "source_positions"]);
    layers(&mut encoder, "encoder", &[(Site::EncoderSelf, "attention")]);
    let mut decoder = Builder::new("Decoder", Side::Target);
    embed(&mut decoder, ["target_embedding", "target_positions"]);
    let places = [(Site::DecoderSelf, "attention"), (Site::Cross, "cross")];
    layers(&mut decoder, "decoder", &places);
    push_output(&mut decoder, config.tied, vocabulary);

    let mut arrows = [encoder.chain(), decoder.chain()].concat();
    if let Some(last) = encoder.stack.blocks.last() {
        let is_cross = |block: &&Block| block.attention().is_some_and(|it| it.site.is_cross());
        let readers = decoder.stack.blocks.iter().filter(is_cross);
        arrows.extend(readers.map(|it| arrow(&last.name, &it.name, Carries::Memory)));
    }
    Diagram {
        stacks: vec![encoder.stack, decoder.stack],
        arrows,
    }
}

fn transformer_lm(config: &TransformerLmConfig, sites: &Sites<'_>, vocabulary: usize) -> Diagram {
    let width = config.width;
    let mut text = Builder::new("Decoder", Side::Target);
    text.push("embedding", BlockKind::Embedding, width, &["embedding"]);
    push_positions(&mut text, config.positions, width, "positions");
    Layers {
        config: &config.blocks(),
        sites,
        parameters: "layers",
        places: &[(Site::DecoderSelf, "attention")],
    }
    .push(&mut text);
    if config.norm_first {
        text.push("norm", BlockKind::Norm, width, &["norm"]);
    }
    push_output(&mut text, config.tied, vocabulary);
    Diagram {
        arrows: text.chain(),
        stacks: vec![text.stack],
    }
}

fn recurrent_lm(config: &RecurrentLmConfig, vocabulary: usize) -> Diagram {
    let mut text = Builder::new("Language model", Side::Target);
    text.push(
        "embedding",
        BlockKind::Embedding,
        config.embedding,
        &["embedding"],
    );
    let kind = BlockKind::Recurrent {
        cell: config.cell,
        bidirectional: false,
    };
    for layer in 0..config.layers {
        let name = format!("layers.{layer}");
        text.push_in(layer, (name.clone(), kind.clone()), config.hidden, &[name]);
    }
    push_output(&mut text, config.tied, vocabulary);
    Diagram {
        arrows: text.chain(),
        stacks: vec![text.stack],
    }
}

fn seq2seq(config: &Seq2SeqConfig, sites: &Sites<'_>, vocabulary: usize) -> Diagram {
    let (encoded, decoded) = (config.encoder_hidden, config.decoder_hidden);
    let recurrent = |bidirectional| BlockKind::Recurrent {
        cell: config.cell,
        bidirectional,
    };
    // The lowest layer has a name of its own; the layers above it are numbered from 0.
    let own = |layer: usize, [lowest, above]: [&str; 2]| match layer {
        0 => lowest.to_owned(),
        _ => format!("{above}.{}", layer - 1),
    };
    let mut encoder = Builder::new("Encoder", Side::Source);
    let mut decoder = Builder::new("Decoder", Side::Target);
    for (to, embedding) in [
        (&mut encoder, "source_embedding"),
        (&mut decoder, "target_embedding"),
    ] {
        to.push(
            embedding,
            BlockKind::Embedding,
            config.embedding,
            &[embedding],
        );
    }
    for layer in 0..config.layers {
        let names = ["encoder", "decoder"].map(|stack| format!("{stack}.{layer}"));
        let [read, write] = names;
        let parameters = own(layer, ["encoder", "encoder_above"]);
        let kind = recurrent(config.bidirectional);
        encoder.push_in(layer, (read, kind), encoded, &[parameters]);
        let parameters = own(layer, ["decoder.cell", "decoder.above"]);
        decoder.push_in(layer, (write, recurrent(false)), decoded, &[parameters]);
    }
    let highest = format!("encoder.{}", config.layers.saturating_sub(1));
    let state = format!("decoder.{}", config.layers.saturating_sub(1));
    let mut arrows = encoder.chain();
    if encoded != decoded {
        let parameters = ["bridge", "cell_bridge", "bridges_above"];
        encoder.push("bridge", BlockKind::Bridge, decoded, &parameters);
    }
    arrows.extend(last_states(config));
    let site = SITE.to_string();
    if config.attend {
        let kind = sites.block(SITE, 1);
        decoder.push(&site, kind, encoded, &["decoder.attention"]);
        arrows.push(arrow(&highest, &site, Carries::Memory));
    }
    let output = BlockKind::Output { tied: false };
    decoder.push("output", output, vocabulary, &["decoder.head"]);
    arrows.extend(decoder.chain());
    if config.attend {
        // The output reads context and state, [a; h].
        arrows.push(arrow(&state, "output", Carries::Result));
        if config.input_feeding {
            arrows.push(arrow(&site, "decoder.0", Carries::StepBefore));
        }
    }
    Diagram {
        stacks: vec![encoder.stack, decoder.stack],
        arrows,
    }
}

/// Arrows from the encoder's last states to the decoder's first states.
fn last_states(config: &Seq2SeqConfig) -> Vec<Arrow> {
    let arrows = (0..config.layers).flat_map(|layer| {
        let [from, to] = ["encoder", "decoder"].map(|stack| format!("{stack}.{layer}"));
        if config.encoder_hidden == config.decoder_hidden {
            vec![arrow(&from, &to, Carries::LastState)]
        } else {
            vec![
                arrow(&from, "bridge", Carries::LastState),
                arrow("bridge", &to, Carries::LastState),
            ]
        }
    });
    arrows.collect()
}
