//! Chromium and its driver, which the browser tests need.

use crate::{apt, process};
use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// A browser and a driver of the same version.
pub struct Browser {
    /// Absolute path of the browser's program, as the driver requires.
    pub program: PathBuf,
}

/// Finds Chromium with a matching driver, or installs both by apt.
pub fn find_or_install() -> Result<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    apt::install(
        "Chromium and ChromeDriver",
        &["chromium", "chromium-driver"],
        &["chromium-browser", "chromium-chromedriver"],
    )
    .context(
        "the browser tests need Chromium and ChromeDriver of the same version: on Debian run \
         `apt-get install chromium chromium-driver` as root, elsewhere install Chrome and the \
         ChromeDriver of its version (https://googlechromelabs.github.io/chrome-for-testing) \
         and put both on the PATH",
    )?;
    find().context("Chromium was installed, but no browser with a driver of its version is found")
}

/// Finds the first browser on the `PATH` that has the same major version as the driver.
fn find() -> Option<Browser> {
    let driver = major_version("chromedriver")?;
    let programs = process::on_path(&BROWSERS);
    let program = programs
        .into_iter()
        .find(|program| major_version(program).as_ref() == Some(&driver))?;
    Some(Browser { program })
}

/// Returns the major version that a program prints for `--version`.
pub fn major_version(program: impl AsRef<OsStr>) -> Option<String> {
    let text = process::output(Command::new(program).arg("--version"))?;
    major_version_in(&text).map(str::to_owned)
}

/// Extracts the major version from a text: `Chromium 142.0.7444.59 built on Debian` → `142`.
fn major_version_in(text: &str) -> Option<&str> {
    let starts_with_digit = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    text.split_whitespace()
        .find(starts_with_digit)?
        .split('.')
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_browser_and_driver_compare() {
        let browser = "Chromium 142.0.7444.59 built on Debian GNU/Linux 12 (bookworm)\n";
        let driver = "ChromeDriver 142.0.7444.61 (1b2c3d4-refs/branch-heads/7444@{#1704})\n";
        assert_eq!(major_version_in(browser), Some("142"));
        assert_eq!(major_version_in(browser), major_version_in(driver));
        assert_eq!(major_version_in("Chromium is not here"), None);
    }
}
