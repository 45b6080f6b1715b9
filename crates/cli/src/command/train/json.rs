//! Beginning and end of a run as lines of JSON (`strata train --json`), around the lines of
//! `metrics.jsonl`.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};
use strata_session::protocol::Ready;

use super::arguments::TrainArguments;
use super::run::Run;
use crate::base::error::Error;

/// Why a run ended.
#[derive(Serialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All steps were taken, or the validations did not improve any more.
    Done,
    /// A signal asked for the end.
    Stopped,
}

/// Returns the first line of a run: folder, sizes of model and data, and notes.
pub fn begin(ready: &Ready, folder: &Path) -> Value {
    json!({
        "kind": "begin",
        "folder": folder,
        "step": ready.step,
        "steps": ready.experiment.training.steps,
        "parameters": ready.parameters,
        "device": ready.device,
        "training_examples": ready.training_examples,
        "validation_examples": ready.validation_examples,
        "source_tokens": ready.source_vocabulary,
        "target_tokens": ready.target_vocabulary,
        "samples": ready.samples,
        "notes": ready.notes,
    })
}

/// Returns the only line of a run that had taken all steps before.
pub fn nothing_to_do(arguments: &TrainArguments, why: &Error) -> Value {
    let folder = arguments.out.as_deref();
    json!({"kind": "end", "end": End::Done, "folder": folder, "text": why.to_string()})
}

impl Run {
    /// Returns the last line of the run.
    pub fn end_as_json(&self, end: End) -> Value {
        let resume = match end {
            End::Done => None,
            End::Stopped => Some(self.resume_command()),
        };
        json!({
            "kind": "end",
            "end": end,
            "folder": self.folder.path(),
            "step": self.trainer().step_count(),
            "seconds": self.effort.seconds,
            "tokens": self.effort.tokens,
            "resume": resume,
        })
    }
}
