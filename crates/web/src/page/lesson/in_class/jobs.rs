//! Runs to repeat for the receipts of a class, and what is known of a receipt without that. Pure.

use crate::address::Address;
use crate::page::lesson::code::{experiments, place_of};
use crate::page::lesson::in_class::reading::Class;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use strata_session::receipt::{Fault, Receipt, Verdict};
use strata_training::Experiment;

/// Largest number of steps that is repeated, as a multiple of the lesson's own.
const MOST_TIMES: u64 = 10;

/// Place of a receipt: number of the learner, lesson and step.
pub type Place = (usize, String, String);

/// Result of checking a receipt.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The run was repeated.
    Checked(Verdict),
    /// The run was not repeated.
    NotChecked(Reason),
}

impl Finding {
    /// True if the run was repeated and came out otherwise.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Self::Checked(Verdict::Differs(_) | Verdict::Unknown))
    }
}

/// Reason why a run was not repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// This is no receipt that Strata writes.
    Unreadable,
    /// The experiment is none of the lesson's.
    OtherExperiment,
    /// The run has far more steps than the lesson's.
    TooLong,
    /// The worker could not repeat the run, for this reason.
    Failed(String),
}

/// A run to repeat, with all receipts of the run.
pub struct Job {
    pub experiment: Experiment,
    pub receipts: Vec<(Place, Receipt)>,
}

/// Returns the number of receipts of a class, and the number of different runs in these receipts.
pub fn jobs_of(class: &Class) -> (usize, usize) {
    let runs: BTreeSet<&str> = receipts(class).map(|it| it.1.address.as_str()).collect();
    (receipts(class).count(), runs.len())
}

/// Returns the runs to repeat, and what is known of receipts without that.
pub fn jobs(class: &Class) -> (VecDeque<Job>, BTreeMap<Place, Finding>) {
    let mut jobs: VecDeque<Job> = VecDeque::new();
    let mut findings = BTreeMap::new();
    let lessons = class.lessons.iter();
    let own: BTreeMap<&str, Vec<Experiment>> = lessons
        .map(|it| (it.name.as_str(), experiments(it)))
        .collect();
    for (place, receipt) in receipts(class) {
        match experiment(receipt, &own[place.1.as_str()]) {
            Ok(experiment) => {
                let known = jobs.iter_mut().find(|it| it.experiment == experiment);
                let of = (place, receipt.clone());
                match known {
                    Some(job) => job.receipts.push(of),
                    None => jobs.push_back(Job {
                        experiment,
                        receipts: vec![of],
                    }),
                }
            }
            Err(reason) => {
                findings.insert(place, Finding::NotChecked(reason));
            }
        }
    }
    (jobs, findings)
}

/// Returns all receipts of a class that are of the present versions of the lessons.
fn receipts(class: &Class) -> impl Iterator<Item = (Place, &Receipt)> {
    class
        .learners
        .iter()
        .enumerate()
        .flat_map(move |(learner, it)| {
            class.lessons.iter().flat_map(move |lesson| {
                let own = it.lessons.get(&lesson.name);
                let own = own.filter(|it| it.version == lesson.lesson.version);
                let known = |id: &String| lesson.lesson.steps.iter().any(|it| it.id == *id);
                let steps = own.into_iter().flat_map(|it| &it.steps);
                let steps = steps.filter(move |(id, _)| known(id));
                steps.filter_map(move |(id, met)| {
                    let place = (learner, lesson.name.clone(), id.clone());
                    Some((place, met.receipt.as_deref()?))
                })
            })
        })
}

/// Returns the experiment of a receipt, if it is one of the lesson's: a file from somebody else must
/// not make the page train anything.
pub fn experiment(receipt: &Receipt, lesson: &[Experiment]) -> Result<Experiment, Reason> {
    match receipt.fault() {
        Some(Fault::TooLong) => return Err(Reason::TooLong),
        Some(Fault::Unreadable) => return Err(Reason::Unreadable),
        None => {}
    }
    let address = Address::read(&receipt.address);
    let place = place_of(lesson, &address.experiment).filter(|_| address.complaints.is_empty());
    let own = &lesson[place.ok_or(Reason::OtherExperiment)?];
    if receipt.step > own.training.steps.saturating_mul(MOST_TIMES) {
        return Err(Reason::TooLong);
    }
    Ok(address.experiment)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::address::Device;
    use crate::page::lesson::in_class::reading::HandIn;
    use crate::page::lesson::progress::{Completion, Progress, StepRecord};
    use strata_lessons::Compiled;

    fn lesson() -> Compiled {
        // Tests run in the folder of their package, wherever they were compiled.
        let path = "../../www/lessons/bottleneck/en.json";
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn receipt(lesson: &Compiled, seed: u64, step: u64) -> Receipt {
        let name = lesson.lesson.experiments.keys().next().unwrap();
        let experiment = Experiment {
            seed,
            ..lesson.lesson.experiment(name).unwrap()
        };
        let address = Address::write(&experiment, Device::Cpu, &[]);
        Receipt::of(address, step, 1, "", &[(1, 3.0)], &[])
    }

    fn class(lesson: &Compiled, receipts: Vec<Receipt>) -> Class {
        let learner = |(at, receipt): (usize, Receipt)| {
            let met = StepRecord {
                how: Completion::Did,
                guess: None,
                measured: None,
                values: BTreeMap::new(),
                outcome: String::new(),
                seconds: 0.0,
                receipt: Some(Box::new(receipt)),
            };
            let progress = Progress {
                version: lesson.lesson.version,
                steps: [(lesson.lesson.steps[0].id.clone(), met)].into(),
                ..Progress::default()
            };
            HandIn {
                name: at.to_string(),
                lessons: [(lesson.name.clone(), progress)].into(),
            }
        };
        Class {
            learners: receipts.into_iter().enumerate().map(learner).collect(),
            lessons: vec![lesson.clone()],
            faults: Vec::new(),
        }
    }

    #[test]
    fn learners_with_one_seed_share_one_run() {
        let lesson = lesson();
        let receipts = [(1, 10), (1, 20), (2, 10), (1, 10)];
        let receipts = receipts.map(|(seed, step)| receipt(&lesson, seed, step));
        let (jobs, findings) = jobs(&class(&lesson, receipts.into()));
        let sizes: Vec<usize> = jobs.iter().map(|it| it.receipts.len()).collect();
        assert_eq!((sizes, findings.len()), (vec![3, 1], 0));
    }

    #[test]
    fn nothing_but_the_lesson_is_trained() {
        let lesson = lesson();
        let own = experiments(&lesson);
        let good = receipt(&lesson, 1, 10);
        let with = |address: &str| Receipt {
            address: address.to_owned(),
            ..good.clone()
        };
        let other = Err(Reason::OtherExperiment);
        assert!(experiment(&good, &own).is_ok());
        assert_eq!(
            experiment(&with("?v=1&preset=copy&model.width=4096"), &own),
            other
        );
        assert_eq!(experiment(&with("../"), &own), other);
        assert_eq!(
            experiment(&with("?v=1&task.kind=files&task.source=/etc/passwd"), &own),
            other
        );
        let broken = Receipt::default();
        assert_eq!(experiment(&broken, &own), Err(Reason::Unreadable));
        let long = receipt(&lesson, 1, 900_000);
        assert_eq!(experiment(&long, &own), Err(Reason::TooLong));
        let progress = class(&lesson, vec![broken, long]);
        assert_eq!(jobs(&progress).1.len(), 2);
    }
}
