//! The page's only access to the kept runs: carries out one command after the other, and reports
//! the result of each to the state.
//!
//! - here: the queue of commands, and the open database
//! - [`RunCommand`]: a command; `execution`: carries the commands out
//! - `room`: room in the browser's storage

mod command;
mod execution;
mod room;

use super::{Store, StoreError, Stored};
use crate::state::{Action, Change, Opening};
use crate::time_limit::within;
pub use command::RunCommand;
use futures_channel::oneshot;
use js_sys::Date;
use room::room;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use strata_training::Experiment;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

/// Milliseconds to wait for the browser to open its database: the first run waits for that.
const OPENS_WITHIN: u32 = 4_000;
/// Milliseconds to wait for a kept run, whose model may have some hundred megabytes.
const ANSWERS_WITHIN: u32 = 15_000;
/// Least milliseconds between two listings of the kept runs, while a run is written again and
/// again.
const LIST_EVERY: f64 = 10_000.0;

/// Called with a run to go on with.
pub type Opened = Callback<OpenedRun>;

/// A run to go on with.
pub struct OpenedRun {
    /// Properties of the run for the page.
    pub opening: Opening,
    /// Stored form of the run.
    pub stored: Stored,
    /// Last checkpoint of the run.
    pub checkpoint: Vec<u8>,
    /// Settings that the run was given after it was last stored, if the page was left so early
    /// that they were not.
    pub unsaved: Option<Experiment>,
    /// True if the database opened only after the page had begun without the run: the page then
    /// goes on with the run only if nothing was done meanwhile.
    pub is_late: bool,
}

/// Access to the kept runs; clones share one queue of commands. Commands run one after the other.
#[derive(Clone)]
pub struct Keeper {
    act: Callback<Action>,
    opened: Opened,
    inner: Rc<RefCell<Inner>>,
}

#[derive(Default)]
struct Inner {
    store: Option<Rc<Store>>,
    queue: VecDeque<RunCommand>,
    is_busy: bool,
    /// Revisions of the runs that this tab has written or opened, by run id.
    revisions: HashMap<String, u64>,
    deleted: Option<Stored>,
    /// Reason why the database is not open yet; `None` unless it is being opened.
    opening: Option<StoreError>,
    /// Run that the page was to begin with, and without which the page began.
    awaited: Option<String>,
    /// Time when the kept runs were last listed, in milliseconds since 1970.
    listed_at: f64,
    /// Reason why the last write of a run failed, of which the user has been told.
    reported: Option<StoreError>,
}

type Result<T> = std::result::Result<T, StoreError>;

impl Keeper {
    /// Returns a keeper; `opened` is called with a run with which the worker should go on.
    pub fn new(act: Callback<Action>, opened: Opened) -> Self {
        Self {
            act,
            opened,
            inner: Rc::default(),
        }
    }

    /// Queues a command; commands are carried out in order.
    pub fn run(&self, command: RunCommand) {
        let mut inner = self.inner.borrow_mut();
        if let RunCommand::Keep(new) = &command {
            // Only the last snapshot of a run matters, so earlier ones that still wait are dropped.
            let is_older =
                |old: &RunCommand| matches!(old, RunCommand::Keep(old) if old.id == new.id);
            inner.queue.retain(|old| !is_older(old));
        }
        inner.queue.push_back(command);
        if !inner.is_busy {
            inner.is_busy = true;
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
            let command = {
                let mut inner = self.inner.borrow_mut();
                let Some(command) = inner.queue.pop_front() else {
                    inner.is_busy = false;
                    return;
                };
                command
            };
            let is_written = matches!(command, RunCommand::Keep(_));
            let result = self.execute(command).await;
            // A run is saved every few seconds: the user is told of a failure once, not at each
            // save.
            if is_written && self.was_reported(result.as_ref().err()) {
                continue;
            }
            // After a save the list is already right (`Change::Kept`), so the store is read again
            // only now and then, for changes by other tabs.
            let is_fresh = is_written && Date::now() - self.inner.borrow().listed_at < LIST_EVERY;
            let result = match result {
                Ok(()) if is_fresh => Ok(()),
                Ok(()) => self.list().await,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                self.report(&error);
            }
        }
    }

    fn report(&self, error: &StoreError) {
        if error.is_of_store() {
            self.change(Change::Unavailable(error.sentence()));
            return;
        }
        if matches!(error, StoreError::Failed(_)) {
            // The browser may have closed the database; the next command opens it again.
            self.inner.borrow_mut().store = None;
        }
        self.act.emit(Action::Tell(error.sentence()));
    }

    /// Records the result of writing a run; returns true if the write failed for the same reason as
    /// the last one, of which the user has been told.
    fn was_reported(&self, error: Option<&StoreError>) -> bool {
        let mut inner = self.inner.borrow_mut();
        let is_known = error.is_some() && inner.reported.as_ref() == error;
        inner.reported = error.cloned();
        if matches!(error, Some(StoreError::Failed(_))) {
            inner.store = None;
        }
        is_known
    }

    async fn list(&self) -> Result<()> {
        let runs = self.store().await?.list().await?;
        self.inner.borrow_mut().listed_at = Date::now();
        self.change(Change::Runs(runs, room().await));
        Ok(())
    }

    /// Returns the open database, and opens it if needed. A browser may never answer, or answer
    /// only once another tab is closed: after `OPENS_WITHIN` commands fail at once until the
    /// database has opened.
    async fn store(&self) -> Result<Rc<Store>> {
        let (open, opening) = {
            let inner = self.inner.borrow();
            (inner.store.clone(), inner.opening.clone())
        };
        if let Some(store) = open {
            return Ok(store);
        }
        if let Some(reason) = opening {
            return Err(reason);
        }
        self.inner.borrow_mut().opening = Some(StoreError::NotAnswering);
        let (sender, opened) = oneshot::channel();
        let keeper = self.clone();
        spawn_local(async move { keeper.open_store(sender).await });
        match within(OPENS_WITHIN, opened).await {
            Some(answer) => answer.unwrap_or(Err(StoreError::NotAnswering)),
            None => {
                let reason = self.inner.borrow().opening.clone();
                Err(reason.unwrap_or(StoreError::NotAnswering))
            }
        }
    }

    /// Opens the database, however long that takes, and sends the result to `answer`.
    async fn open_store(&self, answer: oneshot::Sender<Result<Rc<Store>>>) {
        let (act, inner) = (self.act.clone(), self.inner.clone());
        let blocked = move || {
            inner.borrow_mut().opening = Some(StoreError::Blocked);
            act.emit(Action::Tell(StoreError::Blocked.sentence()));
        };
        let opened = Store::open(blocked).await.map(Rc::new);
        {
            let mut inner = self.inner.borrow_mut();
            inner.opening = None;
            inner.store = opened.as_ref().ok().cloned();
        }
        if let Err(Ok(_)) = answer.send(opened) {
            // The database has opened after all waiting ended: now the kept runs can be listed.
            let awaited = self.inner.borrow_mut().awaited.take();
            self.run(awaited.map_or(RunCommand::List, RunCommand::OpenLate));
        }
    }

    fn change(&self, change: Change) {
        self.act.emit(Action::Keeping(Box::new(change)));
    }
}
