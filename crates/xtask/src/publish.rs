//! Preparation of a page for publication: checks that every browser can run the programs, and
//! writes a service worker with the list of all files of the build.

use crate::{page, site};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Service worker, which serves the page without a network; the list of files is written above its
/// source.
const SERVICE_WORKER: &str = "service-worker.js";

/// Program that only browsers with relaxed SIMD run.
const PROBE: &str = "relaxed-simd.wasm";

/// Programs for browsers with relaxed SIMD.
const RELAXED: [&str; 2] = ["worker-cpu-relaxed.wasm", "worker-cpu-threads.wasm"];

/// Start of the element of `index.html` for the sizes of the programs, up to the quotation mark.
const SIZES: &str = "<meta name=\"strata-sizes\" content=\"";

/// Extension of recorded models.
const MODEL: &str = ".safetensors";
/// Name of the files that list the recorded models of lessons and of poems.
const MODELS: &str = "models.json";

/// Folder of models of poems, which git ignores.
pub const POEMS: &str = "www/poems";

/// Conditions under which files are cached from the first visit on, by part of their names. (The
/// WebGPU worker is large, and most users never need it; recorded models are fetched on demand; the
/// picture of the page is for sites that link to the page. A first visit computes with one thread
/// unless the server isolates the page; from the second visit on, the service worker isolates it.)
const KEPT: [(&str, &str); 7] = [
    (MODEL, "false"),
    ("learning-light.png", "false"),
    ("worker-webgpu", "false"),
    ("worker-cpu-threads-plain", "!RELAXED_SIMD && THREADS"),
    ("worker-cpu-threads", "RELAXED_SIMD && THREADS"),
    (
        "worker-cpu-relaxed",
        "RELAXED_SIMD && !(THREADS && self.crossOriginIsolated)",
    ),
    (
        "worker-cpu",
        "!RELAXED_SIMD && !(THREADS && self.crossOriginIsolated)",
    ),
];

/// Names of the files that lie beside the page without being part of it: the list of the packages,
/// and the packages, that of the page first.
pub const BESIDE: [&str; 4] = [
    "packages.json",
    "strata-page.zip",
    "strata-scorm-1.2.zip",
    "strata-scorm-2004.zip",
];

/// Refuses a compiled program that browsers would run slowly or not at all.
pub fn check(file: &Path) -> Result<()> {
    let program = read(file)?;
    ensure!(
        !constructs_at_every_call(&program),
        "{} runs the constructors of other crates at every call from JavaScript: its \
         `main` must call `__wasm_call_ctors` once, as that of the WebGPU worker does",
        file.display()
    );
    let is_for_some = RELAXED.iter().any(|name| file.ends_with(name));
    ensure!(
        takes_relaxed_simd(&program) == is_for_some,
        "{} must be built with relaxed SIMD if its name says so, and only then",
        file.display()
    );
    Ok(())
}

/// Adds lessons, models of poems and the service worker to a folder. The service worker serves all
/// files of the folder without a network.
pub fn seal(top: &Path, folder: &Path) -> Result<()> {
    bring_lessons(&top.join("www/lessons"), &folder.join("lessons"))?;
    bring_poems(&top.join(POEMS), &folder.join("poems"))?;
    tell_sizes(folder)?;
    let source = read(&top.join("www").join(SERVICE_WORKER))?;
    let probe = read(&top.join("www").join(PROBE))?;
    let packages = folder.join(BESIDE[0]);
    if !packages.exists() {
        write(&packages, NO_PACKAGES)?;
    }
    let mut files = files_of_page(folder)?;
    // Pages ask the server for this list alone, never a copy that is kept.
    files.retain(|file| !file.ends_with(page::COMING.0));
    let list = build(folder, &files, &probe, &source)?;
    write(
        &folder.join(SERVICE_WORKER),
        &[list.as_bytes(), &source].concat(),
    )
}

/// Writes the sizes of the programs into the page, which shows the sizes during loading: each program
/// together with the script that loads the program, uncompressed. A server that compresses sends less.
fn tell_sizes(folder: &Path) -> Result<()> {
    let page = folder.join("index.html");
    let text = String::from_utf8(read(&page)?).context("index.html is not UTF-8")?;
    let Some((before, rest)) = text.split_once(SIZES) else {
        return Ok(());
    };
    let (_, after) = rest
        .split_once('"')
        .context("index.html has sizes without an end")?;
    let mut sizes = BTreeMap::<String, u64>::new();
    for file in files_in(folder)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some(program) = program_of(&name) {
            *sizes.entry(program).or_default() += fs::metadata(&file)?.len();
        }
    }
    let sizes: Vec<String> = sizes
        .iter()
        .map(|(name, bytes)| format!("{name}={bytes}"))
        .collect();
    let text = format!("{before}{SIZES}{}\"{after}", sizes.join(" "));
    write(&page, text.as_bytes())
}

/// Returns the program to which a file belongs: `worker-cpu` for `worker-cpu_bg.wasm` and
/// `worker-cpu.js`, and `page` for files of the page's program, whatever fingerprint their names
/// have.
fn program_of(name: &str) -> Option<String> {
    let program = name
        .strip_suffix("_bg.wasm")
        .or_else(|| name.strip_suffix(".js"))?;
    if program == "page" || program.starts_with("page-") {
        return Some("page".to_owned());
    }
    let is_worker = program.starts_with("worker-") && !program.contains('_');
    is_worker.then(|| program.to_owned())
}

/// Copies the compiled lessons, but not their sources, and lists the recorded models among the
/// files.
fn bring_lessons(from: &Path, to: &Path) -> Result<()> {
    make(to)?;
    let mut models = Vec::new();
    for file in files_in(from)? {
        let path = file.strip_prefix(from).unwrap_or(&file);
        let name = path.to_string_lossy().replace('\\', "/");
        let model = name.strip_suffix(MODEL);
        // The lessons' own files contain the recorded results.
        let is_text = name.ends_with(".json") && !name.ends_with("recorded.json");
        if model.is_none() && !is_text {
            continue;
        }
        models.extend(model.map(str::to_owned));
        let target = to.join(path);
        target.parent().map_or(Ok(()), make)?;
        write(&target, &read(&file)?)?;
    }
    write(&to.join(MODELS), serde_json::to_string(&models)?.as_bytes())
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

/// Copies the models of poems, and lists the models.
fn bring_poems(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        // Models of the previous build.
        fs::remove_dir_all(to).with_context(|| format!("{} cannot be removed", to.display()))?;
    }
    make(to)?;
    let mut models = Vec::new();
    let files = if from.exists() {
        files_in(from)?
    } else {
        Vec::new()
    };
    for file in files {
        let path = file.strip_prefix(from).unwrap_or(&file);
        let name = path.to_string_lossy().replace('\\', "/");
        let Some(name) = name.strip_suffix(MODEL) else {
            continue;
        };
        let model = read(&file)?;
        models.push(serde_json::json!({ "name": name, "bytes": model.len() }));
        write(&to.join(format!("{name}{MODEL}")), &model)?;
    }
    write(&to.join(MODELS), serde_json::to_string(&models)?.as_bytes())
}

/// True if the linker wrapped each export in a function that runs all constructors first. The
/// linker does so if no code calls the constructors; the names of these functions contain
/// `.command_export`.
fn constructs_at_every_call(program: &[u8]) -> bool {
    const NAME: &[u8] = b".command_export";
    program.windows(NAME.len()).any(|bytes| bytes == NAME)
}

/// True if a program has instructions of relaxed SIMD, which compilers declare at its end.
fn takes_relaxed_simd(program: &[u8]) -> bool {
    const FEATURE: &[u8] = b"relaxed-simd";
    program.windows(FEATURE.len()).any(|bytes| bytes == FEATURE)
}

/// Returns the first lines of the service worker: the features of the browser that decide which CPU
/// program it runs, and the list of files with length, fingerprint, and the condition for caching
/// the file from the first visit on.
fn build(folder: &Path, files: &[PathBuf], probe: &[u8], source: &[u8]) -> Result<String> {
    let mut lines = String::new();
    for file in files {
        let path = file.strip_prefix(folder).unwrap_or(file);
        let name = path.to_string_lossy().replace('\\', "/");
        ensure!(
            !name.contains(['"', '\\']),
            "{name} cannot be the name of a file of the page"
        );
        if name == SERVICE_WORKER {
            continue;
        }
        let bytes = read(file)?;
        let (length, print) = (bytes.len(), fingerprint(&bytes));
        let kept = KEPT.iter().find(|(part, _)| name.contains(part));
        let kept = kept.map_or("true", |(_, kept)| kept);
        writeln!(lines, "  \"{name}\": [{length}, {print}, {kept}],").expect("a text takes all");
    }
    let id = fingerprint(&[lines.as_bytes(), source].concat());
    Ok(format!(
        "const BUILD = \"{id:08x}\";\n\
         const RELAXED_SIMD = WebAssembly.validate(new Uint8Array({probe:?}));\n\
         const THREADS = navigator.hardwareConcurrency > 1;\n\
         const FILES = {{\n{lines}}};\n\n"
    ))
}

/// FNV-1a hash, which tells versions of a file apart; no protection against attacks.
pub fn fingerprint(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns all files of a folder and its subfolders, in order; hidden files, which are not served,
/// are skipped.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            files.extend(files_in(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// List of no packages, for a page without any beside it: a page asks for the list in any case.
pub const NO_PACKAGES: &[u8] = b"[]";

/// Returns all files of a page, except the files beside the page ([`BESIDE`]).
pub fn files_of_page(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = files_in(folder)?;
    let beside = BESIDE.map(|name| folder.join(name));
    files.retain(|file| !beside.contains(file));
    Ok(files)
}

/// Reads a file; the error names the file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Writes a file; the error names the file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

/// Returns the Content-Security-Policy of a built page with an addition, to be sent as a header,
/// too. A page cannot state in its own text who may frame it, and workers obey headers only.
pub fn policy(folder: &Path) -> Result<String> {
    let page = String::from_utf8(read(&folder.join("index.html"))?)?;
    let policy = site::policy(&page).context("index.html states no Content-Security-Policy")?;
    Ok(format!("{policy}; frame-ancestors *"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Returns the reason why a program of this name and content is refused.
    fn refusal(name: &str, program: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::write(&file, program).unwrap();
        let refused = check(&file).unwrap_err().to_string();
        assert!(refused.contains(name), "{refused}");
        refused
    }

    #[test]
    fn a_program_that_constructs_at_every_call_is_refused() {
        let program = b"\0asm\x01\0\0\0 malloc malloc.command_export";
        let refused = refusal("worker.wasm", program);
        assert!(refused.contains("__wasm_call_ctors"), "{refused}");
    }

    #[test]
    fn a_program_is_refused_that_some_browsers_do_not_take_and_does_not_say_so() {
        let (plain, relaxed) = (&b"\0asm\x01\0\0\0"[..], b"\0asm\x01\0\0\0 +relaxed-simd");
        for (name, program) in [("worker-cpu.wasm", &relaxed[..]), (RELAXED[0], plain)] {
            let refused = refusal(name, program);
            assert!(refused.contains("relaxed SIMD"), "{refused}");
        }
    }

    #[test]
    fn the_page_is_told_how_large_the_built_programs_are() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: usize| {
            fs::write(folder.path().join(name), vec![b' '; bytes]).unwrap();
        };
        for (name, bytes) in [
            ("page-704196df_bg.wasm", 70),
            ("page-704196df.js", 5),
            ("worker-cpu_bg.wasm", 40),
            ("worker-cpu.js", 3),
            ("worker-cpu_loader.js", 9),
            ("worker-cpu-threads-plain_bg.wasm", 41),
            ("worker-cpu-threads-plain_helper.js", 9),
            ("start-12345678.js", 9),
        ] {
            write(name, bytes);
        }
        let page = folder.path().join("index.html");
        fs::write(&page, format!("<p>{SIZES}\"><b>")).unwrap();
        let expected = format!("<p>{SIZES}page=75 worker-cpu=43 worker-cpu-threads-plain=41\"><b>");
        for _ in 0..2 {
            tell_sizes(folder.path()).unwrap();
            assert_eq!(fs::read_to_string(&page).unwrap(), expected);
        }
        // A later build writes its own sizes.
        write("worker-cpu_bg.wasm", 50);
        tell_sizes(folder.path()).unwrap();
        let read = fs::read_to_string(&page).unwrap();
        assert!(read.contains("worker-cpu=53 "), "{read}");
    }

    #[test]
    fn the_service_worker_knows_every_file_and_is_another_one_after_a_change() {
        let (top, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let lesson = top.path().join("www/lessons/levels");
        fs::create_dir_all(&lesson).unwrap();
        for file in ["en.json", "en.md", "recorded.json", "four-600.safetensors"] {
            fs::write(lesson.join(file), "{}").unwrap();
        }
        let poems = top.path().join(POEMS);
        fs::create_dir_all(&poems).unwrap();
        fs::write(poems.join("ham-5.safetensors"), "{} ").unwrap();
        fs::create_dir(folder.path().join("poems")).unwrap();
        let gone = folder.path().join("poems/gone.safetensors");
        fs::write(&gone, "").unwrap();
        fs::write(top.path().join("www").join(SERVICE_WORKER), "serve();").unwrap();
        fs::write(top.path().join("www").join(PROBE), [0, 97]).unwrap();
        fs::write(folder.path().join("index.html"), "<p>").unwrap();
        fs::write(folder.path().join("learning-light.png"), "picture").unwrap();
        fs::create_dir(folder.path().join("more")).unwrap();
        for worker in [
            "webgpu",
            "cpu-threads",
            "cpu-threads-plain",
            "cpu-relaxed",
            "cpu",
        ] {
            fs::write(folder.path().join(format!("more/worker-{worker}.js")), "").unwrap();
        }
        let worker = || {
            seal(top.path(), folder.path()).unwrap();
            fs::read_to_string(folder.path().join(SERVICE_WORKER)).unwrap()
        };
        let first = worker();
        assert!(first.contains("\"index.html\": [3, "), "{first}");
        let picture = first.lines().find(|it| it.contains("learning-light.png"));
        assert!(picture.unwrap().ends_with(", false],"), "{first}");
        for (worker, kept) in [
            ("webgpu", "false"),
            ("cpu-threads", "RELAXED_SIMD && THREADS"),
            ("cpu-threads-plain", "!RELAXED_SIMD && THREADS"),
            (
                "cpu-relaxed",
                "RELAXED_SIMD && !(THREADS && self.crossOriginIsolated)",
            ),
            (
                "cpu",
                "!RELAXED_SIMD && !(THREADS && self.crossOriginIsolated)",
            ),
        ] {
            let line = format!("\"more/worker-{worker}.js\": [0, 2166136261, {kept}]");
            assert!(first.contains(&line), "{first}");
        }
        assert!(first.contains("\"lessons/levels/en.json\""), "{first}");
        assert!(
            !first.contains("en.md") && !first.contains("recorded"),
            "{first}"
        );
        // A model is served, but not cached on the first visit.
        let model = first.lines().find(|it| it.contains("four-600"));
        assert!(model.is_some_and(|it| it.ends_with("false],")), "{first}");
        let models = fs::read_to_string(folder.path().join("lessons").join(MODELS)).unwrap();
        assert_eq!(models, "[\"levels/four-600\"]");
        let models = fs::read_to_string(folder.path().join("poems").join(MODELS)).unwrap();
        assert_eq!(models, r#"[{"bytes":3,"name":"ham-5"}]"#);
        let model = first.lines().find(|it| it.contains("poems/ham-5"));
        assert!(model.is_some_and(|it| it.ends_with("false],")), "{first}");
        assert!(!gone.exists() && !first.contains("gone"), "{first}");
        let probe = "const RELAXED_SIMD = WebAssembly.validate(new Uint8Array([0, 97]));";
        assert!(first.contains(probe), "{first}");
        assert!(first.ends_with("serve();"), "{first}");
        assert_eq!(worker(), first);
        let source = top.path().join("www").join(SERVICE_WORKER);
        fs::write(source, "serve(all);").unwrap();
        let second = worker();
        assert_ne!(second.lines().next(), first.lines().next());
        fs::write(folder.path().join("index.html"), "<b>").unwrap();
        assert_ne!(worker().lines().next(), second.lines().next());
    }
}
