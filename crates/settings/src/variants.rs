//! Defaults of settings in every variant.

use serde_json::Value as Json;
use strata_attention::MechanismConfig;
use strata_describe::Setting;
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_training::{Experiment, Schedule};

use crate::description::{default_value, join};

/// Returns the sites at which the default of a mechanism's setting differs from the mechanism's
/// own.
pub fn defaults_at_sites(mechanism: &str, setting: &Setting) -> Vec<SiteDefault> {
    let mut found = Vec::new();
    for model in ModelConfig::all() {
        let architecture = model.name();
        let settings = serde_json::to_value(&model).unwrap_or_default();
        for site in model.sites() {
            if site.mechanism.name() != mechanism {
                continue;
            }
            let value = &settings[site.name][setting.words.name];
            if *value != default_value(&setting.domain) {
                found.push(SiteDefault {
                    site: join("model", site.name),
                    architecture,
                    value: value.clone(),
                });
            }
        }
    }
    found
}

/// Default of a mechanism's setting at one site of one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteDefault {
    /// Key of the site, such as `model.attention`.
    pub site: String,
    /// Name of the architecture that has the site.
    pub architecture: &'static str,
    /// Default of the setting at the site.
    pub value: Json,
}

/// Returns experiments that together contain every table in every variant. Some are not valid: for
/// example, a language model combined with a task of pairs.
pub fn every_variant() -> Vec<Experiment> {
    let base = Experiment::default;
    let mut all = Vec::new();
    all.extend(ModelConfig::all().map(|model| Experiment { model, ..base() }));
    let tasks = TaskConfig::kinds().iter();
    let tasks = tasks.filter_map(|task| TaskConfig::of_kind(task.words.name));
    all.extend(tasks.map(|task| Experiment { task, ..base() }));
    for cross in MechanismConfig::all() {
        let model = ModelConfig::Transformer(strata_models::TransformerConfig {
            cross,
            ..Default::default()
        });
        all.push(Experiment { model, ..base() });
    }
    for schedule in Schedule::all() {
        let mut experiment = base();
        experiment.training.schedule = schedule;
        all.push(experiment);
    }
    all
}
