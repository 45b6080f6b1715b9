//! Runs that must be there before a step can begin: others that it shows, and its own.

use crate::state::KeptRun;
use std::collections::{BTreeMap, VecDeque};
use strata_lessons::{Run, Step};
use strata_training::Experiment;

/// A run at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Name of its experiment.
    pub name: String,
    /// The experiment.
    pub experiment: Experiment,
    /// Steps that it has taken.
    pub step: u64,
    /// True for the run that the step is about.
    pub is_own: bool,
}

impl Wanted {
    /// The experiment whose end is the wanted step: the page cannot stop at a step otherwise.
    pub fn as_trained(&self) -> Experiment {
        let mut experiment = self.experiment.clone();
        if self.step > 0 {
            experiment.training.steps = self.step;
        }
        experiment
    }

    /// The kept run that is this one.
    pub fn kept<'a>(&self, kept: &'a [KeptRun]) -> Option<&'a KeptRun> {
        let experiment = self.as_trained();
        let is_it = |run: &&KeptRun| run.step == self.step && run.experiment == experiment;
        kept.iter().find(is_it).filter(|_| self.step > 0)
    }
}

/// Runs that a step needs, in order; its own is the last. Others whose curves are `known` need not be
/// trained. `None` if an experiment cannot be read.
pub fn wanted(
    step: &Step,
    experiments: &BTreeMap<String, Experiment>,
    known: &BTreeMap<String, Run>,
) -> Option<VecDeque<Wanted>> {
    let others = step.others();
    let missing = others.iter().filter(|it| !known.contains_key(*it));
    let mut wanted = VecDeque::new();
    for name in missing {
        let experiment = experiments.get(name)?.clone();
        wanted.push_back(Wanted {
            name: name.clone(),
            step: experiment.training.steps,
            experiment,
            is_own: false,
        });
    }
    let name = &step.setup.experiment;
    let experiment = experiments.get(name)?.clone();
    wanted.push_back(Wanted {
        name: name.clone(),
        step: step.setup.from.step(&experiment),
        experiment,
        is_own: true,
    });
    Some(wanted)
}
