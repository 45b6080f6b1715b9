//! Runs that a step needs before it can begin: those that it compares with, and its own.

use crate::state::KeptRun;
use std::collections::{BTreeMap, VecDeque};
use strata_lessons::{Run, Step};
use strata_training::Experiment;

/// A run at a step, which a lesson needs.
#[derive(Clone, Debug, PartialEq)]
pub struct RequiredRun {
    /// Name of the experiment in the lesson.
    pub name: String,
    /// The experiment of the run.
    pub experiment: Experiment,
    /// Number of steps that the run must have taken.
    pub step: u64,
    /// True for the run that the step is about, false for one that it compares with.
    pub is_own: bool,
}

impl RequiredRun {
    /// Returns the experiment with the required step as its last: the page can stop a run only at its
    /// end.
    pub fn trained_to_step(&self) -> Experiment {
        let mut experiment = self.experiment.clone();
        if self.step > 0 {
            experiment.training.steps = self.step;
        }
        experiment
    }

    /// Returns the kept run that is at the required step of the experiment.
    pub fn kept<'a>(&self, kept: &'a [KeptRun]) -> Option<&'a KeptRun> {
        let experiment = self.trained_to_step();
        let is_required = |run: &&KeptRun| run.step == self.step && run.experiment == experiment;
        kept.iter().find(is_required).filter(|_| self.step > 0)
    }
}

/// Returns the runs that a step needs, in order, its own as the last. Runs for comparison are left
/// out if their curves are `known`. `None` if an experiment cannot be read.
pub fn required_runs(
    step: &Step,
    experiments: &BTreeMap<String, Experiment>,
    known: &BTreeMap<String, Run>,
) -> Option<VecDeque<RequiredRun>> {
    let others = step.others();
    let missing = others.iter().filter(|it| !known.contains_key(*it));
    let mut wanted = VecDeque::new();
    for name in missing {
        let experiment = experiments.get(name)?.clone();
        wanted.push_back(RequiredRun {
            name: name.clone(),
            step: experiment.training.steps,
            experiment,
            is_own: false,
        });
    }
    let name = &step.setup.experiment;
    let experiment = experiments.get(name)?.clone();
    wanted.push_back(RequiredRun {
        name: name.clone(),
        step: step.setup.from.step(&experiment),
        experiment,
        is_own: true,
    });
    Some(wanted)
}
