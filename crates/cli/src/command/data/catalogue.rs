//! Finds corpora by name, and their folders.

use std::path::PathBuf;

use strata_settings::suggestion::nearest;
use strata_tasks::corpora::{self, Corpus};

use crate::base::error::DataError;

/// Returns the corpus of this name.
///
/// # Errors
/// If there is no corpus of this name; the message suggests a similar one.
pub fn named(name: &str) -> Result<&'static Corpus, DataError> {
    corpora::find(name).ok_or_else(|| {
        let names = corpora::all().map(|corpus| corpus.name);
        let advice = match nearest(name, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`strata data list` shows all".to_owned(),
        };
        DataError::NoSuchCorpus {
            name: name.to_owned(),
            advice,
        }
    })
}

/// Returns the default folder of a corpus.
pub fn folder(corpus: &Corpus) -> PathBuf {
    PathBuf::from("data").join(corpus.name)
}
