//! Whole steps of defined workloads, by `strata bench`.

use super::lines::{self, Report};
use super::part::{Part, on};
use super::table::{Table, figure, figure_if, whole};
use super::{Bench, levels};
use crate::process;
use anyhow::{Result, ensure};
use std::process::Command;

/// Models with many levels: titles of rows, and names of workloads with `#` for the levels.
const LEVELS: [(&str, &str); 4] = [
    ("tiny, multilevel", "multilevel-#-tiny"),
    ("small, multilevel", "multilevel-#-small"),
    ("tiny, Ham-V", "ham-#-tiny"),
    ("small, Ham-V", "ham-#-small"),
];

/// Builds the native program and measures its steps.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let (arguments, part) = (bench.arguments, Part::Steps);
    let mut command = Command::new(bench.programs.strata()?);
    command.args(["bench", "--json", "--device", &arguments.device]);
    command.args(arguments.step_options());
    command.args(
        arguments
            .workload
            .iter()
            .map(|name| format!("--only={name}")),
    );
    let (printed, status) = process::lines(&mut command)?;
    let (reports, faults) = lines::reports(&printed);
    ensure!(
        !reports.is_empty(),
        "`strata bench` measured nothing ({status}); what it printed is above"
    );
    bench.keep(part, &on("steps", &arguments.device), &[], &steps(&reports));
    let time = |name: &str| {
        let report = reports.iter().find(|report| report.workload == name)?;
        Some(report.ms_per_step)
    };
    let table = levels::table(&LEVELS, time);
    if !table.is_empty() {
        bench.keep(part, &on("levels", &arguments.device), &[], &table);
    }
    ensure!(
        status.success() && faults.is_empty(),
        "`strata bench` did not measure every workload ({status}): {}",
        faults.join("; ")
    );
    Ok(())
}

/// Builds the table of steps, with a row for each workload.
fn steps(reports: &[Report]) -> Table {
    let mut table = Table::new([
        "workload",
        "ms a step",
        "fastest",
        "slowest",
        "tokens/s",
        "peak MiB",
        "first loss",
        "last loss",
    ]);
    let loss = |loss: Option<f64>| loss.map_or(String::new(), |loss| format!("{loss:.5}"));
    for report in reports {
        table.row([
            report.workload.clone(),
            figure(report.ms_per_step),
            figure_if(report.ms_min),
            figure_if(report.ms_max),
            whole(report.tokens_per_s),
            report.peak_memory_mb.map_or(String::new(), whole),
            loss(report.loss_first),
            loss(report.loss_last),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_become_rows() {
        let line = r#"{"workload":"ham-1-tiny","ms_per_step":20.514,"ms_min":19.1,"ms_max":130.2,"tokens_per_s":49917.4,"peak_memory_mb":86.4,"loss_first":4.154612,"loss_last":null}"#;
        let (reports, _) = lines::reports(&[line.to_owned()]);
        let table = steps(&reports).to_string();
        let row = "| ham-1-tiny | 20.5 | 19.1 | 130 | 49,917 | 86 | 4.15461 |  |\n";
        assert!(table.ends_with(row), "{table}");
    }
}
