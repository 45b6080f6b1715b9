//! Attention sites of a model.

use strata_attention::MechanismConfig;
use strata_models::{AttentionBlock, ModelConfig, Vocabularies};

/// Returns all attention sites of a model, in the order of a forward pass.
pub(crate) fn sites(model: &ModelConfig) -> Vec<AttentionBlock> {
    // The sites do not depend on the sizes of the vocabularies.
    let vocabularies = Vocabularies {
        source: 1,
        target: 1,
    };
    let diagram = model.diagram(vocabularies);
    let sites = diagram.blocks().filter_map(|block| block.attention());
    sites.cloned().collect()
}

/// Returns the number of levels of a mechanism, N.
pub(crate) fn levels(mechanism: &MechanismConfig) -> usize {
    match mechanism {
        MechanismConfig::Multilevel(config) => config.levels,
        MechanismConfig::HamV(config) => config.depth,
        MechanismConfig::HamS(config) => config.depth,
        MechanismConfig::Pyramid(config) => config.levels,
        MechanismConfig::Vanilla(_)
        | MechanismConfig::Local(_)
        | MechanismConfig::Hard(_)
        | MechanismConfig::Linear(_) => 1,
    }
}
