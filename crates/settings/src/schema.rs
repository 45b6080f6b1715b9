//! Resolution of settings to an experiment, with a sentence for each fault.
//!
//! The experiment's own types say all of it. Their errors, though, do not say enough: inside a
//! table whose fields depend on its `kind`, serde loses the path. So the settings are held against
//! an experiment of the same variants, which shows every key that there is.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use strata_describe::{Domain, shortened};
use strata_training::Experiment;

use crate::description::{groups, join};
use crate::suggestion::{nearest, suggestion};
use crate::{Table, brought, numeral, value};

/// Settings that choose the variant of their table.
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

/// Writes into each table of `table` that has variants the one that it has by default.
///
/// # Errors
/// If a variant is named that there is not.
pub fn fill_tags(table: &mut Table) -> Result<(), SettingError> {
    let reference = reference(table)?;
    add_tags(table, &reference);
    Ok(())
}

/// The experiment of these settings; what is missing has its default.
///
/// A default is that of the variant which is chosen around it: to name the one that is there
/// anyway changes nothing.
///
/// # Errors
/// Names the setting that is unknown or has a value of the wrong kind.
pub fn resolve(mut table: Table) -> Result<Experiment, SettingError> {
    let reference = reference(&table)?;
    refuse_unknown(&table, &reference, "", &reference)?;
    let settings = settings_of(&reference);
    fit(&mut table, "", &settings);
    let mut whole = reference.clone();
    put(&mut whole, &table);
    let error = match deserialize(whole) {
        Ok(experiment) => return Ok(experiment),
        Err(error) => error,
    };
    // Of all settings, the first that makes an impossible experiment by itself.
    for (path, value) in leaves(&table, &[]) {
        let mut alone = Table::new();
        insert(&mut alone, &path, value.clone());
        let mut whole = reference.clone();
        put(&mut whole, &alone);
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

/// An experiment of the variants that `table` names, all else by default.
fn reference(table: &Table) -> Result<Json, SettingError> {
    let experiment = Experiment::default();
    let mut reference = serde_json::to_value(experiment).expect("an experiment is plain data");
    choose(&mut reference, table, &[])?;
    Ok(reference)
}

/// Gives `reference` the variants that `table` names below `path`, the outer ones before the inner
/// ones: a variant decides which tables are in it.
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

/// The value at the end of `path`.
fn at<'a>(json: &'a mut Json, path: &[String]) -> Option<&'a mut Json> {
    path.iter().try_fold(json, |it, name| it.get_mut(name))
}

/// Writes the variants of `reference` where `table` has tables without them.
fn add_tags(table: &mut Table, reference: &Json) {
    for (name, value) in table {
        let (Json::Object(inner), Some(reference)) = (value, reference.get(name)) else {
            continue;
        };
        for tag in TAGS {
            if let Some(variant) = reference.get(tag).filter(|it| it.is_string())
                && !inner.contains_key(tag)
            {
                inner.insert(tag.to_owned(), variant.clone());
            }
        }
        add_tags(inner, reference);
    }
}

/// Puts the settings of `table` in the place of those that are there.
fn put(json: &mut Json, table: &Table) {
    for (name, value) in table {
        match (json.get_mut(name), value) {
            (Some(known), Json::Object(inner)) if known.is_object() => put(known, inner),
            (Some(known), value) => *known = value.clone(),
            (None, _) => {}
        }
    }
}

/// All settings that the experiment has, by their keys.
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

/// Reads values as their settings mean them; what cannot be read stays as it is.
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

/// Holds the keys of `table` against those of `reference`; `all` is the whole experiment.
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

/// A value as a sentence names it.
fn quoted(value: &Json) -> String {
    shortened(&value.to_string())
}

/// Description of the values that a setting takes.
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
            let special = special.map(|it| format!(", or \"{}\"", it.name));
            format!(
                "a whole number from {minimum} to {maximum}{}",
                special.unwrap_or_default()
            )
        }
        Domain::Real { .. } => format!("a number from {domain}"),
        Domain::Choice { options, .. } => {
            let names: Vec<String> = options.iter().map(|it| format!("`{}`", it.name)).collect();
            match names.split_last() {
                Some((last, others)) if !others.is_empty() => {
                    format!("{} or {last}", others.join(", "))
                }
                _ => names.concat(),
            }
        }
        Domain::YesNo { .. } => "true or false".to_owned(),
        Domain::Path { .. } => "a text, the path of a file".to_owned(),
    }
}

/// Advice on how to write the value that was meant, or an empty text.
fn advice(key: &str, value: &Json, domain: &Domain) -> String {
    let listed = |found: &[String]| {
        let found: Vec<String> = found.iter().map(|it| format!("`{it}`")).collect();
        found.join(" or ")
    };
    match (domain, value) {
        (Domain::Whole { .. } | Domain::Real { .. }, Json::String(text)) => {
            let mut found = numeral::candidates(text, matches!(domain, Domain::Whole { .. }));
            found.retain(|written| takes(domain, written));
            match found.is_empty() {
                true => String::new(),
                false => format!("; write {}", listed(&found)),
            }
        }
        (Domain::Choice { options, .. }, Json::String(text)) => {
            let meant = nearest(text, options.iter().map(|it| it.name));
            match (meant, brought::absent(text)) {
                (Some(name), _) => format!("; did you mean `{name}`?"),
                (None, Some(there_is)) => format!(" ({there_is})"),
                (None, None) => String::new(),
            }
        }
        (Domain::Path { .. }, Json::Number(_) | Json::Bool(_)) => {
            format!(
                "; a name like this needs quotation marks, on the command line \
                 `'{key}=\"{}\"'`",
                quoted(value)
            )
        }
        _ => String::new(),
    }
}

/// True if a number is in the range of a setting.
fn takes(domain: &Domain, written: &str) -> bool {
    match domain {
        Domain::Whole {
            minimum, maximum, ..
        } => {
            let number = numeral::whole(written);
            number.is_some_and(|it| (*minimum..=*maximum).contains(&it))
        }
        Domain::Real {
            minimum, maximum, ..
        } => {
            let number = numeral::real(written);
            number.is_some_and(|it| (*minimum..=*maximum).contains(&it))
        }
        _ => true,
    }
}

/// Kind of a table or setting, as `reference` has it, in words.
fn kind_of(reference: &Json) -> &'static str {
    match reference {
        Json::Object(_) => "a group of settings",
        Json::Bool(_) => "true or false",
        Json::Number(number) if number.is_f64() => "a number",
        Json::Number(_) => "a whole number, 0 or above",
        // Only paths can be absent.
        Json::String(_) | Json::Null => "a text",
        Json::Array(_) => "a list",
    }
}

/// All settings that are no groups, with their paths.
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
