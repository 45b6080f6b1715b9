//! Firefox, in which the main browser test runs besides Chromium.

use crate::{apt, browser, process};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

const PROGRAMS: [&str; 2] = ["firefox-esr", "firefox"];

/// First version of Firefox with all commands of WebDriver BiDi that the test uses.
const LEAST: u32 = 128;

/// Returns the whole path of Firefox; a missing Firefox is installed from Debian's packages.
///
/// # Errors
/// A sentence on the missing browser.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(program) = find(&process::on_path(&PROGRAMS))? {
        return Ok(program);
    }
    // Ubuntu's package fetches a snap, which works neither in containers nor with profiles
    // elsewhere.
    apt::install("Firefox", &["firefox-esr"], &[]).with_context(|| {
        format!(
            "there is no Firefox on the PATH to test the page in (on Debian run `apt-get install firefox-esr` as \
             root, elsewhere install Firefox {LEAST} or later from https://www.mozilla.org/firefox)"
        )
    })?;
    find(&process::on_path(&PROGRAMS))?
        .context("Firefox was installed, but none that starts is on the PATH")
}

/// Finds the first Firefox among `programs`, recent ones first. Programs that print no version are
/// skipped: that of Ubuntu's package only says that a snap is missing.
fn find(programs: &[PathBuf]) -> Result<Option<PathBuf>> {
    let version = |program: &Path| browser::major_version(program)?.parse::<u32>().ok();
    let versions = programs.iter().filter_map(|it| Some((it, version(it)?)));
    let mut versions: Vec<_> = versions.collect();
    versions.sort_by_key(|(_, version)| *version < LEAST);
    let Some((program, version)) = versions.first() else {
        return Ok(None);
    };
    ensure!(
        *version >= LEAST,
        "{} is Firefox {version}, too old to be driven: install {LEAST} or later",
        program.display()
    );
    Ok(Some((*program).clone()))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    /// Creates a program that runs the shell command `says`.
    fn program(folder: &Path, name: &str, says: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{says}\n")).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_firefox_of_our_days_is_taken_and_an_old_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let snap = program(
            folder.path(),
            "snap",
            "echo 'requires the firefox snap'; exit 1",
        );
        let old = program(folder.path(), "old", "echo Mozilla Firefox 115.9.1esr");
        let new = program(folder.path(), "new", "echo Mozilla Firefox 153.8.0esr");
        assert_eq!(find(std::slice::from_ref(&snap)).unwrap(), None);
        assert_eq!(find(&[]).unwrap(), None);
        let all = [snap, old.clone(), new.clone()];
        assert_eq!(find(&all).unwrap(), Some(new));
        let sentence = find(&[old]).unwrap_err().to_string();
        assert!(
            sentence.contains("Firefox 115") && sentence.contains("128"),
            "{sentence}"
        );
    }
}
