//! Single settings from the command line: `model.width=128`.

use toml::{Table, Value};

use crate::schema::{ConfigError, is_tag};

/// One setting, as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// The names from the outermost table to the setting.
    key: Vec<String>,
    value: Value,
}

impl Override {
    /// Reads `key=value`. The value is TOML; what is none, such as a bare word, is a text.
    ///
    /// # Errors
    /// If there is no `=`, or a name in the key is empty.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let malformed = || ConfigError::Override {
            text: text.to_owned(),
        };
        let (key, value) = text.split_once('=').ok_or_else(malformed)?;
        let key: Vec<String> = key.trim().split('.').map(String::from).collect();
        if key.iter().any(String::is_empty) {
            return Err(malformed());
        }
        Ok(Self {
            key,
            value: read_value(value.trim()),
        })
    }

    /// Every setting of a table.
    pub fn all_of(table: &Table) -> Vec<Self> {
        let of_entry = |(name, value): (&String, &Value)| match value {
            Value::Table(inner) => {
                let mut all = Self::all_of(inner);
                all.iter_mut().for_each(|it| it.key.insert(0, name.clone()));
                all
            }
            value => vec![Self {
                key: vec![name.clone()],
                value: value.clone(),
            }],
        };
        table.iter().flat_map(of_entry).collect()
    }

    /// The key with dots.
    pub fn dotted(&self) -> String {
        self.key.join(".")
    }

    fn is_tag(&self) -> bool {
        self.key.last().is_some_and(|name| is_tag(name))
    }
}

fn read_value(text: &str) -> Value {
    let parsed = toml::from_str::<Table>(&format!("value = {text}"));
    match parsed {
        // A line break could smuggle in a second key; a date is more likely the name of a file.
        Ok(mut table) if table.len() == 1 => match table.remove("value") {
            Some(Value::Datetime(_)) | None => Value::String(text.to_owned()),
            Some(value) => value,
        },
        _ => Value::String(text.to_owned()),
    }
}

/// Puts settings into a table, the later ones over the earlier ones.
///
/// Those that choose a variant (`task.kind`, `model.architecture`, …) go first, the outermost
/// before all, and take away the settings of the variant that they replace.
pub fn apply(mut overrides: Vec<Override>, table: &mut Table) {
    overrides.sort_by_key(|it| {
        if it.is_tag() {
            it.key.len()
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
                .or_insert_with(|| Value::Table(Table::new()));
            if !entry.is_table() {
                *entry = Value::Table(Table::new());
            }
            let Value::Table(inner) = entry else {
                unreachable!("it was just made a table")
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
    use super::*;

    fn applied(base: &str, overrides: &[&str]) -> Table {
        let mut table = toml::from_str(base).unwrap();
        let overrides = overrides.iter().map(|text| Override::parse(text).unwrap());
        apply(overrides.collect(), &mut table);
        table
    }

    #[test]
    fn values_are_toml_and_bare_words_are_texts() {
        let value = |text: &str| Override::parse(text).unwrap().value;
        assert_eq!(value("seed=3"), Value::Integer(3));
        assert_eq!(value("a.b = 2e-3"), Value::Float(2e-3));
        assert_eq!(value("a=true"), Value::Boolean(true));
        assert_eq!(value("a=copy"), Value::String("copy".into()));
        assert_eq!(value("a=\"3\""), Value::String("3".into()));
        assert_eq!(value("a=data/cn.txt"), Value::String("data/cn.txt".into()));
        assert_eq!(value("a=x=y"), Value::String("x=y".into()));
        assert_eq!(value("a=2026-01-01"), Value::String("2026-01-01".into()));
        assert_eq!(value("a="), Value::String(String::new()));
        assert_eq!(value("a=1\nb=2"), Value::String("1\nb=2".into()));
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
        let base = "[model]\narchitecture = 'transformer'\nwidth = 128\n[training]\nsteps = 5";
        // In whatever order they are typed.
        for overrides in [
            ["model.architecture=seq2seq", "model.cell=lstm"],
            ["model.cell=lstm", "model.architecture=seq2seq"],
        ] {
            let expected =
                "[model]\narchitecture = 'seq2seq'\ncell = 'lstm'\n[training]\nsteps = 5";
            assert_eq!(applied(base, &overrides), toml::from_str(expected).unwrap());
        }
    }

    #[test]
    fn the_same_variant_keeps_its_settings() {
        let base = "[model]\narchitecture = 'transformer'\nwidth = 128";
        let table = applied(base, &["model.architecture=transformer", "model.heads=2"]);
        assert_eq!(table["model"]["width"].as_integer(), Some(128));
        assert_eq!(table["model"]["heads"].as_integer(), Some(2));
    }

    #[test]
    fn the_last_of_equal_settings_holds() {
        assert_eq!(
            applied("seed = 1", &["seed=2", "seed=3"])["seed"].as_integer(),
            Some(3)
        );
    }
}
