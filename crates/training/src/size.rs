//! Refuses a model that is too large for memory, or has too few positions, before it is built.
//! Estimates the memory of a step.

use std::fmt;
use std::sync::OnceLock;

use strata_models::{Load, ModelConfig, TargetEnd, Vocabularies};
use strata_tasks::TaskConfig;

use crate::{Experiment, Tokenizer, TrainingError};

/// Number of bytes of a parameter.
const BYTES: u64 = 4;
/// Number of values kept per parameter in training: the parameter, its gradient, and the
/// optimiser's two moments.
const COPIES: u64 = 4;

/// Function that returns the available memory in bytes, if known.
static MEMORY: OnceLock<fn() -> Option<u64>> = OnceLock::new();

/// Sets the function that returns the device's available memory in bytes. From then on models and
/// steps are checked against it. Nothing is refused without this call, nor if `available` returns
/// `None`.
pub fn watch_memory(available: fn() -> Option<u64>) {
    // The first call wins.
    let _ = MEMORY.set(available);
}

fn available() -> Option<u64> {
    MEMORY.get().and_then(|ask| ask())
}

/// Largest number of parameters, each of which takes 16 bytes and more with gradient and moments. A
/// browser gives a worker at most 4 GiB, and kills it without a message if it asks for more.
const LARGEST_MODEL: u64 = if cfg!(target_family = "wasm") {
    100_000_000
} else {
    2_000_000_000
};

/// Refuses a model of more parameters than [`LARGEST_MODEL`], before it is built.
pub(crate) fn check_size(
    model: &ModelConfig,
    vocabularies: Vocabularies,
) -> Result<(), TrainingError> {
    let parameters = model.parameters(vocabularies);
    if parameters <= LARGEST_MODEL {
        return Ok(());
    }
    Err(TrainingError::TooLarge {
        millions: parameters / 1_000_000,
        limit: LARGEST_MODEL / 1_000_000,
    })
}

/// Refuses to train a model whose parameters, gradients and moments exceed the available memory.
pub(crate) fn check_memory(
    experiment: &Experiment,
    tokenizer: &Tokenizer,
) -> Result<(), TrainingError> {
    let parameters = experiment.model.parameters(tokenizer.vocabularies());
    let needed = parameters.saturating_mul(BYTES * COPIES);
    match available() {
        Some(available) if needed > available => Err(TrainingError::NoMemory {
            millions: parameters / 1_000_000,
            needed: Bytes(needed),
            available: Bytes(available),
            sizes: sizes(&experiment.model),
        }),
        _ => Ok(()),
    }
}

/// Returns a warning if the largest batch, of at most `examples` examples, needs more memory than
/// is available, even by the lowest estimate. `taken` is the number of values per parameter that
/// are already in memory.
pub(crate) fn memory_note(
    experiment: &Experiment,
    tokenizer: &Tokenizer,
    examples: usize,
    taken: u64,
) -> Option<String> {
    let training = &experiment.training;
    let vocabularies = tokenizer.vocabularies();
    let example = tokenizer.largest_example();
    let batch = match training.batch_tokens {
        budget if budget > 0 && !experiment.model.carries_state() => {
            (budget / example.cells.max(1)).max(1)
        }
        _ => training.batch_size,
    };
    let batch = batch.min(examples);
    let load = Load {
        batch: batch as f64,
        source: example.source as f64,
        target: example.target as f64,
    };
    let cost = experiment.model.step_cost(vocabularies, load);
    let taken = taken * BYTES * experiment.model.parameters(vocabularies);
    let needed = (cost.least_bytes as u64).saturating_sub(taken);
    let available = available()?;
    let lengths = example.words;
    (needed > available).then(|| {
        format!(
            "Memory may run out: the largest batch, {batch} examples of {lengths}, may need \
             {} or more, and {} can be had. If it does, lower {}.",
            Bytes(needed),
            Bytes(available),
            what_to_lower(experiment)
        )
    })
}

/// Names the settings that decide how much memory a step takes, for a sentence that says to lower
/// them.
pub fn what_to_lower(experiment: &Experiment) -> String {
    let batch = match experiment.training.batch_tokens {
        budget if budget > 0 && !experiment.model.carries_state() => "training.batch_tokens",
        _ => "training.batch_size",
    };
    let length = match &experiment.task {
        TaskConfig::Files(_)
        | TaskConfig::Copy(_)
        | TaskConfig::Reverse(_)
        | TaskConfig::Sort(_) => "`task.maximum_length`, ",
        TaskConfig::Text(_) => "`task.segment_length`, ",
        TaskConfig::Reading(_) => "`task.maximum_passage`, ",
        TaskConfig::Poems(_) => "`task.vocabulary`, ",
        _ => "",
    };
    let loops = match &experiment.model {
        ModelConfig::Transformer(config) => config.loops,
        ModelConfig::TransformerLm(config) => config.loops,
        _ => 1,
    };
    let loops = if loops > 1 { "`model.loops`, " } else { "" };
    format!("`{batch}`, {length}{loops}{}", sizes(&experiment.model))
}

/// Names the settings that decide the size of a model, for a sentence that says to lower them.
fn sizes(model: &ModelConfig) -> &'static str {
    match model {
        ModelConfig::Transformer(_) | ModelConfig::TransformerLm(_) | ModelConfig::Tagger(_) => {
            "`model.width`, `model.feed_forward` or `model.layers`"
        }
        ModelConfig::Seq2Seq(_) => {
            "`model.encoder_hidden`, `model.decoder_hidden` or `model.embedding`"
        }
        ModelConfig::Rnnpg(_) => "`model.width`",
        ModelConfig::RecurrentLm(_)
        | ModelConfig::Bidaf(_)
        | ModelConfig::MatchLstm(_)
        | ModelConfig::Rnet(_) => "`model.hidden`, `model.embedding` or `model.layers`",
    }
}

/// Amount of memory, displayed as in `20 KiB`, `312 MiB`, `1.4 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.0 as f64 / 1024.0 / 1024.0;
        if mebibytes < 1.0 {
            write!(f, "{:.0} KiB", mebibytes * 1024.0)
        } else if mebibytes < 1024.0 {
            write!(f, "{mebibytes:.0} MiB")
        } else {
            write!(f, "{:.1} GiB", mebibytes / 1024.0)
        }
    }
}

/// True if a file with `numbers` parameters can belong to the model, as far as this is known before
/// the model is built.
pub(crate) fn could_hold(numbers: usize, model: &ModelConfig, vocabularies: Vocabularies) -> bool {
    // The shape of each tensor is compared when it is read; this check only avoids a large
    // allocation.
    model.parameters(vocabularies) <= 4 * numbers as u64 + 1_000_000
}

/// Refuses a model with fewer positions than the longest source and target need.
pub(crate) fn check_lengths(
    model: &ModelConfig,
    (source, target): (usize, usize),
) -> Result<(), TrainingError> {
    let Some(longest) = model.longest() else {
        return Ok(());
    };
    let needed = match model.target_end() {
        TargetEnd::SourceLength => source,
        _ => source.max(target.saturating_add(1)), // BOS
    };
    if needed <= longest {
        return Ok(());
    }
    Err(TrainingError::TooLong { needed, longest })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_model_that_no_memory_holds_is_refused() {
        let vocabularies = Vocabularies {
            source: 1000,
            target: 1000,
        };
        let refused = |json: &str| {
            let model: ModelConfig = serde_json::from_str(json).unwrap();
            model.check().unwrap();
            check_size(&model, vocabularies).unwrap_err().to_string()
        };
        let error = refused(r#"{"architecture":"transformer","width":65536}"#);
        assert!(error.contains("103413 million parameters"), "{error}");
        refused(r#"{"architecture":"transformer","layers":65536,"width":512,"heads":8}"#);
        refused(r#"{"architecture":"seq2seq","encoder_hidden":65536}"#);
        check_size(&ModelConfig::default(), vocabularies).unwrap();
    }

    #[test]
    fn what_is_to_be_lowered_are_settings_of_the_experiment() {
        for (experiment, expected) in [
            (
                r#"{"task":{"kind":"copy"}}"#,
                "`training.batch_size`, `task.maximum_length`, `model.width`, \
                 `model.feed_forward` or `model.layers`",
            ),
            (
                r#"{"task":{"kind":"copy"},"model":{"architecture":"transformer","loops":2}}"#,
                "`training.batch_size`, `task.maximum_length`, `model.loops`, `model.width`, \
                 `model.feed_forward` or `model.layers`",
            ),
            (
                r#"{"task":{"kind":"text"},"model":{"architecture":"recurrent_lm"},
                    "training":{"batch_tokens":9}}"#,
                "`training.batch_size`, `task.segment_length`, `model.hidden`, \
                 `model.embedding` or `model.layers`",
            ),
            (
                r#"{"model":{"architecture":"seq2seq"},"training":{"batch_tokens":9}}"#,
                "`training.batch_tokens`, `model.encoder_hidden`, `model.decoder_hidden` or \
                 `model.embedding`",
            ),
        ] {
            let experiment: Experiment = serde_json::from_str(experiment).unwrap();
            assert_eq!(what_to_lower(&experiment), expected);
        }
    }

    #[test]
    fn memory_is_said_in_units_that_fit() {
        let said = [20 << 10, 312 << 20, 1434 << 20].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(said, ["20 KiB", "312 MiB", "1.4 GiB"]);
    }
}
