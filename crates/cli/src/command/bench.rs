//! `strata bench`: runs workloads that other programs can run with the same numbers, and reports
//! the time per step.
//!
//! Each workload runs in a process of its own, so that its peak memory can be told.

mod arguments;
mod peak;
mod table;

use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use burn::tensor::Device;
use pollster::block_on;
use serde::{Deserialize, Serialize};
use strata_training::Precision;
use strata_training::workload::{self, Workload, WorkloadReport, Workloads};

use crate::base::error::Error;
use crate::base::output::{print, warn};
use crate::base::peak_memory;
use crate::base::text_file;
use crate::model::device::DeviceChoice;
pub use arguments::BenchArguments;
use table::Table;

/// Runs the workloads that the arguments name, or all workloads.
pub fn run(arguments: &BenchArguments) -> Result<ExitCode, Error> {
    let path = arguments.workloads.as_deref();
    let file = match path {
        None => Workloads::known(),
        Some(path) => {
            let text = text_file::read(path)?;
            Workloads::read(&text).map_err(Error::workload(Some(path)))?
        }
    };
    let names: Vec<&str> = if arguments.only.is_empty() {
        file.names().collect()
    } else {
        arguments.only.iter().map(String::as_str).collect()
    };
    // All workloads are checked before the first runs, so that no error shows up after an hour.
    let mut workloads = Vec::with_capacity(names.len());
    for name in names {
        let mut workload = file.get(name).map_err(Error::workload(path))?;
        workload.steps = arguments.steps.unwrap_or(workload.steps);
        workload.warmup = arguments.warmup.unwrap_or(workload.warmup);
        workloads.push(workload);
    }
    if !arguments.is_launched
        && let Some(warning) = arguments
            .device
            .warning_of_precision(arguments.precision.into())
    {
        warn(&warning);
    }
    let mut output = Output::new(arguments, &workloads);
    if let [workload] = &workloads[..] {
        output.show(&measure(workload, arguments)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut code = ExitCode::SUCCESS;
    let mut measured = false;
    for workload in &workloads {
        match measure_apart(workload, arguments)? {
            Some(report) => {
                output.show(&report);
                measured = true;
            }
            // The process has printed the reason. A failure of the first workload would repeat
            // itself in all others.
            None if !measured => return Ok(ExitCode::FAILURE),
            None => code = ExitCode::FAILURE,
        }
    }
    Ok(code)
}

/// Format of the reports.
enum Output {
    Lines,
    Table(Table),
}

impl Output {
    fn new(arguments: &BenchArguments, workloads: &[Workload]) -> Self {
        if arguments.json {
            return Self::Lines;
        }
        let table = Table::new(workloads);
        print(&table.head());
        Self::Table(table)
    }

    fn show(&mut self, report: &BenchReport) {
        match self {
            Self::Lines => print(&line(report)),
            Self::Table(table) => print(&table.row(report)),
        }
    }
}

/// Report of a workload, and of its products beside the processor's peak.
#[derive(Serialize, Deserialize, Debug)]
struct BenchReport {
    #[serde(flatten)]
    report: WorkloadReport,
    /// Billions of floating-point operations of a step's products, if they are known.
    gflop_per_step: Option<f64>,
    /// Billions of floating-point operations a second that the processor reaches in products alone,
    /// measured after the steps; on a processor, in F32, where those of a step are known.
    peak_gflop_per_s: Option<f64>,
}

impl BenchReport {
    /// Share of the processor's peak that a step reaches, in its median duration.
    fn share_of_peak(&self) -> Option<f64> {
        let of_step = self.gflop_per_step? / self.report.ms_per_step * 1e3;
        Some(of_step / self.peak_gflop_per_s?)
    }
}

fn line(report: &BenchReport) -> String {
    serde_json::to_string(report).expect("a report is plain data")
}

/// Runs a workload in this process.
fn measure(workload: &Workload, arguments: &BenchArguments) -> Result<BenchReport, Error> {
    let failed = Error::workload(arguments.workloads.as_deref());
    let (device, _) = arguments.device.open()?;
    let baseline = peak_memory::peak();
    let precision = Precision::from(arguments.precision);
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64() * 1e3;
    let name = arguments.device.standard_name();
    let measured = workload::measure(workload, precision, &device, name, clock);
    let report = block_on(measured).map_err(failed)?;
    let report = WorkloadReport {
        peak_memory_mb: peak_bytes(arguments.device, &device).map(mebibytes),
        baseline_memory_mb: baseline
            .filter(|_| arguments.device == DeviceChoice::Flex)
            .map(mebibytes),
        ..report
    };
    let gigas = |operations: f64| (operations / 1e6).round() / 1e3;
    let operations = workload.operations();
    let has_peak = arguments.device == DeviceChoice::Flex && precision == Precision::F32;
    Ok(BenchReport {
        report,
        gflop_per_step: operations.map(gigas),
        peak_gflop_per_s: operations
            .filter(|_| has_peak)
            .map(|_| gigas(peak::measure())),
    })
}

/// Returns the peak memory in bytes: of the process, or reserved for it on the GPU.
fn peak_bytes(choice: DeviceChoice, device: &Device) -> Option<u64> {
    if choice == DeviceChoice::Flex {
        return peak_memory::peak();
    }
    device.memory_pool_usage().map(|usage| usage.bytes_reserved)
}

fn mebibytes(bytes: u64) -> f64 {
    (bytes as f64 / 1024.0 / 1024.0 * 10.0).round() / 10.0
}

/// Runs a workload in a process of its own; `None` if the process failed, which has then printed
/// the reason.
fn measure_apart(
    workload: &Workload,
    arguments: &BenchArguments,
) -> Result<Option<BenchReport>, Error> {
    let started = start(workload, arguments);
    let ended = started.and_then(last_line);
    let line = ended.map_err(|reason| {
        Error::Session(format!(
            "workload `{}` cannot be run in a process of its own ({reason}); run it alone with \
             `--only {}`",
            workload.name, workload.name
        ))
    })?;
    Ok(serde_json::from_str(&line).ok())
}

fn start(workload: &Workload, arguments: &BenchArguments) -> io::Result<Child> {
    let precision = Precision::from(arguments.precision);
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["bench", "--json", "--launched"]);
    if let Some(path) = &arguments.workloads {
        command.arg("--workloads").arg(path);
    }
    command
        .arg(format!("--only={}", workload.name))
        .arg(format!("--device={}", arguments.device.name()))
        .arg(format!("--precision={}", precision.name()))
        .arg(format!("--steps={}", workload.steps))
        .arg(format!("--warmup={}", workload.warmup));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

fn last_line(mut child: Child) -> io::Result<String> {
    let mut last = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            last = line?;
        }
    }
    child.wait()?;
    Ok(last)
}
