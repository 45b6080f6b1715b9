//! Request and results of `strata eval`: the model, the options, and the figures.

use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde_json::Value;
use strata_models::Search;
use strata_text::Uploads;
use strata_training::{Checkpoint, Inference, Trainer};

use super::arguments::eval::EvalArguments;
use crate::base::error::Error;
use crate::base::output::print;
use crate::model::changed::Changed;
use crate::model::chosen::Chosen;
use crate::model::search::{self, Bounds};

/// Results of measuring one text.
pub struct Measured {
    /// Results as an object, printed as one line of JSON.
    pub json: Value,
    /// Results in words, line by line.
    pub lines: Vec<String>,
}

impl Measured {
    /// Prints the results.
    pub fn print(&self, as_json: bool) {
        if as_json {
            print(&self.json.to_string());
        } else {
            self.lines.iter().for_each(|line| print(line));
        }
    }
}

/// Model to measure, and the options of `strata eval`.
pub struct EvalRequest<'a> {
    pub arguments: &'a EvalArguments,
    pub search: Search,
    pub bounds: Bounds,
    /// Paths of all models, whose probabilities are averaged.
    pub models: Vec<PathBuf>,
    /// The first model, with the note on the choice of the checkpoint.
    pub chosen: &'a Chosen,
    /// Checkpoint of the first model, with the paths at which the model's data are now.
    pub bytes: &'a [u8],
    pub checkpoint: Checkpoint<'a>,
    /// Levels and task that `--set` changes.
    pub changed: Changed,
}

impl EvalRequest<'_> {
    /// Path of the first model's checkpoint.
    pub fn path(&self) -> &Path {
        &self.chosen.path
    }

    /// Opens the device.
    ///
    /// # Errors
    /// If the device cannot be used.
    pub fn device(&self) -> Result<Device, Error> {
        Ok(self.arguments.model.device.open()?.0)
    }

    /// Opens the first model.
    ///
    /// # Errors
    /// If the checkpoint is malformed.
    pub fn inference(&self, device: &Device) -> Result<Inference, Error> {
        self.changed.open(self.path(), self.bytes, device)
    }

    /// Opens the first model with the data of its run.
    ///
    /// # Errors
    /// If the checkpoint is malformed, or the data cannot be read.
    pub fn trainer(&self, device: &Device) -> Result<Trainer, Error> {
        let uploads = Uploads::default();
        let trainer = match self.changed.task(self.checkpoint.experiment())? {
            None => Trainer::to_measure(self.bytes, &uploads, device),
            Some(task) => Trainer::to_measure_on(self.bytes, task, device),
        };
        let mut trainer = trainer.map_err(Error::checkpoint(self.path()))?;
        let parts = self.changed.parts(&trainer.inference());
        let muted = trainer.mute(&parts);
        muted.map_err(|refusal| Error::Session(refusal.to_string()))?;
        Ok(trainer)
    }

    /// Names the first model by its step, or by the steps whose mean the checkpoint is.
    pub fn model_name(&self) -> String {
        match self.checkpoint.averaged() {
            [] | [_] => format!("The model of step {}", self.checkpoint.step()),
            steps => {
                let steps: Vec<String> = steps.iter().map(u64::to_string).collect();
                format!("The mean of the models of the steps {}", steps.join(", "))
            }
        }
    }

    /// Refuses options of decoding if nothing is decoded; `because` says what is measured instead.
    ///
    /// # Errors
    /// If the user gave such an option.
    pub fn refuse_decoding(&self, because: &str) -> Result<(), Error> {
        refuse_decoding(self.arguments, because)
    }

    /// Refuses options that `--poems` does not have.
    ///
    /// # Errors
    /// If the user gave such an option, or several models.
    pub fn check_poems(&self) -> Result<(), Error> {
        if let Some(option) = search::bound(&self.arguments.search) {
            return Err(Error::Search(format!(
                "the lines of a poem have their length and characters; leave out `{option}`"
            )));
        }
        if self.models.len() > 1 {
            return Err(Error::Session(
                "`--poems` measures one model; name one".to_owned(),
            ));
        }
        Ok(())
    }

    /// Refuses `--poems` for a model that writes no poems.
    ///
    /// # Errors
    /// If the user gave the option.
    pub fn refuse_poems(&self) -> Result<(), Error> {
        if !self.arguments.poems {
            return Ok(());
        }
        self.check_poems()?;
        self.chosen.tell();
        let sentence = "`--poems` measures models of the task `poems`; this one has another task";
        Err(Error::Poetry(sentence.to_owned()))
    }
}

/// Refuses options of decoding if nothing is decoded; `because` says what is measured instead.
///
/// # Errors
/// If the user gave such an option.
pub fn refuse_decoding(arguments: &EvalArguments, because: &str) -> Result<(), Error> {
    let others = [
        (arguments.decode.is_some(), "--decode"),
        (arguments.nbest.is_some(), "--nbest"),
        (arguments.rouge, "--rouge"),
        (!arguments.cases.is_empty(), "--case"),
    ];
    let other = || others.into_iter().find(|(is_given, _)| *is_given);
    let option = search::option(&arguments.search).or_else(|| other().map(|it| it.1));
    match option {
        Some(option) => Err(Error::Search(format!("{because}; leave out `{option}`"))),
        None => Ok(()),
    }
}
