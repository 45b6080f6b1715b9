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

/// Returns the pieces that define the model and the program's `main`, in the order in which they
/// stand in the program; `None` for an architecture for which no program is written.
pub fn pieces(model: &ModelConfig) -> Option<Vec<&'static str>> {
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
        | ModelConfig::Rnnpg(_) => return None,
    };
    Some([&[architecture, piece!("end")], ends].concat())
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
    let layer = piece!("multi_head").replace("        POSITIONS\n", &told);
    part.map(str::to_owned).into_iter().chain([layer]).collect()
}

/// Settings that the exported program does not read: settings of the encoder that a tagger does not
/// have.
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
