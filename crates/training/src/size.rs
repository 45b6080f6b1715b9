//! Refuses a model that no memory holds, or that has too few positions, before it is built.

use strata_models::{CellKind, ModelConfig, Vocabularies};

use crate::TrainingError;

/// Parameters; with gradients and moments each takes 16 bytes and more. A browser gives a worker
/// 4 GiB at most, and without this check asking for more ends it without a word.
const LARGEST_MODEL: f64 = if cfg!(target_family = "wasm") {
    1e8
} else {
    2e9
};

/// Refuses a model that no memory holds, before it is built.
pub(crate) fn check_size(
    model: &ModelConfig,
    vocabularies: Vocabularies,
) -> Result<(), TrainingError> {
    let parameters = matrices(model, vocabularies);
    if parameters <= LARGEST_MODEL {
        return Ok(());
    }
    Err(TrainingError::TooLarge {
        millions: (parameters / 1e6).round() as u64,
        limit: (LARGEST_MODEL / 1e6) as u64,
    })
}

/// Whether a file with so many numbers can be that of a model, as far as is known before it is built.
pub(crate) fn could_hold(numbers: usize, model: &ModelConfig, vocabularies: Vocabularies) -> bool {
    // The estimate is rough for small models and rare mechanisms; it is memory that matters.
    matrices(model, vocabularies) <= 4.0 * numbers as f64 + 1e6
}

/// Refuses a model that learns fewer positions than the longest source and target need.
pub(crate) fn check_lengths(
    model: &ModelConfig,
    (source, target): (usize, usize),
) -> Result<(), TrainingError> {
    let Some(longest) = model.longest() else {
        return Ok(());
    };
    let needed = source.max(target.saturating_add(1)); // BOS
    if needed <= longest {
        return Ok(());
    }
    Err(TrainingError::TooLong { needed, longest })
}

/// About how many parameters a model has: its large matrices. In floating point, since whole
/// numbers may overflow here.
fn matrices(model: &ModelConfig, vocabularies: Vocabularies) -> f64 {
    let source = vocabularies.source as f64;
    let target = vocabularies.target as f64;
    match model {
        ModelConfig::Transformer(config) => {
            let width = config.width as f64;
            let layer = 12.0 * width * width + 4.0 * width * config.feed_forward as f64;
            let positions = 2.0 * model.longest().unwrap_or(0) as f64;
            width * (source + 2.0 * target + positions) + config.layers as f64 * layer
        }
        ModelConfig::Seq2Seq(config) => {
            let embedding = config.embedding as f64;
            let encoder = config.encoder_hidden as f64;
            let decoder = config.decoder_hidden as f64;
            let above = (config.layers - 1) as f64;
            embedding * (source + target)
                + 3.0 * encoder * (embedding + encoder + 2.0 * above * encoder)
                + 3.0 * decoder * (embedding + decoder + 2.0 * above * decoder)
                + decoder * target
        }
        ModelConfig::TransformerLm(config) => {
            let width = config.width as f64;
            let layer = 4.0 * width * width + 2.0 * width * config.feed_forward as f64;
            let tables = if config.tied { 1.0 } else { 2.0 };
            let positions = model.longest().unwrap_or(0) as f64;
            width * (tables * target + positions) + config.layers as f64 * layer
        }
        ModelConfig::RecurrentLm(config) => {
            let (embedding, hidden) = (config.embedding as f64, config.hidden as f64);
            let gates = match config.cell {
                CellKind::Rnn => 1.0,
                CellKind::Gru => 3.0,
                CellKind::Lstm => 4.0,
            };
            let layers = gates * hidden * (embedding + (2 * config.layers - 1) as f64 * hidden);
            let output = if config.tied { 0.0 } else { hidden * target };
            embedding * target + layers + output
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::module::Module;
    use burn::tensor::Device;

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
        assert!(error.contains("about 103410 million parameters"), "{error}");
        refused(r#"{"architecture":"transformer","layers":65536,"width":512,"heads":8}"#);
        refused(r#"{"architecture":"seq2seq","encoder_hidden":65536}"#);
        check_size(&ModelConfig::default(), vocabularies).unwrap();
    }

    /// The estimate leaves out biases, norms and mechanisms, and little else.
    #[test]
    fn the_estimate_is_close() {
        let vocabularies = Vocabularies {
            source: 1000,
            target: 800,
        };
        for architecture in ["transformer", "seq2seq", "transformer_lm", "recurrent_lm"] {
            let json = format!(r#"{{"architecture":"{architecture}"}}"#);
            let model: ModelConfig = serde_json::from_str(&json).unwrap();
            let device = Device::default();
            let built = model.init(vocabularies, 0, &device).unwrap().num_params() as f64;
            let estimate = matrices(&model, vocabularies);
            assert!(
                (0.7..1.0).contains(&(estimate / built)),
                "{estimate} of {built}"
            );
        }
    }
}
