//! JSON lines by which every measured program reports its figures.

use serde::Deserialize;
use serde_json::Value;

/// Figures of a workload, measured by a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Name of the program: `strata`, `torch`, `jax-js`.
    pub peer: String,
    /// Name of the workload.
    pub workload: String,
    /// Device: `cpu`, `wasm`, `webgpu`, ….
    pub device: String,
    /// Time of the median step, in milliseconds.
    pub ms_per_step: f64,
    /// Time of the fastest step, in milliseconds.
    pub ms_min: Option<f64>,
    /// Time of the slowest step, in milliseconds.
    pub ms_max: Option<f64>,
    /// Target tokens per second, at the median step.
    pub tokens_per_s: f64,
    /// Peak memory of the process (in a browser, of the page's process), in MiB.
    pub peak_memory_mb: Option<f64>,
    /// Peak memory of a browser's GPU process, in MiB.
    pub gpu_process_memory_mb: Option<f64>,
    /// Loss of the first step.
    pub loss_first: Option<f64>,
    /// Loss of the last step.
    pub loss_last: Option<f64>,
    /// Version of the program.
    pub version: Option<String>,
    /// Name and version of the browser.
    pub browser: Option<String>,
    /// Place of the computation, among those that `tests/benches/workloads.rs` compares.
    pub place: Option<String>,
    /// Number of threads.
    pub threads: Option<u32>,
    /// Number of kernel launches per step.
    pub gpu_dispatches_per_step: Option<f64>,
    /// Number of submissions to the GPU's queue per step.
    pub gpu_submits_per_step: Option<f64>,
    /// Number of writes to GPU memory per step.
    pub gpu_uploads_per_step: Option<f64>,
    /// Number of reads from GPU memory per step.
    pub gpu_readbacks_per_step: Option<f64>,
}

/// Parses the JSON lines that a program printed; other lines are skipped.
pub fn values(lines: &[String]) -> impl Iterator<Item = Value> {
    let objects = lines.iter().filter(|line| line.starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

/// Parses the reports that a program printed, and returns a sentence for each line that reports a
/// failure.
pub fn reports(lines: &[String]) -> (Vec<Report>, Vec<String>) {
    let mut reports = Vec::new();
    let mut faults = Vec::new();
    for line in lines.iter().filter(|line| line.starts_with('{')) {
        match report(line) {
            Ok(report) => reports.push(report),
            Err(sentence) => faults.push(sentence),
        }
    }
    (reports, faults)
}

/// Returns the names of the workloads in some reports, in the order of their first report.
pub fn workloads(reports: &[Report]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for report in reports {
        if !names.contains(&report.workload.as_str()) {
            names.push(&report.workload);
        }
    }
    names
}

/// Parses a line as a report, or returns the reason why it is none.
pub fn report(line: &str) -> Result<Report, String> {
    let value: Value =
        serde_json::from_str(line).map_err(|error| format!("{line:?} is no JSON: {error}"))?;
    if let Some(reason) = value["error"].as_str() {
        let word = |key: &str| value[key].as_str().unwrap_or("?").to_owned();
        return Err(format!(
            "{} on {} failed at {}: {reason}",
            word("peer"),
            word("device"),
            word("workload")
        ));
    }
    let no = |what: &str| format!("{line:?} is no report: {what}");
    let report: Report = serde_json::from_value(value).map_err(|error| no(&error.to_string()))?;
    if report.workload.is_empty() || report.ms_per_step <= 0.0 || report.tokens_per_s <= 0.0 {
        return Err(no("it lacks `workload`, `ms_per_step` or `tokens_per_s`"));
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_and_failures_told() {
        let lines = [
            "Finished",
            r#"{"peer":"strata","workload":"a","device":"cpu","ms_per_step":8.15,"tokens_per_s":2,"peak_memory_mb":null,"steps":20}"#,
            r#"{"peer":"jax-js","workload":"b","device":"wasm","error":"out of memory"}"#,
            r#"{"peer":"strata","workload":"c"}"#,
            "{\"cut",
        ];
        let (reports, faults) = reports(&lines.map(str::to_owned));
        assert_eq!(reports.len(), 1);
        assert_eq!(
            (reports[0].ms_per_step, reports[0].peak_memory_mb),
            (8.15, None)
        );
        assert_eq!(faults[0], "jax-js on wasm failed at b: out of memory");
        assert!(faults[1].contains("`ms_per_step`"), "{faults:?}");
        assert!(faults[2].contains("is no JSON"), "{faults:?}");
        assert_eq!(faults.len(), 3);
    }
}
