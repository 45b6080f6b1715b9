//! Lines of JSON, the form in which every program that is measured says how fast it was.

use serde::Deserialize;
use serde_json::Value;

/// Measurements of a workload by a program.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Name of the program: `strata`, `torch`, `jax-js`.
    pub peer: String,
    /// The workload.
    pub workload: String,
    /// Device: `cpu`, `wasm`, `webgpu`, ….
    pub device: String,
    /// The median step, in milliseconds.
    pub ms_per_step: f64,
    /// The fastest step.
    pub ms_min: Option<f64>,
    /// The slowest step.
    pub ms_max: Option<f64>,
    /// Target tokens by the median step.
    pub tokens_per_s: f64,
    /// Most memory of the process, of a browser's page, in MiB.
    pub peak_memory_mb: Option<f64>,
    /// Most memory of a browser's process for graphics, in MiB.
    pub gpu_process_memory_mb: Option<f64>,
    /// Loss of the first step.
    pub loss_first: Option<f64>,
    /// Loss of the last step.
    pub loss_last: Option<f64>,
    /// Version of the program.
    pub version: Option<String>,
    /// The browser's version.
    pub browser: Option<String>,
    /// Place of the computation, among those that `tests/benches/workloads.rs` compares.
    pub place: Option<String>,
    /// Number of threads.
    pub threads: Option<u32>,
    /// Kernels launched in a step.
    pub gpu_dispatches_per_step: Option<f64>,
    /// Number of times that a step hands launches over.
    pub gpu_submits_per_step: Option<f64>,
    /// Number of times that a step writes into the GPU's memory.
    pub gpu_uploads_per_step: Option<f64>,
    /// Number of times that a step reads from it.
    pub gpu_readbacks_per_step: Option<f64>,
}

/// The values in what a program printed; lines of other kinds are passed over.
pub fn values(lines: &[String]) -> impl Iterator<Item = Value> {
    let objects = lines.iter().filter(|line| line.starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

/// The reports in what a program printed, and a sentence for each line that is one of a failure.
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

/// The workloads of some reports, in their order.
pub fn workloads(reports: &[Report]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for report in reports {
        if !names.contains(&report.workload.as_str()) {
            names.push(&report.workload);
        }
    }
    names
}

/// The report that a line is, or why it is none.
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
