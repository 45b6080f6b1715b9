//! axe-core, which finds accessibility barriers in the page: the browser tests run it in every
//! view.
//!
//! axe-core is installed in our own tools folder, from a Python package that contains its script.
//! If `STRATA_AXE` names a script, that script is used instead.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = "4.12.1";
/// Python package that contains axe-core of this version.
const PACKAGE: &str = "axe-playwright-python==0.1.8";

/// Returns the whole path of the axe-core script; the pip of `python` installs a missing script.
pub fn find_or_install(python: &Path) -> Result<PathBuf> {
    if let Some(script) = env::var_os("STRATA_AXE").map(PathBuf::from) {
        ensure!(
            script.is_file(),
            "STRATA_AXE is {}, which is no file: let it name axe.min.js of axe-core {VERSION}, or \
             unset it and one is brought",
            script.display()
        );
        return Ok(script);
    }
    let folder = tools::folder()?.join(format!("axe-core-{VERSION}"));
    let script = folder.join("axe_playwright_python/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    println!(
        "Installing axe-core {VERSION} into {}. This happens once and takes a few seconds.",
        folder.display()
    );
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--no-deps"]);
    install.args(["--disable-pip-version-check", "--target"]);
    process::run(install.arg(&folder).arg(PACKAGE))
        .context("axe-core could not be installed; is this machine online?")?;
    ensure!(
        script.is_file(),
        "axe-core was installed but there is no {}",
        script.display()
    );
    Ok(script)
}
