//! The library crates as they are published: packed by cargo, and used by a project of a user.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;
use strata_tests::here;
use tempfile::TempDir;

/// The project of a user: trains a small model, and translates with it.
const PROGRAM: &str = r#"
use burn::tensor::Device;
use pollster::block_on;
use strata_tasks::TaskConfig;
use strata_text::Uploads;
use strata_training::{Experiment, Trainer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut experiment = Experiment::default();
    experiment.task = TaskConfig::of_kind("copy").expect("a task of this name");
    experiment.training.steps = 5;
    let mut trainer = Trainer::new(experiment, &Uploads::default(), &Device::default())?;
    let mut losses = Vec::new();
    while !trainer.is_finished() {
        losses.push(block_on(trainer.step())?.loss);
    }
    let translation = block_on(trainer.inference().translate("a b c"))?;
    println!("{losses:?} {}", translation.text);
    assert!(losses.len() == 5 && losses.iter().all(|loss| loss.is_finite()));
    Ok(())
}
"#;

/// Packages that the project names besides the workspace's crates, whose dependencies `Cargo.lock`
/// pins.
const OTHERS: &str = r#"
burn = { version = "0.22", default-features = false, features = ["std", "flex", "simd", "rayon"] }
pollster = "0.4"
"#;

fn top() -> PathBuf {
    here().join("..")
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(top()).args(arguments);
    command
}

fn ran(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A crate of the workspace that is published.
struct Published {
    name: String,
    folder: PathBuf,
    readme: Option<String>,
    repository: Option<String>,
    /// Names of all dependencies, without dependencies of tests.
    dependencies: Vec<String>,
    is_library: bool,
}

fn published() -> Vec<Published> {
    let metadata = ran(&mut cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--no-deps",
        "--offline",
    ]));
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let kept = packages.iter().filter(|it| it["publish"].is_null());
    let read = |it: &Value| {
        let targets = it["targets"].as_array().expect("targets");
        let dependencies = it["dependencies"].as_array().expect("dependencies").iter();
        let manifest = PathBuf::from(text(&it["manifest_path"]).expect("a path"));
        Published {
            name: text(&it["name"]).expect("a name"),
            folder: manifest.parent().expect("a folder").to_owned(),
            readme: text(&it["readme"]),
            repository: text(&it["repository"]),
            dependencies: dependencies
                .filter(|it| it["kind"] != "dev")
                .filter_map(|it| text(&it["name"]))
                .collect(),
            is_library: targets.iter().any(|it| it["kind"][0] == "lib"),
        }
    };
    kept.map(read).collect()
}

/// Returns the crates that a crate needs, and the crate itself.
fn needed(name: &str, all: &[Published]) -> BTreeSet<String> {
    let mut found = BTreeSet::from([name.to_owned()]);
    let own = all
        .iter()
        .find(|it| it.name == name)
        .expect("a published crate");
    for other in &own.dependencies {
        if all.iter().any(|it| it.name == *other) {
            found.extend(needed(other, all));
        }
    }
    found
}

/// Returns the first example of a text in Markdown, without lines that documentation hides.
fn example(text: &str) -> String {
    let fenced = text
        .split("```")
        .nth(1)
        .expect("an example")
        .lines()
        .skip(1);
    let shown: Vec<&str> = fenced
        .map(str::trim_end)
        .filter(|it| !it.starts_with("# "))
        .collect();
    shown.join("\n")
}

#[test]
fn every_crate_has_a_document_with_the_example_that_its_documentation_compiles() {
    let all = published();
    assert_eq!(all.iter().filter(|it| it.is_library).count(), 13);
    for Published {
        name,
        folder,
        readme,
        repository,
        is_library,
        ..
    } in &all
    {
        assert!(repository.is_some(), "{name} names no repository");
        assert_eq!(readme.as_deref(), Some("README.md"), "{name}");
        let readme = fs::read_to_string(folder.join("README.md")).expect("a document");
        assert!(readme.starts_with(&format!("# {name}\n")), "{name}");
        if *is_library {
            let source = fs::read_to_string(folder.join("src/lib.rs")).expect("a library");
            let comments = source.lines().filter_map(|it| it.strip_prefix("//!"));
            let comments: Vec<&str> = comments
                .map(|it| it.strip_prefix(' ').unwrap_or(it))
                .collect();
            assert_eq!(example(&readme), example(&comments.join("\n")), "{name}");
        }
    }
}

/// Packs the crates into a folder for temporary files.
fn pack(all: &[Published]) -> TempDir {
    let packed = TempDir::new().expect("a folder for temporary files");
    let mut package = cargo(&[
        "package",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
        "--offline",
    ]);
    // Programs are packed as well: what they include must lie in their folders.
    for of in all {
        package.args(["--package", &of.name]);
    }
    ran(package.arg("--target-dir").arg(packed.path()));
    packed
}

/// Returns the packed file of a crate.
fn packed_file(packed: &Path, name: &str) -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    packed.join(format!("package/{name}-{version}.crate"))
}

#[test]
fn every_crate_is_packed_with_the_files_that_it_includes() {
    let all = published();
    let packed = pack(&all);
    for of in &all {
        let mut tar = Command::new("tar");
        let listed = ran(tar.arg("-tzf").arg(packed_file(packed.path(), &of.name)));
        let in_package: BTreeSet<&str> = listed
            .lines()
            .filter_map(|line| Some(line.split_once('/')?.1))
            .collect();
        assert!(in_package.contains("README.md"), "{}", of.name);
        for (source, included) in included(&of.folder) {
            assert!(
                in_package.contains(included.as_str()),
                "{}: {source} includes {included}, which is not packed",
                of.name
            );
        }
    }
}

/// Returns source files below `src` with the files that they include, both relative to the crate's folder.
fn included(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.join("src")];
    while let Some(inside) = folders.pop() {
        for path in fs::read_dir(&inside)
            .expect("a folder")
            .flatten()
            .map(|it| it.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let source = fs::read_to_string(&path).expect("a source file");
                for name in included_names(&source) {
                    let shown = relative(&path, folder);
                    found.push((shown, relative(&inside.join(name), folder)));
                }
            }
        }
    }
    found
}

/// Returns the arguments of `include_str!` and `include_bytes!` in a source file.
fn included_names(source: &str) -> Vec<String> {
    let calls = ["include_str!(\"", "include_bytes!(\""];
    let arguments = calls.iter().flat_map(|call| source.split(call).skip(1));
    arguments
        .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
        .collect()
}

/// Returns a path below the crate's folder with `..` resolved, or the whole path outside of the folder.
fn relative(path: &Path, folder: &Path) -> String {
    let path = path
        .canonicalize()
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = folder.canonicalize().expect("the crate's folder");
    path.strip_prefix(&folder)
        .unwrap_or(&path)
        .display()
        .to_string()
}

/// Takes some minutes, because burn is compiled once more, without optimisation.
#[test]
fn nightly_a_project_outside_of_the_workspace_trains_with_the_packed_crates() {
    let all = published();
    let needed = needed("strata-training", &all);
    let packed = pack(&all);
    // A folder that stays, so that the next run compiles only what has changed.
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("user");
    let mut manifest =
        "[package]\nname = \"user\"\nedition = \"2024\"\n\n[dependencies]\n".to_owned();
    for name in ["strata-tasks", "strata-text", "strata-training"] {
        manifest += &format!("{name} = \"{}\"\n", env!("CARGO_PKG_VERSION"));
    }
    manifest += &format!(
        "strata-attention = {{ version = \"{}\", features = [\"flex\"] }}",
        env!("CARGO_PKG_VERSION")
    );
    manifest += OTHERS;
    // Nothing is optimised: five steps need no speed, and the compilation takes half the time.
    manifest += "\n[workspace]\n\n[profile.dev]\ndebug = false\n\n[patch.crates-io]\n";
    for name in &needed {
        let folder = unpack(packed.path(), name, &project.join("packed"));
        manifest += &format!("{name} = {{ path = {:?} }}\n", folder.display().to_string());
    }
    write(&project.join("Cargo.toml"), manifest.as_bytes());
    write(&project.join("src/main.rs"), PROGRAM.as_bytes());
    // The versions with which the workspace was tested.
    let lock = fs::read(top().join("Cargo.lock")).expect("the workspace's versions");
    write(&project.join("Cargo.lock"), &lock);
    let mut run = cargo(&["run", "--quiet", "--offline"]);
    run.current_dir(&project);
    run.env("CARGO_TARGET_DIR", project.join("target"));
    let printed = ran(&mut run);
    assert!(printed.starts_with('['), "{printed}");
}

/// Unpacks a crate below `to`, and writes only files that have changed; returns the folder.
fn unpack(packed: &Path, name: &str, to: &Path) -> PathBuf {
    let file = packed_file(packed, name);
    let name = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
    let fresh = TempDir::new().expect("a folder for temporary files");
    let mut tar = Command::new("tar");
    ran(tar.arg("-xzf").arg(file).arg("-C").arg(fresh.path()));
    let folder = to.join(&name);
    let mut kept = BTreeSet::new();
    sync(&fresh.path().join(&name), &folder, &mut kept);
    remove_others(&folder, &kept);
    folder
}

fn sync(from: &Path, to: &Path, kept: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            sync(&entry.path(), &place, kept);
        } else {
            write(&place, &fs::read(entry.path()).expect("a file"));
            kept.insert(place);
        }
    }
}

/// Removes files that the packed crate has no more.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) {
    for path in fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|it| it.path())
    {
        if path.is_dir() {
            remove_others(&path, kept);
        } else if !kept.contains(&path) {
            fs::remove_file(&path).expect("the file can be changed");
        }
    }
}

/// Writes a file, unless the file has these contents already.
fn write(path: &Path, contents: &[u8]) {
    if fs::read(path).is_ok_and(|there| there == contents) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a file lies in a folder"))
        .expect("the folder can be made");
    fs::write(path, contents).expect("the file can be changed");
}
