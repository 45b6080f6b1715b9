//! Chromium and its driver, which the browser tests need.

use crate::process;
use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsStr;
use std::fs;
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
    /// The browser's program, with its whole path: its driver asks for that.
    pub program: PathBuf,
}

/// Finds Chromium with a driver that fits it, or installs both where that is possible.
pub fn find_or_install() -> Result<Browser> {
    if let Some(browser) = find() {
        return Ok(browser);
    }
    install().context(
        "the browser tests need Chromium and ChromeDriver of the same version: on Debian run \
         `apt-get install chromium chromium-driver` as root, elsewhere install Chrome and the \
         ChromeDriver of its version (https://googlechromelabs.github.io/chrome-for-testing) \
         and put both on the PATH",
    )?;
    find().context("Chromium was installed, but no browser with a driver of its version is found")
}

/// The first browser on the `PATH` whose major version is the driver's.
fn find() -> Option<Browser> {
    let driver = major_version("chromedriver")?;
    let path = env::var_os("PATH")?;
    let folders: Vec<_> = env::split_paths(&path).collect();
    let programs = BROWSERS.iter().flat_map(|name| {
        let in_folder = move |folder: &PathBuf| folder.join(name);
        folders.iter().map(in_folder)
    });
    let mut programs = programs.filter(|program| program.is_file());
    let program = programs.find(|program| major_version(program).as_ref() == Some(&driver))?;
    Some(Browser { program })
}

fn major_version(program: impl AsRef<OsStr>) -> Option<String> {
    let text = process::output(Command::new(program).arg("--version"))?;
    major_version_in(&text).map(str::to_owned)
}

/// `Chromium 142.0.7444.59 built on Debian` → `142`.
fn major_version_in(text: &str) -> Option<&str> {
    let starts_with_digit = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    text.split_whitespace()
        .find(starts_with_digit)?
        .split('.')
        .next()
}

/// Installs both by apt, which only root may do and only Debian and Ubuntu have.
fn install() -> Result<()> {
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let packages = if has_id(&system, "ubuntu") {
        ["chromium-browser", "chromium-chromedriver"]
    } else if has_id(&system, "debian") {
        ["chromium", "chromium-driver"]
    } else {
        bail!("they are missing, and this system is neither Debian nor Ubuntu");
    };
    if process::output(Command::new("id").arg("-u")).is_none_or(|id| id.trim() != "0") {
        bail!("they are missing, and only root may install them");
    }
    println!("Chromium and ChromeDriver are missing: installing them (once; about a minute).");
    process::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "--quiet", "--yes", "--no-install-recommends"]);
    process::run(
        install
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn has_id(system: &str, id: &str) -> bool {
    system
        .lines()
        .any(|line| line.strip_prefix("ID=") == Some(id))
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

    #[test]
    fn the_system_is_known_by_its_id_alone() {
        let system = "PRETTY_NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n";
        assert!(has_id(system, "linuxmint"));
        assert!(!has_id(system, "debian"));
    }
}
