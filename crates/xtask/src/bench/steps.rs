//! Whole steps of defined workloads, by `strata bench`.

use super::Bench;
use super::arguments::Part;
use super::layers::levels;
use super::reports;
use super::table::{Table, figure, whole};
use crate::process;
use anyhow::{Result, ensure};
use serde_json::Value;
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
    let mut command = Command::new(bench.strata()?);
    command.args(["bench", "--json", "--device", &arguments.device]);
    command.args(arguments.step_options());
    for name in &arguments.workload {
        command.arg(format!("--only={name}"));
    }
    let (printed, status) = process::lines(&mut command)?;
    let (reports, faults) = reports::parse_all(&printed);
    ensure!(
        !reports.is_empty(),
        "`strata bench` measured nothing ({status}); its output is above"
    );
    let [steps_block, levels_block] = [0, 1].map(|at| part.blocks(&arguments.device)[at].0.clone());
    bench.keep(part, &steps_block, &[], &steps(&reports));
    let time = |name: &str| {
        let report = reports.iter().find(|report| report["workload"] == name)?;
        report["ms_per_step"].as_f64()
    };
    let table = levels(&LEVELS, time);
    if !table.is_empty() {
        bench.keep(part, &levels_block, &[], &table);
    }
    ensure!(
        status.success() && faults.is_empty(),
        "`strata bench` did not measure every workload ({status}): {}",
        faults.join("; ")
    );
    Ok(())
}

/// Builds the table of steps, with a row for each workload.
fn steps(reports: &[Value]) -> Table {
    let mut table = Table::new([
        "workload",
        "ms a step",
        "fastest",
        "slowest",
        "tokens/s",
        "peak MiB",
        "of f32 peak",
        "first loss",
        "last loss",
    ]);
    let cell = |number: &Value, format: fn(f64) -> String| number.as_f64().map(format);
    let loss = |loss: f64| format!("{loss:.5}");
    for report in reports {
        let cells = [
            report["workload"].as_str().map(str::to_owned),
            cell(&report["ms_per_step"], figure),
            cell(&report["ms_min"], figure),
            cell(&report["ms_max"], figure),
            cell(&report["tokens_per_s"], whole),
            cell(&report["peak_memory_mb"], whole),
            share_of_peak(report).map(|share| format!("{:.2}", share)),
            cell(&report["loss_first"], loss),
            cell(&report["loss_last"], loss),
        ];
        table.row(cells.map(Option::unwrap_or_default));
    }
    table
}

/// Share of the processor's peak that the products of a step reach.
fn share_of_peak(report: &Value) -> Option<f64> {
    let number = |key: &str| report[key].as_f64();
    let of_step = number("gflop_per_step")? / number("ms_per_step")? * 1e3;
    Some(of_step / number("peak_gflop_per_s")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_become_rows() {
        let line = r#"{"workload":"ham-1-tiny","ms_per_step":20.514,"ms_min":19.1,"ms_max":130.2,"tokens_per_s":49917.4,"peak_memory_mb":86.4,"loss_first":4.154612,"loss_last":null,"gflop_per_step":1.6,"peak_gflop_per_s":200.0}"#;
        let (reports, _) = reports::parse_all(&[line.to_owned()]);
        let table = steps(&reports).to_string();
        let row = "| ham-1-tiny | 20.5 | 19.1 | 130 | 49,917 | 86 | 0.39 | 4.15461 |  |\n";
        assert!(table.ends_with(row), "{table}");
    }
}
