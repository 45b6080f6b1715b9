//! Checks receipts by running each run again in a worker, one after the other. Runs that several
//! learners share are repeated once.

use crate::address::{Address, Device};
use crate::link::connection::{Connection, WorkerMessage};
use crate::page::lesson::code::{experiments, place_of};
use crate::page::lesson::in_class::reading::Class;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use strata_session::protocol::{Command, Event};
use strata_session::receipt::{Receipt, Rerun, Verdict};
use strata_training::Experiment;
use yew::Callback;

/// Number of runs after which another worker goes on: a worker's memory only grows.
const FOR_A_WORKER: usize = 12;
/// Largest number of steps that is repeated, as a multiple of the lesson's own.
const MOST_TIMES: u64 = 10;

/// Milliseconds between two reports on the steps of a run.
const TELL_EVERY: f64 = 400.0;

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

/// Results so far, and how far the check has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    pub findings: BTreeMap<Place, Finding>,
    /// Runs repeated and runs in all, the present run's step and its last one; `None` while nothing
    /// is checked.
    pub progress: Option<[u64; 4]>,
}

/// A run to repeat, with its receipts.
struct Job {
    experiment: Experiment,
    receipts: Vec<(Place, Receipt)>,
}

/// Checks receipts; clones share the work.
#[derive(Clone)]
pub struct Checker(Rc<Inner>);

struct Inner {
    work: RefCell<Work>,
    changed: Callback<Checks>,
}

#[derive(Default)]
struct Work {
    checks: Checks,
    jobs: VecDeque<Job>,
    present: Option<(Job, Rerun)>,
    connection: Option<Connection>,
    is_listening: bool,
    /// Runs that the present worker has repeated.
    worn: usize,
    /// Time when the steps of the present run were told last, in milliseconds.
    told: f64,
}

impl Checker {
    /// Returns a checker at rest; `changed` is called with the results whenever they change.
    pub fn new(changed: Callback<Checks>) -> Self {
        Self(Rc::new(Inner {
            work: RefCell::default(),
            changed,
        }))
    }

    /// Begins to check all receipts of a class.
    pub fn begin(&self, class: &Class) {
        self.stop();
        let (jobs, findings) = jobs(class);
        {
            let mut work = self.0.work.borrow_mut();
            work.checks = Checks {
                findings,
                progress: Some([0, jobs.len() as u64, 0, 0]),
            };
            work.jobs = jobs;
        }
        self.next();
    }

    /// Stops; what was found stays.
    pub fn stop(&self) {
        {
            let mut work = self.0.work.borrow_mut();
            work.jobs.clear();
            (work.present, work.connection) = (None, None);
            work.checks.progress = None;
        }
        self.tell();
    }

    /// Stops and forgets what was found: other files were chosen.
    pub fn forget(&self) {
        self.0.work.borrow_mut().checks.findings.clear();
        self.stop();
    }

    fn tell(&self) {
        let checks = self.0.work.borrow().checks.clone();
        self.0.changed.emit(checks);
    }

    /// Tells how far the present run is; seldom, for a table of a class takes time to draw.
    fn tell_now_and_then(&self) {
        let now = js_sys::Date::now();
        let is_due = {
            let mut work = self.0.work.borrow_mut();
            let is_due = now - work.told > TELL_EVERY;
            if is_due {
                work.told = now;
            }
            is_due
        };
        if is_due {
            self.tell();
        }
    }

    /// Goes on with the next run.
    fn next(&self) {
        let starts = {
            let mut work = self.0.work.borrow_mut();
            let Some(job) = work.jobs.pop_front() else {
                work.connection = None;
                work.checks.progress = None;
                drop(work);
                return self.tell();
            };
            let steps: Vec<u64> = job.receipts.iter().map(|it| it.1.step).collect();
            if let Some(progress) = &mut work.checks.progress {
                (progress[2], progress[3]) = (0, steps.iter().copied().max().unwrap_or(0));
            }
            work.present = Some((job, Rerun::to(steps)));
            if work.worn >= FOR_A_WORKER {
                work.connection = None;
            }
            work.worn += 1;
            work.connection.is_none()
        };
        self.tell();
        if starts {
            self.start();
        } else {
            self.load();
        }
    }

    fn start(&self) {
        let (hearing, failing) = (self.clone(), self.clone());
        let connection = Connection::start(
            Device::Cpu,
            move |message| hearing.hear(message),
            move |reason| failing.fail(&reason),
        );
        let is_there = connection.is_some();
        {
            let mut work = self.0.work.borrow_mut();
            (work.connection, work.is_listening, work.worn) = (connection, false, 1);
        }
        if !is_there {
            self.fail("this browser does not let the page start a worker");
        }
    }

    fn hear(&self, message: WorkerMessage) {
        match message {
            WorkerMessage::Listening => {
                self.0.work.borrow_mut().is_listening = true;
                self.load();
            }
            WorkerMessage::Held => {}
            WorkerMessage::Event(event) => self.take(&event),
            WorkerMessage::Unknown(reason) => self.fail(&reason),
        }
    }

    /// Sends the first command of the present run, once the worker listens.
    fn load(&self) {
        let command = {
            let work = self.0.work.borrow();
            let present = work.present.as_ref().filter(|_| work.is_listening);
            present.map(|(job, _)| Rerun::begin(job.experiment.clone()))
        };
        self.send(command.into_iter().collect());
    }

    fn send(&self, commands: Vec<Command>) {
        let sent = {
            let work = self.0.work.borrow();
            let mut commands = commands.into_iter();
            let post = |command: Command| match &work.connection {
                Some(connection) => connection.post(&command.into()),
                None => Ok(()),
            };
            commands.try_for_each(post)
        };
        if let Err(reason) = sent {
            self.fail(&reason);
        }
    }

    fn take(&self, event: &Event) {
        let (commands, is_over) = {
            let mut work = self.0.work.borrow_mut();
            let Some((_, rerun)) = &mut work.present else {
                return;
            };
            let commands = rerun.event(event);
            let (step, is_over) = (rerun.step(), rerun.is_over());
            if let Some(progress) = &mut work.checks.progress {
                progress[2] = step;
            }
            (commands, is_over)
        };
        if is_over {
            self.finish(None);
        } else if !commands.is_empty() {
            self.send(commands);
            self.tell_now_and_then();
        }
    }

    /// The worker fails: the present run cannot be checked, and another worker goes on.
    fn fail(&self, reason: &str) {
        self.0.work.borrow_mut().connection = None;
        self.finish(Some(reason));
    }

    /// Records what was found of the present run, and goes on with the next.
    fn finish(&self, failure: Option<&str>) {
        {
            let mut work = self.0.work.borrow_mut();
            let Some((job, rerun)) = work.present.take() else {
                return;
            };
            for (place, receipt) in job.receipts {
                let verdict = Verdict::of(&receipt, &rerun);
                let finding = match verdict {
                    Verdict::Unchecked => {
                        let reason = failure.or(rerun.failure()).unwrap_or_default();
                        Finding::NotChecked(Reason::Failed(reason.to_owned()))
                    }
                    verdict => Finding::Checked(verdict),
                };
                work.checks.findings.insert(place, finding);
            }
            if let Some(progress) = &mut work.checks.progress {
                progress[0] += 1;
            }
        }
        self.next();
    }
}

/// Returns the number of receipts of a class, and that of different runs in them.
pub fn jobs_of(class: &Class) -> (usize, usize) {
    let runs: BTreeSet<&str> = receipts(class).map(|it| it.1.address.as_str()).collect();
    (receipts(class).count(), runs.len())
}

/// Returns the runs to repeat, and what is known of receipts without that.
fn jobs(class: &Class) -> (VecDeque<Job>, BTreeMap<Place, Finding>) {
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
    if receipt.fault().is_some() {
        return Err(Reason::Unreadable);
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
    use crate::page::lesson::in_class::reading::HandIn;
    use crate::page::lesson::progress::{Completion, Progress, StepRecord};
    use strata_lessons::Compiled;

    fn lesson() -> Compiled {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../www/lessons/bottleneck/en.json"
        );
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
