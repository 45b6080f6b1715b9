//! Workloads beside PyTorch: both programs measure a workload in turn, round by round.

use super::Bench;
use super::arguments::{Arguments, Part};
use super::peers::Peers;
use super::reports::{self, Rounds, compare, titles};
use super::table::Table;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// Workloads of whole training steps.
const STEPS: [&str; 10] = [
    "tiny-transformer",
    "small-transformer",
    "lstm-additive",
    "multilevel-16-tiny",
    "multilevel-100-tiny",
    "ham-20-tiny",
    "multilevel-16-small",
    "multilevel-100-small",
    "ham-20-small",
    "base-transformer",
];

/// Prefix of the workloads of single layers; all of these are measured.
const LAYERS: &str = "attn-";

/// Measures the workloads by the program `strata` and by PyTorch, and writes the table.
pub fn measure(bench: &mut Bench, peers: &Peers, strata: &Path) -> Result<()> {
    let mut table = Table::new(titles("PyTorch"));
    let mut version = None;
    for name in names(bench.arguments, peers) {
        match rounds(bench, peers, strata, &name) {
            Ok([ours, theirs]) => {
                let number = theirs.first().and_then(|report| report["version"].as_str());
                version = number.map(|number| format!("PyTorch {number}"));
                let [ours, theirs] = [&ours, &theirs].map(|side| Rounds::of(side, &name, |_| true));
                if let Some(row) = compare(&name, &ours, &theirs) {
                    println!("{}", row.join(" | "));
                    table.row(row);
                }
            }
            Err(error) => bench.fault(format!("`{name}` beside PyTorch: {error:#}")),
        }
    }
    ensure!(
        !table.is_empty(),
        "no workload could be measured on both sides"
    );
    let part = Part::Pytorch;
    let (block, _) = &part.blocks(&bench.arguments.device)[0];
    bench.keep(
        part,
        block,
        &version.into_iter().collect::<Vec<_>>(),
        &table,
    );
    Ok(())
}

/// Returns the names of the workloads to measure.
fn names(arguments: &Arguments, peers: &Peers) -> Vec<String> {
    if !arguments.workload.is_empty() {
        return arguments.workload.clone();
    }
    let layers = peers.names().iter().map(String::as_str);
    let layers = layers.filter(|name| name.starts_with(LAYERS));
    let names = STEPS.into_iter().chain(layers);
    names.map(str::to_owned).collect()
}

/// Returns the reports of all rounds: first all of Strata, then all of PyTorch.
fn rounds(bench: &Bench, peers: &Peers, strata: &Path, name: &str) -> Result<[Vec<Value>; 2]> {
    let arguments = bench.arguments;
    let mut both = [Vec::new(), Vec::new()];
    for _ in 0..arguments.rounds {
        let mut ours = Command::new(strata);
        ours.args(["bench", "--json"]);
        let mut theirs = Command::new(&arguments.python);
        theirs.arg(peers.torch());
        for (command, reports) in [&mut ours, &mut theirs].into_iter().zip(&mut both) {
            command.arg("--workloads").arg(peers.workloads());
            command.args(["--only", name, "--device", &arguments.device]);
            command.args(arguments.step_options());
            reports.push(report(command)?);
        }
    }
    Ok(both)
}

/// Runs a program that measures one workload, and parses the report.
fn report(command: &mut Command) -> Result<Value> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{program}` could not be started"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let line = printed.lines().rev().find(|line| line.starts_with('{'));
    let line = line.with_context(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint = complaint.trim().lines().last().unwrap_or("nothing");
        format!(
            "`{program}` printed no line of JSON ({}); its last error was {complaint:?}",
            output.status
        )
    })?;
    reports::parse(line).map_err(|sentence| anyhow!("`{program}`: {sentence}"))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::{Document, Provenance};
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// Program that reports a slower step on each call, and records the arguments.
    const PROGRAM: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "WHO $*" >> "$here/calls"
case "$*" in *broken*) echo "out of memory" >&2; exit 3;; esac
calls=$(grep -c '^WHO' "$here/calls")
echo "{\"workload\":\"tiny-transformer\",\"ms_per_step\":$((calls * MS)),\"tokens_per_s\":$((6000 / calls / MS)),\"peak_memory_mb\":MS.2,\"loss_first\":4.15461,\"loss_last\":LOSS,\"version\":\"2.15.0\"}"
"#;

    /// Measures with programs that do not compute; returns the result, the faults, the document and
    /// the calls of the programs.
    fn measured(line: &str) -> (Result<()>, Vec<String>, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let document = "before\n<!-- measured: pytorch -->\nold\n<!-- end -->\nafter\n";
        fs::write(path("benchmarks.md"), document).unwrap();
        let workloads = r#"{"workloads":[{"name":"tiny-transformer"},{"name":"attn-plain"}]}"#;
        fs::write(path("workloads.json"), workloads).unwrap();
        for (name, time, loss) in [("strata", "10", "3.70859"), ("python", "20", "3.70899")] {
            let script = PROGRAM.replace("WHO", name).replace("MS", time);
            fs::write(path(name), script.replace("LOSS", loss)).unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        let python = path("python").display().to_string();
        let mut bench = Bench {
            top: folder.path(),
            arguments: &Arguments::typed(&format!("bench --python {python} {line}")),
            provenance: Provenance::of("2 cores", "rustc 1.95.0"),
            document: Some(Document::open(&path("benchmarks.md"), []).unwrap()),
            faults: Vec::new(),
            page_is_built: false,
        };
        let peers = Peers::open(folder.path()).unwrap();
        let outcome = measure(&mut bench, &peers, &path("strata"));
        let [document, calls] =
            ["benchmarks.md", "calls"].map(|name| fs::read_to_string(path(name)).unwrap());
        (outcome, bench.faults, document, calls)
    }

    #[test]
    fn both_programs_measure_in_turn_and_become_a_row() {
        let line = "--rounds 2 --steps 5 --warmup 1 --workload tiny-transformer --workload broken";
        let (outcome, faults, document, calls) = measured(line);
        outcome.unwrap();
        let row = "| tiny-transformer | 15.0 | 30.0 | 2.00 | 10 : 20 | last off by 4.0e-4 |\n<!-- end -->\nafter\n";
        assert!(document.ends_with(row), "{document}");
        assert!(document.contains(
            "; 2 cores; rustc 1.95.0, PyTorch 2.15.0; `cargo xtask bench --only pytorch"
        ));
        assert!(!document.contains("old"), "{document}");
        assert_eq!(faults.len(), 1);
        for part in ["`broken` beside PyTorch", "exit status: 3", "out of memory"] {
            assert!(faults[0].contains(part), "{faults:?}");
        }
        let calls: Vec<&str> = calls.lines().take(4).collect();
        for (call, program) in calls
            .iter()
            .zip(["strata bench --json ", "python /"].repeat(2))
        {
            assert!(call.starts_with(program), "{call}");
            assert!(call.contains("--workloads /"), "{call}");
            let options = "--only tiny-transformer --device cpu --steps=5 --warmup=1";
            assert!(call.ends_with(options), "{call}");
        }
    }

    #[test]
    fn all_training_steps_and_all_layers_are_measured() {
        let folder = tempfile::tempdir().unwrap();
        let workloads = r#"{"workloads":[{"name":"other"},{"name":"attn-plain"}]}"#;
        fs::write(folder.path().join("workloads.json"), workloads).unwrap();
        let peers = Peers::open(folder.path()).unwrap();
        let all = names(&Arguments::typed("bench"), &peers);
        assert_eq!(all.len(), STEPS.len() + 1);
        assert_eq!(all.last().unwrap(), "attn-plain");
    }

    #[test]
    fn a_table_stays_if_nothing_can_be_measured() {
        let (outcome, faults, document, _) = measured("--rounds 1 --workload broken");
        assert!(outcome.unwrap_err().to_string().contains("no workload"));
        assert_eq!(faults.len(), 1);
        assert!(document.contains("\nold\n"));
    }
}
