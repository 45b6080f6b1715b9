//! axe-core, which looks for barriers in the page: the browser tests run it in every view.
//!
//! It lies among our own tools. One that `STRATA_AXE` names is taken instead.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::path::PathBuf;
use std::process::Command;

const VERSION: &str = "4.14.1";

/// Its script, with the whole path; brought where it is missing.
pub fn find_or_install() -> Result<PathBuf> {
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
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    println!(
        "Installing axe-core {VERSION} into {}. This happens once and takes a few seconds.",
        folder.display()
    );
    let mut install = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    install.args(["install", "--silent", "--no-save", "--ignore-scripts"]);
    install.arg("--prefix").arg(&folder);
    process::run(install.arg(format!("axe-core@{VERSION}"))).context(
        "the browser tests look for barriers with the npm package axe-core, for which they need \
         npm and a network: on Debian run `apt-get install npm` as root, elsewhere install Node \
         from https://nodejs.org",
    )?;
    ensure!(
        script.is_file(),
        "axe-core was installed but there is no {}",
        script.display()
    );
    Ok(script)
}
