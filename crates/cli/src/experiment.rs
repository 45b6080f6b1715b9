//! From a configuration file and `key=value` to an experiment.

mod arguments;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use strata_settings::address::Address;
use strata_settings::overrides::{Override, apply};
use strata_settings::schema::{self, SettingError};
use strata_settings::{Table, diff, numeral, value};
use strata_training::{CHANGEABLE, Experiment, TrainingConfig};

use crate::error::{ConfigError, Error};
use crate::output::warn;
use crate::{presets, text_file, toml_table};

pub use arguments::ExperimentArguments;

/// The value of a `key=value`: a number, `true` or `false`; in quotation marks or brackets, TOML;
/// what is none of these, such as a bare word, is a text.
fn read_value(text: &str) -> Json {
    if !text.starts_with(['"', '\'', '{', '[']) {
        return value::read(text);
    }
    match toml_table::read(&format!("value = {text}")) {
        // A line break could smuggle in a second key.
        Ok(mut table) if table.len() == 1 => table.remove("value").unwrap_or_else(|| text.into()),
        _ => text.into(),
    }
}

/// What an address of the page asks for; what it cannot mean is told, and left out.
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

/// Settings that were given, not yet checked against what there is to set.
pub struct Settings {
    table: Table,
    /// The file, if there was one.
    file: Option<PathBuf>,
    /// Those of the command line.
    typed: Vec<Override>,
    /// `training.steps` without what was typed.
    steps: u64,
}

/// The experiment that the arguments ask for.
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

/// The experiment that a file describes, as the configuration of a run does. Whether it can be trained
/// here is not asked.
///
/// # Errors
/// If the file cannot be read, or a setting is unknown or makes no sense.
pub fn of_file(path: &Path) -> Result<Experiment, Error> {
    let asked = ExperimentArguments {
        preset: None,
        from_url: None,
        config: Some(path.to_owned()),
        overrides: Vec::new(),
    };
    Ok(Settings::read(&asked, Table::new())?.resolve()?)
}

impl Settings {
    /// What the arguments say, on top of the file or, without one, of `base`.
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
                presets::put_on(begun, &file).map_err(|trouble| settings.tell(trouble))?
            }
            (begun, file) => begun.or(file).unwrap_or(base),
        };
        // So that choosing the very variant that is the default changes nothing.
        if let Err(trouble) = schema::fill_tags(&mut settings.table) {
            return Err(settings.tell(trouble).into());
        }
        settings.steps = settings.of_training("steps").unwrap_or(settings.steps);
        apply(overrides, &mut settings.table);
        Ok(settings)
    }

    /// Steps that are typed count, though the file or preset asks for epochs; unless they are just
    /// those that stand beside these epochs and do not count there.
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

    /// A setting below `training`, if a whole number is given.
    pub fn of_training(&self, name: &str) -> Option<u64> {
        whole(self.table.get("training")?.get(name)?)
    }

    /// The experiment; what was not given has its default.
    ///
    /// # Errors
    /// Names the setting that is unknown or has a value of the wrong kind.
    pub fn resolve(self) -> Result<Experiment, ConfigError> {
        schema::resolve(self.table.clone()).map_err(|trouble| self.tell(trouble))
    }

    /// Says where the trouble was made.
    fn tell(&self, trouble: SettingError) -> ConfigError {
        let typed = self.typed.iter().any(|it| it.concerns(&trouble.key));
        let place = match &self.file {
            Some(path) if !typed => path.display().to_string(),
            _ => "the command line".to_owned(),
        };
        ConfigError::Setting { place, trouble }
    }
}

/// The run's experiment with what was asked for. What a file or preset leaves out of what may
/// change stays as it is in the run.
///
/// # Errors
/// If there is no such setting, or its value makes no sense.
pub fn asked_for(stored: &Experiment, asked: &ExperimentArguments) -> Result<Experiment, Error> {
    if asked.is_empty() {
        return Ok(stored.clone());
    }
    let stored = diff::table(stored);
    let mut settings = Settings::read(asked, stored.clone())?;
    for key in CHANGEABLE {
        if let Some(value) = diff::get(&stored, key) {
            settings.fill(key, value);
        }
    }
    Ok(settings.resolve()?)
}

/// A whole number, however it is written.
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
