//! From a configuration file and `key=value` to an experiment.

use std::path::{Path, PathBuf};

use serde_json::{Number, Value as Json};
use strata_settings::address::Address;
use strata_settings::overrides::{Malformed, Override, apply};
use strata_settings::schema::{self, Trouble};
use strata_settings::{Table, change};
use strata_training::Experiment;
use toml::Value;

use crate::args::ExperimentArguments;
use crate::error::Failure;
use crate::{complain, presets, text_file};

/// Why settings make no experiment.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No TOML.
    #[error("{path}, line {line}, column {column}: this is not TOML ({reason}); correct that line")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// In the words of the format's reader.
        reason: String,
    },
    /// No `key=value`.
    #[error(transparent)]
    Override(#[from] Malformed),
    /// An unknown key or an impossible value.
    #[error("{place}: {trouble}")]
    Setting {
        /// The file, or the command line.
        place: String,
        /// What is wrong.
        trouble: Trouble,
    },
}

/// TOML as settings. A date is more likely the name of a file, and what is no number a mistake;
/// both are texts.
pub fn of_toml(table: toml::Table) -> Table {
    let of_entry = |(name, value)| (name, of_value(value));
    table.into_iter().map(of_entry).collect()
}

fn of_value(value: Value) -> Json {
    match value {
        Value::String(text) => text.into(),
        Value::Integer(number) => number.into(),
        Value::Float(number) => match Number::from_f64(number) {
            Some(number) => number.into(),
            None => number.to_string().into(),
        },
        Value::Boolean(is_so) => is_so.into(),
        Value::Datetime(time) => time.to_string().into(),
        Value::Array(values) => values.into_iter().map(of_value).collect(),
        Value::Table(table) => of_toml(table).into(),
    }
}

/// The value of a `key=value`: TOML; what is none, such as a bare word, is a text.
fn read_value(text: &str) -> Json {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}"));
    match parsed {
        // A line break could smuggle in a second key.
        Ok(mut table) if table.len() == 1 => match table.remove("value") {
            Some(Value::Datetime(_)) | None => text.into(),
            Some(value) => of_value(value),
        },
        // Seeds can be larger than TOML's numbers.
        _ => text.parse::<u64>().map_or_else(|_| text.into(), Json::from),
    }
}

/// What an address of the page asks for; what it cannot mean is told, and left out.
fn of_address(address: &str) -> Table {
    let address = Address::read(address);
    for complaint in &address.complaints {
        complain(&format!("note: {complaint}"));
    }
    change::table(&address.experiment)
}

/// Settings that were given, not yet checked against what there is to set.
pub struct Settings {
    table: Table,
    /// The file, if there was one.
    file: Option<PathBuf>,
    /// Those of the command line.
    typed: Vec<Override>,
}

/// The experiment that the arguments ask for.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn read(arguments: &ExperimentArguments) -> Result<Experiment, Failure> {
    let mut settings = Settings::read(arguments, Table::new())?;
    settings.prefer_typed_steps();
    let experiment = settings.resolve()?;
    experiment.check()?;
    Ok(experiment)
}

impl Settings {
    /// What the arguments say, on top of the file or, without one, of `base`.
    ///
    /// # Errors
    /// If the file cannot be read, or a `key=value` is malformed.
    pub fn read(arguments: &ExperimentArguments, base: Table) -> Result<Self, Failure> {
        let overrides = arguments.overrides.iter();
        let overrides = overrides.map(|text| Override::parse_with(text, read_value));
        let overrides: Vec<Override> = overrides
            .collect::<Result<_, _>>()
            .map_err(ConfigError::from)?;
        let file = match &arguments.config {
            Some(path) => Some(parse(path)?),
            None => None,
        };
        let begun = match (&arguments.preset, &arguments.from_url) {
            (Some(name), _) => Some(presets::settings(name)?),
            (None, Some(address)) => Some(of_address(address)),
            (None, None) => None,
        };
        let mut settings = Self {
            table: Table::new(),
            file: arguments.config.clone(),
            typed: overrides.clone(),
        };
        settings.table = match (begun, file) {
            (Some(begun), Some(file)) => {
                presets::put_on(begun, &file).map_err(|trouble| settings.tell(trouble))?
            }
            (begun, file) => begun.or(file).unwrap_or(base),
        };
        // So that choosing the very variant that is the default changes nothing.
        if let Err(trouble) = schema::fill_tags(&mut settings.table) {
            return Err(settings.tell(trouble).into());
        }
        apply(overrides, &mut settings.table);
        Ok(settings)
    }

    /// Steps that are typed count, though the file or preset asks for epochs.
    fn prefer_typed_steps(&mut self) {
        let is_typed = |key: &str| self.typed.iter().any(|it| it.concerns(key));
        if is_typed("training.steps")
            && !is_typed("training.epochs")
            && let Some(Json::Object(training)) = self.table.get_mut("training")
        {
            training.remove("epochs");
        }
    }

    /// Gives a setting this value, unless it was given another one.
    pub fn fill(&mut self, key: &str, value: &Json) {
        let (group, name) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = &mut self.table;
        for part in group.split('.').filter(|part| !part.is_empty()) {
            let inner = table.entry(part).or_insert_with(|| Table::new().into());
            match inner {
                Json::Object(inner) => table = inner,
                // No group of settings, which resolving will say.
                _ => return,
            }
        }
        table.entry(name).or_insert_with(|| value.clone());
    }

    /// The experiment; what was not given has its default.
    ///
    /// # Errors
    /// Names the setting that is unknown or has a value of the wrong kind.
    pub fn resolve(self) -> Result<Experiment, ConfigError> {
        schema::resolve(self.table.clone()).map_err(|trouble| self.tell(trouble))
    }

    /// Says where the trouble was made.
    fn tell(&self, trouble: Trouble) -> ConfigError {
        let typed = self.typed.iter().any(|it| it.concerns(&trouble.key));
        let place = match &self.file {
            Some(path) if !typed => path.display().to_string(),
            _ => "the command line".to_owned(),
        };
        ConfigError::Setting { place, trouble }
    }
}

fn parse(path: &Path) -> Result<Table, Failure> {
    let text = text_file::read(path)?;
    let table = toml::from_str(&text).map_err(|error: toml::de::Error| {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Failure::Config(ConfigError::Syntax {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: error.message().to_owned(),
        })
    })?;
    Ok(of_toml(table))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;
    use strata_models::ModelConfig;
    use strata_settings::command_line;
    use strata_settings::presets::Preset;
    use strata_tasks::{CopyConfig, TaskConfig};

    use super::*;

    fn typed(overrides: &[&str]) -> Result<Experiment, Failure> {
        let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
        read(&ExperimentArguments {
            preset: None,
            from_url: None,
            config: None,
            overrides,
        })
    }

    fn refused(overrides: &[&str]) -> String {
        typed(overrides).unwrap_err().to_string()
    }

    #[test]
    fn nothing_given_is_the_default() {
        assert_eq!(typed(&[]).unwrap(), Experiment::default());
    }

    #[test]
    fn settings_replace_their_defaults_alone() {
        let mut expected = Experiment {
            seed: 3,
            ..Experiment::default()
        };
        expected.training.optimizer.learning_rate = 1.0;
        assert_eq!(
            typed(&["seed=3", "training.optimizer.learning_rate=1"]).unwrap(),
            expected
        );
    }

    #[test]
    fn another_variant_begins_with_its_own_defaults() {
        let experiment = typed(&["task.kind=copy", "task.maximum_length=20"]).unwrap();
        let task = CopyConfig {
            maximum_length: 20,
            ..CopyConfig::default()
        };
        assert_eq!(experiment.task, TaskConfig::Copy(task));
        let ModelConfig::Transformer(model) =
            typed(&["model.cross.levels=3", "model.cross.kind=multilevel"])
                .unwrap()
                .model
        else {
            panic!("the architecture is the default one")
        };
        assert_eq!(model.cross.name(), "multilevel");
        assert_eq!(model.encoder_self, Default::default());
    }

    #[test]
    fn every_variant_can_be_chosen() {
        for model in [
            ModelConfig::Seq2Seq(Default::default()),
            ModelConfig::default(),
            ModelConfig::RecurrentLm(Default::default()),
            ModelConfig::TransformerLm(Default::default()),
        ] {
            let name = format!("model.architecture={}", model.name());
            let task = if model.is_language_model() {
                "text"
            } else {
                "files"
            };
            let task = format!("task.kind={task}");
            let found = typed(&[&name, &task, "task.source=x"]).unwrap();
            assert_eq!(found.model, model);
        }
        for schedule in ["constant", "cosine", "noam"] {
            let kind = format!("training.schedule.kind={schedule}");
            typed(&[&kind, "training.schedule.warmup=7"]).unwrap();
        }
    }

    #[test]
    fn an_unknown_key_gets_a_suggestion() {
        let error = refused(&["model.widht=128"]);
        assert!(
            error.contains("`model.widht`") && error.contains("`model.width`"),
            "{error}"
        );
        assert!(error.contains("the command line"), "{error}");
        // Known, but elsewhere.
        let error = refused(&["learning_rate=0.1"]);
        assert!(
            error.contains("`training.optimizer.learning_rate`"),
            "{error}"
        );
        // Of another variant.
        let error = refused(&["model.cross.levels=4"]);
        assert!(
            error.contains("`levels` is there where `model.cross.kind` is multilevel"),
            "{error}"
        );
        // Nothing like it: all that is there.
        let error = refused(&["task.xyzzy=1"]);
        assert!(
            error.contains("`examples`") && error.contains("`held_out`"),
            "{error}"
        );
    }

    #[test]
    fn a_bad_value_is_told_with_its_key_and_what_is_allowed() {
        for (setting, key, allowed) in [
            (
                "model.width=wide",
                "`model.width` is \"wide\"",
                "a whole number, 0 or above",
            ),
            ("seed=-1", "`seed` is -1", "a whole number, 0 or above"),
            (
                "model={cross={kind=\"pyramid\",beam=\"some\"}}",
                "`model.cross.beam` is \"some\"",
                "a number of nodes, or \"all\"",
            ),
            (
                "training.clip_norm=off",
                "`training.clip_norm` is \"off\"",
                "a number",
            ),
            (
                "model.norm_first=1",
                "`model.norm_first` is 1",
                "true or false",
            ),
            (
                "model.cross.score=dott",
                "`model.cross.score` is \"dott\"",
                "`scaled_dot`",
            ),
            (
                "model.cross.kind=foo",
                "`model.cross.kind` is \"foo\"",
                "`multilevel`",
            ),
            (
                "model.architecture=cnn",
                "`model.architecture` is \"cnn\"",
                "`transformer`",
            ),
            ("task.kind=sing", "`task.kind` is \"sing\"", "`copy`"),
            ("training=3", "`training` is 3", "a group of settings"),
            ("seed.x=3", "`seed` is", "a whole number, 0 or above"),
        ] {
            let error = refused(&[setting]);
            assert!(
                error.contains(key) && error.contains(allowed),
                "{setting}: {error}"
            );
        }
        let error = refused(&["task.kind=files", "task.source=3"]);
        assert!(
            error.contains("`task.source` is 3") && error.contains("a text"),
            "{error}"
        );
        let error = refused(&["task.kind=files", "task.source=a", "task.target=3"]);
        assert!(
            error.contains("`task.target` is 3") && error.contains("a text"),
            "{error}"
        );
    }

    #[test]
    fn values_are_toml_and_bare_words_are_texts() {
        for (text, value) in [
            ("3", json!(3)),
            ("2e-3", json!(2e-3)),
            ("true", json!(true)),
            ("copy", json!("copy")),
            ("\"3\"", json!("3")),
            ("data/cn.txt", json!("data/cn.txt")),
            ("x=y", json!("x=y")),
            ("2026-01-01", json!("2026-01-01")),
            ("", json!("")),
            ("1\nb=2", json!("1\nb=2")),
            ("nan", json!("NaN")),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(read_value(text), value, "{text}");
        }
    }

    /// What the page offers to copy is read back here, by TOML's rules.
    #[test]
    fn a_command_of_the_page_gives_its_experiment() {
        for preset in Preset::ALL {
            for words in [
                "",
                "a.txt",
                "true",
                "3",
                "1e5",
                "it's \"here\" \u{7f}\t",
                "x # y",
                "a b",
            ] {
                let mut expected = preset.experiment();
                expected.seed = u64::MAX;
                expected.training.optimizer.epsilon = 1.234_567_890_123e-9;
                expected.training.optimizer.learning_rate = 1.0;
                expected.model = ModelConfig::default();
                let source = if words.is_empty() { "s" } else { words };
                expected.task = TaskConfig::Files(strata_tasks::FilesConfig {
                    source: source.into(),
                    ..strata_tasks::FilesConfig::default()
                });
                let arguments = command_line::arguments(&expected);
                let found = read(&ExperimentArguments {
                    preset: Some(arguments[2].clone()),
                    from_url: None,
                    config: None,
                    overrides: arguments[3..].to_vec(),
                });
                assert_eq!(found.unwrap(), expected, "{arguments:?}");
            }
        }
    }

    #[test]
    fn an_address_of_the_page_gives_its_experiment() {
        let mut expected = Preset::Reverse.experiment();
        expected.seed = 12;
        let address = Address::write(&expected, Default::default(), &[]);
        let found = read(&ExperimentArguments {
            preset: None,
            from_url: Some(format!("http://127.0.0.1:8080/{address}")),
            config: None,
            overrides: vec!["training.steps=5".to_owned()],
        });
        expected.training.steps = 5;
        assert_eq!(found.unwrap(), expected);
    }
}
