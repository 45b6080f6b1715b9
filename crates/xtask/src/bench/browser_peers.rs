//! Workloads in the page beside jax-js, in turn in the same browser: on the CPU and through WebGPU.
//!
//! The peers' program serves both pages cross-origin isolated, so that both compute with all
//! threads.

use super::Bench;
use super::arguments::Part;
use super::browser::STEPS;
use super::peers::Peers;
use super::reports::{self, Rounds, agreement, compare, speed, titles, workloads};
use super::table::Table;
use crate::process;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Name of jax-js in its reports.
const PEER: &str = "jax-js";

/// A device on which both pages compute.
struct Device {
    name: &'static str,
    /// Name of jax-js on the device, for the peers' program.
    peer: &'static str,
    /// Workloads that are measured by default.
    workloads: &'static [&'static str],
    table: fn(&[Value]) -> Table,
}

const DEVICES: [Device; 2] = [
    Device {
        name: "cpu",
        peer: "jax-wasm",
        workloads: &["tiny-transformer", "small-transformer", "lstm-additive"],
        table: cpu,
    },
    // Few and small workloads: a step takes seconds on a software adapter, and the number of
    // launches does not depend on the size of the model.
    Device {
        name: "webgpu",
        peer: "jax-webgpu",
        workloads: &["tiny-transformer", "lstm-additive"],
        table: webgpu,
    },
];

/// Builds the page and measures both sides on both devices.
pub fn measure(bench: &mut Bench, peers: &Peers) -> Result<()> {
    let page = bench.page()?;
    let mut faults = Vec::new();
    for device in &DEVICES {
        let mut command = command(bench, peers, &page, device);
        let (printed, status) = process::lines(&mut command)?;
        let (reports, failures) = reports::parse_all(&printed);
        let (name, table) = (device.name, (device.table)(&reports));
        // A program that failed without a report of the failure has not measured all workloads.
        if table.is_empty() || !status.success() && failures.is_empty() {
            faults.push(format!(
                "{name} was not measured to its end ({status}); the output is above"
            ));
        } else {
            let block = format!("browser-peers {name}");
            bench.keep(Part::BrowserPeers, &block, &versions(&reports), &table);
        }
        faults.extend(failures);
    }
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Builds the command of the peers' program that measures both sides on a device.
fn command(bench: &Bench, peers: &Peers, page: &Path, device: &Device) -> Command {
    let arguments = bench.arguments;
    let workloads = if arguments.workload.is_empty() {
        device.workloads.join(",")
    } else {
        arguments.workload.join(",")
    };
    let [steps, warmup] = STEPS;
    let mut command = Command::new("node");
    command.current_dir(peers.browser()).arg(peers.driver());
    command.arg("--strata-dir").arg(page);
    for (option, value) in [
        ("--peers", device.peer),
        ("--strata-devices", device.name),
        ("--only", &workloads),
        ("--rounds", &arguments.rounds.to_string()),
        ("--steps", &arguments.steps.unwrap_or(steps).to_string()),
        ("--warmup", &arguments.warmup.unwrap_or(warmup).to_string()),
    ] {
        command.args([option, value]);
    }
    command
}

/// Returns the versions of the browser and of jax-js.
fn versions(reports: &[Value]) -> Vec<String> {
    let browser = reports.iter().find_map(|report| report["browser"].as_str());
    let mut theirs = reports.iter().filter(|report| report["peer"] == PEER);
    let peer = theirs.find_map(|report| report["version"].as_str());
    let browser = browser.map(|version| format!("Chromium {version}"));
    let peer = peer.map(|version| format!("{PEER} {version}"));
    browser.into_iter().chain(peer).collect()
}

/// Returns the rounds of Strata and of jax-js on a workload.
fn sides<'a>(reports: &'a [Value], workload: &str) -> [Rounds<'a>; 2] {
    [false, true].map(|is_peer| {
        Rounds::of(reports, workload, |report| {
            (report["peer"] == PEER) == is_peer
        })
    })
}

/// Builds the table of results on the CPU, with a row for each workload.
fn cpu(reports: &[Value]) -> Table {
    let mut table = Table::new(titles(PEER));
    for name in workloads(reports) {
        let [ours, theirs] = sides(reports, name);
        compare(name, &ours, &theirs)
            .into_iter()
            .for_each(|row| table.row(row));
    }
    table
}

/// Builds the table of results on WebGPU, with a row for each workload and side: WebGPU operations
/// and time per step.
fn webgpu(reports: &[Value]) -> Table {
    let mut table = Table::new([
        "workload",
        "by",
        "kernels",
        "submits",
        "uploads",
        "read-backs",
        "ms a step",
        "tokens/s, Strata : jax-js",
        "MiB, page + graphics process",
        "losses within 1e-4",
    ]);
    for name in workloads(reports) {
        let [ours, theirs] = sides(reports, name);
        if ours.is_empty() || theirs.is_empty() {
            continue;
        }
        let compared = [speed(&ours, &theirs), agreement(&ours, &theirs)];
        let sides = [
            ("Strata", &ours, compared),
            (PEER, &theirs, Default::default()),
        ];
        for (by, side, [speed, agreement]) in sides {
            let memory = ["peak_memory_mb", "gpu_process_memory_mb"].map(|key| side.whole(key));
            table.row([
                name.to_owned(),
                by.to_owned(),
                side.whole("gpu_dispatches_per_step"),
                side.whole("gpu_submits_per_step"),
                side.whole("gpu_uploads_per_step"),
                side.whole("gpu_readbacks_per_step"),
                side.time(),
                speed,
                memory.join(" + "),
                agreement,
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reports() -> Vec<Value> {
        let reports = [
            ("jax-js", "tiny", 900.0, 702),
            ("strata", "tiny", 600.0, 312),
            ("jax-js", "tiny", 800.0, 702),
            ("strata", "tiny", 640.0, 312),
            ("strata", "alone", 10.0, 312),
        ];
        let reports = reports.map(|(peer, workload, time, kernels)| {
            json!({ "peer": peer, "workload": workload, "ms_per_step": time,
                "tokens_per_s": 1000.0 / time, "peak_memory_mb": 190.0, "gpu_process_memory_mb": 518.4,
                "loss_first": 4.15461, "loss_last": 3.9, "version": "0.1.25", "browser": "156.0.8078.79",
                "gpu_dispatches_per_step": kernels, "gpu_submits_per_step": 14, "gpu_uploads_per_step": 3.5 })
        });
        reports.to_vec()
    }

    #[test]
    fn webgpu_has_a_row_for_each_side() {
        let table = webgpu(&reports()).to_string();
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| tiny | Strata | 312 | 14 | 4 | ? | 620 | 1.38 (1.25 to 1.50) | 190 + 518 | yes |",
                "| tiny | jax-js | 702 | 14 | 4 | ? | 850 |  | 190 + 518 |  |",
            ]
        );
    }

    #[test]
    fn on_the_cpu_both_sides_share_a_row() {
        let table = cpu(&reports()).to_string();
        let row = "| tiny | 620 | 850 | 1.38 (1.25 to 1.50) | 190 : 190 | yes |\n";
        assert!(table.ends_with(row), "{table}");
        let versions = versions(&reports());
        assert_eq!(versions, ["Chromium 156.0.8078.79", "jax-js 0.1.25"]);
    }
}
