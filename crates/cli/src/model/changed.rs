//! Settings of a trained model that `--set` changes: the levels of the model's attention and, for
//! `eval`, the task on which the model is measured.

use std::borrow::Cow;
use std::path::Path;

use burn::tensor::Device;
use strata_models::{AttentionSite, ModelConfig, Part};
use strata_settings::numeral;
use strata_tasks::TaskConfig;
use strata_training::{Checkpoint, Experiment, Inference};

use crate::base::error::Error;
use crate::display::format::shortened;
use crate::model::experiment::{ExperimentArguments, asked_for};

/// Most values of a range, so that a mistyped end does not measure for days.
const MOST_VALUES: u64 = 1000;

/// Key of the number of passes through the layers.
const LOOPS: &str = "model.loops";

/// Change of one setting, `key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Key of the setting, with dots: `model.encoder_self.levels`.
    pub key: String,
    /// Value as typed.
    pub value: String,
}

/// Changes to a trained model, sorted into levels, loops and task.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// Attention sites with new numbers of levels.
    levels: Vec<(AttentionSite, usize)>,
    /// Number of passes through the layers; `None` if the number stays.
    loops: Option<usize>,
    /// Settings of the task.
    task: Vec<Setting>,
}

/// Reads the arguments of `--set`. Ranges, `1..11`, make a list of several entries, one for each
/// value; several ranges advance together.
///
/// # Errors
/// If an argument is no `key=value`, a range has no end, or two ranges differ in length.
pub fn rows(arguments: &[String]) -> Result<Vec<Vec<Setting>>, Error> {
    let columns = arguments.iter().map(|argument| column(argument));
    let columns: Vec<Vec<Setting>> = columns.collect::<Result<_, _>>()?;
    let ranges = || columns.iter().filter(|column| column.len() > 1);
    let count = ranges().map(Vec::len).max().unwrap_or(1);
    if let Some(other) = ranges().find(|column| column.len() != count) {
        return Err(Error::Session(format!(
            "ranges of `--set` advance together, but that of `{}` has {} values and another one {count}; \
             give them the same number of values",
            other[0].key,
            other.len()
        )));
    }
    let row = |at: usize| {
        let setting = |column: &Vec<Setting>| column[if column.len() > 1 { at } else { 0 }].clone();
        columns.iter().map(setting).collect()
    };
    Ok((0..count).map(row).collect())
}

/// Returns one setting for each value of an argument.
fn column(argument: &str) -> Result<Vec<Setting>, Error> {
    let Some((key, value)) = argument.split_once('=') else {
        return Err(Error::Session(format!(
            "`--set {}` is no setting; write it as key=value, for example \
             `--set model.encoder_self.levels=8`",
            shortened(argument)
        )));
    };
    let (key, value) = (key.trim(), value.trim());
    let setting = |value: String| Setting {
        key: key.to_owned(),
        value,
    };
    // A task has ranges of its own (`task.hops=2..5`, where k is drawn), written in quotation marks.
    if let Some(inner) = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        return Ok(vec![setting(inner.to_owned())]);
    }
    let Some((first, last)) = value.split_once("..") else {
        return Ok(vec![setting(value.to_owned())]);
    };
    match (numeral::whole(first), numeral::whole(last)) {
        (Some(first), Some(last)) if first <= last && last - first < MOST_VALUES => Ok((first
            ..=last)
            .map(|value| setting(value.to_string()))
            .collect()),
        _ => Err(Error::Session(format!(
            "`{}` in `--set {key}` is no range of at most {MOST_VALUES} whole numbers; write the first and \
             the last, for example `1..11`",
            shortened(value)
        ))),
    }
}

impl Changed {
    /// Sorts settings into levels, loops and task, for a model of this experiment.
    ///
    /// # Errors
    /// If a setting is neither the number of levels of a site nor a setting of the task.
    pub fn of(settings: &[Setting], experiment: &Experiment) -> Result<Self, Error> {
        let mut changed = Self::default();
        for setting in settings {
            if setting.key.starts_with("task.") {
                changed.task.push(setting.clone());
            } else if setting.key == LOOPS && experiment.model.clone().loops_mut().is_some() {
                changed.loops = Some(whole(setting)?);
            } else {
                changed.levels.push(levels(setting, &experiment.model)?);
            }
        }
        Ok(changed)
    }

    /// Like [`of`](Self::of), for a command that measures on no data of a task.
    ///
    /// # Errors
    /// Those of [`of`](Self::of), and if a setting belongs to the task or has several values.
    pub fn of_model(arguments: &[String], experiment: &Experiment) -> Result<Self, Error> {
        let mut rows = rows(arguments)?;
        if rows.len() > 1 {
            return Err(Error::Session(
                "a range in `--set` is for `strata eval` and `strata ablate`, which print a table; give \
                 one value here"
                    .to_owned(),
            ));
        }
        let changed = Self::of(&rows.pop().unwrap_or_default(), experiment)?;
        match changed.task.first() {
            None => Ok(changed),
            Some(setting) => Err(Error::Session(format!(
                "`{}` is a setting of the data, which only `strata eval --set` changes; leave it out here",
                setting.key
            ))),
        }
    }

    /// True if settings of the task change.
    pub fn is_of_task(&self) -> bool {
        !self.task.is_empty()
    }

    /// Returns the checkpoint with the changed number of passes through the layers.
    ///
    /// # Errors
    /// If the file is no checkpoint.
    pub fn checkpoint(&self, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let Some(loops) = self.loops else {
            return Ok(bytes);
        };
        let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(path))?;
        Ok(checkpoint.with_loops(loops).unwrap_or(bytes))
    }

    /// Returns the parts of a model that compute with other numbers of levels.
    pub fn parts(&self, inference: &Inference) -> Vec<Part> {
        let sites = inference.parts().into_iter().filter_map(|part| match part {
            Part::Site { site } => Some(site),
            _ => None,
        });
        let changed = |site: strata_models::SiteName| {
            let of_site = |(changed, _): &&(AttentionSite, usize)| changed.site == site.place;
            let (_, count) = self.levels.iter().rev().find(of_site)?;
            Some(Part::Levels {
                site,
                count: *count,
            })
        };
        sites.filter_map(changed).collect()
    }

    /// Lets a model compute with the changed levels.
    ///
    /// # Errors
    /// If a site cannot compute with that number of levels.
    pub fn apply(&self, inference: &mut Inference) -> Result<(), Error> {
        let parts = self.parts(inference);
        inference
            .mute(&parts)
            .map_err(|refusal| Error::Session(refusal.to_string()))
    }

    /// Returns the task with the changed settings; `None` if `--set` changes no setting of the task.
    ///
    /// # Errors
    /// If the task has no such setting, a value is wrong, or the task's data are files.
    pub fn task(&self, experiment: &Experiment) -> Result<Option<TaskConfig>, Error> {
        let Some(first) = self.task.first() else {
            return Ok(None);
        };
        if first.key == "task.kind" || !experiment.task.is_generated() {
            return Err(Error::Session(format!(
                "`--set {}` cannot change the data of the task `{}`: only the settings of a generated task \
                 can be changed; measure on other files by `--source`",
                first.key,
                experiment.task.name()
            )));
        }
        let typed = |setting: &Setting| format!("{}={}", setting.key, setting.value);
        let arguments = ExperimentArguments {
            overrides: self.task.iter().map(typed).collect(),
            ..ExperimentArguments::default()
        };
        Ok(Some(asked_for(experiment, &arguments)?.task))
    }

    /// Opens the model of a checkpoint file with the changes.
    ///
    /// # Errors
    /// If the file is no checkpoint, or the model cannot compute with the changes.
    pub fn open(&self, path: &Path, bytes: &[u8], device: &Device) -> Result<Inference, Error> {
        let changed = match self.loops {
            Some(_) => Cow::Owned(self.checkpoint(path, bytes.to_vec())?),
            None => Cow::Borrowed(bytes),
        };
        let inference = Inference::from_checkpoint(&changed, device);
        let mut inference = inference.map_err(Error::checkpoint(path))?;
        self.apply(&mut inference)?;
        Ok(inference)
    }
}

/// Returns the attention site of a setting such as `model.encoder_self.levels`, and the number.
fn levels(setting: &Setting, model: &ModelConfig) -> Result<(AttentionSite, usize), Error> {
    let sites = model.sites();
    let name_of = |site: &AttentionSite| {
        let setting = site.mechanism.levels_setting()?;
        Some(format!("model.{}.{setting}", site.name))
    };
    let Some(site) = sites
        .iter()
        .find(|site| name_of(site).as_ref() == Some(&setting.key))
    else {
        let names: Vec<String> = sites.iter().filter_map(name_of).collect();
        let takes = if names.is_empty() {
            "this model has no attention with levels".to_owned()
        } else {
            format!("this model takes `{}`", names.join("`, `"))
        };
        return Err(Error::Session(format!(
            "`{}` cannot change after training; `--set` changes levels and `model.loops`, and {takes}",
            shortened(&setting.key)
        )));
    };
    Ok((*site, whole(setting)?))
}

/// Returns the value of a setting that is a whole number, 1 or above.
fn whole(setting: &Setting) -> Result<usize, Error> {
    match numeral::whole(&setting.value) {
        Some(count) if count >= 1 => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
        _ => Err(Error::Session(format!(
            "`{}` is `{}`, but must be a whole number, 1 or above",
            setting.key,
            shortened(&setting.value)
        ))),
    }
}
