//! Differences between two experiments, and experiments with some settings changed.

use serde_json::Value as Json;
use strata_training::Experiment;

use crate::Table;
use crate::description::join;
use crate::overrides::{Override, apply};
use crate::schema::{self, SettingError, TAGS};

/// Converts an experiment to a table of settings.
pub fn table(experiment: &Experiment) -> Table {
    match serde_json::to_value(experiment) {
        Ok(Json::Object(table)) => table,
        _ => Table::new(),
    }
}

/// Finds a setting in a table by its key, whose parts are separated by dots.
pub fn get<'a>(table: &'a Table, key: &str) -> Option<&'a Json> {
    let (first, rest) = key.split_once('.').unwrap_or((key, ""));
    let value = table.get(first)?;
    match rest {
        "" => Some(value),
        rest => get(value.as_object()?, rest),
    }
}

/// Returns the experiment with some settings changed. If a changed setting chooses a variant, the
/// settings that only the new variant has get their defaults.
///
/// # Errors
/// Names the first setting that is unknown or has a value of the wrong kind. [`Experiment::check`]
/// says whether the experiment as a whole is valid.
pub fn with(
    experiment: &Experiment,
    settings: impl IntoIterator<Item = Override>,
) -> Result<Experiment, SettingError> {
    let mut table = table(experiment);
    apply(settings.into_iter().collect(), &mut table);
    schema::resolve(table)
}

/// Returns the settings that turn `base` into `other`: first those that choose variants, so that
/// few others remain, then the others in order.
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

/// Finds the first setting that differs and chooses a variant, in outer tables before inner ones.
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
