//! IndexedDB: stores with the same keys, so that a list of runs reads neither curves nor
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

/// Name of the database at the top of an origin; elsewhere it has the folder behind it.
const NAME: &str = "strata";
/// Version 1 had no texts, version 2 no lessons.
const VERSION: u32 = 3;
const RUNS: &str = "runs";
const HISTORIES: &str = "histories";
const CHECKPOINTS: &str = "checkpoints";
const TEXTS: &str = "texts";
/// Table of what belongs to a run, by its id.
const ALL: [&str; 4] = [RUNS, HISTORIES, CHECKPOINTS, TEXTS];
/// Key in the table of runs, which no run has: what was kept before has been taken over.
const TAKEN_OVER: &str = " taken over";
/// Milliseconds that taking over may take at once.
const TAKES_OVER_WITHIN: u32 = 60_000;
/// Table of learners' progress, by the names of lessons.
const LESSONS: &str = "lessons";

type Result<T> = std::result::Result<T, StoreError>;

/// The open database.
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens the database, and creates it the first time. `blocked` is called if another tab has it
    /// open with an earlier version of this program, and must be closed first.
    ///
    /// # Errors
    /// The reason, [`StoreError::Unavailable`] where the browser has none.
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
                // An error here occurs again, with a message, where the store is used.
                let _ = database.create_object_store(name, ObjectStoreParams::new());
            }
        });
        request.on_blocked(|_| blocked());
        let mut database = request.await.map_err(reason)?;
        // A later version does not wait for this one.
        database.on_version_change(|event| {
            if let Some(Ok(database)) = event.target().map(Database::try_from) {
                database.close();
            }
        });
        // The browser may call it after this program has let go of the database.
        database.forget_callbacks();
        let store = Self { database };
        if name != NAME {
            // What does not succeed is tried again the next time; what is kept here is open meanwhile.
            let _ = within(TAKES_OVER_WITHIN, store.take_over(&factory)).await;
        }
        Ok(store)
    }

    /// Copies what builds kept before each folder had a database of its own: whose it was is not
    /// known, so it stays there for others, too. Once: what is deleted here does not come back.
    async fn take_over(&self, factory: &Factory) -> Result<()> {
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadOnly)?;
        if is_there(&transaction, RUNS, TAKEN_OVER).await? {
            return Ok(());
        }
        drop(transaction);
        let old = factory.open(NAME, None)?.await?;
        let names = old.store_names();
        // The runs come last: whoever is interrupted here begins again.
        for store in [LESSONS, TEXTS, HISTORIES, CHECKPOINTS, RUNS] {
            if names.iter().any(|name| name == store) {
                self.copy(&old, store).await?;
            }
        }
        old.close();
        if names.is_empty() {
            // There was none: asking has made it.
            factory.delete(NAME)?.await?;
        }
        let transaction = self.transaction(&[RUNS], TransactionMode::ReadWrite)?;
        write(&transaction, RUNS, TAKEN_OVER, &JsValue::TRUE).await?;
        done(transaction).await
    }

    /// Copies a table, one value after the other: all of them could be more than there is memory for.
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

    /// All runs, the last changed first. A run that this program cannot read stays in the store and
    /// is left out.
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

    /// A run with all that belongs to it.
    ///
    /// # Errors
    /// If it is not there, or the database fails.
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

    /// A run's curves.
    ///
    /// # Errors
    /// If they are not there, or the database fails.
    pub async fn history(&self, id: &str) -> Result<History> {
        let transaction = self.transaction(&[HISTORIES], TransactionMode::ReadOnly)?;
        let history = get(&transaction, HISTORIES, id).await?;
        history.and_then(parsed).ok_or(StoreError::Gone)
    }

    /// Writes a run, whole or not at all, and returns it as it is then in the store. `known` is the
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
            // Another tab may have renamed it.
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
    /// If it is not there, or the database fails.
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
    /// If it is not there, or the database fails.
    pub async fn delete(&self, id: &str) -> Result<Stored> {
        let stored = self.read(id).await?;
        let transaction = self.transaction(&ALL, TransactionMode::ReadWrite)?;
        for name in ALL {
            // The transaction tells whether it was done.
            drop(
                transaction
                    .object_store(name)?
                    .delete(JsValue::from_str(id))?,
            );
        }
        done(transaction).await?;
        Ok(stored)
    }

    /// A text for each lesson of which a learner did anything.
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

    /// Writes the text of a lesson.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn write_progress(&self, lesson: &str, text: &str) -> Result<()> {
        let transaction = self.transaction(&[LESSONS], TransactionMode::ReadWrite)?;
        write(&transaction, LESSONS, lesson, &JsValue::from_str(text)).await?;
        done(transaction).await
    }

    /// Removes everything.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn remove_all(&self) -> Result<()> {
        let all: Vec<&str> = ALL.into_iter().chain([LESSONS]).collect();
        let transaction = self.transaction(&all, TransactionMode::ReadWrite)?;
        for name in all {
            // The transaction tells whether it was done.
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
    // Texts may be large, and never change. They are written first: what cannot be copied is
    // refused at once.
    if !stored.texts.is_empty() && !is_there(transaction, TEXTS, id).await? {
        write(transaction, TEXTS, id, &array_of(&stored.texts)).await?;
    }
    // One after the other: between them the page can do something else.
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

/// Waits until all of a transaction is written.
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

/// Names and sources of the texts, in turn. The browser keeps the contents of a file.
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

/// Text of a value, by way of a JSON value, like [`parsed`].
fn text<T: Serialize>(value: &T) -> Result<JsValue> {
    let value = serde_json::to_value(value);
    let value = value.map_err(|_| StoreError::Failed("it cannot be written as a text"))?;
    Ok(JsValue::from_str(&value.to_string()))
}

/// Parses a stored text by way of a JSON value: the page reads and writes configurations as such
/// values anyway.
fn parsed<T: DeserializeOwned>(text: JsValue) -> Option<T> {
    let value: serde_json::Value = serde_json::from_str(&text.as_string()?).ok()?;
    serde_json::from_value(value).ok()
}
