//! Programs of the page: compiled by cargo, bound to JavaScript by wasm-bindgen.

use super::links::Link;
use crate::tools::{TARGET, Toolbox};
use crate::{process, publish};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Program that a link of `index.html` names.
#[derive(Clone)]
pub struct Program {
    /// Name of the program and of its files.
    pub name: String,
    /// True if the page starts the program as a worker, by a file `NAME_loader.js`.
    pub worker: bool,
    manifest: String,
    profile: String,
    features: Option<String>,
    /// True if the program's threads share memory. Such programs have a target folder of their own.
    pub threads: bool,
}

/// A compiled program.
pub struct Built {
    /// JavaScript module that loads the program.
    pub script: String,
    pub wasm: Vec<u8>,
}

impl Program {
    /// Creates the program that a link names.
    pub fn of(link: &Link) -> Result<Self> {
        Ok(Self {
            name: link.need("bin")?.to_owned(),
            worker: link.get("type") == Some("worker"),
            manifest: link.need("href")?.to_owned(),
            profile: link.get("cargo-profile").unwrap_or("release").to_owned(),
            features: link.get("cargo-features").map(str::to_owned),
            threads: false,
        })
    }

    /// Returns the two workers whose threads share memory, with and without relaxed SIMD. No link
    /// names these, because trunk cannot build them. Both use the same standard library.
    pub fn with_threads() -> [Self; 2] {
        let both = [
            ("worker-cpu-threads", "threads,relaxed-simd"),
            ("worker-cpu-threads-plain", "threads"),
        ];
        both.map(|(name, features)| Self {
            name: name.to_owned(),
            worker: true,
            manifest: "crates/worker/Cargo.toml".to_owned(),
            profile: "worker".to_owned(),
            features: Some(features.to_owned()),
            threads: true,
        })
    }

    /// Compiles the program. The names of all its files begin with `name`.
    pub fn build(&self, top: &Path, tools: &Toolbox, name: &str) -> Result<Built> {
        let mut target = process::target_folder()?;
        let bound = target.join("wasm-bindgen").join("page").join(name);
        if self.threads {
            target = target.join("threads");
        }
        process::run(&mut self.cargo(top, &target))?;
        let program = target.join(TARGET).join(&self.profile).join(&self.name);
        let program = program.with_extension("wasm");
        publish::check(&program)?;
        let mut bind = tools.wasm_bindgen();
        bind.args(["--target", "web", "--no-typescript"])
            .args(["--remove-name-section", "--remove-producers-section"])
            .args(["--out-name", name, "--out-dir"])
            .arg(&bound)
            .arg(&program);
        process::run(&mut bind)?;
        let read = |file: String| {
            let file = bound.join(file);
            fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))
        };
        let script = String::from_utf8(read(format!("{name}.js"))?);
        Ok(Built {
            script: script.context("what wasm-bindgen wrote is not UTF-8")?,
            wasm: read(format!("{name}_bg.wasm"))?,
        })
    }

    /// Returns the command that compiles the program, the same as trunk's, so that nothing is
    /// compiled twice.
    fn cargo(&self, top: &Path, target: &Path) -> Command {
        let mut cargo = process::cargo(top);
        cargo.arg("build");
        if self.threads {
            // The standard library must be built for threads, too, which the compiler allows only
            // with the setting of its own tests.
            cargo
                .env("RUSTC_BOOTSTRAP", "1")
                .args(["--config", "crates/worker/threads.toml", "--target-dir"])
                .arg(target);
        }
        cargo
            .args(["--target", TARGET, "--manifest-path", &self.manifest])
            .args(["--profile", &self.profile, "--bin", &self.name]);
        if let Some(features) = &self.features {
            cargo.args(["--features", features]);
        }
        cargo
    }
}
