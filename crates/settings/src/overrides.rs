//! Single settings: `model.width=128`.

use serde_json::Value as Json;
use strata_describe::shortened;

use crate::schema::is_tag;
use crate::{Table, value};

/// Most names in a key; no setting lies in that many tables.
const MAX_DEPTH: usize = 8;

/// A change of one setting, as typed: `model.width=128`.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Names from the outermost table to the setting.
    key: Vec<String>,
    value: Json,
}

/// Error for a text that was meant as a setting but is not `key=value`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no setting; write it as key=value, for example `model.width=128`")]
pub struct Malformed {
    /// The text as typed.
    text: String,
}

impl Override {
    /// Reads `key=value`; [`value::read`] reads the value.
    ///
    /// # Errors
    /// If there is no `=`, or a name in the key is empty.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        Self::parse_with(text, value::read)
    }

    /// Reads `key=value`; `read` converts the text behind `=` to a value.
    ///
    /// # Errors
    /// If there is no `=`, or a name in the key is empty.
    pub fn parse_with(text: &str, read: impl FnOnce(&str) -> Json) -> Result<Self, Malformed> {
        let malformed = || Malformed {
            text: shortened(text),
        };
        let (key, value) = text.split_once('=').ok_or_else(malformed)?;
        Self::new(key.trim(), read(value.trim())).ok_or_else(malformed)
    }

    /// Creates an override from a key with dots; `None` if a name in the key is empty or the key
    /// has more than 8 names.
    pub fn new(key: &str, value: Json) -> Option<Self> {
        let key: Vec<String> = key.split('.').map(String::from).collect();
        let is_whole = key.len() <= MAX_DEPTH && !key.iter().any(String::is_empty);
        is_whole.then_some(Self { key, value })
    }

    /// Returns an override for every setting of a table, inner tables included.
    pub fn all_of(table: &Table) -> Vec<Self> {
        let of_entry = |(name, value): (&String, &Json)| match value {
            Json::Object(inner) => {
                let mut all = Self::all_of(inner);
                for setting in &mut all {
                    setting.key.insert(0, name.clone());
                }
                all
            }
            value => vec![Self {
                key: vec![name.clone()],
                value: value.clone(),
            }],
        };
        table.iter().flat_map(of_entry).collect()
    }

    /// Key of the setting, with dots.
    pub fn dotted(&self) -> String {
        self.key.join(".")
    }

    /// Value of the setting.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// True if the override sets `key`, a setting inside `key`, or a table that contains `key`.
    pub fn concerns(&self, key: &str) -> bool {
        let own = self.dotted();
        let is_in = |long: &str, short: &str| {
            long.strip_prefix(short)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        is_in(&own, key) || is_in(key, &own)
    }

    fn is_tag(&self) -> bool {
        self.key.last().is_some_and(|name| is_tag(name))
    }
}

/// Writes overrides into a table, later ones over earlier ones.
///
/// Overrides that choose a variant (`task.kind`, `model.architecture`, …) are applied first, the
/// outermost before all, and remove the settings of the variant that they replace.
pub fn apply(mut overrides: Vec<Override>, table: &mut Table) {
    overrides.sort_by_key(|setting| {
        if setting.is_tag() {
            setting.key.len()
        } else {
            usize::MAX
        }
    });
    for Override { key, value } in overrides {
        let Some((name, parents)) = key.split_last() else {
            continue;
        };
        let mut table = &mut *table;
        for parent in parents {
            let entry = table
                .entry(parent.clone())
                .or_insert_with(|| Json::Object(Table::new()));
            if !entry.is_object() {
                *entry = Json::Object(Table::new());
            }
            let Json::Object(inner) = entry else {
                unreachable!("the entry was just made a table")
            };
            table = inner;
        }
        if is_tag(name) && table.get(name) != Some(&value) {
            table.clear();
        }
        table.insert(name.clone(), value);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn table(json: serde_json::Value) -> Table {
        json.as_object().unwrap().clone()
    }

    fn applied(base: Json, overrides: &[&str]) -> Json {
        let mut table = table(base);
        let overrides = overrides.iter().map(|text| Override::parse(text).unwrap());
        apply(overrides.collect(), &mut table);
        Json::Object(table)
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for text in ["seed", "=3", "a..b=3", ".a=3", "a.=3"] {
            let error = Override::parse(text).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn a_new_variant_drops_the_settings_of_the_old_one() {
        let base = json!({
            "model": { "architecture": "transformer", "width": 128 },
            "training": { "steps": 5 },
        });
        // The order in which overrides are typed does not matter.
        for overrides in [
            ["model.architecture=seq2seq", "model.cell=lstm"],
            ["model.cell=lstm", "model.architecture=seq2seq"],
        ] {
            let expected = json!({
                "model": { "architecture": "seq2seq", "cell": "lstm" },
                "training": { "steps": 5 },
            });
            assert_eq!(applied(base.clone(), &overrides), expected);
        }
    }

    #[test]
    fn the_same_variant_keeps_its_settings() {
        let base = json!({ "model": { "architecture": "transformer", "width": 128 } });
        let table = applied(base, &["model.architecture=transformer", "model.heads=2"]);
        assert_eq!(table["model"]["width"], 128);
        assert_eq!(table["model"]["heads"], 2);
    }

    #[test]
    fn the_last_of_equal_settings_holds() {
        let table = applied(json!({ "seed": 1 }), &["seed=2", "seed=3"]);
        assert_eq!(table["seed"], 3);
    }

    #[test]
    fn a_setting_concerns_what_it_is_in_and_what_is_in_it() {
        let setting = Override::parse("model.cross=3").unwrap();
        assert!(setting.concerns("model.cross.kind") && setting.concerns("model"));
        assert!(!setting.concerns("model.crossing") && !setting.concerns("seed"));
    }
}
