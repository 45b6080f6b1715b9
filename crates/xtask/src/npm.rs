//! `cargo xtask npm`: the JavaScript package, `strata-attention-VERSION.tgz` in the target folder.
//!
//! The package contains the page's own workers, a program that makes experiments of settings
//! (`strata-npm`), the protocol's types in TypeScript, and the scripts of `crates/npm/package`.

use crate::packages::notices;
use crate::tools::{TARGET, Toolbox};
use crate::{page, process, publish};
use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use tar::{Builder, Header};

/// Arguments of `npm`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Takes the workers that are in `dist` already.
    #[arg(long)]
    reuse: bool,
    /// Leaves the WebGPU worker out, whose first build takes ten minutes on two cores.
    #[arg(long)]
    without_webgpu: bool,
}

/// Name of the package in the registry.
const NAME: &str = "strata-attention";

/// Our packages whose programs are in the JavaScript package.
const PROGRAMS: [&str; 2] = ["strata-npm", "strata-worker"];

/// The workers of the package. The package does not mention workers that a build leaves out: the
/// browser names the missing file.
const WORKERS: [&str; 5] = [
    "worker-cpu",
    "worker-cpu-relaxed",
    "worker-cpu-threads",
    "worker-cpu-threads-plain",
    "worker-webgpu",
];

/// Most bytes that a page loads before any run, packed: everything but the workers.
const CORE_LIMIT: usize = 1_500_000;

/// Place in `connection.js` for the program by which a browser with relaxed SIMD is known.
const PROBE: &str = "/* RELAXED-SIMD */ []";

/// A file of the package.
struct PackedFile {
    name: String,
    contents: Vec<u8>,
}

/// Builds the package.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    if !arguments.reuse {
        page::build(top, !arguments.without_webgpu)?;
    }
    pack(top).map(drop)
}

/// Packs the workers of `dist` with everything else; returns the path of the package.
pub fn pack(top: &Path) -> Result<PathBuf> {
    let mut files = scripts(top)?;
    files.extend(core(top)?);
    files.push(PackedFile {
        name: "protocol.d.ts".to_owned(),
        contents: types(top)?,
    });
    let core = files.iter().filter(|file| is_loaded(&file.name));
    let mut bytes = 0;
    for file in core {
        bytes += packed(&file.contents)?.len();
    }
    ensure!(
        bytes <= CORE_LIMIT,
        "the package's core has {bytes} bytes, packed; it may have {CORE_LIMIT}"
    );
    files.extend(workers(&page::folder(top))?);
    files.push(PackedFile {
        name: "NOTICES.txt".to_owned(),
        contents: notices::of_wasm(top, &PROGRAMS)?.into_bytes(),
    });
    let path = path()?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
    }
    let size = write(&path, &files)?;
    println!(
        "{} is written: {:.1} MB with all workers. A page loads {:.2} MB of it, packed, and then one worker.",
        path.display(),
        size as f64 / 1e6,
        bytes as f64 / 1e6
    );
    Ok(path)
}

/// Returns the path of the package, which may not be built yet.
pub fn path() -> Result<PathBuf> {
    let version = env!("CARGO_PKG_VERSION");
    let folder = process::target_folder()?.join("npm");
    Ok(folder.join(format!("{NAME}-{version}.tgz")))
}

/// True for a file that a page loads to use the package, before any worker.
fn is_loaded(name: &str) -> bool {
    let is_program = [".js", ".wasm"].iter().any(|ending| name.ends_with(ending));
    is_program && !name.starts_with("workers/")
}

/// Returns the scripts, the README and the licence.
fn scripts(top: &Path) -> Result<Vec<PackedFile>> {
    let folder = top.join("crates/npm/package");
    let mut files = Vec::new();
    for path in publish::files_in(&folder)? {
        let name = path
            .strip_prefix(&folder)?
            .to_string_lossy()
            .replace('\\', "/");
        let contents = publish::read(&path)?;
        let contents = match name.as_str() {
            "package.json" => {
                let text = String::from_utf8(contents).context("package.json is not UTF-8")?;
                text.replace("VERSION", env!("CARGO_PKG_VERSION"))
                    .into_bytes()
            }
            "connection.js" => {
                let text = String::from_utf8(contents).context("connection.js is not UTF-8")?;
                ensure!(text.contains(PROBE), "connection.js has no `{PROBE}`");
                let probe = publish::read(&top.join("www/relaxed-simd.wasm"))?;
                text.replace(PROBE, &format!("{probe:?}")).into_bytes()
            }
            _ => contents,
        };
        files.push(PackedFile { name, contents });
    }
    files.push(PackedFile {
        name: "LICENSE".to_owned(),
        contents: publish::read(&top.join("LICENSE"))?,
    });
    Ok(files)
}

/// Builds the program that makes experiments of settings.
fn core(top: &Path) -> Result<Vec<PackedFile>> {
    let tools = Toolbox::prepare(top)?;
    let mut cargo = process::cargo(top);
    // Together with `strata-web`: alone, the dependencies would have fewer features than for the
    // page, and all of them would be compiled once more.
    cargo
        .args([
            "build",
            "--target",
            TARGET,
            "--profile",
            "worker",
            "--bin",
            "core",
        ])
        .args(["--package", "strata-npm", "--package", "strata-web"]);
    process::run(&mut cargo)?;
    let target = process::target_folder()?;
    let program = target.join(TARGET).join("worker/core.wasm");
    publish::check(&program)?;
    let bound = target.join("wasm-bindgen/npm");
    let mut bind = tools.wasm_bindgen();
    bind.args(["--target", "web", "--remove-name-section"])
        .args([
            "--remove-producers-section",
            "--out-name",
            "core",
            "--out-dir",
        ])
        .arg(&bound)
        .arg(&program);
    process::run(&mut bind)?;
    let names = ["core.js", "core.d.ts", "core_bg.wasm"];
    let files = names.map(|name| {
        publish::read(&bound.join(name)).map(|contents| PackedFile {
            name: name.to_owned(),
            contents,
        })
    });
    files.into_iter().collect()
}

/// Returns the declarations of the protocol's types.
fn types(top: &Path) -> Result<Vec<u8>> {
    // `--workspace` gives the dependencies the features that they have in all other builds.
    let mut cargo = process::cargo(top);
    cargo.args(["build", "--release", "--workspace", "--bin", "types"]);
    process::run(&mut cargo)?;
    let program = format!("types{}", std::env::consts::EXE_SUFFIX);
    let program = process::target_folder()?.join("release").join(program);
    let text = process::output(&mut Command::new(&program));
    text.map(String::into_bytes)
        .with_context(|| format!("{} does not write the protocol's types", program.display()))
}

/// Returns the files of the workers that the page's folder has.
fn workers(page: &Path) -> Result<Vec<PackedFile>> {
    let mut files = Vec::new();
    for worker in WORKERS {
        let program = page.join(format!("{worker}_bg.wasm"));
        if !program.is_file() {
            ensure!(
                worker != WORKERS[0],
                "there is no {}: build the page first, by `cargo xtask npm` without --reuse",
                program.display()
            );
            println!("The package goes without {worker}, which is not built.");
            continue;
        }
        for name in [format!("{worker}.js"), format!("{worker}_bg.wasm")] {
            files.push(PackedFile {
                contents: publish::read(&page.join(&name))?,
                name: format!("workers/{name}"),
            });
        }
    }
    Ok(files)
}

/// Writes the package; returns the size in bytes. The same files give the same bytes.
fn write(path: &Path, files: &[PackedFile]) -> Result<u64> {
    let not_written = || format!("{} cannot be written", path.display());
    let file = File::create(path).with_context(not_written)?;
    let mut archive = Builder::new(GzEncoder::new(BufWriter::new(file), Compression::best()));
    for PackedFile { name, contents } in files {
        let mut header = Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        // The time that npm itself writes, for there are unpackers that take no earlier one.
        header.set_mtime(499_162_500);
        header.set_cksum();
        archive
            .append_data(&mut header, format!("package/{name}"), contents.as_slice())
            .with_context(not_written)?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    packed
        .and_then(|mut file| file.flush())
        .with_context(not_written)?;
    Ok(fs::metadata(path).with_context(not_written)?.len())
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn file(name: &str, contents: &str) -> PackedFile {
        PackedFile {
            name: name.to_owned(),
            contents: contents.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_package_is_the_same_for_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = [file("index.js", "export {};"), file("workers/a.js", "1")];
        let paths = ["a.tgz", "b.tgz"].map(|name| folder.path().join(name));
        for path in &paths {
            assert!(write(path, &files).unwrap() > 50);
        }
        let [first, second] = paths.map(|path| fs::read(path).unwrap());
        assert_eq!(first, second);
    }

    #[test]
    fn what_a_page_loads_first_is_everything_but_workers_and_texts() {
        let names = [
            "index.js",
            "core_bg.wasm",
            "README.md",
            "index.d.ts",
            "workers/worker-cpu.js",
        ];
        let loaded: Vec<_> = names.into_iter().filter(|name| is_loaded(name)).collect();
        assert_eq!(loaded, ["index.js", "core_bg.wasm"]);
    }

    #[test]
    fn a_page_without_workers_makes_no_package() {
        let folder = tempfile::tempdir().unwrap();
        let error = workers(folder.path()).err().unwrap().to_string();
        assert!(error.contains("build the page first"), "{error}");
    }

    #[test]
    fn the_scripts_know_the_version_and_the_probe() {
        let files = scripts(&crate::top()).unwrap();
        let text = |name: &str| {
            let file = files.iter().find(|file| file.name == name).unwrap();
            String::from_utf8(file.contents.clone()).unwrap()
        };
        let package: serde_json::Value = serde_json::from_str(&text("package.json")).unwrap();
        assert_eq!(package["name"], NAME);
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        assert!(text("connection.js").contains("RELAXED_SIMD = [0, 97, 115, 109, "));
        for worker in WORKERS {
            assert!(text("connection.js").contains(&format!("./workers/{worker}_bg.wasm")));
        }
    }
}
