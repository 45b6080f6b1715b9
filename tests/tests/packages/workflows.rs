//! The workflows of the forge: that they call only commands of `cargo xtask` that there are, and
//! publish crates in an order in which each finds its dependencies.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use strata_tests::here;

fn top() -> PathBuf {
    here().join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the workflows as JSON, by Python's YAML; the tests have no parser of their own.
fn workflow(name: &str) -> Value {
    let python = std::env::var_os("STRATA_PYTHON")
        .unwrap_or_else(|| panic!("STRATA_PYTHON is not set: run `cargo xtask test`"));
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)";
    let file = top().join(".github/workflows").join(name);
    let file = fs::File::open(file).expect("the workflow is there");
    let output = Command::new(python)
        .args(["-c", script])
        .stdin(file)
        .output();
    let output = output.expect("Python runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns all shell scripts of a workflow.
fn scripts(workflow: &Value) -> Vec<String> {
    let jobs = workflow["jobs"].as_object().expect("jobs").values();
    let steps = jobs.flat_map(|job| job["steps"].as_array().expect("steps"));
    steps
        .filter_map(|step| Some(step["run"].as_str()?.to_owned()))
        .collect()
}

/// Returns the commands of `cargo xtask` that a text calls.
fn called(text: &str) -> BTreeSet<String> {
    let calls = text.split("cargo xtask ").skip(1);
    let command = |it: &str| {
        it.split(|c: char| !c.is_ascii_lowercase())
            .next()
            .map(str::to_owned)
    };
    let named = calls.filter_map(command);
    // `cargo xtask --help` names none.
    named.filter(|it| !it.is_empty()).collect()
}

/// Returns the commands that there are, in the spelling of the command line.
fn commands() -> BTreeSet<String> {
    let main = read("crates/xtask/src/main.rs");
    let begin = main
        .split("enum Command {")
        .nth(1)
        .expect("the enum of commands");
    let body = begin.split("\n}").next().expect("its end");
    let lines = body.lines().map(str::trim);
    let variants = lines.filter(|it| it.starts_with(|c: char| c.is_ascii_uppercase()));
    let name = |it: &str| it.split(['(', ',']).next().map(str::to_lowercase);
    variants.filter_map(name).collect()
}

#[test]
fn workflows_call_commands_that_there_are() {
    let commands = commands();
    assert!(
        commands.contains("wheel") && commands.contains("play"),
        "{commands:?}"
    );
    for name in ["check.yml", "release.yml"] {
        for script in scripts(&workflow(name)) {
            for call in called(&script) {
                // Called only where `cargo xtask --help` names it.
                let asks = script.contains("cargo xtask --help");
                assert!(
                    commands.contains(&call) || asks,
                    "{name} calls `cargo xtask {call}`"
                );
            }
        }
    }
}

#[test]
fn a_release_attaches_every_package() {
    let release = workflow("release.yml");
    let scripts = scripts(&release).join("\n");
    let wanted = ["wheel", "archive", "site", "npm", "lessons", "test"];
    assert_eq!(called(&scripts), BTreeSet::from(wanted.map(str::to_owned)));
    assert!(
        scripts.contains("--scorm") && scripts.contains("sha256sum"),
        "{scripts}"
    );
    let systems = &release["jobs"]["programs"]["strategy"]["matrix"]["include"];
    let systems = serde_json::to_string(systems).expect("JSON");
    for system in ["ubuntu", "macos", "windows"] {
        assert!(systems.contains(system), "{systems}");
    }
    // Publishing begins by hand alone, and without a stored password.
    for job in ["crates", "python", "npm"] {
        let job = &release["jobs"][job];
        assert!(
            job["if"]
                .as_str()
                .is_some_and(|it| it.contains("workflow_dispatch")),
            "{job}"
        );
        assert_eq!(job["permissions"]["id-token"], "write");
    }
}

#[test]
fn the_address_of_the_forge_is_the_same_everywhere() {
    let cargo = read("Cargo.toml");
    let address = cargo.split("repository = \"").nth(1);
    let address = address
        .and_then(|it| it.split('"').next())
        .expect("an address");
    for path in [
        "python/pyproject.toml",
        "CITATION.cff",
        "crates/cli/README.md",
        "python/README.md",
    ] {
        assert!(
            read(path).contains(address),
            "{path} does not name {address}"
        );
    }
}

#[test]
fn a_citation_names_the_version() {
    let version = format!("version: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(read("CITATION.cff").contains(&version));
}
