//! `~` in a path.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The path with the home folder in the place of a leading `~/`, which no shell replaces in the
/// midst of `task.source=~/de.txt`. A folder of the name `~` comes first.
pub fn expanded(path: &Path) -> Cow<'_, Path> {
    match below_home(path) {
        Some(found) if !path.exists() => Cow::Owned(found),
        _ => Cow::Borrowed(path),
    }
}

#[cfg(not(target_family = "wasm"))]
fn below_home(path: &Path) -> Option<PathBuf> {
    let rest = path.strip_prefix("~").ok()?;
    let home = std::env::home_dir().filter(|it| !it.as_os_str().is_empty())?;
    Some(home.join(rest))
}

/// A page has no files.
#[cfg(target_family = "wasm")]
fn below_home(_path: &Path) -> Option<PathBuf> {
    None
}
