//! Workloads in the page, with one thread and with several, beside the native program with one
//! thread.

use super::Bench;
use super::arguments::Part;
use super::reports::{self, Rounds, ratio, workloads};
use super::table::Table;
use crate::browser::find_or_install;
use crate::{process, test};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::process::Command;

/// Workloads that are measured by default: three models, and a model with many levels.
const WORKLOADS: [&str; 4] = [
    "tiny-transformer",
    "small-transformer",
    "lstm-additive",
    "ham-5-tiny",
];
/// Default numbers of timed steps and of warm-up steps before the timed steps.
pub const STEPS: [u32; 2] = [8, 2];
/// Places of a computation, as `tests/benches/workloads.rs` names the places.
const PLACES: [&str; 3] = [
    "page, several threads",
    "page, one thread",
    "native, one thread",
];

/// Builds the page and the native program, and measures their steps in turn.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let arguments = bench.arguments;
    let strata = bench.strata()?;
    bench.page()?;
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
    let (reports, faults) = reports::parse_all(&printed);
    let table = table(&reports);
    ensure!(
        status.success() && !table.is_empty(),
        "no workload could be measured to its end in the page ({status}); the output is above"
    );
    bench.keep(Part::Browser, "browser", &[version()?], &table);
    ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(())
}

/// Returns the browser's name and version.
pub fn version() -> Result<String> {
    let text = process::output(Command::new(find_or_install()?.program).arg("--version"));
    let text = text.context("the browser does not print its version")?;
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    let name = text.split_whitespace().take_while(|word| !is_number(word));
    let number = text.split_whitespace().find(is_number);
    Ok(name.chain(number).collect::<Vec<_>>().join(" "))
}

/// Builds a table with a row for each workload that was computed in all places.
fn table(reports: &[Value]) -> Table {
    let several = reports.iter().filter(|report| report["place"] == PLACES[0]);
    let threads = several.filter_map(|report| report["threads"].as_u64());
    let threads = threads.max().unwrap_or(1);
    let mut table = Table::new([
        "workload".to_owned(),
        format!("page, {threads} threads, ms"),
        "page, 1 thread, ms".to_owned(),
        "native, 1 thread, ms".to_owned(),
        format!("speed of the page, {threads} threads : native"),
        "1 thread : native".to_owned(),
        format!("MiB of the page, {threads} threads : 1"),
    ]);
    for name in workloads(reports) {
        let places =
            PLACES.map(|place| Rounds::of(reports, name, |report| report["place"] == place));
        if places.iter().any(Rounds::is_empty) {
            continue;
        }
        let [several, alone, native] = &places;
        let speed = |page: &Rounds| {
            let [native, page] = [native, page].map(|rounds| rounds.figures("ms_per_step"));
            ratio(&native, &page)
        };
        let memory = [several, alone].map(|page| page.whole("peak_memory_mb"));
        table.row([
            name.to_owned(),
            several.time(),
            alone.time(),
            native.time(),
            speed(several),
            speed(alone),
            memory.join(" : "),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_compared_with_one_native_thread() {
        let report = |workload: &str, place: &str, threads: u32, time: f64| {
            json!({ "workload": workload, "place": place, "threads": threads,
                "ms_per_step": time, "tokens_per_s": 1.0, "peak_memory_mb": 207.4 })
        };
        let mut reports = Vec::new();
        for [several, alone, native] in [[34.0, 45.0, 14.0], [30.0, 40.0, 15.0]] {
            reports.push(report("tiny", PLACES[0], 2, several));
            reports.push(report("tiny", PLACES[1], 1, alone));
            reports.push(report("tiny", PLACES[2], 1, native));
            reports.push(report("small", PLACES[0], 2, several));
        }
        let table = table(&reports).to_string();
        let row = "| tiny | 32.0 | 42.5 | 14.5 | 0.46 (0.41 to 0.50) | 0.34 (0.31 to 0.38) | 207 : 207 |\n";
        assert!(table.ends_with(row), "{table}");
        assert!(table.contains("page, 2 threads, ms"), "{table}");
        assert_eq!(table.lines().count(), 3, "{table}");
    }
}
