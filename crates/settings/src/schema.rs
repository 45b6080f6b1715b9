//! What there is to set, and what is wrong with a setting.
//!
//! The experiment's own types say all of it. Their errors, though, do not say enough: inside a
//! table whose fields depend on its `kind`, serde loses the path. So the settings are held against
//! an experiment of the same variants, which shows every key that there is.

use serde_json::Value as Json;
use strata_training::Experiment;

use crate::Table;
use crate::description::join;
use crate::suggestion::{nearest, suggestion};

/// Settings that choose the variant of their table.
pub const TAGS: [&str; 2] = ["kind", "architecture"];

/// Whether a setting of this name chooses the variant of its table.
pub fn is_tag(name: &str) -> bool {
    TAGS.contains(&name)
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Trouble {
    /// The setting, with dots.
    pub key: String,
    /// A sentence.
    what: String,
}

/// Writes into each table of `table` that has variants the one that it has by default.
pub fn fill_tags(table: &mut Table) -> Result<(), Trouble> {
    let (tags, _) = tags_of(table)?;
    merge_missing(table, &tags);
    Ok(())
}

/// The experiment of these settings; what is missing has its default.
pub fn resolve(mut table: Table) -> Result<Experiment, Trouble> {
    let (tags, reference) = tags_of(&table)?;
    merge_missing(&mut table, &tags);
    refuse_unknown(&table, &reference, "", &reference)?;
    let error = match deserialize(table.clone()) {
        Ok(experiment) => return Ok(experiment),
        Err(error) => error,
    };
    // Of all settings, the first that makes an impossible experiment by itself.
    for (path, value) in leaves(&table, &[]) {
        let mut alone = tags.clone();
        insert(&mut alone, &path, value.clone());
        if let Err(error) = deserialize(alone) {
            return Err(bad_value(&path, value, &reference, &error));
        }
    }
    // Every setting by itself is in order, so this is not expected to be reached.
    Err(Trouble {
        key: String::new(),
        what: error,
    })
}

fn deserialize(table: Table) -> Result<Experiment, String> {
    serde_json::from_value(Json::Object(table)).map_err(|error| error.to_string())
}

/// The variants of all tables in `table`, and an experiment of these variants.
fn tags_of(table: &Table) -> Result<(Table, Json), Trouble> {
    let mut tags = Table::new();
    loop {
        let experiment = deserialize(tags.clone());
        let experiment = experiment.map_err(|error| bad_tag(&tags, &error))?;
        let reference = serde_json::to_value(experiment).expect("an experiment is plain data");
        // A variant of an outer table decides which inner ones there are.
        let mut found = tags.clone();
        collect_tags(table, &reference, &mut found);
        if found == tags {
            return Ok((tags, reference));
        }
        tags = found;
    }
}

fn collect_tags(table: &Table, reference: &Json, tags: &mut Table) {
    for (name, value) in table {
        let (Json::Object(inner), Some(reference)) = (value, reference.get(name)) else {
            continue;
        };
        let mut found = match tags.remove(name) {
            Some(Json::Object(found)) => found,
            _ => Table::new(),
        };
        for tag in TAGS {
            if let Some(default) = reference.get(tag).and_then(Json::as_str) {
                let chosen = inner.get(tag).cloned().unwrap_or_else(|| default.into());
                found.insert(tag.to_owned(), chosen);
            }
        }
        collect_tags(inner, reference, &mut found);
        if !found.is_empty() {
            tags.insert(name.clone(), Json::Object(found));
        }
    }
}

/// The first variant that there is not, the outer ones before the inner ones.
fn bad_tag(tags: &Table, error: &str) -> Trouble {
    let mut so_far = Table::new();
    let mut chosen = leaves(tags, &[]);
    chosen.sort_by_key(|(path, _)| path.len());
    for (path, value) in chosen {
        insert(&mut so_far, &path, value.clone());
        if let Err(error) = deserialize(so_far.clone()) {
            return bad_value(&path, value, &Json::Null, &error);
        }
    }
    Trouble {
        key: String::new(),
        what: error.to_owned(),
    }
}

/// Writes what `tags` has and `table` has not.
fn merge_missing(table: &mut Table, tags: &Table) {
    for (name, tag) in tags {
        match (table.get_mut(name), tag) {
            (Some(Json::Object(inner)), Json::Object(tags)) => merge_missing(inner, tags),
            (Some(_), _) => {}
            (None, _) => drop(table.insert(name.clone(), tag.clone())),
        }
    }
}

/// Holds the keys of `table` against those of `reference`; `all` is the whole experiment.
fn refuse_unknown(table: &Table, reference: &Json, path: &str, all: &Json) -> Result<(), Trouble> {
    for (name, value) in table {
        let key = join(path, name);
        let Some(known) = reference.get(name) else {
            let what = format!(
                "there is no setting `{key}`; {}",
                suggestion(name, path, reference, all)
            );
            return Err(Trouble { key, what });
        };
        match value {
            Json::Object(inner) if known.is_object() => refuse_unknown(inner, known, &key, all)?,
            value if value.is_object() || known.is_object() => {
                let what = format!("`{key}` is {value}, but must be {}", kind_of(known));
                return Err(Trouble { key, what });
            }
            _ => {}
        }
    }
    Ok(())
}

fn bad_value(path: &[String], value: &Json, reference: &Json, message: &str) -> Trouble {
    let key = path.join(".");
    let known = path
        .iter()
        .try_fold(reference, |table, name| table.get(name));
    let allowed = match message.split_once("expected ") {
        // A number that a word may stand in for says so itself.
        Some((start, names))
            if start.contains("unknown variant") || start.contains("invalid value: string") =>
        {
            names.lines().next().unwrap_or_default().to_owned()
        }
        _ => known.map_or("something else", kind_of).to_owned(),
    };
    let meant = value.as_str().and_then(|value| {
        let names = allowed.split('`').skip(1).step_by(2);
        nearest(value, names)
    });
    let meant = meant.map(|name| format!("; did you mean `{name}`?"));
    let meant = meant.unwrap_or_default();
    let what = format!("`{key}` is {value}, but must be {allowed}{meant}");
    Trouble { key, what }
}

/// What a setting must be, by what it is in another experiment.
pub fn kind_of(reference: &Json) -> &'static str {
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
