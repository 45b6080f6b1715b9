//! Data of the tables: finds or fetches corpora, and cleans their files.

use std::fs;

use regex::Regex;
use strata_training::write_atomically;

use super::planned::{PlanOptions, PlannedTable};
use super::reproduction::Table;
use crate::base::error::{DataError, Error};
use crate::base::text_file;
use crate::command::data::{SourceArguments, is_complete, provide, room_or_folder};

/// True if nothing of a table's corpus has to be fetched.
///
/// # Errors
/// If a file has the name, but not the contents, of one of the corpus.
pub fn is_here(table: &Table, options: &PlanOptions) -> Result<bool, Error> {
    match &table.corpus {
        Some(corpus) => is_complete(corpus, &options.corpus(table)),
        None => Ok(true),
    }
}

/// Provides the corpora of these tables, and cleans their files; returns false if the user does not
/// agree to the terms of one.
///
/// # Errors
/// If a file cannot be fetched or written, or has other contents than the catalogue says.
pub fn prepare(
    tables: &[PlannedTable<'_>],
    options: &PlanOptions,
    source: &SourceArguments,
) -> Result<bool, Error> {
    for PlannedTable { table, .. } in tables {
        let Some(corpus) = &table.corpus else {
            continue;
        };
        let (raw, cleaned) = (options.corpus(table), options.prepared(table));
        if !provide(corpus, &raw, source).map_err(in_folder)? {
            return Ok(false);
        }
        for prepared in &table.prepared {
            let delete = Regex::new(&prepared.delete).expect("a test reads every expression");
            let text = text_file::read(&raw.join(&prepared.file))?;
            let text = delete.replace_all(&text, "");
            let path = cleaned.join(&prepared.file);
            if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
                continue;
            }
            fs::create_dir_all(&cleaned)
                .and_then(|()| write_atomically(&path, text.as_bytes()))
                .map_err(Error::unwritable(&path))?;
        }
    }
    Ok(true)
}

/// Adapts an error to the folder of `--data`.
fn in_folder(error: Error) -> Error {
    let option = "--data";
    match error {
        Error::Data(DataError::OtherFile { path, corpus, .. }) => DataError::OtherFile {
            path,
            corpus,
            option,
        }
        .into(),
        Error::Write {
            path, what, reason, ..
        } => Error::Write {
            path,
            what,
            reason,
            advice: room_or_folder(option),
        },
        error => error,
    }
}
