//! Workloads in the page beside jax-js, by turns in the same browser: on the CPU and through WebGPU.
//!
//! The peers' own program serves both pages cross-origin isolated, so that both compute with all
//! threads.

mod tables;

use super::browser::STEPS;
use super::lines::{self, Report};
use super::part::Part;
use super::peers::Peers;
use super::table::Table;
use super::{Bench, interrupt};
use crate::process;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;
use tables::{cpu, webgpu};

/// Name of jax-js in its reports.
const PEER: &str = "jax-js";
/// Workloads on WebGPU: few and small, because a step takes seconds on a software adapter, and the
/// number of launches does not depend on the model's size.
const ON_WEBGPU: [&str; 2] = ["tiny-transformer", "lstm-additive"];
const ON_CPU: [&str; 3] = ["tiny-transformer", "small-transformer", "lstm-additive"];

/// Builds the page and measures it on both devices.
pub fn measure(bench: &mut Bench, peers: &Peers) -> Result<()> {
    let page = bench.programs.page()?;
    let mut faults = Vec::new();
    for (device, peer, workloads, table) in [
        (
            "cpu",
            "jax-wasm",
            &ON_CPU[..],
            cpu as fn(&[Report]) -> Table,
        ),
        ("webgpu", "jax-webgpu", &ON_WEBGPU[..], webgpu),
    ] {
        let mut command = command(bench, peers, &page, (device, peer), workloads);
        let (printed, status) = process::lines(&mut command)?;
        let (reports, told) = lines::reports(&printed);
        let table = table(&reports);
        // A program that failed without naming a fault has not measured all workloads.
        if table.is_empty() || !status.success() && told.is_empty() {
            faults.push(format!(
                "{device} was not measured to its end ({status}); what was is above"
            ));
        } else {
            let name = format!("browser-peers {device}");
            bench.keep(Part::BrowserPeers, &name, &versions(&reports), &table);
        }
        faults.extend(told);
        if interrupt::asked() {
            break;
        }
    }
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Builds the command of the peers' program that measures both sides on a device.
fn command(
    bench: &Bench,
    peers: &Peers,
    page: &Path,
    (device, peer): (&str, &str),
    workloads: &[&str],
) -> Command {
    let arguments = bench.arguments;
    let workloads = if arguments.workload.is_empty() {
        workloads.join(",")
    } else {
        arguments.workload.join(",")
    };
    let mut command = Command::new("node");
    command.current_dir(peers.browser()).arg(peers.driver());
    command.args([
        "--peers",
        peer,
        "--strata-devices",
        device,
        "--only",
        &workloads,
    ]);
    command.arg("--strata-dir").arg(page);
    command.args(["--rounds", &arguments.rounds.to_string()]);
    command.args(["--steps", &arguments.steps.unwrap_or(STEPS[0]).to_string()]);
    command.args([
        "--warmup",
        &arguments.warmup.unwrap_or(STEPS[1]).to_string(),
    ]);
    command
}

/// Returns the versions of the browser and of jax-js.
fn versions(reports: &[Report]) -> Vec<String> {
    let browser = reports.iter().find_map(|it| it.browser.as_ref());
    let theirs = reports.iter().filter(|it| it.peer == PEER);
    let peer = theirs.filter_map(|it| it.version.as_ref()).next();
    let browser = browser.map(|it| format!("Chromium {it}"));
    browser
        .into_iter()
        .chain(peer.map(|it| format!("{PEER} {it}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_browser_and_the_peer() {
        let report = |peer: &str, version: &str| Report {
            peer: peer.to_owned(),
            version: Some(version.to_owned()),
            browser: Some("156.0.8078.79".to_owned()),
            ..Report::default()
        };
        assert_eq!(
            versions(&[report("strata", "0.1.0"), report(PEER, "0.1.25")]),
            ["Chromium 156.0.8078.79", "jax-js 0.1.25"]
        );
    }
}
