//! The page's only access to the kept runs: carries out one command after the other, and reports
//! the result of each to the state.

use super::{Contents, Store, StoreError, Stored, pointer};
use crate::by_pointer::ByPointer;
use crate::state::{
    Action, Change, Compared, KeptRun, Opening, Snapshot, Storage, branched, name_of,
};
use crate::time_limit::within;
use futures_channel::oneshot;
use js_sys::{Date, Reflect};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::Callback;

/// Milliseconds to wait for the browser to open its database: the first run waits for that.
const OPENS_WITHIN: u32 = 4_000;
/// Milliseconds to wait for a kept run, whose model may have some hundred megabytes.
const ANSWERS_WITHIN: u32 = 15_000;
/// Milliseconds to wait for the browser to tell how much room there is.
const TELLS_WITHIN: u32 = 3_000;
/// Least milliseconds between two listings of the kept runs, while a run is written again and
/// again.
const LOOK_EVERY: f64 = 10_000.0;

/// A command of a user, or of the page itself, on the kept runs.
#[derive(Clone, Debug)]
pub enum RunCommand {
    /// List the kept runs.
    List,
    /// Write the present run.
    Keep(ByPointer<Snapshot>),
    /// Go on with the run of this id.
    Open(String),
    /// Go on with the run of this entry of the browser's history, on loading the page or on Back;
    /// if that fails, call `otherwise` with the reason.
    Return {
        /// Id of the run.
        id: String,
        /// True if the page is being loaded, and begins with the run.
        begins: bool,
        /// Called if the page cannot go on with the run.
        otherwise: Callback<Option<StoreError>>,
    },
    /// Go on from the last step of the run of this id, as another run.
    Branch(String),
    /// Rename a run: its id and its new name.
    Rename(String, String),
    /// Remove the run of this id.
    Delete(String),
    /// Put back the run that was removed last.
    Undelete,
    /// Show the curves of the run of this id beside the present ones.
    Compare(String),
    /// Read a run's model and pass it to `read`, without going on with the run.
    Read {
        /// Id of the run.
        id: String,
        /// Called with the run and its checkpoint.
        read: Callback<(KeptRun, Vec<u8>)>,
    },
    /// Remove all runs, and all progress in lessons.
    RemoveAll,
    /// Ask the browser to make the storage persistent, so that runs are not evicted.
    Persist,
}

/// Called with a run to go on with: its properties for the page, its stored form and its
/// checkpoint.
pub type Opened = Callback<(Opening, Stored, Vec<u8>)>;

/// Access to the kept runs; clones share one queue of commands. Commands run one after the other.
#[derive(Clone)]
pub struct Keeper {
    act: Callback<Action>,
    opened: Opened,
    desk: Rc<RefCell<Inner>>,
}

#[derive(Default)]
struct Inner {
    store: Option<Rc<Store>>,
    wishes: VecDeque<RunCommand>,
    is_busy: bool,
    /// Revisions of the runs that this tab has written or opened, by run id.
    revisions: HashMap<String, u64>,
    deleted: Option<Stored>,
    /// Reason why the database is not open yet; `None` unless it is being opened.
    opening: Option<StoreError>,
    /// Time when the kept runs were last listed, in milliseconds since 1970.
    listed_at: f64,
    /// Reason why the last write of a run failed, of which the user has been told.
    told: Option<StoreError>,
}

type Result<T> = std::result::Result<T, StoreError>;

impl Keeper {
    /// Returns a keeper; `opened` is called with a run with which the worker should go on.
    pub fn new(act: Callback<Action>, opened: Opened) -> Self {
        Self {
            act,
            opened,
            desk: Rc::default(),
        }
    }

    /// Queues a command; commands are carried out in order.
    pub fn wish(&self, wish: RunCommand) {
        let mut desk = self.desk.borrow_mut();
        if let RunCommand::Keep(new) = &wish {
            // Only the last snapshot of a run matters, so earlier ones that still wait are dropped.
            let is_older =
                |old: &RunCommand| matches!(old, RunCommand::Keep(old) if old.id == new.id);
            desk.wishes.retain(|old| !is_older(old));
        }
        desk.wishes.push_back(wish);
        if !desk.is_busy {
            desk.is_busy = true;
            let keeper = self.clone();
            spawn_local(async move { keeper.work().await });
        }
    }

    /// Reads the progress of learners in all lessons and passes it to `done`, one text per lesson;
    /// no text where the browser stores nothing.
    pub fn read_progress(&self, done: Callback<Vec<(String, String)>>) {
        let keeper = self.clone();
        spawn_local(async move {
            let read = async { keeper.store().await?.progress().await };
            let read = within(ANSWERS_WITHIN, read).await;
            done.emit(read.and_then(Result::ok).unwrap_or_default());
        });
    }

    /// Writes a learner's progress in a lesson, as text.
    pub fn write_progress(&self, lesson: String, text: String) {
        let keeper = self.clone();
        spawn_local(async move {
            let written = async { keeper.store().await?.write_progress(&lesson, &text).await };
            match written.await {
                // The panel “Runs” says at every visit that nothing can be stored: no second
                // message.
                Ok(()) => {}
                Err(error) if error.is_of_store() => {}
                Err(error) => keeper.act.emit(Action::Tell(error.sentence())),
            }
        });
    }

    async fn work(&self) {
        loop {
            let wish = {
                let mut desk = self.desk.borrow_mut();
                let Some(wish) = desk.wishes.pop_front() else {
                    desk.is_busy = false;
                    return;
                };
                wish
            };
            let is_written = matches!(wish, RunCommand::Keep(_));
            let fulfilled = self.fulfil(wish).await;
            // A run is saved every few seconds: the user is told of a failure once, not at each
            // save.
            if is_written && self.was_told(fulfilled.as_ref().err()) {
                continue;
            }
            // After a save the list is already right (`Change::Kept`), so the store is read again
            // only now and then, for changes by other tabs.
            let is_fresh = is_written && Date::now() - self.desk.borrow().listed_at < LOOK_EVERY;
            let told = match fulfilled {
                Ok(()) if is_fresh => Ok(()),
                Ok(()) => self.list().await,
                Err(error) => Err(error),
            };
            match told {
                Ok(()) => {}
                Err(error) if error.is_of_store() => {
                    self.change(Change::Unavailable(error.sentence()));
                }
                Err(error) => {
                    if matches!(error, StoreError::Failed(_)) {
                        // The browser may have closed the database; the next command opens it
                        // again.
                        self.desk.borrow_mut().store = None;
                    }
                    self.act.emit(Action::Tell(error.sentence()));
                }
            }
        }
    }

    /// Records the result of writing a run; returns true if the write failed for the same reason as
    /// the last one, of which the user has been told.
    fn was_told(&self, error: Option<&StoreError>) -> bool {
        let mut desk = self.desk.borrow_mut();
        let is_known = error.is_some() && desk.told.as_ref() == error;
        desk.told = error.cloned();
        if matches!(error, Some(StoreError::Failed(_))) {
            desk.store = None;
        }
        is_known
    }

    async fn fulfil(&self, wish: RunCommand) -> Result<()> {
        match wish {
            RunCommand::List => Ok(()),
            RunCommand::Keep(snapshot) => self.keep(&snapshot).await,
            RunCommand::Open(id) => {
                let stored = self.read(&id).await?;
                self.open(opening(&stored), stored).await
            }
            RunCommand::Return {
                id,
                begins,
                otherwise,
            } => {
                // The page waits for the run, and begins without it if the store does not answer in
                // time.
                let read = within(ANSWERS_WITHIN, self.read(&id)).await;
                let done = match read.unwrap_or(Err(StoreError::NotAnswering)) {
                    Ok(stored) if !stored.lacks_texts() => {
                        let resumed = (stored.run.changed_at, pointer::left(&id));
                        let opening = Opening {
                            resumed: begins.then_some(resumed),
                            ..opening(&stored)
                        };
                        self.open(opening, stored).await
                    }
                    Ok(_) => Err(StoreError::WithoutTexts),
                    Err(error) => Err(error),
                };
                match done {
                    Ok(()) => {}
                    // Nothing is lost that the user would miss: the run was never stored, or the
                    // user deleted it.
                    Err(StoreError::Gone | StoreError::Unavailable) => otherwise.emit(None),
                    Err(error) => otherwise.emit(Some(error)),
                }
                Ok(())
            }
            RunCommand::Branch(id) => {
                let stored = self.read(&id).await?;
                let opening = Opening {
                    id: None,
                    name: Some(branched(&stored.run.title())),
                    ..opening(&stored)
                };
                let checkpoint = stored.checkpoint.bytes().await?;
                self.opened.emit((opening, stored, checkpoint));
                Ok(())
            }
            RunCommand::Rename(id, name) => {
                self.store().await?.rename(&id, &name).await?;
                self.change(Change::Renamed(id, name));
                Ok(())
            }
            RunCommand::Delete(id) => {
                let stored = self.store().await?.delete(&id).await?;
                self.change(Change::Deleted(id, stored.run.title()));
                self.desk.borrow_mut().deleted = Some(stored);
                Ok(())
            }
            RunCommand::Undelete => {
                let deleted = self.desk.borrow_mut().deleted.take();
                let Some(stored) = deleted else {
                    return Ok(());
                };
                let done = self.store().await?.put_back(&stored).await;
                if done.is_ok() {
                    self.change(Change::Undeleted);
                } else {
                    self.desk.borrow_mut().deleted = Some(stored);
                }
                done
            }
            RunCommand::Compare(id) => {
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
            RunCommand::Read { id, read } => {
                let stored = self.read(&id).await?;
                let checkpoint = stored.checkpoint.bytes().await?;
                read.emit((stored.run, checkpoint));
                Ok(())
            }
            RunCommand::RemoveAll => {
                let removed = self.store().await?.remove_all().await;
                self.desk.borrow_mut().deleted = None;
                self.desk.borrow_mut().revisions.clear();
                if removed.is_ok() {
                    pointer::forget_all();
                    self.change(Change::RemovedAll);
                }
                removed
            }
            RunCommand::Persist => {
                if ask("persist").await.and_then(|it| it.as_bool()) != Some(true) {
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

    async fn keep(&self, snapshot: &Snapshot) -> Result<()> {
        let store = self.store().await?;
        let known = self.desk.borrow().revisions.get(&snapshot.id).copied();
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
                self.desk.borrow_mut().revisions.insert(id, revision);
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

    async fn open(&self, opening: Opening, stored: Stored) -> Result<()> {
        let checkpoint = stored.checkpoint.bytes().await?;
        let (id, revision) = (stored.run.id.clone(), stored.run.revision);
        self.desk.borrow_mut().revisions.insert(id, revision);
        self.opened.emit((opening, stored, checkpoint));
        Ok(())
    }

    async fn read(&self, id: &str) -> Result<Stored> {
        self.store().await?.read(id).await
    }

    async fn list(&self) -> Result<()> {
        let runs = self.store().await?.list().await?;
        self.desk.borrow_mut().listed_at = Date::now();
        self.change(Change::Runs(runs, storage().await));
        Ok(())
    }

    /// Returns the open database, and opens it if needed. A browser may never answer, or answer
    /// only once another tab is closed: after `OPENS_WITHIN` commands fail at once until the
    /// database has opened.
    async fn store(&self) -> Result<Rc<Store>> {
        let (open, opening) = {
            let desk = self.desk.borrow();
            (desk.store.clone(), desk.opening.clone())
        };
        if let Some(store) = open {
            return Ok(store);
        }
        if let Some(reason) = opening {
            return Err(reason);
        }
        self.desk.borrow_mut().opening = Some(StoreError::NotAnswering);
        let (sender, opened) = oneshot::channel();
        let keeper = self.clone();
        spawn_local(async move { keeper.open_store(sender).await });
        match within(OPENS_WITHIN, opened).await {
            Some(answer) => answer.unwrap_or(Err(StoreError::NotAnswering)),
            None => {
                let reason = self.desk.borrow().opening.clone();
                Err(reason.unwrap_or(StoreError::NotAnswering))
            }
        }
    }

    /// Opens the database, however long that takes, and sends the result to `answer`.
    async fn open_store(&self, answer: oneshot::Sender<Result<Rc<Store>>>) {
        let (act, desk) = (self.act.clone(), self.desk.clone());
        let blocked = move || {
            desk.borrow_mut().opening = Some(StoreError::Blocked);
            act.emit(Action::Tell(StoreError::Blocked.sentence()));
        };
        let opened = Store::open(blocked).await.map(Rc::new);
        {
            let mut desk = self.desk.borrow_mut();
            desk.opening = None;
            desk.store = opened.as_ref().ok().cloned();
        }
        if let Err(Ok(_)) = answer.send(opened) {
            // The database has opened after all waiting ended: now the kept runs can be listed.
            self.wish(RunCommand::List);
        }
    }

    fn change(&self, change: Change) {
        self.act.emit(Action::Keeping(Box::new(change)));
    }
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

/// Returns the room in the browser's storage, as far as the browser tells.
async fn storage() -> Storage {
    let estimate = ask("estimate").await.unwrap_or_default();
    let number = |name: &str| Reflect::get(&estimate, &name.into()).ok()?.as_f64();
    Storage {
        usage: number("usage"),
        quota: number("quota"),
        is_persisted: ask("persisted").await.and_then(|it| it.as_bool()) == Some(true),
    }
}

/// Calls a method of the browser's storage manager, which pages without HTTPS lack.
async fn ask(question: &str) -> Option<JsValue> {
    let navigator = web_sys::window()?.navigator();
    let manager = Reflect::get(&navigator, &"storage".into()).ok()?;
    let method = Reflect::get(&manager, &question.into()).ok()?;
    let method: js_sys::Function = wasm_bindgen::JsCast::dyn_into(method).ok()?;
    let promise = method.call0(&manager).ok()?;
    let answer = JsFuture::from(js_sys::Promise::resolve(&promise));
    match question {
        // No time limit: a browser may ask the user for permission first.
        "persist" => answer.await.ok(),
        _ => within(TELLS_WITHIN, answer).await?.ok(),
    }
}
