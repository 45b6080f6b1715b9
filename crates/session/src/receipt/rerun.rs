//! Repeats a run to the steps of its receipts: tells which commands to send, and notes what comes
//! back. Pure: a page sends the commands to a worker, the command line to a session.

use std::collections::{BTreeMap, BTreeSet};

use strata_training::Experiment;

use super::digest;
use crate::protocol::{Command, Event};

/// Number of steps that are asked for at once. A session is asked for single steps: told to train, a
/// worker could not be stopped at a step.
const AT_ONCE: u64 = 16;

/// A run that is repeated.
#[derive(Clone, Debug, Default)]
pub struct Rerun {
    /// Steps at which the parameters are wanted.
    wanted: BTreeSet<u64>,
    /// Step at which the next command is due; `None` while a checkpoint is awaited.
    due: Option<u64>,
    step: u64,
    training: BTreeMap<u64, f64>,
    validations: BTreeMap<u64, (f64, f64)>,
    digests: BTreeMap<u64, u64>,
    failure: Option<String>,
}

impl Rerun {
    /// Returns a run to repeat up to each of these steps.
    pub fn to(steps: impl IntoIterator<Item = u64>) -> Self {
        Self {
            wanted: steps.into_iter().collect(),
            due: Some(0),
            ..Self::default()
        }
    }

    /// Returns the first command.
    pub fn begin(experiment: Experiment) -> Command {
        let experiment = Box::new(experiment);
        Command::Load { experiment }
    }

    /// Takes in an event of the session; returns the commands that follow.
    pub fn event(&mut self, event: &Event) -> Vec<Command> {
        if self.is_over() {
            return Vec::new();
        }
        match event {
            Event::Progress { steps } => {
                for it in steps {
                    self.step = it.step;
                    self.training.insert(it.step, it.loss);
                }
            }
            Event::Validated(it) => {
                self.validations.insert(it.step, (it.loss, it.accuracy));
            }
            // A step ends with its activity, and so does the preparation of a run.
            Event::Activity { .. } if self.due.is_some_and(|due| self.step >= due) => {
                return self.next();
            }
            Event::Saved { step, checkpoint } if self.due.is_none() => {
                match digest(checkpoint) {
                    Some(digest) => drop(self.digests.insert(*step, digest)),
                    None => self.failure = Some("the checkpoint has no parameters".to_owned()),
                }
                self.wanted.remove(step);
                return self.next();
            }
            Event::Refused { reason } | Event::Diverged { reason, .. } | Event::Lost { reason } => {
                self.failure = Some(reason.clone());
            }
            _ => {}
        }
        Vec::new()
    }

    /// Returns the next commands: single steps, or a checkpoint at a wanted step.
    fn next(&mut self) -> Vec<Command> {
        let Some(&wanted) = self.wanted.first() else {
            return Vec::new();
        };
        if wanted <= self.step {
            self.due = None;
            return vec![Command::Save];
        }
        let count = (wanted - self.step).min(AT_ONCE);
        self.due = Some(self.step + count);
        (0..count).map(|_| Command::Step).collect()
    }

    /// True if nothing more is to be done.
    pub fn is_over(&self) -> bool {
        self.wanted.is_empty() || self.failure.is_some()
    }

    /// Returns why the run could not be repeated; `None` for a run that was repeated, or still is.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Number of steps taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Returns the digest of the parameters at a step.
    pub fn digest(&self, step: u64) -> Option<u64> {
        self.digests.get(&step).copied()
    }

    /// Returns the loss of a training step.
    pub fn training(&self, step: u64) -> Option<f64> {
        self.training.get(&step).copied()
    }

    /// Returns loss and accuracy of a validation.
    pub fn validation(&self, step: u64) -> Option<(f64, f64)> {
        self.validations.get(&step).copied()
    }

    /// Returns the losses of all training steps.
    pub fn losses(&self) -> Vec<(u64, f64)> {
        self.training
            .iter()
            .map(|(step, loss)| (*step, *loss))
            .collect()
    }

    /// Returns all validations: step, loss and accuracy.
    pub fn all_validations(&self) -> Vec<(u64, f64, f64)> {
        let all = self.validations.iter();
        all.map(|(step, (loss, accuracy))| (*step, *loss, *accuracy))
            .collect()
    }
}
