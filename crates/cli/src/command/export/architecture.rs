//! Pieces of the program that differ from architecture to architecture.

use strata_attention::RelativePositions;
use strata_models::{EncoderCell, ModelConfig, TargetEnd};
use strata_tasks::TaskConfig;

use super::readers;
use crate::pipeline;

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Inputs and outputs of a model, which decide how a program calls the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Source and target.
    Pairs,
    /// One text.
    Text,
    /// One text, and an answer for each token.
    Places,
    /// A question, and the passages with the answer.
    Spans,
    /// Lines of a poem, and the next line.
    Lines,
}

impl Kind {
    /// Returns the inputs and outputs of a model.
    pub fn of(model: &ModelConfig) -> Self {
        match model {
            ModelConfig::Transformer(_) | ModelConfig::Seq2Seq(_) => Self::Pairs,
            ModelConfig::TransformerLm(_) | ModelConfig::RecurrentLm(_) => Self::Text,
            ModelConfig::Tagger(_) => Self::Places,
            ModelConfig::Bidaf(_) | ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_) => Self::Spans,
            ModelConfig::Rnnpg(_) => Self::Lines,
        }
    }

    /// Returns the pieces of the program's `main`; for a reader, the pieces before `main`.
    pub fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Pairs => &[
                piece!("load"),
                piece!("end"),
                piece!("tell"),
                piece!("end_pairs"),
            ],
            Self::Text => &[
                piece!("load"),
                piece!("end"),
                piece!("tell"),
                piece!("end_text"),
            ],
            // The rows of an answer in place are tokens of the source, which `main` names itself.
            Self::Places => &[piece!("load"), piece!("end"), piece!("end_places")],
            Self::Spans => &[piece!("load")],
            Self::Lines => &[piece!("load"), piece!("end"), piece!("end_lines")],
        }
    }
}

/// Returns the piece that defines the model; `None` for a reader, which has several, and for an
/// architecture for which no program is written.
pub fn model_piece(model: &ModelConfig) -> Option<&'static str> {
    Some(match model {
        ModelConfig::Transformer(_) => piece!("transformer"),
        ModelConfig::Seq2Seq(_) => piece!("seq2seq"),
        ModelConfig::TransformerLm(_) => piece!("transformer_lm"),
        ModelConfig::RecurrentLm(_) => piece!("recurrent_lm"),
        ModelConfig::Tagger(config) => match config.cell {
            EncoderCell::None => piece!("tagger"),
            EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm => piece!("tagger_recurrent"),
            EncoderCell::Convolution => piece!("tagger_convolution"),
        },
        ModelConfig::Rnnpg(_) => piece!("rnnpg"),
        ModelConfig::Bidaf(_) | ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_) => return None,
    })
}

/// Returns the name of the embedding whose matrix is also that of the output, if the model is tied.
pub fn tied_to(model: &ModelConfig) -> Option<&'static str> {
    match model {
        ModelConfig::Transformer(config) if config.tied => Some("target_embedding.tokens.weight"),
        ModelConfig::TransformerLm(config) if config.tied => Some("embedding.tokens.weight"),
        ModelConfig::RecurrentLm(config) if config.tied => Some("embedding.weight"),
        ModelConfig::Tagger(config) if config.tied => Some(if adds_positions(model) {
            "source_embedding.tokens.weight"
        } else {
            "source_embedding.weight"
        }),
        _ => None,
    }
}

/// True if the embeddings of the model add positions to those of the tokens.
pub fn adds_positions(model: &ModelConfig) -> bool {
    match model {
        ModelConfig::Tagger(config) => config.cell.kind().is_none(),
        model => model.relative_positions().is_some(),
    }
}

/// Writes the multi-head layer, after the function that tells the positions in self-attention.
/// `has_pyramid` says that some of the layers have a pyramid.
pub fn multi_head(positions: RelativePositions, has_pyramid: bool) -> Vec<String> {
    let (part, hook) = match positions {
        RelativePositions::None => (None, ""),
        RelativePositions::Rotary => (Some(piece!("rotary")), "register_forward_pre_hook(turn)"),
        RelativePositions::Alibi => (Some(piece!("alibi")), "register_forward_hook(lower)"),
    };
    let told = match hook {
        "" => String::new(),
        hook => format!("        if not is_cross:\n            self.mechanism.score.{hook}\n"),
    };
    let told = match positions {
        // The predictor of local attention reads turned queries.
        RelativePositions::Rotary => told + "            self.mechanism.turned = rotate\n",
        RelativePositions::None | RelativePositions::Alibi => told,
    };
    let attended = "        context = self.mechanism(query, keys, values, hidden, past)\n";
    let attended_by_nodes = if has_pyramid {
        piece!("pyramid_heads")
    } else {
        attended
    };
    let layer = piece!("multi_head")
        .replace("        POSITIONS\n", &told)
        .replace(attended, attended_by_nodes);
    part.map(str::to_owned).into_iter().chain([layer]).collect()
}

/// Returns the settings that the exported program does not read: of the encoder that a tagger does not
/// have, of parts that a reader does not have, and of initial weights.
pub fn idle_settings(model: &ModelConfig) -> Vec<&'static str> {
    match model {
        ModelConfig::Tagger(config) if config.cell == EncoderCell::None => {
            vec!["cell", "bidirectional", "kernel_size"]
        }
        ModelConfig::Tagger(config) => {
            let of_another_cell: &[&str] = match config.cell {
                EncoderCell::Convolution => &["bidirectional"],
                _ => &["kernel_size", "positions", "longest"],
            };
            let of_attention = [
                "heads",
                "loops",
                "feed_forward",
                "norm_first",
                "mask_padding",
                "encoder_self",
            ];
            [of_another_cell, &of_attention].concat()
        }
        ModelConfig::Rnnpg(_) => vec!["convolution_bound"],
        model => readers::idle_settings(model),
    }
}

/// Returns the names of the texts that the program is called with.
pub fn arguments(model: &ModelConfig, task: &TaskConfig) -> &'static [&'static str] {
    match model.target_end() {
        TargetEnd::SourceLength => &["SOURCE"],
        TargetEnd::LineLength => &["LINE"],
        TargetEnd::Eos => pipeline::of(task.pipeline()).exported_arguments(),
    }
}
