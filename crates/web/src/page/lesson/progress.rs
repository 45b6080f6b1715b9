//! A learner's progress in a lesson, as the browser stores it.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use strata_lessons::{Run, Value};
use strata_session::receipt::Receipt;

/// How a learner got past a step.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// By doing the step's action.
    Did,
    /// By having the action shown.
    Shown,
    /// By skipping the step.
    Skipped,
}

impl Completion {
    /// Returns the name, for messages to the page around a frame.
    pub fn name(self) -> &'static str {
        match self {
            Self::Did => "did",
            Self::Shown => "shown",
            Self::Skipped => "skipped",
        }
    }

    /// Returns a word for the summary.
    pub fn words(self) -> &'static str {
        match self {
            Self::Did => "done",
            Self::Shown => "shown",
            Self::Skipped => "skipped",
        }
    }
}

/// A step that a learner got past.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct StepRecord {
    /// How the learner got past the step.
    pub how: Completion,
    /// The learner's guess, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<Value>,
    /// Correct answer to the guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Value>,
    /// Values that the step's texts name.
    #[serde(default)]
    pub values: BTreeMap<String, Value>,
    /// Name of the outcome, which chooses the explanation.
    #[serde(default)]
    pub outcome: String,
    /// Seconds from the end of the set-up until the condition was met.
    #[serde(default)]
    pub seconds: f64,
    /// Receipt of the run that the step has trained.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "receipt"
    )]
    pub receipt: Option<Box<Receipt>>,
}

impl StepRecord {
    /// Creates the record of a step that a learner got past in this way, without guess and values.
    pub fn of(how: Completion) -> Self {
        Self {
            how,
            guess: None,
            measured: None,
            values: BTreeMap::new(),
            outcome: String::new(),
            seconds: 0.0,
            receipt: None,
        }
    }
}

/// Reads a receipt. What is none becomes an empty receipt, which cannot be checked: the rest of the
/// progress is good nevertheless.
fn receipt<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Box<Receipt>>, D::Error> {
    let value = serde_json::Value::deserialize(source)?;
    let receipt = serde_json::from_value(value);
    Ok(Some(Box::new(receipt.unwrap_or_default())))
}

/// A learner's progress in a lesson.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Version of the lesson to which the progress belongs.
    pub version: u32,
    /// Steps that the learner got past, by their ids.
    pub steps: BTreeMap<String, StepRecord>,
    /// Curves of the lesson's runs that were trained to their ends in this browser, by the names of
    /// their experiments.
    #[serde(default)]
    pub runs: BTreeMap<String, Run>,
    /// Seed of the learner's own runs, if the class has asked for different seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Progress {
    /// Reads progress for this version of a lesson. Progress of another version is dropped: its
    /// steps are offered anew, and its runs may be of experiments that have changed.
    pub fn read(text: Option<&str>, version: u32) -> Self {
        let own = text.and_then(Self::parsed);
        let own = own.filter(|it| it.version == version);
        own.unwrap_or(Self {
            version,
            ..Self::default()
        })
    }

    /// Parses stored progress, by way of a JSON value: the page contains that code anyway.
    pub fn parsed(text: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        serde_json::from_value(value).ok()
    }

    /// Writes the progress as text.
    pub fn written(&self) -> String {
        // By way of a JSON value: the page contains that code anyway.
        let value = serde_json::to_value(self);
        value.map_or_else(|_| String::new(), |it| it.to_string())
    }

    /// Records a step. A step that was done stays done if it is shown or skipped later.
    pub fn record(&mut self, step: &str, met: StepRecord) {
        let before = self.steps.get(step).map(|it| it.how);
        if met.how == Completion::Skipped && before.is_some() {
            return;
        }
        let how = match (before, met.how) {
            (Some(Completion::Did), _) => Completion::Did,
            (_, how) => how,
        };
        let before = self.steps.remove(step);
        let receipt = met.receipt.or_else(|| before?.receipt);
        let met = StepRecord {
            how,
            receipt,
            ..met
        };
        self.steps.insert(step.to_owned(), met);
    }

    /// True if the step was done or shown.
    pub fn is_past(&self, step: &str) -> bool {
        let met = self.steps.get(step);
        met.is_some_and(|it| it.how != Completion::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(how: Completion) -> StepRecord {
        StepRecord {
            how,
            guess: None,
            measured: Some(Value::Number(0.5)),
            values: BTreeMap::new(),
            outcome: "after".to_owned(),
            seconds: 2.0,
            receipt: None,
        }
    }

    #[test]
    fn what_was_done_stays_done() {
        let mut progress = Progress::read(None, 1);
        progress.record("a", met(Completion::Skipped));
        assert!(!progress.is_past("a"));
        progress.record("a", met(Completion::Did));
        progress.record("a", met(Completion::Shown));
        progress.record("a", met(Completion::Skipped));
        assert_eq!(progress.steps["a"].how, Completion::Did);
        let again = Progress::read(Some(&progress.written()), 1);
        assert_eq!(again, progress);
    }

    #[test]
    fn another_version_is_offered_anew_and_nonsense_is_no_progress() {
        let mut progress = Progress::read(None, 1);
        progress.record("a", met(Completion::Did));
        assert_eq!(Progress::read(Some(&progress.written()), 2).steps.len(), 0);
        assert_eq!(Progress::read(Some("{"), 3).version, 3);
    }
}
