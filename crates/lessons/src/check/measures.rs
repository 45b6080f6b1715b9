//! Checks of measures against the experiments of a step.

use strata_models::{AttentionBlock, SiteName};
use strata_training::Experiment;
use strata_training::workload::Workloads;

use crate::error::unknown;
use crate::links;
use crate::sites::sites;
use crate::{Lesson, Measure, RunOf, ViewMeasure};

/// Refuses a measure that the step's experiments cannot have.
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
            if known.contains(&name.as_str()) {
                Ok(())
            } else {
                Err(unknown("workload", name, known))
            }
        }
        Measure::Moved(site)
        | Measure::View(
            _,
            ViewMeasure::HeadsApart(site)
            | ViewMeasure::Share(site, _)
            | ViewMeasure::LargestShare(site),
        ) => {
            let all: Vec<_> = experiments.iter().flat_map(|it| sites(&it.model)).collect();
            if all.iter().any(|it| it.site == *site) {
                Ok(())
            } else {
                Err(no_site(*site, &all))
            }
        }
        _ => Ok(()),
    }
}

fn run(lesson: &Lesson, name: &str) -> Result<(), String> {
    let known = lesson.experiments.keys().map(String::as_str);
    if lesson.experiments.contains_key(name) {
        Ok(())
    } else {
        Err(unknown("experiment", name, known))
    }
}

/// Writes the error for a site that a model does not have.
pub(super) fn no_site(site: SiteName, all: &[AttentionBlock]) -> String {
    let known: Vec<String> = all.iter().map(|it| it.site.to_string()).collect();
    unknown("site", &site.to_string(), known.iter().map(String::as_str))
}
