//! Attention mechanisms for which no program is written.

use strata_models::{EncoderCell, ModelConfig};

use super::program;
use crate::base::error::Error;

/// False if the model has no attention, whatever the settings of sites are.
pub fn attends(model: &ModelConfig) -> bool {
    match model {
        ModelConfig::Seq2Seq(config) => config.attend,
        ModelConfig::Tagger(config) => config.cell == EncoderCell::None,
        _ => true,
    }
}

/// Refuses a model with a mechanism for which `program` has no code.
///
/// # Errors
/// Names the site and its mechanism.
pub fn check(model: &ModelConfig) -> Result<(), Error> {
    if !attends(model) {
        return Ok(());
    }
    for site in model.sites() {
        if program::class(site.mechanism).is_some() {
            continue;
        }
        return Err(Error::Session(format!(
            "`model.{}`: {} attention is not written for PyTorch; vanilla, multilevel, ham_v, \
             ham_s, linear, hard and local attention are, and `docs/checkpoints.md` tells what \
             every tensor of the checkpoint is",
            site.name,
            site.mechanism.name()
        )));
    }
    Ok(())
}
