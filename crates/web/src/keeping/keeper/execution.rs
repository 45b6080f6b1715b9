//! Carries out the commands on the kept runs.

use super::room::persist;
use super::{ANSWERS_WITHIN, Keeper, OpenedRun, Result, RunCommand};
use crate::address::Address;
use crate::by_pointer::ByPointer;
use crate::keeping::{Contents, StoreError, Stored, pointer};
use crate::state::{Action, Change, Compared, KeptRun, Opening, Snapshot, branched, name_of};
use crate::time_limit::within;
use js_sys::Date;
use strata_training::Experiment;
use yew::Callback;

impl Keeper {
    pub(super) async fn execute(&self, command: RunCommand) -> Result<()> {
        match command {
            RunCommand::List => Ok(()),
            RunCommand::Keep(snapshot) => self.keep(&snapshot).await,
            RunCommand::Open(id) => {
                let stored = self.read(&id).await?;
                self.open(opening(&stored), stored, false).await
            }
            RunCommand::OpenLate(id) => match self.read(&id).await {
                // The page has said already what it lacks.
                Err(StoreError::Gone) => Ok(()),
                Ok(stored) if stored.lacks_texts() => Ok(()),
                Ok(stored) => self.open(resumed(&stored), stored, true).await,
                Err(error) => Err(error),
            },
            RunCommand::Return {
                id,
                begins,
                otherwise,
            } => {
                self.return_to(&id, begins, &otherwise).await;
                Ok(())
            }
            RunCommand::Branch(id) => self.branch(&id).await,
            RunCommand::Rename(id, name) => {
                self.store().await?.rename(&id, &name).await?;
                self.change(Change::Renamed(id, name));
                Ok(())
            }
            RunCommand::Delete(id) => {
                let stored = self.store().await?.delete(&id).await?;
                self.change(Change::Deleted(id, stored.run.title()));
                self.inner.borrow_mut().deleted = Some(stored);
                Ok(())
            }
            RunCommand::Undelete => self.undelete().await,
            RunCommand::Compare(id) => self.compare(id).await,
            RunCommand::Read { id, read } => {
                let stored = self.read(&id).await?;
                let checkpoint = stored.checkpoint.bytes().await?;
                read.emit((stored.run, checkpoint));
                Ok(())
            }
            RunCommand::RemoveAll => self.remove_all().await,
            RunCommand::Persist => {
                if !persist().await {
                    self.act.emit(Action::Tell(
                        "The browser does not promise to keep runs when it needs room. It may \
                         after you have used this page more often, or installed it."
                            .to_owned(),
                    ));
                }
                Ok(())
            }
        }
    }

    /// Goes on with the run of an entry of the browser's history; if that fails, calls `otherwise`.
    async fn return_to(&self, id: &str, begins: bool, otherwise: &Callback<Option<StoreError>>) {
        // The page waits for the run, and begins without it if the store does not answer in time.
        let read = within(ANSWERS_WITHIN, self.read(id)).await;
        let done = match read.unwrap_or(Err(StoreError::NotAnswering)) {
            Ok(stored) if !stored.lacks_texts() => {
                let opening = if begins {
                    resumed(&stored)
                } else {
                    opening(&stored)
                };
                self.open(opening, stored, false).await
            }
            Ok(_) => Err(StoreError::WithoutTexts),
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => {}
            // Nothing is lost that the user would miss: the run was never stored, or the user
            // deleted it.
            Err(StoreError::Gone | StoreError::Unavailable) => otherwise.emit(None),
            Err(error) => {
                let mut inner = self.inner.borrow_mut();
                // The database may still open: the run is not lost, and the page begins meanwhile.
                if begins && inner.store.is_none() && inner.opening.is_some() {
                    inner.awaited = Some(id.to_owned());
                }
                drop(inner);
                otherwise.emit(Some(error));
            }
        }
    }

    async fn branch(&self, id: &str) -> Result<()> {
        let stored = self.read(id).await?;
        let opening = Opening {
            id: None,
            name: Some(branched(&stored.run.title())),
            ..opening(&stored)
        };
        let checkpoint = stored.checkpoint.bytes().await?;
        self.opened.emit(OpenedRun {
            opening,
            stored,
            checkpoint,
            unsaved: None,
            is_late: false,
        });
        Ok(())
    }

    async fn undelete(&self) -> Result<()> {
        let deleted = self.inner.borrow_mut().deleted.take();
        let Some(stored) = deleted else {
            return Ok(());
        };
        let done = self.store().await?.put_back(&stored).await;
        if done.is_ok() {
            self.change(Change::Undeleted);
        } else {
            self.inner.borrow_mut().deleted = Some(stored);
        }
        done
    }

    async fn compare(&self, id: String) -> Result<()> {
        let store = self.store().await?;
        let history = store.history(&id).await?;
        let runs = store.list().await?;
        let run = runs.iter().find(|run| run.id == id);
        self.change(Change::Compare(Compared {
            name: run.ok_or(StoreError::Gone)?.title(),
            id,
            is_of_lesson: false,
            history: ByPointer::new(history),
        }));
        Ok(())
    }

    async fn remove_all(&self) -> Result<()> {
        let removed = self.store().await?.remove_all().await;
        self.inner.borrow_mut().deleted = None;
        self.inner.borrow_mut().revisions.clear();
        if removed.is_ok() {
            pointer::forget_all();
            self.change(Change::RemovedAll);
        }
        removed
    }

    async fn keep(&self, snapshot: &Snapshot) -> Result<()> {
        let store = self.store().await?;
        let known = self.inner.borrow().revisions.get(&snapshot.id).copied();
        let now = Date::now();
        let texts: usize = snapshot.texts.iter().map(|(_, it)| it.bytes()).sum();
        let run = KeptRun {
            id: snapshot.id.clone(),
            name: snapshot.name.clone(),
            label: name_of(&snapshot.experiment),
            experiment: snapshot.experiment.clone(),
            step: snapshot.step,
            milliseconds: snapshot.milliseconds,
            latest: snapshot.latest,
            validation: snapshot.validation,
            begun_at: now,
            changed_at: now,
            bytes: snapshot.checkpoint.len() + texts,
            revision: 0,
        };
        let stored = Stored {
            run,
            history: (*snapshot.history).clone(),
            checkpoint: Contents::Bytes(snapshot.checkpoint.clone()),
            texts: snapshot.texts.clone(),
        };
        match store.keep(stored, known).await {
            Ok(run) => {
                let (id, revision) = (run.id.clone(), run.revision);
                self.inner.borrow_mut().revisions.insert(id, revision);
                self.change(Change::Kept(run));
                Ok(())
            }
            // Another tab has written the run since, and both may go on: here it becomes a run of
            // its own.
            Err(StoreError::Overtaken) => {
                self.change(Change::BranchOff(snapshot.id.clone()));
                Err(StoreError::Overtaken)
            }
            Err(error) => Err(error),
        }
    }

    async fn open(&self, opening: Opening, stored: Stored, is_late: bool) -> Result<()> {
        let checkpoint = stored.checkpoint.bytes().await?;
        let (id, revision) = (stored.run.id.clone(), stored.run.revision);
        self.inner.borrow_mut().revisions.insert(id, revision);
        let begins = opening.resumed.is_some();
        let unsaved = begins.then(|| unsaved(&stored.run)).flatten();
        self.opened.emit(OpenedRun {
            opening,
            stored,
            checkpoint,
            unsaved,
            is_late,
        });
        Ok(())
    }

    async fn read(&self, id: &str) -> Result<Stored> {
        self.store().await?.read(id).await
    }
}

/// Returns the properties of a run with which the page begins.
fn resumed(stored: &Stored) -> Opening {
    let run = &stored.run;
    Opening {
        resumed: Some((run.changed_at, pointer::left(&run.id))),
        ..opening(stored)
    }
}

/// Returns the settings with which the page was left, if the stored run lacks them.
fn unsaved(run: &KeptRun) -> Option<Experiment> {
    let address = Address::read(&pointer::unsaved(&run.id, run.changed_at)?);
    let experiment = address.experiment;
    let is_same_run = run.experiment.can_go_on_as(&experiment).is_ok();
    (is_same_run && address.complaints.is_empty()).then_some(experiment)
}

fn opening(stored: &Stored) -> Opening {
    let run = &stored.run;
    Opening {
        id: Some(run.id.clone()),
        name: run.name.clone(),
        history: stored.history.clone(),
        milliseconds: run.milliseconds,
        latest: run.latest,
        validation: run.validation,
        resumed: None,
    }
}
