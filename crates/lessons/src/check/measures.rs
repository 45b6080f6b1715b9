//! Measures held against the experiments of a step.

use strata_training::Experiment;
use strata_training::workload::Workloads;

use crate::error::unknown;
use crate::links;
use crate::sites::sites;
use crate::{Lesson, Measure, RunOf, ViewMeasure};

/// Refuses what the step's experiments cannot show.
pub(super) fn check(
    measure: &Measure,
    lesson: &Lesson,
    experiments: &[Experiment],
) -> Result<(), String> {
    match measure {
        Measure::Run(RunOf::Named(name, step), _) => {
            run(lesson, name)?;
            let steps = lesson.experiment(name).map_or(0, |it| it.training.steps);
            match step {
                Some(step) if *step > steps => {
                    Err(format!("the run `{name}` ends after {steps} steps"))
                }
                _ => Ok(()),
            }
        }
        Measure::Compared(name) => run(lesson, name),
        Measure::Setting(_, key) => links::setting(key),
        Measure::Bench(name) => {
            let workloads = Workloads::known();
            let known: Vec<&str> = workloads.names().collect();
            match known.contains(&name.as_str()) {
                true => Ok(()),
                false => Err(unknown("workload", name, known)),
            }
        }
        Measure::Moved(name)
        | Measure::View(
            _,
            ViewMeasure::HeadsApart(name)
            | ViewMeasure::Share(name, _)
            | ViewMeasure::LargestShare(name),
        ) => site(experiments, name),
        _ => Ok(()),
    }
}

fn run(lesson: &Lesson, name: &str) -> Result<(), String> {
    let known = lesson.experiments.keys().map(String::as_str);
    match lesson.experiments.contains_key(name) {
        true => Ok(()),
        false => Err(unknown("experiment", name, known)),
    }
}

fn site(experiments: &[Experiment], name: &str) -> Result<(), String> {
    let all: Vec<_> = experiments.iter().flat_map(|it| sites(&it.model)).collect();
    match all.iter().any(|it| it.name == name) {
        true => Ok(()),
        false => Err(unknown("site", name, all.iter().map(|it| it.name.as_str()))),
    }
}
