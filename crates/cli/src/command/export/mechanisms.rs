//! Attention mechanisms for which no program is written.

use strata_attention::{Chain, MechanismConfig};
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
    let steps_alone = matches!(model, ModelConfig::Seq2Seq(config) if config.input_feeding);
    if !attends(model) {
        return Ok(());
    }
    for site in model.sites() {
        let kind = site.mechanism.name();
        let reason = match site.mechanism {
            mechanism if program::class(mechanism).is_none() => format!("{kind} attention"),
            // Rows of earlier positions are fed back, which a decoder that goes step by step does
            // not have.
            MechanismConfig::Multilevel(config)
                if steps_alone && config.levels > 1 && config.chain != Chain::Keys =>
            {
                "the chains `causal` and `paper_leaky` with `input_feeding`".to_owned()
            }
            _ => continue,
        };
        return Err(Error::Session(format!(
            "`model.{}`: {reason} is not written for PyTorch; vanilla, multilevel, ham_v, ham_s \
             and linear attention are, and `docs/checkpoints.md` tells what every tensor of the \
             checkpoint is",
            site.name
        )));
    }
    Ok(())
}
