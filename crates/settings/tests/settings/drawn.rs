//! Random experiments of every kind.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde_json::json;
use strata_describe::Domain;
use strata_settings::description::{every_variant, groups};
use strata_settings::diff::with;
use strata_settings::overrides::Override;
use strata_settings::presets::Preset;
use strata_training::Experiment;

/// Draws `count` valid experiments: a variant or a preset with some settings changed at random.
/// Changes that would make the experiment invalid are skipped.
pub fn drawn(count: usize) -> Vec<Experiment> {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut below = move |end: usize| (random.next_u64() % end as u64) as usize;
    let mut bases: Vec<Experiment> = every_variant();
    bases.extend(Preset::ALL.map(Preset::experiment));
    let mut all = Vec::new();
    while all.len() < count {
        let mut experiment = bases[below(bases.len())].clone();
        for _ in 0..below(12) {
            let settings: Vec<_> = groups(&experiment)
                .into_iter()
                .flat_map(|group| group.settings.into_iter().chain(group.tag))
                .collect();
            let entry = &settings[below(settings.len())];
            let value = match entry.setting.domain {
                Domain::Whole {
                    minimum, maximum, ..
                } => json!(minimum + below((maximum - minimum).clamp(1, 40) as usize) as u64),
                Domain::WholeRange {
                    minimum, maximum, ..
                } => {
                    let first = minimum + below((maximum - minimum) as usize) as u64;
                    [
                        json!(first),
                        json!(format!("{first}..{}", (first + 1).min(maximum))),
                    ][below(2)]
                    .clone()
                }
                Domain::Real {
                    minimum, maximum, ..
                } => json!(minimum + (maximum - minimum) * below(1000) as f64 / 1007.0),
                Domain::Choice { options, .. } => json!(options[below(options.len())].name),
                Domain::YesNo { .. } => json!(below(2) == 1),
                Domain::Text => json!(""),
                Domain::Path { .. } => {
                    json!(["a.txt", "my file's \"best\".tsv", "3", "true"][below(4)])
                }
            };
            let changed = with(&experiment, Override::new(&entry.key, value)).unwrap();
            // A language model needs another task, so a change of only one of the two is accepted.
            if changed.model.check().is_ok() && changed.training.check().is_ok() {
                experiment = changed;
            }
        }
        if experiment.check().is_ok() {
            all.push(experiment);
        }
    }
    all
}
