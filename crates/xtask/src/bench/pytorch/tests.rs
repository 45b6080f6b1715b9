#![allow(clippy::unwrap_used)]

use super::*;
use crate::bench::document::Document;
use crate::bench::provenance::Provenance;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Program that reports a faster step on each call, and records its arguments.
const PROGRAM: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "WHO $*" >> "$here/calls"
case "$*" in *broken*) echo "out of memory" >&2; exit 3;; esac
calls=$(grep -c '^WHO' "$here/calls")
echo "a line of another kind"
echo "{\"peer\":\"WHO\",\"workload\":\"x\",\"device\":\"cpu\",\"ms_per_step\":$((calls * MS)),\"tokens_per_s\":$((6000 / calls / MS)),\"peak_memory_mb\":MS.2,\"loss_first\":4.15461,\"loss_last\":LOSS,\"version\":\"2.15.0\"}"
"#;

/// A folder with a document, peers, and fake programs.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self { folder };
        place.write(
            "benchmarks.md",
            "before\n<!-- measured: pytorch -->\nold\n<!-- end -->\nafter\n",
        );
        let workloads = r#"{"workloads":[{"name":"tiny-transformer"},{"name":"attn-plain"},{"name":"broken"}]}"#;
        place.write("workloads.json", workloads);
        place.write("torch_bench.py", "");
        place.program("strata", "10", "3.70859");
        place.program("python", "20", "3.70899");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: &str) {
        fs::write(self.path(name), contents).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn program(&self, name: &str, milliseconds: &str, loss: &str) {
        let script = PROGRAM.replace("WHO", name).replace("MS", milliseconds);
        self.write(name, &script.replace("LOSS", loss));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the measurement and returns its result and faults.
    fn measure(&self, line: &str) -> (Result<()>, Vec<String>) {
        let python = self.path("python").display().to_string();
        let words = ["bench", "--python", &python]
            .into_iter()
            .chain(line.split_whitespace());
        let arguments = Arguments::typed(words);
        let document = Document::open(&self.path("benchmarks.md"), []).unwrap();
        let stamp = Provenance::of("2 cores", "rustc 1.95.0");
        let mut keeper = Recorder::new(stamp, Some(document));
        let peers = Peers::open(self.folder.path()).unwrap();
        let outcome = measure(&peers, &self.path("strata"), &arguments, &mut keeper);
        (outcome, keeper.faults().to_vec())
    }
}

#[test]
fn both_compute_by_turns_what_they_are_told_and_become_a_row() {
    let place = Place::new();
    let (outcome, faults) =
        place.measure("--rounds 2 --steps 5 --warmup 1 --workload tiny-transformer");
    outcome.unwrap();
    assert_eq!(faults, Vec::<String>::new());
    let text = place.read("benchmarks.md");
    let row = "| tiny-transformer | 15.0 | 30.0 | 2.00 | 10 : 20 | last off by 4.0e-4 |\n<!-- end -->\nafter\n";
    assert!(text.ends_with(row), "{text}");
    assert!(
        text.contains("; 2 cores; rustc 1.95.0, PyTorch 2.15.0; `cargo xtask bench --only pytorch")
    );
    assert!(!text.contains("old"), "{text}");
    let calls = place.read("calls");
    let order: Vec<_> = calls
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(order, ["strata", "python", "strata", "python"]);
    let told = "--only tiny-transformer --device cpu --steps=5 --warmup=1";
    assert!(calls.lines().all(|line| line.ends_with(told)), "{calls}");
    assert!(
        calls.lines().all(|line| line.contains("--workloads /")),
        "{calls}"
    );
    assert!(
        calls
            .lines()
            .next()
            .unwrap()
            .starts_with("strata bench --json "),
        "{calls}"
    );
    assert!(
        calls.lines().nth(1).unwrap().contains("torch_bench.py"),
        "{calls}"
    );
}

#[test]
fn a_workload_that_fails_is_told_and_the_others_are_kept() {
    let place = Place::new();
    let (outcome, faults) = place.measure("--rounds 1 --workload broken --workload attn-plain");
    outcome.unwrap();
    assert_eq!(faults.len(), 1);
    for part in [
        "`broken` beside PyTorch",
        "no line of JSON",
        "exit status: 3",
        "out of memory",
    ] {
        assert!(faults[0].contains(part), "{faults:?}");
    }
    let text = place.read("benchmarks.md");
    assert!(
        text.contains("| attn-plain | ") && !text.contains("| broken"),
        "{text}"
    );
}

#[test]
fn where_nothing_can_be_measured_the_table_stays() {
    let place = Place::new();
    let (outcome, faults) = place.measure("--rounds 1 --workload broken");
    assert!(outcome.unwrap_err().to_string().contains("no workload"));
    assert_eq!(faults.len(), 1);
    assert!(place.read("benchmarks.md").contains("\nold\n"));
}

#[test]
fn all_training_steps_and_all_layers_are_measured() {
    let place = Place::new();
    let peers = Peers::open(place.folder.path()).unwrap();
    let all = names(&peers, &Arguments::typed(["bench"]));
    assert_eq!(all.len(), STEPS.len() + 1);
    assert_eq!(all.last().unwrap(), "attn-plain");
}
