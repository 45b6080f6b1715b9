//! Pieces of the program that differ from architecture to architecture.

use strata_attention::RelativePositions;
use strata_models::{EncoderCell, ModelConfig, TargetEnd};
use strata_tasks::TaskConfig;

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
    /// Lines of a poem, and the next line.
    Lines,
}

impl Kind {
    /// Returns the inputs and outputs of a model; `None` for an architecture for which no program is
    /// written.
    pub fn of(model: &ModelConfig) -> Option<Self> {
        match model {
            ModelConfig::Transformer(_) | ModelConfig::Seq2Seq(_) => Some(Self::Pairs),
            ModelConfig::TransformerLm(_) | ModelConfig::RecurrentLm(_) => Some(Self::Text),
            ModelConfig::Tagger(_) => Some(Self::Places),
            ModelConfig::Rnnpg(_) => Some(Self::Lines),
            ModelConfig::Bidaf(_) | ModelConfig::MatchLstm(_) | ModelConfig::Rnet(_) => None,
        }
    }

    /// Returns the pieces of the program's `main`.
    pub fn ends(self) -> &'static [&'static str] {
        match self {
            Self::Pairs => &[piece!("end"), piece!("tell"), piece!("end_pairs")],
            Self::Text => &[piece!("end"), piece!("tell"), piece!("end_text")],
            // The rows of an answer in place are tokens of the source, which `main` names itself.
            Self::Places => &[piece!("end"), piece!("end_places")],
            Self::Lines => &[piece!("end"), piece!("end_lines")],
        }
    }
}

/// Returns the piece that defines the model; `None` for an architecture for which no program is
/// written.
pub fn model_piece(model: &ModelConfig) -> Option<&'static str> {
    Some(match model {
        ModelConfig::Transformer(_) => piece!("transformer"),
        ModelConfig::Seq2Seq(_) => piece!("seq2seq"),
        ModelConfig::TransformerLm(_) => piece!("transformer_lm"),
        ModelConfig::RecurrentLm(_) => piece!("recurrent_lm"),
        ModelConfig::Tagger(config) => match config.cell {
            EncoderCell::None => piece!("tagger"),
            EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm => piece!("tagger_recurrent"),
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
        ModelConfig::Tagger(config) if config.tied => Some(match config.cell {
            EncoderCell::None => "source_embedding.tokens.weight",
            _ => "source_embedding.weight",
        }),
        _ => None,
    }
}

/// Writes the multi-head layer, after the function that tells the positions in self-attention.
pub fn multi_head(positions: RelativePositions) -> Vec<String> {
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
    let layer = piece!("multi_head").replace("        POSITIONS\n", &told);
    part.map(str::to_owned).into_iter().chain([layer]).collect()
}

/// Settings that the exported program does not read: settings of the encoder that a tagger does not
/// have, and of initial weights.
pub fn idle_settings(model: &ModelConfig) -> &'static [&'static str] {
    match model {
        ModelConfig::Tagger(config) if config.cell == EncoderCell::None => {
            &["cell", "bidirectional"]
        }
        ModelConfig::Tagger(_) => &[
            "heads",
            "loops",
            "feed_forward",
            "norm_first",
            "positions",
            "longest",
            "mask_padding",
            "encoder_self",
        ],
        ModelConfig::Rnnpg(_) => &["convolution_bound"],
        _ => &[],
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
