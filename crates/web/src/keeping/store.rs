//! IndexedDB: object stores with the same keys, so that a list of runs reads neither curves nor
//! checkpoints, and a run's texts are written only once.

use super::{Contents, StoreError, Stored, folder};
use crate::state::KeptRun;
use crate::state::history::History;
use crate::texts::{Source, Texts};
use crate::time_limit::within;
use idb::{Database, DatabaseEvent, Factory, ObjectStoreParams, Transaction, TransactionMode};
use js_sys::Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};

/// Name of the database at the top of an origin; elsewhere the folder is appended.
const NAME: &str = "strata";
/// Version of the database. Version 1 had no texts, version 2 no lessons.
const VERSION: u32 = 3;
const RUNS: &str = "runs";
const HISTORIES: &str = "histories";
const CHECKPOINTS: &str = "checkpoints";
const TEXTS: &str = "texts";
/// Object stores with the parts of a run, by the run's id.
const ALL: [&str; 4] = [RUNS, HISTORIES, CHECKPOINTS, TEXTS];
/// Key in the store of runs which no run has: older builds' runs have been copied from the shared
/// database.
const TAKEN_OVER: &str = " taken over";
/// Milliseconds to wait, on opening, for the copy of older builds' runs.
const TAKES_OVER_WITHIN: u32 = 60_000;
/// Object store of learners' progress, by lesson name.
const LESSONS: &str = "lessons";

type Result<T> = std::result::Result<T, StoreError>;

/// The open database.
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens the database, and creates it the first time. `blocked` is called if another tab has
    /// the database open with an earlier version of this program; the user must close that tab.
    ///
    /// # Errors
    /// The reason; [`StoreError::Unavailable`] if the browser has no IndexedDB.
    pub async fn open(blocked: impl FnOnce() + 'static) -> Result<Self> {
        let reason = |error: idb::Error| StoreError::of_opening(&error);
        let factory = Factory::new().map_err(reason)?;
        let name = folder::named(NAME);
        let mut request = factory.open(&name, Some(VERSION)).map_err(reason)?;
        request.on_upgrade_needed(|event| {
            let Ok(database) = event.database() else {
                return;
            };
            let present = database.store_names();
            let is_new = |name: &&str| present.iter().all(|other| other != name);
            for name in ALL.into_iter().chain([LESSONS]).filter(is_new) {
                // If creating an object store fails, every use of that store fails later, with a
                // message.
                let _ = database.create_object_store(name, ObjectStoreParams::new());
            }
        });
        request.on_blocked(|_| blocked());
        let mut database = request.await.map_err(reason)?;
        // Closes when another tab brings a later version, which could not open the database
        // otherwise.
        database.on_version_change(|event| {
            if let Some(Ok(database)) = event.target().map(Database::try_from) {
                database.close();
            }
        });
        // The browser may call the handler after this program has dropped the database.
        database.forget_callbacks();
        let store = Self { database };
        if name != NAME {
            // A copy that fails or takes too long is tried again the next time; the page's own runs
            // are usable.
            let _ = within(TAKES_OVER_WITHIN, store.take_over(&factory)).await;
        }
        Ok(store)
    }

    /// Copies the runs of older builds, whose folders shared one database. Their folder is not
    /// known, so they stay in the shared database for other folders, too. Copied only once: a run
    /// that is deleted here does not come back.
    async fn take_over(&self, factory: &Factory) -> Result<()> {
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadOnly)?;
        if is_there(&transaction, RUNS, TAKEN_OVER).await? {
            return Ok(());
        }
        drop(transaction);
        let old = factory.open(NAME, None)?.await?;
        let names = old.store_names();
        // Runs are copied last: if the copy is interrupted, no run is listed without its parts.
        for store in [LESSONS, TEXTS, HISTORIES, CHECKPOINTS, RUNS] {
            if names.iter().any(|name| name == store) {
                self.copy(&old, store).await?;
            }
        }
        old.close();
        if names.is_empty() {
            // There was no shared database: opening it has created an empty one.
            factory.delete(NAME)?.await?;
        }
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadWrite)?;
        write(&transaction, RUNS, TAKEN_OVER, &JsValue::TRUE).await?;
        done(transaction).await
    }

    /// Copies an object store, one value after the other: all values together may exceed the
    /// memory.
    async fn copy(&self, from: &Database, store: &str) -> Result<()> {
        let reading = from.transaction(&[store], TransactionMode::ReadOnly)?;
        let keys = reading
            .object_store(store)?
            .get_all_keys(None, None)?
            .await?;
        for key in keys.into_iter().filter_map(|key| key.as_string()) {
            let reading = from.transaction(&[store], TransactionMode::ReadOnly)?;
            if let Some(value) = get(&reading, store, &key).await? {
                let writing = self.transaction(&[store], TransactionMode::ReadWrite)?;
                if !is_there(&writing, store, &key).await? {
                    write(&writing, store, &key, &value).await?;
                }
                done(writing).await?;
            }
        }
        Ok(())
    }

    /// Returns all runs, the last changed first. A run that this program cannot read stays in the
    /// store, and is not listed.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn list(&self) -> Result<Vec<KeptRun>> {
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadOnly)?;
        let texts = transaction.object_store(RUNS)?.get_all(None, None)?.await?;
        let mut runs: Vec<KeptRun> = texts.into_iter().filter_map(parsed).collect();
        runs.sort_by(|a, b| b.changed_at.total_cmp(&a.changed_at));
        Ok(runs)
    }

    /// Returns a run with its curves, checkpoint and texts.
    ///
    /// # Errors
    /// If the run is not in the store, or the database fails.
    pub async fn read(&self, id: &str) -> Result<Stored> {
        let transaction = self.transaction(&ALL, TransactionMode::ReadOnly)?;
        let run = get(&transaction, RUNS, id).await?;
        let history = get(&transaction, HISTORIES, id).await?;
        let checkpoint = get(&transaction, CHECKPOINTS, id).await?;
        let texts = get(&transaction, TEXTS, id).await?;
        Ok(Stored {
            run: run.and_then(parsed).ok_or(StoreError::Gone)?,
            history: history.and_then(parsed).unwrap_or_default(),
            checkpoint: checkpoint
                .and_then(Contents::from_js)
                .ok_or(StoreError::Gone)?,
            texts: texts.map(texts_of).unwrap_or_default(),
        })
    }

    /// Returns a run's curves.
    ///
    /// # Errors
    /// If the curves are not in the store, or the database fails.
    pub async fn history(&self, id: &str) -> Result<History> {
        let transaction = self.transaction(&[HISTORIES], TransactionMode::ReadOnly)?;
        let history = get(&transaction, HISTORIES, id).await?;
        history.and_then(parsed).ok_or(StoreError::Gone)
    }

    /// Writes a run, whole or not at all, and returns the run as it is then listed. `known` is the
    /// revision that this tab wrote or read last.
    ///
    /// # Errors
    /// [`StoreError::Overtaken`] if the store has another revision, or any error of the database.
    pub async fn keep(&self, mut stored: Stored, known: Option<u64>) -> Result<KeptRun> {
        let id = stored.run.id.clone();
        let transaction = self.transaction(&ALL, TransactionMode::ReadWrite)?;
        let present: Option<KeptRun> = get(&transaction, RUNS, &id).await?.and_then(parsed);
        if let Some(present) = present {
            if known != Some(present.revision) {
                return Err(StoreError::Overtaken);
            }
            // Another tab may have renamed the run.
            stored.run.name = present.name.or(stored.run.name);
            stored.run.begun_at = present.begun_at;
            stored.run.revision = present.revision + 1;
        }
        put(&transaction, &stored).await?;
        done(transaction).await?;
        Ok(stored.run)
    }

    /// Puts a deleted run back.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn put_back(&self, stored: &Stored) -> Result<()> {
        let transaction = self.transaction(&ALL, TransactionMode::ReadWrite)?;
        put(&transaction, stored).await?;
        done(transaction).await
    }

    /// Renames a run.
    ///
    /// # Errors
    /// If the run is not in the store, or the database fails.
    pub async fn rename(&self, id: &str, name: &str) -> Result<()> {
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadWrite)?;
        let run: Option<KeptRun> = get(&transaction, RUNS, id).await?.and_then(parsed);
        let run = KeptRun {
            name: Some(name.to_owned()),
            ..run.ok_or(StoreError::Gone)?
        };
        write(&transaction, RUNS, id, &text(&run)?).await?;
        done(transaction).await
    }

    /// Removes a run and returns it.
    ///
    /// # Errors
    /// If the run is not in the store, or the database fails.
    pub async fn delete(&self, id: &str) -> Result<Stored> {
        let stored = self.read(id).await?;
        let transaction = self.transaction(&ALL, TransactionMode::ReadWrite)?;
        for name in ALL {
            // A request that fails aborts the transaction, so waiting for the transaction is
            // enough.
            drop(
                transaction
                    .object_store(name)?
                    .delete(JsValue::from_str(id))?,
            );
        }
        done(transaction).await?;
        Ok(stored)
    }

    /// Returns the learner's progress: the name and the text of each lesson that was begun.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn progress(&self) -> Result<Vec<(String, String)>> {
        let transaction = self.transaction(&[LESSONS], TransactionMode::ReadOnly)?;
        let store = transaction.object_store(LESSONS)?;
        let names = store.get_all_keys(None, None)?.await?;
        let texts = store.get_all(None, None)?.await?;
        let pairs = names.into_iter().zip(texts);
        Ok(pairs
            .filter_map(|(name, text)| Some((name.as_string()?, text.as_string()?)))
            .collect())
    }

    /// Writes a learner's progress in a lesson.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn write_progress(&self, lesson: &str, text: &str) -> Result<()> {
        let transaction = self.transaction(&[LESSONS], TransactionMode::ReadWrite)?;
        write(&transaction, LESSONS, lesson, &JsValue::from_str(text)).await?;
        done(transaction).await
    }

    /// Removes all runs and all progress in lessons.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn remove_all(&self) -> Result<()> {
        let all: Vec<&str> = ALL.into_iter().chain([LESSONS]).collect();
        let transaction = self.transaction(&all, TransactionMode::ReadWrite)?;
        for name in all {
            // A request that fails aborts the transaction, so waiting for the transaction is
            // enough.
            drop(transaction.object_store(name)?.clear()?);
        }
        write(&transaction, RUNS, TAKEN_OVER, &JsValue::TRUE).await?;
        done(transaction).await
    }

    fn transaction(&self, stores: &[&str], mode: TransactionMode) -> Result<Transaction> {
        Ok(self.database.transaction(stores, mode)?)
    }
}

async fn get(transaction: &Transaction, store: &str, id: &str) -> Result<Option<JsValue>> {
    let request = transaction
        .object_store(store)?
        .get(JsValue::from_str(id))?;
    Ok(request.await?)
}

async fn is_there(transaction: &Transaction, store: &str, id: &str) -> Result<bool> {
    let request = transaction
        .object_store(store)?
        .get_key(JsValue::from_str(id))?;
    Ok(request.await?.is_some())
}

async fn put(transaction: &Transaction, stored: &Stored) -> Result<()> {
    let id = &stored.run.id;
    let checkpoint = stored.checkpoint.to_js()?;
    // Texts may be large, and never change, so they are written once. They come first: a text that
    // the browser cannot copy is refused at once.
    if !stored.texts.is_empty() && !is_there(transaction, TEXTS, id).await? {
        write(transaction, TEXTS, id, &array_of(&stored.texts)).await?;
    }
    // One part after the other: between two of them the page can do something else.
    write(transaction, RUNS, id, &text(&stored.run)?).await?;
    write(transaction, HISTORIES, id, &text(&stored.history)?).await?;
    write(transaction, CHECKPOINTS, id, &checkpoint).await
}

async fn write(transaction: &Transaction, store: &str, id: &str, value: &JsValue) -> Result<()> {
    let key = JsValue::from_str(id);
    transaction
        .object_store(store)?
        .put(value, Some(&key))?
        .await?;
    Ok(())
}

/// Waits until the whole transaction is written.
async fn done(transaction: Transaction) -> Result<()> {
    let first = transaction.store_names().into_iter().next();
    let watched = first.and_then(|name| transaction.object_store(&name).ok());
    if transaction.await?.is_committed() {
        return Ok(());
    }
    let reason = watched.and_then(|store| store.transaction().error());
    let words = reason.map(|error| format!("{}: {}", error.name(), error.message()));
    Err(StoreError::from_words(&words.unwrap_or_default()))
}

/// Returns names and sources of the texts, alternating. The browser stores the contents of files.
fn array_of(texts: &Texts) -> JsValue {
    let parts = texts
        .iter()
        .flat_map(|(name, source)| [JsValue::from_str(name), source.to_js()]);
    parts.collect::<Array>().into()
}

fn texts_of(array: JsValue) -> Texts {
    let parts: Vec<JsValue> = array.unchecked_into::<Array>().iter().collect();
    let text = |pair: &[JsValue]| Some((pair[0].as_string()?, Source::from_js(&pair[1])?));
    parts.chunks_exact(2).filter_map(text).collect()
}

/// Serialises a value as JSON text, by way of a JSON value, like [`parsed`].
fn text<T: Serialize>(value: &T) -> Result<JsValue> {
    let value = serde_json::to_value(value);
    let value = value.map_err(|_| StoreError::Failed("it cannot be written as a text"))?;
    Ok(JsValue::from_str(&value.to_string()))
}

/// Parses stored JSON text by way of a JSON value: the page contains the code for JSON values of
/// configurations anyway.
fn parsed<T: DeserializeOwned>(text: JsValue) -> Option<T> {
    let value: serde_json::Value = serde_json::from_str(&text.as_string()?).ok()?;
    serde_json::from_value(value).ok()
}
