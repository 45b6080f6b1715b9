//! Programs that are built before they are measured, each at most once in a run.

use crate::{page, process};
use anyhow::Result;
use std::cell::Cell;
use std::env;
use std::path::{Path, PathBuf};

/// The native program and the page, built on first use.
pub struct Programs<'a> {
    top: &'a Path,
    features: Option<&'a str>,
    has_strata: Cell<bool>,
    has_page: Cell<bool>,
}

impl<'a> Programs<'a> {
    /// Creates the programs, none of them built yet; `features` are cargo features of the native
    /// program.
    pub fn new(top: &'a Path, features: Option<&'a str>) -> Self {
        Self {
            top,
            features,
            has_strata: Cell::new(false),
            has_page: Cell::new(false),
        }
    }

    /// Returns the path of the native program, built in release mode.
    pub fn strata(&self) -> Result<PathBuf> {
        if !self.has_strata.get() {
            let mut build = process::cargo(self.top);
            build.args(["build", "--release", "--workspace", "--bin", "strata"]);
            if let Some(features) = self.features {
                build.args(["--features", features]);
            }
            process::run(&mut build)?;
            self.has_strata.set(true);
        }
        let program = format!("strata{}", env::consts::EXE_SUFFIX);
        Ok(process::target_folder()?.join("release").join(program))
    }

    /// Returns the folder of the page, built in release mode with all of its workers.
    pub fn page(&self) -> Result<PathBuf> {
        if !self.has_page.get() {
            page::build(self.top, true)?;
            self.has_page.set(true);
        }
        Ok(page::folder(self.top))
    }
}
