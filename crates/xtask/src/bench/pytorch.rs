//! Comparison with PyTorch: both programs measure a workload by turns, round by round.

use super::arguments::Arguments;
use super::comparison::Comparison;
use super::interrupt;
use super::lines::{self, Report};
use super::part::{Part, on};
use super::peers::Peers;
use super::recorder::Recorder;
use super::table::{Table, figure};
use anyhow::{Context, Result, anyhow, ensure};
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

/// Prefix of the workloads of single layers; all of them are measured.
const LAYERS: &str = "attn-";

/// Measures the workloads and writes their table.
pub fn measure(
    peers: &Peers,
    strata: &Path,
    arguments: &Arguments,
    keeper: &mut Recorder,
) -> Result<()> {
    let titles = Comparison::titles("PyTorch");
    let mut table = Table::new(std::iter::once("workload".to_owned()).chain(titles));
    let mut versions = Vec::new();
    for name in names(peers, arguments) {
        match rounds(peers, strata, arguments, &name) {
            Ok([ours, theirs]) => {
                let version = theirs.iter().find_map(|report| report.version.clone());
                versions = version
                    .map(|it| format!("PyTorch {it}"))
                    .into_iter()
                    .collect();
                if let Some(comparison) = Comparison::of(&ours, &theirs) {
                    let cells = comparison.cells();
                    println!("{name}: {}", cells.join(" | "));
                    table.row(std::iter::once(name).chain(cells));
                }
            }
            // After Ctrl-C the reason of the failure does not matter.
            Err(_) if interrupt::asked() => break,
            Err(error) => keeper.fault(format!("`{name}` beside PyTorch: {error:#}")),
        }
    }
    ensure!(
        !table.is_empty(),
        "no workload could be measured on both sides"
    );
    let name = on("pytorch", &arguments.device);
    keeper.keep(&name, &versions, &arguments.command(Part::Pytorch), &table);
    Ok(())
}

/// Returns the names of the workloads to measure.
fn names(peers: &Peers, arguments: &Arguments) -> Vec<String> {
    if !arguments.workload.is_empty() {
        return arguments.workload.clone();
    }
    let layers = peers.names().iter().map(String::as_str);
    let layers = layers.filter(|name| name.starts_with(LAYERS));
    let names = STEPS.into_iter().chain(layers);
    names.map(str::to_owned).collect()
}

/// Returns the reports of all rounds: first ours, then those of PyTorch.
fn rounds(
    peers: &Peers,
    strata: &Path,
    arguments: &Arguments,
    name: &str,
) -> Result<[Vec<Report>; 2]> {
    let mut both = [Vec::new(), Vec::new()];
    for round in 1..=arguments.rounds {
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
        let last = |reports: &[Report]| reports.last().map_or(f64::NAN, |it| it.ms_per_step);
        let times = both.each_ref().map(|reports| figure(last(reports)));
        println!(
            "{name}, round {round}: {} ms, PyTorch {} ms",
            times[0], times[1]
        );
    }
    Ok(both)
}

/// Runs a program that measures one workload, and parses its report.
fn report(command: &mut Command) -> Result<Report> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{program}` could not be started"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let line = printed.lines().rev().find(|line| line.starts_with('{'));
    let line = line.with_context(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint = complaint
            .trim()
            .lines()
            .last()
            .unwrap_or("nothing")
            .to_owned();
        format!(
            "`{program}` gave no line of JSON ({}); it said {complaint:?}",
            output.status
        )
    })?;
    lines::report(line).map_err(|sentence| anyhow!("`{program}`: {sentence}"))
}

#[cfg(all(test, unix))]
mod tests;
