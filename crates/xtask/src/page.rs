//! Building the page into `dist/`: trunk, fed with what it would otherwise look for itself.

use crate::tools::{TARGET, Toolbox};
use crate::{process, publish};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The page without its WebGPU worker, beside `index.html` while it is being built.
const WITHOUT_WEBGPU: &str = "index-without-webgpu.html";

/// Marks the line of `index.html` that builds that worker.
const WEBGPU_LINK: &str = "data-bin=\"worker-webgpu\"";

/// The worker that computes with several threads.
const THREADS: &str = "worker-cpu-threads";

/// Folder of the built page.
pub fn folder(top: &Path) -> PathBuf {
    top.join("dist")
}

/// Builds the page in release mode. Without the WebGPU worker it takes a quarter of the time; the
/// page then says that WebGPU is missing when it is asked for.
pub fn build(top: &Path, webgpu: bool) -> Result<()> {
    let tools = Toolbox::prepare(top)?;
    // Trunk may not look for tools on the network, and tells cargo so too: every crate must be
    // here before it starts.
    process::run(process::cargo(top).arg("fetch"))?;
    let mut trunk = tools.trunk()?;
    trunk.current_dir(top);
    trunk.args(["build", "--release", "--offline", "--skip-version-check"]);
    if webgpu {
        process::run(&mut trunk)?;
        return finish(top, &tools);
    }
    let index = read(&top.join("index.html"))?;
    let index: Vec<_> = index
        .lines()
        .filter(|line| !line.contains(WEBGPU_LINK))
        .collect();
    let stripped = top.join(WITHOUT_WEBGPU);
    fs::write(&stripped, index.join("\n"))
        .with_context(|| format!("{} cannot be written", stripped.display()))?;
    trunk.args(["--html-output", "index.html", WITHOUT_WEBGPU]);
    let built = process::run(&mut trunk);
    fs::remove_file(&stripped)
        .with_context(|| format!("{} cannot be removed", stripped.display()))?;
    built?;
    finish(top, &tools)
}

/// Adds to what trunk has built what it cannot build, and makes it fit to be served.
fn finish(top: &Path, tools: &Toolbox) -> Result<()> {
    build_threads(top, tools)?;
    publish::finish(top, &folder(top))
}

/// Builds the worker whose threads share their memory. The standard library must be built for that, too,
/// for which the compiler wants to be asked as its own tests ask it.
fn build_threads(top: &Path, tools: &Toolbox) -> Result<()> {
    let target = process::target_folder()?.join("threads");
    let mut build = process::cargo(top);
    build
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["build", "--config", "crates/worker/threads.toml"])
        .args(["--profile", "worker", "--target", TARGET])
        .args(["--package", "strata-worker", "--features", "threads"])
        .args(["--bin", THREADS, "--target-dir"])
        .arg(&target);
    process::run(&mut build)?;
    let program = target.join(TARGET).join("worker").join(THREADS);
    let mut bind = tools.wasm_bindgen();
    bind.args(["--target", "web", "--no-typescript", "--out-name", THREADS])
        .arg("--out-dir")
        .arg(folder(top))
        .arg(program.with_extension("wasm"));
    process::run(&mut bind)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}
