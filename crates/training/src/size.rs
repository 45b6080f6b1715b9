//! Refuses a model that no memory holds, or that has too few positions, before it is built.

use strata_models::{ModelConfig, Vocabularies};

use crate::TrainingError;

/// Parameters; with gradients and moments each takes 16 bytes and more. A browser gives a worker
/// 4 GiB at most, and without this check asking for more ends it without a word.
const LARGEST_MODEL: u64 = if cfg!(target_family = "wasm") {
    100_000_000
} else {
    2_000_000_000
};

/// Refuses a model that no memory holds, before it is built.
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

/// Whether a file with so many numbers can be that of a model, as far as is known before it is built.
pub(crate) fn could_hold(numbers: usize, model: &ModelConfig, vocabularies: Vocabularies) -> bool {
    // Each tensor is compared when it is read; here it is memory that matters.
    model.parameters(vocabularies) <= 4 * numbers as u64 + 1_000_000
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
}
