//! Defaults of every variant.

use serde_json::Value as Json;
use strata_attention::MechanismConfig;
use strata_describe::Setting;
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_training::{Experiment, Schedule};

use crate::description::{default_value, join};

/// Sites at which the default of a setting differs from the mechanism's own default.
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

/// A default that holds at one site of one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteDefault {
    /// Name with dots: `model.attention`.
    pub site: String,
    /// The architecture that has it.
    pub architecture: &'static str,
    /// Default of the setting at the site.
    pub value: Json,
}

/// Experiments that together have every table in every variant. Not all of them are valid: a
/// language model may be combined with a task of pairs.
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
