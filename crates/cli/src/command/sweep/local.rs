//! Executes the runs of a sweep as processes on this machine.

use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use super::planned::Planned;
use crate::base::error::Error;
use crate::base::interrupt::{self, Stage};
use crate::base::output::{print, warn};
use crate::display::format::{counted, path as shown, program, typed};

/// Interval between two checks for finished runs.
const MOMENT: Duration = Duration::from_millis(100);

/// Environment variable that is set in the runs of a sweep.
const STARTED: &str = "STRATA_SWEEP";

/// True if a sweep started this process.
pub fn started_this() -> bool {
    std::env::var_os(STARTED).is_some()
}

struct Running<'a> {
    run: &'a Planned,
    child: Child,
}

impl Running<'_> {
    /// Returns the exit status of the process; `None` while the process runs.
    fn status(&mut self) -> Result<Option<ExitStatus>, Error> {
        let status = self.child.try_wait();
        status.map_err(|reason| Error::Session(format!("{}: {reason}", self.run.name)))
    }
}

/// Executes all runs, `jobs` at a time, and prints the result of each. Ctrl-C ends the present runs
/// after their step, and starts no others; the same command goes on later.
///
/// # Errors
/// If this program cannot start itself.
pub fn run(planned: &[Planned], jobs: usize, out: &Path) -> Result<ExitCode, Error> {
    interrupt::listen();
    // A terminal signals the runs, too, which end after their step.
    interrupt::enter(Stage::Run(
        "Runs that are done stay so; the same command goes on from here.".to_owned(),
    ));
    let mut waiting = planned.iter();
    let mut running: Vec<Running<'_>> = Vec::new();
    let mut failed = 0;
    let mut done = 0;
    loop {
        while running.len() < jobs && !interrupt::stop_requested() {
            let Some(run) = waiting.next() else { break };
            running.push(Running {
                run,
                child: start(run)?,
            });
        }
        if running.is_empty() {
            break;
        }
        let mut still = Vec::new();
        for mut run in running {
            let Some(status) = run.status()? else {
                still.push(run);
                continue;
            };
            done += 1;
            let name = &run.run.name;
            if status.success() {
                print(&format!("{done} of {}: {name}", planned.len()));
            } else {
                failed += 1;
                warn(&format!(
                    "{name} has not come to its end ({status}); try it alone: {}",
                    typed(&run.run.arguments)
                ));
            }
        }
        running = still;
        thread::sleep(MOMENT);
    }
    let left = planned.len() - done;
    end(left, failed, planned.len(), out)
}

/// Says how the sweep ended, with `left` runs not begun and `failed` runs without an end.
fn end(left: usize, failed: usize, all: usize, out: &Path) -> Result<ExitCode, Error> {
    let all = counted(all as u64, "run");
    if interrupt::stop_requested() && (left > 0 || failed > 0) {
        warn(&format!(
            "Ended: {} not begun. The same command goes on from here.",
            counted(left as u64, "run")
        ));
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    if failed > 0 {
        return Err(Error::Session(format!(
            "{failed} of {all} have not come to their end; where what is said above is mended, the same \
             command tries them again"
        )));
    }
    print(&format!(
        "All {all} are done. Compare them:\n  {} compare {}",
        program(),
        shown(out)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Starts this program for one run, which prints nothing but errors, on standard error.
fn start(run: &Planned) -> Result<Child, Error> {
    let program = std::env::current_exe().map_err(|reason| {
        Error::Session(format!(
            "this program cannot be found to be started again: {reason}"
        ))
    })?;
    let started = Command::new(program)
        .args(&run.arguments)
        .arg("--quiet")
        .env(STARTED, std::process::id().to_string())
        // The pipe is open as long as this process lives: if the sweep is killed, its runs end,
        // too.
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    started.map_err(|reason| Error::Session(format!("{} cannot be started: {reason}", run.name)))
}
