//! Workloads beside PyTorch and JAX: two programs measure a workload in turn, round by round.

use super::Bench;
use super::arguments::{Arguments, Part};
use super::peers::Peers;
use super::reports::{self, Rounds, compare, ratio, titles};
use super::table::Table;
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{hint, thread};

/// Another program that trains the same workloads.
#[derive(Clone, Copy)]
pub struct NativePeer {
    /// Name in titles and versions.
    name: &'static str,
    part: Part,
    /// Finds the program in the folder of the peers.
    program: fn(&Peers) -> PathBuf,
    options: &'static [&'static str],
    steps: &'static [&'static str],
    has_layers: bool,
}

impl NativePeer {
    /// PyTorch, operation by operation.
    pub const PYTORCH: Self = Self {
        name: "PyTorch",
        part: Part::Pytorch,
        program: Peers::torch,
        options: &[],
        steps: &STEPS,
        has_layers: true,
    };
    /// PyTorch's `torch.compile`.
    pub const COMPILED: Self = Self {
        name: "compiled PyTorch",
        part: Part::Compiled,
        options: &["--compile"],
        steps: &FEW_STEPS,
        has_layers: false,
        ..Self::PYTORCH
    };
    /// JAX, whose steps are compiled by XLA.
    pub const JAX: Self = Self {
        name: "JAX",
        part: Part::Jax,
        program: Peers::jax,
        options: &[],
        steps: &FEW_STEPS,
        has_layers: false,
    };
}

/// Workloads beside peers that compile each of them, which may take a minute.
const FEW_STEPS: [&str; 5] = [
    "tiny-transformer",
    "small-transformer",
    "lstm-additive",
    "multilevel-100-tiny",
    "ham-20-tiny",
];

/// Workloads that are measured beside a busy core.
const BUSY: [&str; 2] = ["small-transformer", "lstm-additive"];

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

/// Measures the workloads by the program `strata` and by the peer, and writes the table.
pub fn measure(bench: &mut Bench, peers: &Peers, strata: &Path, peer: NativePeer) -> Result<()> {
    let mut table = Table::new(titles(peer.name));
    let mut version = None;
    for name in names(bench.arguments, peers, peer) {
        match rounds(bench, peers, strata, peer, &name) {
            Ok([ours, theirs]) => {
                version = version_of(&theirs, peer);
                let [ours, theirs] = [&ours, &theirs].map(|side| Rounds::of(side, &name, |_| true));
                if let Some(row) = compare(&name, &ours, &theirs) {
                    println!("{}", row.join(" | "));
                    table.row(row);
                }
            }
            Err(error) => bench.fault(format!("`{name}` beside {}: {error:#}", peer.name)),
        }
    }
    keep(bench, peer.part, version, &table)
}

/// Measures the workloads by the program `strata` and by PyTorch, alone and while another thread
/// keeps one core busy, and writes the table.
pub fn measure_busy(bench: &mut Bench, peers: &Peers, strata: &Path) -> Result<()> {
    let peer = NativePeer::PYTORCH;
    let mut table = Table::new(
        [
            "workload",
            "Strata, ms",
            "beside a busy core",
            "times",
            "PyTorch, ms",
            "beside a busy core",
            "times",
        ]
        .map(str::to_owned),
    );
    let mut version = None;
    let names = match bench.arguments.workload.as_slice() {
        [] => BUSY.map(str::to_owned).to_vec(),
        named => named.to_vec(),
    };
    for name in names {
        let both = rounds(bench, peers, strata, peer, &name).and_then(|alone| {
            let busy = beside_busy_core(|| rounds(bench, peers, strata, peer, &name))?;
            Ok([alone, busy])
        });
        match both {
            Ok([alone, busy]) => {
                version = version_of(&alone[1], peer);
                let mut row = vec![name.clone()];
                for side in 0..2 {
                    let [alone, busy] = [&alone[side], &busy[side]]
                        .map(|reports| Rounds::of(reports, &name, |_| true));
                    let [before, after] =
                        [&alone, &busy].map(|rounds| rounds.figures("ms_per_step"));
                    row.extend([alone.time(), busy.time(), ratio(&after, &before)]);
                }
                println!("{}", row.join(" | "));
                table.row(row);
            }
            Err(error) => bench.fault(format!("`{name}` beside a busy core: {error:#}")),
        }
    }
    keep(bench, Part::Busy, version, &table)
}

/// Runs `measure` while a thread keeps one core busy.
fn beside_busy_core<R>(measure: impl FnOnce() -> R) -> R {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                hint::black_box(&is_over);
            }
        });
        let measured = measure();
        is_over.store(true, Ordering::Relaxed);
        measured
    })
}

/// Writes the table of a part, with the version of its peer.
fn keep(bench: &mut Bench, part: Part, version: Option<String>, table: &Table) -> Result<()> {
    ensure!(
        !table.is_empty(),
        "no workload could be measured on both sides"
    );
    let (block, _) = &part.blocks(&bench.arguments.device)[0];
    let versions: Vec<String> = version.into_iter().collect();
    bench.keep(part, block, &versions, table);
    Ok(())
}

/// Returns the name of a peer with the version that its reports tell.
fn version_of(reports: &[Value], peer: NativePeer) -> Option<String> {
    let number = reports.first()?["version"].as_str()?;
    Some(format!("{} {number}", peer.name))
}

/// Returns the names of the workloads to measure.
fn names(arguments: &Arguments, peers: &Peers, peer: NativePeer) -> Vec<String> {
    if !arguments.workload.is_empty() {
        return arguments.workload.clone();
    }
    let layers = peers.names().iter().map(String::as_str);
    let layers = layers.filter(|name| peer.has_layers && name.starts_with(LAYERS));
    let names = peer.steps.iter().copied().chain(layers);
    names.map(str::to_owned).collect()
}

/// Returns the reports of all rounds: first all of Strata, then all of the peer.
fn rounds(
    bench: &Bench,
    peers: &Peers,
    strata: &Path,
    peer: NativePeer,
    name: &str,
) -> Result<[Vec<Value>; 2]> {
    let arguments = bench.arguments;
    let mut both = [Vec::new(), Vec::new()];
    for _ in 0..arguments.rounds {
        let mut ours = Command::new(strata);
        ours.args(["bench", "--json"]);
        let mut theirs = Command::new(&arguments.python);
        theirs.arg((peer.program)(peers)).args(peer.options);
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
        measured_by(line, |bench, peers, strata| {
            measure(bench, peers, strata, NativePeer::PYTORCH)
        })
    }

    fn measured_by(
        line: &str,
        measure: impl FnOnce(&mut Bench, &Peers, &Path) -> Result<()>,
    ) -> (Result<()>, Vec<String>, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let document = "<!-- measured: busy -->\n<!-- end -->\nbefore\n\
            <!-- measured: pytorch -->\nold\n<!-- end -->\nafter\n";
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

    /// The stub's first step takes 10 and 20 ms, the second, beside a busy core, twice that.
    #[test]
    fn a_busy_core_is_told_by_how_much_it_slows_each_program() {
        let line = "--rounds 1 --workload tiny-transformer";
        let (outcome, faults, document, _) = measured_by(line, measure_busy);
        outcome.unwrap();
        assert!(faults.is_empty(), "{faults:?}");
        let row = "| tiny-transformer | 10.0 | 20.0 | 2.00 | 20.0 | 40.0 | 2.00 |\n<!-- end -->\nbefore\n";
        assert!(document.contains(row), "{document}");
        assert!(
            document.contains("`cargo xtask bench --only busy"),
            "{document}"
        );
    }

    #[test]
    fn all_training_steps_and_all_layers_are_measured() {
        let folder = tempfile::tempdir().unwrap();
        let workloads = r#"{"workloads":[{"name":"other"},{"name":"attn-plain"}]}"#;
        fs::write(folder.path().join("workloads.json"), workloads).unwrap();
        let peers = Peers::open(folder.path()).unwrap();
        let all = names(&Arguments::typed("bench"), &peers, NativePeer::PYTORCH);
        assert_eq!(all.len(), STEPS.len() + 1);
        assert_eq!(all.last().unwrap(), "attn-plain");
        let few = names(&Arguments::typed("bench"), &peers, NativePeer::JAX);
        assert_eq!(few, FEW_STEPS);
    }

    #[test]
    fn a_table_stays_if_nothing_can_be_measured() {
        let (outcome, faults, document, _) = measured("--rounds 1 --workload broken");
        assert!(outcome.unwrap_err().to_string().contains("no workload"));
        assert_eq!(faults.len(), 1);
        assert!(document.contains("\nold\n"));
    }
}
