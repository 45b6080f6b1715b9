//! Reports as a table, each report printed as a line as soon as it arrives.

use strata_training::workload::Workload;

use super::BenchReport;
use crate::display::format::grouped;

/// A table of workload reports.
pub struct Table {
    names: usize,
}

impl Table {
    pub fn new(workloads: &[Workload]) -> Self {
        let names = workloads.iter().map(|it| it.name.chars().count());
        Self {
            names: names.max().unwrap_or(0).max("workload".len()),
        }
    }

    pub fn head(&self) -> String {
        self.line([
            "workload",
            "device",
            "ms per step",
            "fastest",
            "slowest",
            "tokens/s",
            "peak MiB",
            "of f32 peak",
            "first loss",
            "last loss",
        ])
    }

    pub fn row(&self, report: &BenchReport) -> String {
        let share = report.share_of_peak();
        let report = &report.report;
        let milliseconds = |it: f64| format!("{it:.2}");
        let memory = report.peak_memory_mb;
        let cells = [
            report.workload.clone(),
            report.device.clone(),
            milliseconds(report.ms_per_step),
            milliseconds(report.ms_min),
            milliseconds(report.ms_max),
            grouped(report.tokens_per_s as u64),
            memory.map_or("?".to_owned(), |it| grouped(it as u64)),
            share.map_or(String::new(), |share| format!("{:.0} %", share * 100.0)),
            format!("{:.5}", report.loss_first),
            format!("{:.5}", report.loss_last),
        ];
        self.line(cells.each_ref().map(String::as_str))
    }

    fn line(&self, [name, device, rest @ ..]: [&str; 10]) -> String {
        let names = self.names;
        let rest: String = rest.map(|cell| format!("{cell:>13}")).concat();
        format!("{name:names$}  {device:6}{rest}")
    }
}
