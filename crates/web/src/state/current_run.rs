//! The present run, and the kept runs as the page shows them. Pure.

mod change;

use super::history::History;
use super::{KeptRun, Left, name_of};
use crate::by_pointer::ByPointer;
use crate::texts::Texts;
pub use change::Change;
use strata_session::protocol::{Ready, StepReport, Validation};
use strata_training::Experiment;

/// The present run's identity and snapshot, and the kept runs as the page shows them.
#[derive(Clone, Debug, PartialEq)]
pub struct Keeping {
    /// Prefix of the names of this page's runs; no other page has it.
    page: String,
    /// Number of runs that have begun on this page.
    begun: u64,
    /// Id of the present run.
    pub id: String,
    /// Name that a user gave the present run.
    pub name: Option<String>,
    /// The user's own texts that the present run reads.
    pub texts: Texts,
    /// True if the present run is in the store.
    pub is_kept: bool,
    /// The run that the worker is opening from a checkpoint, or `None`.
    opening: Option<ByPointer<Opening>>,
    /// The snapshot to be written to the store.
    pub snapshot: Option<ByPointer<Snapshot>>,
    /// Runs in the store, the last changed first; `None` until the store has been read.
    pub runs: Option<ByPointer<Vec<KeptRun>>>,
    /// Reason why no run can be stored, a sentence.
    pub unavailable: Option<String>,
    /// Title of the run that was deleted last, while the deletion can be undone.
    pub deleted: Option<String>,
    /// Runs whose curves are shown beside the present one.
    pub compared: Vec<Compared>,
    /// Runs of a lesson that can be shown beside the present one.
    pub offered: Vec<Compared>,
    /// Room in the browser's storage.
    pub storage: Storage,
}

/// A run whose curves are shown beside the present ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Id of a kept run, or name of a lesson's run.
    pub id: String,
    /// True for a run of a lesson, which is not in the store.
    pub is_of_lesson: bool,
    /// Name of the run.
    pub name: String,
    /// Curves of the run.
    pub history: ByPointer<History>,
}

/// Room in the browser's storage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Storage {
    /// Bytes that are used, if the browser tells.
    pub usage: Option<f64>,
    /// Bytes that may be used, if the browser tells.
    pub quota: Option<f64>,
    /// True if the storage is persistent: the browser does not evict it when it needs room.
    pub is_persisted: bool,
}

/// A run that is opened from a checkpoint, with all that the page shows of it once it is ready.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// Id of the kept run; `None` for a run from a file, or a branch.
    pub id: Option<String>,
    /// Name of the run, if it has one.
    pub name: Option<String>,
    /// Curves of the run so far.
    pub history: History,
    /// Time spent in the run's steps, in milliseconds.
    pub milliseconds: f64,
    /// The run's last step.
    pub latest: Option<StepReport>,
    /// The run's last validation.
    pub validation: Option<Validation>,
    /// Time when the run was stored, in milliseconds since 1970, and the step at which its page was
    /// left; `None` unless the page begins with the run.
    pub resumed: Option<(f64, Option<Left>)>,
}

/// The present run at a step, to be written to the store.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Id of the run.
    pub id: String,
    /// Name that a user gave the run.
    pub name: Option<String>,
    /// The experiment that is trained.
    pub experiment: Experiment,
    /// Number of steps taken.
    pub step: u64,
    /// The checkpoint, a `.safetensors` file.
    pub checkpoint: ByPointer<Vec<u8>>,
    /// The user's own texts that the run reads.
    pub texts: Texts,
    /// Curves of the run up to this step.
    pub history: ByPointer<History>,
    /// Time spent in the steps, in milliseconds.
    pub milliseconds: f64,
    /// The last step, if it is that of the checkpoint.
    pub latest: Option<StepReport>,
    /// The last validation.
    pub validation: Option<Validation>,
}

impl Keeping {
    /// Returns the state before any run is kept. `page` is a prefix of run ids, different on every
    /// page.
    pub fn new(page: String) -> Self {
        let mut keeping = Self {
            page,
            begun: 0,
            id: String::new(),
            name: None,
            texts: Texts::new(),
            is_kept: false,
            opening: None,
            snapshot: None,
            runs: None,
            unavailable: None,
            deleted: None,
            compared: Vec::new(),
            offered: Vec::new(),
            storage: Storage::default(),
        };
        keeping.begin_another();
        keeping
    }

    /// Returns the part that is shown, without what changes with every save.
    pub fn as_shown(&self) -> Self {
        Self {
            snapshot: None,
            texts: Texts::new(),
            ..self.clone()
        }
    }

    /// Records that the worker will open a run from a checkpoint.
    pub fn open(&mut self, opening: Opening) {
        self.opening = Some(ByPointer::new(opening));
    }

    /// Records that the worker did not open the run; returns the run's properties.
    pub fn give_up(&mut self) -> Option<ByPointer<Opening>> {
        self.opening.take()
    }

    /// Records that a run is ready; returns its properties if it was opened from a checkpoint.
    pub fn ready(&mut self, ready: &Ready) -> Option<ByPointer<Opening>> {
        let opening = self.opening.take();
        match &opening {
            Some(opening) => match &opening.id {
                Some(id) => {
                    self.id = id.clone();
                    self.name = opening.name.clone();
                    self.is_kept = true;
                }
                None => {
                    self.begin_another();
                    self.name = opening.name.clone();
                }
            },
            None if ready.step == 0 => self.begin_another(),
            // The same run, in another worker.
            None => {}
        }
        opening
    }

    /// Applies a change.
    pub fn change(&mut self, change: Change) {
        match change {
            Change::Runs(runs, storage) => {
                let is_there = |id: &str| runs.iter().any(|run| run.id == id);
                self.compared
                    .retain(|it| it.is_of_lesson || is_there(&it.id));
                self.runs = Some(ByPointer::new(runs));
                // The database has answered after its time limit.
                self.unavailable = None;
                self.storage = storage;
            }
            Change::Unavailable(reason) => self.unavailable = Some(reason),
            Change::Kept(run) => self.keep(run),
            Change::BranchOff(id) => self.branch_off(&id),
            Change::Renamed(id, name) => {
                if id == self.id {
                    self.name = Some(name.clone());
                }
                for compared in &mut self.compared {
                    if compared.id == id {
                        compared.name.clone_from(&name);
                    }
                }
            }
            Change::Deleted(id, title) => {
                self.compared.retain(|it| it.id != id);
                if id == self.id {
                    // The run goes on without its stored copy, so it gets another id.
                    let name = self.name.take();
                    self.begin_another();
                    self.name = name;
                }
                self.deleted = Some(title);
            }
            Change::Undeleted => self.deleted = None,
            Change::RemovedAll => {
                self.deleted = None;
                // The run goes on without its stored copy, so it gets another id.
                self.begin_another();
            }
            Change::Compare(compared) => self.compare(compared),
            Change::LayBeside(id) => {
                let offered = self.offered.iter().find(|it| it.id == id).cloned();
                offered.into_iter().for_each(|it| self.compare(it));
            }
            Change::Uncompare(id) => self.compared.retain(|it| it.id != id),
            Change::Offer(offered) => {
                self.compared.retain(|it| !it.is_of_lesson);
                self.offered = offered;
            }
            Change::Name(name) => self.name = Some(name),
        }
    }

    fn compare(&mut self, compared: Compared) {
        self.compared.retain(|it| it.id != compared.id);
        self.compared.push(compared);
    }

    /// Puts a run at the beginning of the list, as the last that changed.
    fn keep(&mut self, run: KeptRun) {
        self.is_kept |= run.id == self.id;
        if let Some(runs) = &self.runs {
            let others = runs.iter().filter(|it| it.id != run.id).cloned();
            let all = std::iter::once(run.clone()).chain(others).collect();
            self.runs = Some(ByPointer::new(all));
        }
    }

    fn begin_another(&mut self) {
        self.begun += 1;
        self.id = format!("{}-{}", self.page, self.begun);
        self.name = None;
        self.is_kept = false;
    }

    /// Turns the snapshot that could not be written into a run of its own.
    fn branch_off(&mut self, id: &str) {
        let waiting = self.snapshot.clone();
        let Some(snapshot) = waiting.filter(|it| id == self.id && id == it.id) else {
            return;
        };
        let title = self.name.take();
        let title = title.unwrap_or_else(|| name_of(&snapshot.experiment));
        self.begin_another();
        self.name = Some(branched(&title));
        self.snapshot = Some(ByPointer::new(Snapshot {
            id: self.id.clone(),
            name: self.name.clone(),
            ..(*snapshot).clone()
        }));
    }
}

/// Returns the name of a branch of the run `name`.
pub fn branched(name: &str) -> String {
    format!("{name} (branch)")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;

    fn ready(step: u64) -> Ready {
        Ready {
            experiment: Preset::Copy.experiment(),
            step,
            ..Ready::default()
        }
    }

    fn kept(id: &str, step: u64) -> KeptRun {
        KeptRun {
            id: id.to_owned(),
            name: None,
            label: "Copy".to_owned(),
            experiment: Preset::Copy.experiment(),
            step,
            milliseconds: 0.0,
            latest: None,
            validation: None,
            begun_at: 0.0,
            changed_at: 0.0,
            bytes: 0,
            revision: 0,
        }
    }

    #[test]
    fn a_kept_run_takes_its_place_in_the_list() {
        let mut keeping = Keeping::new("page".to_owned());
        keeping.change(Change::Kept(kept("a", 1)));
        assert_eq!(keeping.runs, None);
        let there = vec![kept("b", 2), kept("a", 1)];
        keeping.change(Change::Runs(there, Storage::default()));
        keeping.change(Change::Kept(kept("a", 5)));
        let runs = keeping.runs.unwrap();
        let steps: Vec<_> = runs.iter().map(|it| (it.id.as_str(), it.step)).collect();
        assert_eq!(steps, [("a", 5), ("b", 2)]);
        assert!(!keeping.is_kept);
    }

    #[test]
    fn a_run_stays_the_same_in_another_worker_and_a_reset_begins_another() {
        let mut keeping = Keeping::new("page".to_owned());
        keeping.ready(&ready(0));
        let first = keeping.id.clone();
        keeping.change(Change::Kept(kept(&first, 7)));
        keeping.ready(&ready(7));
        assert_eq!((&keeping.id, keeping.is_kept), (&first, true));
        keeping.ready(&ready(0));
        assert_ne!(keeping.id, first);
        assert!(!keeping.is_kept);
    }

    #[test]
    fn an_opened_run_is_itself_and_a_branch_is_another() {
        let mut keeping = Keeping::new("page".to_owned());
        let opening = |id: Option<&str>| Opening {
            id: id.map(str::to_owned),
            name: Some("mine".to_owned()),
            ..Opening::default()
        };
        keeping.open(opening(Some("other-3")));
        assert!(keeping.ready(&ready(9)).is_some());
        assert_eq!((keeping.id.as_str(), keeping.is_kept), ("other-3", true));
        keeping.open(opening(None));
        keeping.ready(&ready(9));
        assert_ne!(keeping.id, "other-3");
        assert_eq!(keeping.name.as_deref(), Some("mine"));
        let present = keeping.clone();
        keeping.open(opening(Some("damaged")));
        keeping.give_up();
        assert!(keeping.ready(&ready(9)).is_none());
        assert_eq!(keeping, present);
    }

    #[test]
    fn who_is_overtaken_goes_on_as_another_run() {
        let mut keeping = Keeping::new("page".to_owned());
        keeping.name = Some("mine".to_owned());
        let first = keeping.id.clone();
        keeping.snapshot = Some(ByPointer::new(Snapshot {
            id: first.clone(),
            name: None,
            experiment: Preset::Copy.experiment(),
            step: 3,
            checkpoint: ByPointer::new(vec![1]),
            texts: Texts::new(),
            history: ByPointer::new(History::default()),
            milliseconds: 0.0,
            latest: None,
            validation: None,
        }));
        keeping.change(Change::BranchOff("somebody else's".to_owned()));
        assert_eq!(keeping.id, first);
        keeping.change(Change::BranchOff(first.clone()));
        assert_ne!(keeping.id, first);
        let snapshot = keeping.snapshot.unwrap();
        assert_eq!(snapshot.id, keeping.id);
        assert_eq!(snapshot.name.as_deref(), Some("mine (branch)"));
        assert_eq!(*snapshot.checkpoint, [1]);
    }

    #[test]
    fn a_deleted_run_that_trains_on_is_another() {
        let mut keeping = Keeping::new("page".to_owned());
        let first = keeping.id.clone();
        keeping.change(Change::Deleted(first.clone(), "Copy".to_owned()));
        assert_ne!(keeping.id, first);
        assert_eq!(keeping.deleted.as_deref(), Some("Copy"));
    }
}
