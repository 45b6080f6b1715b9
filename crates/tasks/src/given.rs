//! Texts that a user gave, by name: what a browser's worker has in the place of files.
//!
//! They belong to the whole program, as a file system does, so that a run is reset, resumed and
//! drawn anew from them as it is from files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::TaskConfig;

/// What was at each name before it was given anew.
pub(crate) type Before = Vec<(String, Option<Arc<str>>)>;

static TEXTS: Mutex<BTreeMap<String, Arc<str>>> = Mutex::new(BTreeMap::new());

fn texts() -> MutexGuard<'static, BTreeMap<String, Arc<str>>> {
    // Whoever panicked while it held the lock left a whole map behind.
    TEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of this name, if there is one.
pub(crate) fn text(path: &Path) -> Option<Arc<str>> {
    texts().get(path.to_str()?).cloned()
}

/// Puts texts in the place of those of their names.
pub(crate) fn give(given: impl IntoIterator<Item = (String, Arc<str>)>) -> Before {
    let mut texts = texts();
    let put = |(name, text): (String, Arc<str>)| {
        let before = texts.insert(name.clone(), text);
        (name, before)
    };
    given.into_iter().map(put).collect()
}

/// Puts back what was there.
pub(crate) fn take_back(before: Before) {
    let mut texts = texts();
    for (name, before) in before {
        match before {
            Some(text) => texts.insert(name, text),
            None => texts.remove(&name),
        };
    }
}

/// Forgets all texts that none of these tasks is made of.
pub fn forget_all_but(tasks: &[&TaskConfig]) {
    let paths: Vec<&Path> = tasks.iter().flat_map(|task| task.paths()).collect();
    texts().retain(|name, _| paths.contains(&Path::new(name)));
}
