//! Every setting of an experiment in words: what it does, what it may be, what it is by default.
//!
//! What a setting may be is told by the checks themselves: values that cannot be right are tried,
//! and the sentences that refuse them say what can. So nothing is told here that is not enforced.

use serde_json::{Value as Json, json};
use strata_attention::MechanismConfig;
use strata_tasks::TaskConfig;
use strata_training::Experiment;

use crate::describe;
use crate::schema::{is_tag, join, kind_of};
use crate::variants::{self, with};

/// A setting in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// With dots, as in `key=value`.
    pub key: String,
    /// What it does.
    pub help: String,
    /// What it may be.
    pub values: String,
    /// What can be chosen by name.
    pub names: Vec<String>,
    /// What it is where nothing is said.
    pub default: String,
    /// The variants that have it, `task.kind = copy`; none if it is always there.
    pub of: Vec<String>,
}

/// All settings but those of mechanisms, which describe their own.
pub fn all() -> Vec<Setting> {
    let mut walk = Walk {
        waiting: vec![variants::as_written(&Experiment::default())],
        ..Walk::default()
    };
    while let Some(settings) = walk.waiting.pop() {
        walk.table(&settings, &settings, &mut Vec::new(), None);
    }
    walk.found
        .sort_by_cached_key(|setting| (place(&setting.key), setting.key.clone()));
    walk.found
}

/// The order in which to show settings: seed, task, model, training.
fn place(key: &str) -> usize {
    let groups = ["seed", "task", "model", "training"];
    let group = key.split('.').next().unwrap_or_default();
    let place = groups.iter().position(|it| *it == group);
    place.unwrap_or(groups.len())
}

/// Whether a table is a mechanism.
fn is_mechanism(table: &Json) -> bool {
    let kind = table.get("kind").and_then(Json::as_str);
    kind.is_some_and(|kind| MechanismConfig::of_kind(kind).is_some())
}

/// A walk through an experiment of every variant.
#[derive(Default)]
struct Walk {
    /// Experiments that are still to be looked at.
    waiting: Vec<Json>,
    /// Variants that were looked at, as in [`Setting::of`].
    seen: Vec<String>,
    found: Vec<Setting>,
}

impl Walk {
    /// Looks at the table at `path`, which belongs to the variant `owner`.
    fn table<'a>(
        &mut self,
        settings: &Json,
        table: &'a Json,
        path: &mut Vec<&'a str>,
        owner: Option<&str>,
    ) {
        let is_mechanism = path.first() == Some(&"model") && is_mechanism(table);
        let tag = variants::tag(table);
        let own = tag.filter(|_| !is_mechanism).map(|tag| {
            let key = join(&path.join("."), tag);
            let variant = |name: &str| format!("{key} = {name}");
            let own = variant(table[tag].as_str().unwrap_or_default());
            if !self.seen.contains(&own) {
                let others = variants::of_table(settings, path).into_iter();
                let unseen = others.filter(|(name, _)| {
                    let other = variant(name);
                    other != own && !self.seen.contains(&other)
                });
                self.waiting.extend(unseen.map(|(_, other)| other));
                self.seen.push(own.clone());
            }
            own
        });
        for (name, value) in table.as_object().into_iter().flatten() {
            let is_tag = Some(name.as_str()) == tag;
            path.push(name);
            if value.is_object() {
                self.table(settings, value, path, own.as_deref().or(owner));
            } else if is_tag || !is_mechanism {
                // What chooses the variant is there whatever is chosen.
                let own = own.as_deref().filter(|_| !is_tag);
                self.setting(settings, path, value, own.or(owner));
            }
            path.pop();
        }
    }

    fn setting(&mut self, settings: &Json, path: &[&str], value: &Json, owner: Option<&str>) {
        let key = path.join(".");
        let is_known = self.found.iter().any(|it| {
            let is_of = |owner: &str| it.of.iter().any(|known| known == owner);
            it.key == key && owner.is_none_or(is_of)
        });
        if is_known {
            return;
        }
        let names = variants::names(settings, path);
        let setting = Setting {
            help: help(settings, path).unwrap_or_default(),
            values: values(settings, path, value, &names),
            default: match value {
                _ if must_be_given(settings, path) => "none, it must be given".to_owned(),
                Json::Null => "none".to_owned(),
                Json::String(text) if text.is_empty() => "none".to_owned(),
                Json::String(text) => text.clone(),
                value => value.to_string(),
            },
            names,
            of: owner.map(str::to_owned).into_iter().collect(),
            key,
        };
        // Variants may share a setting in every word.
        let same = self.found.iter_mut().find(|it| {
            let of = it.of.clone();
            **it == Setting {
                of,
                ..setting.clone()
            }
        });
        match same {
            Some(same) => same.of.extend(setting.of),
            None => self.found.push(setting),
        }
    }
}

fn help(settings: &Json, path: &[&str]) -> Option<String> {
    if let ["task", name] = path
        && *name != "kind"
    {
        let kind = settings["task"]["kind"].as_str()?;
        let kinds = TaskConfig::kinds();
        let fields = kinds.iter().find(|it| it.name == kind)?.fields;
        let field = fields.iter().find(|field| field.name == *name)?;
        return Some(field.help.to_owned());
    }
    if let [parents @ .., "kind"] = path {
        let table = parents.iter().try_fold(settings, |it, name| it.get(name));
        if parents.first() == Some(&"model") && table.is_some_and(is_mechanism) {
            return Some(
                "how this site attends; each mechanism is explained by its name".to_owned(),
            );
        }
    }
    if path == ["task", "kind"] {
        return Some("what is learned".to_owned());
    }
    let experiment = variants::experiment(settings).ok()?;
    describe::meaning(&experiment, &path.join("."))
}

/// Whether there is no experiment without this setting.
fn must_be_given(settings: &Json, path: &[&str]) -> bool {
    let Some((name, parents)) = path.split_last() else {
        return false;
    };
    let mut without = settings.clone();
    let mut table = &mut without;
    for parent in parents {
        table = &mut table[*parent];
    }
    let removed = table.as_object_mut().and_then(|it| it.remove(*name));
    !is_tag(name) && removed.is_some() && variants::experiment(&without).is_err()
}

/// What a setting may be.
fn values(settings: &Json, path: &[&str], value: &Json, names: &[String]) -> String {
    if !names.is_empty() {
        return names.join(", ");
    }
    let probes: Vec<Json> = match value {
        Json::Number(number) if number.is_f64() => vec![json!(-1.0), json!(-1e30), json!(1e30)],
        Json::Number(_) => vec![json!(0), json!(1_u64 << 31), json!(1_u64 << 52)],
        _ => Vec::new(),
    };
    let allowed = probes.into_iter().find_map(|probe| {
        let changed = variants::experiment(&with(settings, path, probe)).ok()?;
        allowed(&changed.check().err()?.to_string(), path.last()?)
    });
    allowed.unwrap_or_else(|| kind_of(value).to_owned())
}

/// What a sentence that refuses a setting says that it may be.
fn allowed(sentence: &str, name: &str) -> Option<String> {
    let (before, rest) = ["must be ", "must lie ", "choose from ", "choose "]
        .iter()
        .find_map(|words| sentence.split_once(words))?;
    let is_named = before
        .split(|it: char| !it.is_alphanumeric() && it != '_')
        .any(|word| word == name);
    is_named.then(|| rest.split(';').next().unwrap_or(rest).trim().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn one(key: &str, of: &str) -> Setting {
        let all = all();
        let is_meant = |it: &&Setting| {
            it.key == key && (of.is_empty() || it.of.iter().any(|it| it.ends_with(of)))
        };
        let found = all.iter().find(is_meant);
        found
            .unwrap_or_else(|| panic!("{key} of {of} is not there"))
            .clone()
    }

    #[test]
    fn every_setting_is_documented() {
        let all = all();
        for setting in &all {
            assert!(!setting.help.is_empty(), "{} has no help", setting.key);
            assert!(!setting.values.is_empty(), "{} has no values", setting.key);
            assert_ne!(setting.values, "something else", "{}", setting.key);
        }
        // None is forgotten: what `strata config` can show of any variant is here.
        for group in ["task", "model", "training.schedule"] {
            let path: Vec<&str> = group.split('.').collect();
            let default = serde_json::to_value(Experiment::default()).unwrap();
            for (name, settings) in variants::of_table(&default, &path) {
                let table = path.iter().fold(&settings, |table, name| &table[*name]);
                for (field, value) in table.as_object().unwrap() {
                    let key = format!("{group}.{field}");
                    let is_there = all.iter().any(|it| {
                        it.key == key
                            && (it.of.is_empty() || it.of.iter().any(|it| it.ends_with(&name)))
                    });
                    assert!(is_there || value.is_object(), "{key} of {name} is missing");
                }
            }
        }
    }

    #[test]
    fn what_is_allowed_is_what_the_checks_allow() {
        assert_eq!(one("training.batch_size", "").values, "at least 1");
        assert_eq!(
            one("training.optimizer.beta_1", "").values,
            "at least 0 and below 1"
        );
        assert_eq!(
            one("model.width", "transformer").values,
            "between 1 and 65536"
        );
        assert_eq!(one("model.cell", "seq2seq").names, ["rnn", "gru", "lstm"]);
        assert_eq!(one("model.norm_first", "").values, "true or false");
        assert_eq!(one("training.optimizer.beta_1", "").default, "0.9");
        let warmup = one("training.schedule.warmup", "noam");
        assert!(warmup.default.contains("must be given"), "{warmup:?}");
        assert_eq!(one("training.schedule.warmup", "constant").default, "0");
        assert_eq!(one("task.source", "files").default, "none");
        let symbols = one("task.symbols", "copy");
        assert!(symbols.values.contains(" to "), "{symbols:?}");
        assert_eq!(one("seed", "").of, Vec::<String>::new());
    }
}
