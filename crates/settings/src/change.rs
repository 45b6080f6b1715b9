//! What differs between two experiments, and an experiment changed by one setting.

use serde_json::Value as Json;
use strata_training::Experiment;

use crate::Table;
use crate::description::join;
use crate::overrides::{Override, apply};
use crate::schema::{self, TAGS, Trouble};

/// An experiment as settings.
pub fn table(experiment: &Experiment) -> Table {
    match serde_json::to_value(experiment) {
        Ok(Json::Object(table)) => table,
        _ => Table::new(),
    }
}

/// A setting of these, by its name with dots.
pub fn get<'a>(table: &'a Table, key: &str) -> Option<&'a Json> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let value = table.get(first)?;
    match rest {
        "" => Some(value),
        rest => get(value.as_object()?, rest),
    }
}

/// The experiment with other settings. Where one of them chooses a variant, what the new variant
/// has more has its default.
///
/// # Errors
/// Names the setting that is unknown, or has a value of the wrong kind. Whether the experiment
/// makes sense is for [`Experiment::check`] to say.
pub fn with(
    experiment: &Experiment,
    settings: impl IntoIterator<Item = Override>,
) -> Result<Experiment, Trouble> {
    let mut table = table(experiment);
    apply(settings.into_iter().collect(), &mut table);
    schema::resolve(table)
}

/// The settings that make `other` of `base`, the fewest first to last: those that choose variants,
/// then the others in their order.
pub fn differences(base: &Experiment, other: &Experiment) -> Vec<Override> {
    let wanted = table(other);
    let mut found = Vec::new();
    let mut reached = base.clone();
    // Each variant that is chosen decides what else differs.
    while let Some(tag) = first(&table(&reached), &wanted, "") {
        let next = with(&reached, [tag.clone()]);
        found.push(tag);
        match next {
            Ok(next) => reached = next,
            Err(_) => break,
        }
    }
    let reached = table(&reached);
    leaves(&reached, &wanted, "", &mut found);
    found
}

/// The first setting that differs and chooses a variant, the outer ones before the inner ones.
fn first(base: &Table, wanted: &Table, path: &str) -> Option<Override> {
    let own = TAGS.iter().find_map(|&tag| {
        let value = wanted.get(tag)?;
        let differs = value.is_string() && base.get(tag) != Some(value);
        differs.then(|| Override::new(&join(path, tag), value.clone()))?
    });
    own.or_else(|| {
        wanted.iter().find_map(|(name, value)| {
            let inner = base.get(name)?.as_object()?;
            first(inner, value.as_object()?, &join(path, name))
        })
    })
}

fn leaves(base: &Table, wanted: &Table, path: &str, found: &mut Vec<Override>) {
    for (name, value) in wanted {
        let key = join(path, name);
        match (base.get(name), value) {
            (Some(Json::Object(base)), Json::Object(wanted)) => leaves(base, wanted, &key, found),
            (Some(base), value) if base == value => {}
            (_, value) => found.extend(Override::new(&key, value.clone())),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use serde_json::json;

    use super::*;
    use crate::description::{Allowed, every_variant, groups};
    use crate::presets::Preset;

    /// Draws whole experiments: a variant or a preset, some of whose settings are others. What
    /// makes no sense is left out, so that the experiment can be trained.
    pub(crate) fn drawn(count: usize) -> Vec<Experiment> {
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
                let setting = &settings[below(settings.len())];
                let value = match &setting.allowed {
                    Allowed::Whole {
                        minimum, maximum, ..
                    } => json!(minimum + below((maximum - minimum).clamp(1, 40))),
                    Allowed::Real {
                        minimum, maximum, ..
                    } => json!(minimum + (maximum - minimum) * below(1000) as f64 / 1007.0),
                    Allowed::Choice { options, .. } => json!(options[below(options.len())].name),
                    Allowed::YesNo { .. } => json!(below(2) == 1),
                    Allowed::Path { .. } => {
                        json!(["a.txt", "my file's \"best\".tsv", "3", "true"][below(4)])
                    }
                };
                let changed = with(&experiment, Override::new(&setting.key, value)).unwrap();
                // A language model needs another task, so halves of a change are let through.
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

    #[test]
    fn differences_lead_from_one_experiment_to_the_other() {
        let drawn = drawn(120);
        for (base, other) in drawn.iter().zip(drawn.iter().skip(1)) {
            let settings = differences(base, other);
            assert_eq!(&with(base, settings).unwrap(), other);
        }
    }

    #[test]
    fn equal_experiments_have_no_differences_and_one_change_is_one() {
        let base = Preset::Copy.experiment();
        assert!(differences(&base, &base).is_empty());
        let changed = with(&base, Override::parse("model.cross.kind=pyramid").ok()).unwrap();
        let found = differences(&base, &changed);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].dotted(), "model.cross.kind");
    }
}
