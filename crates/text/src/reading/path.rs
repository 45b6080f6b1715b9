//! Expansion of `~` in a path.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Replaces a leading `~/` by the home folder, because no shell does so within
/// `task.source=~/de.txt`. An existing file below a folder named `~` takes precedence.
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

/// Returns `None`: a page has no files.
#[cfg(target_family = "wasm")]
fn below_home(_path: &Path) -> Option<PathBuf> {
    None
}
