//! Checks receipts by running each run again in a worker, one after the other. Runs that several
//! learners share are repeated once.

use crate::address::Device;
use crate::link::connection::{Connection, WorkerMessage};
use crate::page::lesson::in_class::jobs::{Finding, Job, Place, Reason, jobs};
use crate::page::lesson::in_class::reading::Class;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use strata_session::protocol::{Command, Event};
use strata_session::receipt::{Rerun, Verdict};
use yew::Callback;

/// Number of runs after which another worker goes on: a worker's memory only grows.
const FOR_A_WORKER: usize = 12;

/// Milliseconds between two reports on the steps of a run.
const TELL_EVERY: f64 = 400.0;

/// Results so far, and how far the check has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checks {
    pub findings: BTreeMap<Place, Finding>,
    /// Runs repeated and runs in all, the present run's step and its last one; `None` while nothing
    /// is checked.
    pub progress: Option<[u64; 4]>,
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
    /// Returns a checker at rest, which calls `changed` with the results after each change.
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
