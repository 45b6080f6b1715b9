//! Pieces of the program that differ from architecture to architecture.

use strata_models::{EncoderCell, ModelConfig, TargetEnd};
use strata_tasks::TaskConfig;

use crate::pipeline;

macro_rules! piece {
    ($name:literal) => {
        include_str!(concat!("../../../export/", $name, ".py"))
    };
}

/// Returns the pieces that define the model and the program's `main`, in the order in which they
/// stand in the program.
pub fn pieces(model: &ModelConfig) -> Vec<&'static str> {
    let of_pairs = [piece!("tell"), piece!("end_pairs")];
    let of_text = [piece!("tell"), piece!("end_text")];
    let (architecture, ends): (&str, &[&str]) = match model {
        ModelConfig::Transformer(_) => (piece!("transformer"), &of_pairs),
        ModelConfig::Seq2Seq(_) => (piece!("seq2seq"), &of_pairs),
        ModelConfig::TransformerLm(_) => (piece!("transformer_lm"), &of_text),
        ModelConfig::RecurrentLm(_) => (piece!("recurrent_lm"), &of_text),
        ModelConfig::Tagger(config) => {
            let architecture = match config.cell {
                EncoderCell::None => piece!("tagger"),
                EncoderCell::Rnn | EncoderCell::Gru | EncoderCell::Lstm => {
                    piece!("tagger_recurrent")
                }
            };
            // The rows of an answer in place are tokens of the source, which `main` names itself.
            (architecture, &[piece!("end_places")])
        }
        ModelConfig::Bidaf(_)
        | ModelConfig::MatchLstm(_)
        | ModelConfig::Rnet(_)
        | ModelConfig::Rnnpg(_) => {
            unreachable!("they are refused")
        }
    };
    [&[architecture, piece!("end")], ends].concat()
}

/// True if the model is made of the Transformer's layers.
pub fn has_transformer_layers(model: &ModelConfig) -> bool {
    match model {
        ModelConfig::Transformer(_) | ModelConfig::TransformerLm(_) => true,
        ModelConfig::Tagger(config) => config.cell == EncoderCell::None,
        _ => false,
    }
}

/// Settings of the model that its program does not read: those of the encoder that a tagger does
/// not have.
pub fn idle_settings(model: &ModelConfig) -> &'static [&'static str] {
    match model {
        ModelConfig::Tagger(config) if config.cell == EncoderCell::None => {
            &["cell", "bidirectional"]
        }
        ModelConfig::Tagger(_) => &[
            "heads",
            "feed_forward",
            "norm_first",
            "positions",
            "longest",
            "mask_padding",
            "encoder_self",
        ],
        _ => &[],
    }
}

/// Returns the names of the texts that the program is called with.
pub fn arguments(model: &ModelConfig, task: &TaskConfig) -> &'static [&'static str] {
    match model.target_end() {
        TargetEnd::SourceLength => &["SOURCE"],
        TargetEnd::Eos | TargetEnd::LineLength => {
            pipeline::of(task.pipeline()).exported_arguments()
        }
    }
}
