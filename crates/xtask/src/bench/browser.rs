//! Workloads in the page, with one thread and with several, beside the native program with one thread.

use super::Bench;
use super::comparison::{memory, of};
use super::lines::{self, Report};
use super::part::Part;
use super::statistics::Spread;
use super::table::{Table, figure};
use crate::browser::find_or_install;
use crate::{process, test};
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::process::Command;

/// Workloads that are measured by default: three models, and one with many levels.
const WORKLOADS: [&str; 4] = [
    "tiny-transformer",
    "small-transformer",
    "lstm-additive",
    "ham-5-tiny",
];
/// Default numbers of timed steps and of warm-up steps before them.
pub const STEPS: [u32; 2] = [8, 2];

/// Places of a computation, as `tests/benches/workloads.rs` names them.
const SEVERAL: &str = "page, several threads";
const ALONE: &str = "page, one thread";
const NATIVE: &str = "native, one thread";

/// Builds the page and the native program, and measures their steps by turns.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let arguments = bench.arguments;
    let strata = bench.programs.strata()?;
    bench.programs.page()?;
    let workloads = if arguments.workload.is_empty() {
        WORKLOADS.map(str::to_owned).to_vec()
    } else {
        arguments.workload.clone()
    };
    let order = json!({
        "workloads": workloads,
        "rounds": arguments.rounds,
        "steps": arguments.steps.unwrap_or(STEPS[0]),
        "warmup": arguments.warmup.unwrap_or(STEPS[1]),
    });
    let mut command = process::cargo(bench.top);
    command.args(["bench", "--workspace", "--bench", "workloads"]);
    command
        .env("STRATA_BIN", strata)
        .env("STRATA_BENCH", order.to_string());
    let (printed, status) = test::with_page(bench.top, &mut command, process::lines)?;
    let (reports, faults) = lines::reports(&printed);
    let table = table(&reports);
    ensure!(
        status.success() && !table.is_empty(),
        "no workload could be measured to its end in the page ({status}); what was measured is above"
    );
    bench.keep(Part::Browser, "browser", &[version()?], &table);
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Returns the browser's name and version.
pub fn version() -> Result<String> {
    let text = process::output(Command::new(find_or_install()?.program).arg("--version"));
    let text = text.context("the browser does not say its version")?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = words
        .iter()
        .position(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    Ok(words[..end.map_or(words.len(), |end| end + 1)].join(" "))
}

/// Builds a table with a row for each workload that was computed in all places.
fn table(reports: &[Report]) -> Table {
    let place = |name: &str, place: &str| -> Vec<Report> {
        let reports = reports.iter().filter(|it| it.workload == name);
        reports
            .filter(|it| it.place.as_deref() == Some(place))
            .cloned()
            .collect()
    };
    let several = reports
        .iter()
        .filter(|it| it.place.as_deref() == Some(SEVERAL));
    let threads = several.filter_map(|it| it.threads).max().unwrap_or(1);
    let mut table = Table::new([
        "workload".to_owned(),
        format!("page, {threads} threads, ms"),
        "page, 1 thread, ms".to_owned(),
        "native, 1 thread, ms".to_owned(),
        format!("speed of the page, {threads} threads : native"),
        "1 thread : native".to_owned(),
        format!("MiB of the page, {threads} threads : 1"),
    ]);
    for name in lines::workloads(reports) {
        let [several, alone, native] = [SEVERAL, ALONE, NATIVE].map(|it| place(name, it));
        if several.is_empty() || alone.is_empty() || native.is_empty() {
            continue;
        }
        let time = |reports: &[Report]| figure(of(reports, |it| it.ms_per_step));
        let times =
            |reports: &[Report]| -> Vec<f64> { reports.iter().map(|it| it.ms_per_step).collect() };
        let speed = |page: &[Report]| Spread::of_ratios(&times(&native), &times(page)).to_string();
        table.row([
            name.to_owned(),
            time(&several),
            time(&alone),
            time(&native),
            speed(&several),
            speed(&alone),
            format!("{} : {}", memory(&several), memory(&alone)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_compared_with_one_native_thread() {
        let line = |workload: &str, place: &str, threads: u32, time: f64| {
            json!({ "peer": "strata", "workload": workload, "place": place, "threads": threads,
                "ms_per_step": time, "tokens_per_s": 1.0, "peak_memory_mb": 207.4 })
            .to_string()
        };
        let rounds = [[34.0, 45.0, 14.0], [30.0, 40.0, 15.0]];
        let mut printed = Vec::new();
        for [several, alone, native] in rounds {
            printed.push(line("tiny", SEVERAL, 2, several));
            printed.push(line("tiny", ALONE, 1, alone));
            printed.push(line("tiny", NATIVE, 1, native));
            printed.push(line("small", SEVERAL, 2, several));
        }
        let table = table(&lines::reports(&printed).0).to_string();
        let row = "| tiny | 32.0 | 42.5 | 14.5 | 0.46 (0.41 to 0.50) | 0.34 (0.31 to 0.38) | 207 : 207 |\n";
        assert!(
            table.ends_with(row) && table.contains("page, 2 threads, ms"),
            "{table}"
        );
        assert_eq!(table.lines().count(), 3, "{table}");
    }
}
