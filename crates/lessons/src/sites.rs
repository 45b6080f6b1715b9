//! Where a model attends, site by site, as the session names them.

use strata_attention::MechanismConfig;
use strata_models::ModelConfig;

/// A site of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonSite {
    /// `encoder.0.self`, `decoder.1.cross`, ….
    pub name: String,
    /// H.
    pub heads: usize,
    /// N.
    pub levels: usize,
    /// How it attends.
    pub mechanism: MechanismConfig,
}

/// All sites of a model, in the order of a pass.
pub fn sites(model: &ModelConfig) -> Vec<LessonSite> {
    let site = |name: String, heads: usize, mechanism: MechanismConfig| LessonSite {
        name,
        heads,
        levels: levels(&mechanism),
        mechanism,
    };
    match model {
        ModelConfig::Seq2Seq(config) if config.attend => {
            vec![site("decoder.cross".to_owned(), 1, config.attention)]
        }
        ModelConfig::Seq2Seq(_) | ModelConfig::RecurrentLm(_) => Vec::new(),
        ModelConfig::Transformer(config) => {
            let encoder = (0..config.layers).map(|layer| {
                let name = format!("encoder.{layer}.self");
                site(name, config.heads, config.encoder_self)
            });
            let decoder = (0..config.layers).flat_map(|layer| {
                let at = |kind: &str, mechanism| {
                    site(format!("decoder.{layer}.{kind}"), config.heads, mechanism)
                };
                [at("self", config.decoder_self), at("cross", config.cross)]
            });
            encoder.chain(decoder).collect()
        }
        ModelConfig::TransformerLm(config) => (0..config.layers)
            .map(|layer| {
                let name = format!("decoder.{layer}.self");
                site(name, config.heads, config.decoder_self)
            })
            .collect(),
    }
}

fn levels(mechanism: &MechanismConfig) -> usize {
    match mechanism {
        MechanismConfig::Multilevel(config) => config.levels,
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => config.depth,
        MechanismConfig::Pyramid(config) => config.levels,
        MechanismConfig::Vanilla(_)
        | MechanismConfig::Local(_)
        | MechanismConfig::Hard(_)
        | MechanismConfig::Linear(_) => 1,
    }
}
