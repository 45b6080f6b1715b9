//! Reads an experiment from a preset or address, a configuration file and `key=value`.

mod arguments;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use strata_settings::address::Address;
use strata_settings::overrides::{Override, apply};
use strata_settings::schema::{self, SettingError};
use strata_settings::{Table, diff, numeral, value};
use strata_tasks::TaskConfig;
use strata_training::{CHANGEABLE, Experiment, TrainingConfig};

use crate::base::error::{ConfigError, Error};
use crate::base::output::warn;
use crate::base::text_file;
use crate::model::presets;
use crate::model::toml_table;

pub use arguments::ExperimentArguments;

/// Parses the value of a `key=value`: a number, `true` or `false`; TOML if it begins with a
/// quotation mark or bracket; anything else, such as a bare word, is text.
fn read_value(text: &str) -> Json {
    if !text.starts_with(['"', '\'', '{', '[']) {
        return value::read(text);
    }
    match toml_table::read(&format!("value = {text}")) {
        // A line break in the value could smuggle in a second key.
        Ok(mut table) if table.len() == 1 => table.remove("value").unwrap_or_else(|| text.into()),
        _ => text.into(),
    }
}

/// Reads the settings in an address of the page. Parameters that make no sense are left out, with a
/// warning.
fn of_address(address: &str) -> Table {
    if !address.is_empty() && !address.contains("://") && !address.contains('=') {
        warn(&format!(
            "note: `{address}` is no address of the page, which has settings behind its `?`, for \
             example `?preset=copy&seed=3`; the page's first preset is taken."
        ));
    }
    let address = Address::read(address);
    for complaint in &address.complaints {
        warn(&format!("note: {complaint}"));
    }
    diff::table(&address.experiment)
}

/// Settings that older programs did not have. A run that such a program began splits its data
/// otherwise than a new run.
const SPLITS: [&str; 2] = ["task.split", "task.split_number"];

/// Settings in the words of the user, not checked yet.
pub struct Settings {
    table: Table,
    /// Path of the configuration file; `None` without a file.
    file: Option<PathBuf>,
    /// Settings of the command line, which take precedence.
    typed: Vec<Override>,
    /// `training.steps` before the settings of the command line were applied.
    steps: u64,
}

/// Reads the experiment that the arguments ask for.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn read(arguments: &ExperimentArguments) -> Result<Experiment, Error> {
    let mut settings = Settings::read(arguments, Table::new())?;
    settings.steps_override_epochs();
    let experiment = settings.resolve()?;
    experiment.check()?;
    Ok(experiment)
}

/// Like [`read`], for a configuration that a run has written: settings of the split that an older
/// program did not write are completed as that program split the data.
///
/// # Errors
/// Those of [`read`].
pub fn read_saved(arguments: &ExperimentArguments) -> Result<Experiment, Error> {
    let mut settings = Settings::read(arguments, Table::new())?;
    settings.steps_override_epochs();
    settings.complete_saved();
    let experiment = settings.resolve()?;
    experiment.check()?;
    Ok(experiment)
}

/// Reads only the task from the settings; whether the model fits the task is not checked.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn task(arguments: &ExperimentArguments) -> Result<TaskConfig, Error> {
    let task = Settings::read(arguments, Table::new())?.resolve()?.task;
    task.validate()?;
    Ok(task)
}

/// Reads the experiment that a file describes, such as the configuration of a run. Whether it can
/// be trained here is not checked.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn of_file(path: &Path) -> Result<Experiment, Error> {
    let asked = ExperimentArguments {
        config: Some(path.to_owned()),
        ..ExperimentArguments::default()
    };
    let mut settings = Settings::read(&asked, Table::new())?;
    settings.complete_saved();
    Ok(settings.resolve()?)
}

impl Settings {
    /// Reads the settings of the arguments, on top of those of the file or, without a file, of
    /// `base`.
    ///
    /// # Errors
    /// If the file cannot be read, or a `key=value` is malformed.
    pub fn read(arguments: &ExperimentArguments, base: Table) -> Result<Self, Error> {
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
            steps: TrainingConfig::default().steps,
        };
        settings.table = match (begun, file) {
            (Some(begun), Some(file)) => {
                presets::put_on(begun, &file).map_err(|error| settings.at_its_place(error))?
            }
            (begun, file) => begun.or(file).unwrap_or(base),
        };
        // With all tags written out, naming the default variant changes nothing.
        if let Err(error) = schema::fill_tags(&mut settings.table) {
            return Err(settings.at_its_place(error).into());
        }
        settings.steps = settings.of_training("steps").unwrap_or(settings.steps);
        apply(overrides, &mut settings.table);
        Ok(settings)
    }

    /// Gives steps of the command line precedence over epochs of the file or preset. Steps that
    /// equal those written beside the epochs, where they have no effect, do not count.
    pub fn steps_override_epochs(&mut self) {
        let is_typed = |key: &str| self.typed.iter().any(|it| it.concerns(key));
        if !is_typed("training.steps") || is_typed("training.epochs") {
            return;
        }
        let Some(Json::Object(training)) = self.table.get_mut("training") else {
            return;
        };
        let epochs = training.get("epochs").and_then(whole).unwrap_or(0);
        if epochs == 0 {
            return;
        }
        if training.get("steps").and_then(whole) == Some(self.steps) {
            warn(&format!(
                "note: `training.epochs={epochs}` decides how long the run is, not \
                 `training.steps={}`; for so many steps, set `training.epochs=0`, too",
                self.steps
            ));
        } else {
            training.remove("epochs");
        }
    }

    /// Adds the settings that an older program did not write.
    fn complete_saved(&mut self) {
        if let Some(task) = self.table.get_mut("task") {
            TaskConfig::complete_saved(task);
        }
    }

    /// Sets a setting to `value`, unless the setting has a value.
    pub fn fill(&mut self, key: &str, value: &Json) {
        let (group, name) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = &mut self.table;
        for part in group.split('.').filter(|part| !part.is_empty()) {
            let inner = table.entry(part).or_insert_with(|| Table::new().into());
            match inner {
                Json::Object(inner) => table = inner,
                // The key's first part is no group of settings: `resolve` reports that.
                _ => return,
            }
        }
        table.entry(name).or_insert_with(|| value.clone());
    }

    /// Returns a setting of `training` that the user gave as a whole number.
    pub fn of_training(&self, name: &str) -> Option<u64> {
        whole(self.table.get("training")?.get(name)?)
    }

    /// Returns the experiment, with defaults for all settings that were not given.
    ///
    /// # Errors
    /// Names the setting that is unknown or has a value of the wrong kind.
    pub fn resolve(self) -> Result<Experiment, ConfigError> {
        schema::resolve(self.table.clone()).map_err(|error| self.at_its_place(error))
    }

    /// Adds to an error where its setting was given: in the file or on the command line.
    fn at_its_place(&self, error: SettingError) -> ConfigError {
        let typed = self.typed.iter().any(|it| it.concerns(&error.key));
        let place = match &self.file {
            Some(path) if !typed => path.display().to_string(),
            _ => "the command line".to_owned(),
        };
        ConfigError::Setting {
            place,
            reason: error,
        }
    }
}

/// Returns the run's experiment with the changes that the user asks for. Changeable settings that
/// are not in the file or preset stay as they are in the run.
///
/// # Errors
/// If there is no such setting, or its value makes no sense.
pub fn asked_for(stored: &Experiment, asked: &ExperimentArguments) -> Result<Experiment, Error> {
    if asked.is_empty() {
        return Ok(stored.clone());
    }
    let stored = diff::table(stored);
    let mut settings = Settings::read(asked, stored.clone())?;
    // A preset or file sets the steps as it did when the run began; the run's own epochs are
    // compared later.
    if asked.preset.is_some() || asked.config.is_some() || asked.from_url.is_some() {
        settings.steps_override_epochs();
    }
    // A file without settings of the split means the split that the run has, if it names the same
    // task: another task has no such settings.
    let [wanted, has] = [&settings.table, &stored].map(|it| diff::get(it, "task.kind"));
    let is_same_task = wanted == has;
    let splits = SPLITS.into_iter().filter(|_| is_same_task);
    for key in CHANGEABLE.into_iter().chain(splits) {
        if let Some(value) = diff::get(&stored, key) {
            settings.fill(key, value);
        }
    }
    Ok(settings.resolve()?)
}

/// Reads a whole number in any notation.
fn whole(value: &Json) -> Option<u64> {
    match value {
        Json::Number(number) => numeral::whole_of(number),
        Json::String(text) => numeral::whole(text),
        _ => None,
    }
}

fn parse(path: &Path) -> Result<Table, Error> {
    let text = text_file::read(path)?;
    toml_table::read(&text).map_err(|error| {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        Error::Config(ConfigError::Syntax {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: error.message().to_owned(),
        })
    })
}

#[cfg(test)]
mod tests;
