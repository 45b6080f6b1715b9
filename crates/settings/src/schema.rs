//! Resolution of settings to an experiment, with a sentence for each fault.
//!
//! The types of the experiment define all settings. Their errors, though, lack information: inside
//! a table whose fields depend on its `kind`, serde loses the path. Settings are therefore compared
//! with a reference, the default experiment of the same variants, which contains every possible
//! key.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use strata_describe::{Domain, shortened};
use strata_training::Experiment;

use crate::description::{groups, join};
use crate::suggestion::{nearest, suggestion};
use crate::{Table, aliases, numeral, value};

/// Names of the settings that choose the variant of their table.
pub const TAGS: [&str; 2] = ["kind", "architecture"];

/// True if a setting of this name chooses the variant of its table.
pub fn is_tag(name: &str) -> bool {
    TAGS.contains(&name)
}

/// Error in a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct SettingError {
    /// The setting, with dots.
    pub key: String,
    /// A sentence.
    what: String,
}

/// Adds the default variant to each table of `table` that has variants and names none.
///
/// # Errors
/// If a variant is named that does not exist.
pub fn fill_tags(table: &mut Table) -> Result<(), SettingError> {
    let reference = reference(table)?;
    add_tags(table, &reference);
    Ok(())
}

/// Returns the experiment of these settings; missing settings get the defaults of the chosen
/// variants.
///
/// # Errors
/// Names the setting that is unknown or has a value of the wrong kind.
pub fn resolve(mut table: Table) -> Result<Experiment, SettingError> {
    let reference = reference(&table)?;
    refuse_unknown(&table, &reference, "", &reference)?;
    let settings = settings_of(&reference);
    fit(&mut table, "", &settings);
    let mut whole = reference.clone();
    merge(&mut whole, &table);
    let error = match deserialize(whole) {
        Ok(experiment) => return Ok(experiment),
        Err(error) => error,
    };
    // Finds the first setting that makes an impossible experiment by itself.
    for (path, value) in leaves(&table, &[]) {
        let mut alone = Table::new();
        insert(&mut alone, &path, value.clone());
        let mut whole = reference.clone();
        merge(&mut whole, &alone);
        if let Err(error) = deserialize(whole) {
            return Err(bad_value(&path, value, &settings, &error));
        }
    }
    // Every setting by itself is in order, so this is not expected to be reached.
    Err(SettingError {
        key: String::new(),
        what: error,
    })
}

fn deserialize(table: Json) -> Result<Experiment, String> {
    serde_json::from_value(table).map_err(|error| error.to_string())
}

/// Returns an experiment with the variants that `table` names and all other settings by default.
fn reference(table: &Table) -> Result<Json, SettingError> {
    let experiment = Experiment::default();
    let mut reference = serde_json::to_value(experiment).expect("an experiment is plain data");
    choose(&mut reference, table, &[])?;
    Ok(reference)
}

/// Sets the variants of `reference` that `table` names below `path`, outer ones before inner ones,
/// because a variant decides which tables it contains.
fn choose(reference: &mut Json, table: &Table, path: &[String]) -> Result<(), SettingError> {
    let Some(Json::Object(known)) = at(reference, path) else {
        return Ok(());
    };
    let tag = TAGS.into_iter().find(|&tag| known.contains_key(tag));
    if let Some((tag, chosen)) = tag.and_then(|tag| Some((tag, table.get(tag)?)))
        && known.get(tag) != Some(chosen)
    {
        let mut changed = reference.clone();
        if let Some(variant) = at(&mut changed, path) {
            *variant = json!({ tag: chosen });
        }
        let experiment = deserialize(changed).map_err(|error| {
            let path = [path, &[tag.to_owned()]].concat();
            bad_value(&path, chosen, &settings_of(reference), &error)
        })?;
        *reference = serde_json::to_value(experiment).expect("an experiment is plain data");
    }
    for (name, value) in table {
        if let Json::Object(inner) = value {
            choose(
                reference,
                inner,
                &[path, std::slice::from_ref(name)].concat(),
            )?;
        }
    }
    Ok(())
}

/// Finds the value at `path`.
fn at<'a>(json: &'a mut Json, path: &[String]) -> Option<&'a mut Json> {
    path.iter()
        .try_fold(json, |table, name| table.get_mut(name))
}

/// Adds the variants of `reference` to each table of `table` that names no variant.
fn add_tags(table: &mut Table, reference: &Json) {
    for (name, value) in table {
        let (Json::Object(inner), Some(reference)) = (value, reference.get(name)) else {
            continue;
        };
        for tag in TAGS {
            if let Some(variant) = reference.get(tag).filter(|variant| variant.is_string())
                && !inner.contains_key(tag)
            {
                inner.insert(tag.to_owned(), variant.clone());
            }
        }
        add_tags(inner, reference);
    }
}

/// Replaces values of `json` by the values that `table` has under the same keys.
fn merge(json: &mut Json, table: &Table) {
    for (name, value) in table {
        match (json.get_mut(name), value) {
            (Some(known), Json::Object(inner)) if known.is_object() => merge(known, inner),
            (Some(known), value) => *known = value.clone(),
            (None, _) => {}
        }
    }
}

/// Returns the domains of all settings of an experiment, by key.
fn settings_of(experiment: &Json) -> BTreeMap<String, Domain> {
    let groups = deserialize(experiment.clone()).map(|experiment| groups(&experiment));
    let settings = groups
        .into_iter()
        .flatten()
        .flat_map(|group| group.settings.into_iter().chain(group.tag));
    settings
        .map(|entry| (entry.key, entry.setting.domain))
        .collect()
}

/// Converts values to the kinds of their settings; a value that cannot be converted is left
/// unchanged.
fn fit(table: &mut Table, path: &str, settings: &BTreeMap<String, Domain>) {
    for (name, value) in table {
        let key = join(path, name);
        match value {
            Json::Object(inner) => fit(inner, &key, settings),
            value => {
                let fitted = settings
                    .get(&key)
                    .and_then(|domain| value::fit(value, domain));
                *value = fitted.unwrap_or_else(|| value.take());
            }
        }
    }
}

/// Refuses keys of `table` that `reference` does not have; suggestions come from `all`, the whole
/// experiment.
fn refuse_unknown(
    table: &Table,
    reference: &Json,
    path: &str,
    all: &Json,
) -> Result<(), SettingError> {
    for (name, value) in table {
        let key = join(path, name);
        let Some(known) = reference.get(name) else {
            let what = format!(
                "there is no setting `{key}`; {}",
                suggestion(name, path, reference, all)
            );
            return Err(SettingError { key, what });
        };
        match value {
            Json::Object(inner) if known.is_object() => refuse_unknown(inner, known, &key, all)?,
            value if value.is_object() || known.is_object() => {
                let what = format!(
                    "`{key}` is {}, but must be {}",
                    quoted(value),
                    kind_of(known)
                );
                return Err(SettingError { key, what });
            }
            _ => {}
        }
    }
    Ok(())
}

fn bad_value(
    path: &[String],
    value: &Json,
    settings: &BTreeMap<String, Domain>,
    message: &str,
) -> SettingError {
    let key = path.join(".");
    let domain = settings.get(&key);
    let must = domain.map_or_else(|| shortened(message), wanted);
    let advice = domain.map_or_else(String::new, |domain| advice(&key, value, domain));
    let what = format!("`{key}` is {}, but must be {must}{advice}", quoted(value));
    SettingError { key, what }
}

/// Writes a value for a sentence, shortened.
fn quoted(value: &Json) -> String {
    shortened(&value.to_string())
}

/// Describes the values that a setting takes.
fn wanted(domain: &Domain) -> String {
    match domain {
        Domain::Whole {
            minimum,
            maximum: u64::MAX,
            ..
        } => {
            format!("a whole number, {minimum} or above (up to {})", u64::MAX)
        }
        Domain::Whole {
            minimum,
            maximum,
            special,
            ..
        } => {
            let special = special.map(|word| format!(", or \"{}\"", word.name));
            format!(
                "a whole number from {minimum} to {maximum}{}",
                special.unwrap_or_default()
            )
        }
        Domain::WholeRange {
            minimum, maximum, ..
        } => format!(
            "a whole number from {minimum} to {maximum}, or a range of such numbers that rises, \
             written like \"{minimum}..{maximum}\""
        ),
        Domain::Real { .. } => format!("a number from {domain}"),
        Domain::Choice { options, .. } => {
            let names: Vec<String> = options
                .iter()
                .map(|option| format!("`{}`", option.name))
                .collect();
            match names.split_last() {
                Some((last, others)) if !others.is_empty() => {
                    format!("{} or {last}", others.join(", "))
                }
                _ => names.concat(),
            }
        }
        Domain::YesNo { .. } => "true or false".to_owned(),
        Domain::Text => "a text".to_owned(),
        Domain::Path { .. } => "a text, the path of a file".to_owned(),
    }
}

/// Returns advice on how to write the value that was meant, or an empty text.
fn advice(key: &str, value: &Json, domain: &Domain) -> String {
    let listed = |found: &[String]| {
        let found: Vec<String> = found.iter().map(|text| format!("`{text}`")).collect();
        found.join(" or ")
    };
    match (domain, value) {
        (Domain::Whole { .. } | Domain::Real { .. }, Json::String(text)) => {
            let mut found = numeral::candidates(text, matches!(domain, Domain::Whole { .. }));
            found.retain(|written| takes(domain, written));
            if found.is_empty() {
                String::new()
            } else {
                format!("; write {}", listed(&found))
            }
        }
        (Domain::Choice { options, .. }, Json::String(text)) => {
            let meant = nearest(text, options.iter().map(|option| option.name));
            match (meant, aliases::absent(text)) {
                (Some(name), _) => format!("; did you mean `{name}`?"),
                (None, Some(advice)) => format!(" ({advice})"),
                (None, None) => String::new(),
            }
        }
        (Domain::Text | Domain::Path { .. }, Json::Number(_) | Json::Bool(_)) => {
            format!(
                "; a name like this needs quotation marks, on the command line \
                 `'{key}=\"{}\"'`",
                quoted(value)
            )
        }
        _ => String::new(),
    }
}

/// True if a number as written lies in the range of a setting.
fn takes(domain: &Domain, written: &str) -> bool {
    match domain {
        Domain::Whole {
            minimum, maximum, ..
        } => {
            let number = numeral::whole(written);
            number.is_some_and(|number| (*minimum..=*maximum).contains(&number))
        }
        Domain::Real {
            minimum, maximum, ..
        } => {
            let number = numeral::real(written);
            number.is_some_and(|number| (*minimum..=*maximum).contains(&number))
        }
        _ => true,
    }
}

/// Describes in words the kind of a table or setting of the reference experiment.
fn kind_of(reference: &Json) -> &'static str {
    match reference {
        Json::Object(_) => "a group of settings",
        Json::Bool(_) => "true or false",
        Json::Number(number) if number.is_f64() => "a number",
        Json::Number(_) => "a whole number, 0 or above",
        // Paths are the only settings that may be null.
        Json::String(_) | Json::Null => "a text",
        Json::Array(_) => "a list",
    }
}

/// Returns all values that are not tables, each with its path.
fn leaves<'a>(table: &'a Table, path: &[String]) -> Vec<(Vec<String>, &'a Json)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let path = [path, std::slice::from_ref(name)].concat();
        match value {
            Json::Object(inner) => found.extend(leaves(inner, &path)),
            value => found.push((path, value)),
        }
    }
    found
}

fn insert(table: &mut Table, path: &[String], value: Json) {
    match path {
        [] => {}
        [name] => drop(table.insert(name.clone(), value)),
        [name, rest @ ..] => {
            let entry = table
                .entry(name.clone())
                .or_insert_with(|| Json::Object(Table::new()));
            if let Json::Object(inner) = entry {
                insert(inner, rest, value);
            }
        }
    }
}
