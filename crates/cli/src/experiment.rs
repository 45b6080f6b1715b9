//! From a configuration file and `key=value` to an experiment.

use std::fs;
use std::path::{Path, PathBuf};

use strata_training::Experiment;
use toml::Table;

use crate::args::ExperimentArguments;
use crate::error::Failure;
use crate::overrides::{Override, apply};
use crate::presets;
use crate::schema::{self, ConfigError, Trouble};

/// Settings that were given, not yet checked against what there is to set.
pub struct Settings {
    table: Table,
    /// The file, if there was one.
    file: Option<PathBuf>,
    /// Keys of the command line.
    typed: Vec<String>,
}

/// The experiment that the arguments ask for.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn read(arguments: &ExperimentArguments) -> Result<Experiment, Failure> {
    let experiment = Settings::read(arguments, Table::new())?.resolve()?;
    experiment.check()?;
    Ok(experiment)
}

impl Settings {
    /// What the arguments say, on top of the file or, without one, of `base`.
    ///
    /// # Errors
    /// If the file cannot be read, or a `key=value` is malformed.
    pub fn read(arguments: &ExperimentArguments, base: Table) -> Result<Self, Failure> {
        let overrides = arguments.overrides.iter().map(|text| Override::parse(text));
        let overrides: Vec<Override> = overrides.collect::<Result<_, _>>()?;
        let file = match &arguments.config {
            Some(path) => Some(parse(path)?),
            None => None,
        };
        let begun = match &arguments.preset {
            Some(name) => Some(presets::settings(name)?),
            None => None,
        };
        let mut settings = Self {
            table: Table::new(),
            file: arguments.config.clone(),
            typed: overrides.iter().map(Override::dotted).collect(),
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

    /// A setting below `training`, if a whole number is given.
    pub fn of_training(&self, name: &str) -> Option<u64> {
        let number = self.table.get("training")?.get(name)?.as_integer()?;
        number.try_into().ok()
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
        let typed = self.typed.iter().any(|key| {
            let rest = |long: &str, short: &str| {
                long.strip_prefix(short)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            rest(key, &trouble.key) || rest(&trouble.key, key)
        });
        let place = match &self.file {
            Some(path) if !typed => path.display().to_string(),
            _ => "the command line".to_owned(),
        };
        ConfigError::Setting { place, trouble }
    }
}

fn parse(path: &Path) -> Result<Table, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::reading(path))?;
    toml::from_str(&text).map_err(|error| {
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
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_models::ModelConfig;
    use strata_tasks::{CopyConfig, TaskConfig};

    use super::*;

    fn typed(overrides: &[&str]) -> Result<Experiment, Failure> {
        let overrides = overrides.iter().map(|&text| text.to_owned()).collect();
        read(&ExperimentArguments {
            preset: None,
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
            let table = Table::try_from(&model).unwrap();
            let name = format!(
                "model.architecture={}",
                table["architecture"].as_str().unwrap()
            );
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
    fn a_setting_that_must_be_given_is_named() {
        let error = refused(&["training.schedule.kind=noam"]);
        assert!(
            error.contains("training.schedule") && error.contains("warmup"),
            "{error}"
        );
    }
}
