//! Tells the program what it was built from: the commit, and a digest of all sources that decide
//! its figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates whose sources decide what a run computes.
const COMPUTING: [&str; 8] = [
    "attention",
    "kernels",
    "metrics",
    "models",
    "poems",
    "tasks",
    "text",
    "training",
];

fn main() {
    println!("cargo:rerun-if-env-changed=STRATA_COMMIT");
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    // Git appends a line to the log of HEAD at every commit, so Cargo runs this again.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo:rerun-if-changed={log}");
    }
    let given = std::env::var("STRATA_COMMIT").ok();
    let commit = given.or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=STRATA_COMMIT={commit}");
    let mut digest = Digest::default();
    // In a published crate the other crates lie elsewhere, and the version alone tells builds
    // apart.
    if !Path::new("../kernels/src").is_dir() {
        digest.add(env!("CARGO_PKG_VERSION"));
    }
    for name in COMPUTING {
        let folder = Path::new("..").join(name).join("src");
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in files(&folder) {
            digest.add(without_tests(&fs::read_to_string(file).unwrap_or_default()));
        }
    }
    println!("cargo:rustc-env=STRATA_SOURCES={:016x}", digest.0);
}

/// Returns all Rust files in a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        // Workloads of `strata bench` are in no experiment.
        if path.with_extension("").ends_with("training/src/workload") {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else if is_code(&path) {
            found.push(path);
        }
    }
    found
}

/// Returns whether a file is Rust, and not the unit tests of a module.
fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "rs")
        && path.file_stem().is_some_and(|it| it != "tests")
}

/// Returns the text of a file without the unit tests at its end.
fn without_tests(text: &str) -> &str {
    let end = text.find("#[cfg(test)]\nmod tests {");
    &text[..end.unwrap_or(text.len())]
}

/// FNV-1a hash of lines of code. Comments, indentation and unit tests do not count.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn add(&mut self, text: &str) {
        let lines = text.lines().map(str::trim);
        for byte in lines
            .filter(|it| !it.starts_with("//"))
            .flat_map(str::bytes)
        {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
