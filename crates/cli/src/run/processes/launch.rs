//! `strata train --processes N`: starts N processes by `mpiexec`, passes on their output and the
//! user's requests, and says how the run ended if no process could.

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::messages::LauncherMessages;
use super::{Processes, mpi, orders};
use crate::base::error::{Error, ProcessError};
use crate::base::interrupt::{self, Request};
use crate::base::output;
use crate::command::train::TrainArguments;
use crate::display::format::typed;

/// The program that starts the processes.
const LAUNCHER: &str = "mpiexec";
/// Interval between two checks of the launcher.
const MOMENT: Duration = Duration::from_millis(20);
/// Time within which a further signal counts as the same request.
const SAME_REQUEST: Duration = Duration::from_secs(1);
/// Number of requests to end after which the processes are killed.
const KILLING_REQUEST: u32 = 3;

/// The processes to start.
pub struct Launch {
    processes: usize,
    hosts: Option<String>,
}

impl Launch {
    /// Returns the processes that the arguments ask to start; `None` if this process trains itself.
    ///
    /// # Errors
    /// If the arguments ask for several and the program has no MPI, or if a launcher has started
    /// another number.
    pub fn from_arguments(
        arguments: &TrainArguments,
        present: &Processes,
    ) -> Result<Option<Self>, Error> {
        let started = present.size();
        let Some(processes) = arguments.processes.filter(|_| !arguments.is_launched) else {
            return Ok(None);
        };
        match (processes, started) {
            (asked, started) if started > 1 && asked != started => {
                Err(ProcessError::StartedOtherwise { asked, started }.into())
            }
            (1, _) if arguments.hosts.is_none() => Ok(None),
            (_, started) if started > 1 => Ok(None),
            _ if !mpi::IS_BUILT => Err(ProcessError::MpiNotBuilt { processes }.into()),
            _ => Ok(Some(Self {
                processes,
                hosts: arguments.hosts.clone(),
            })),
        }
    }

    /// Starts the processes, and waits until all have ended.
    ///
    /// # Errors
    /// If they cannot be started, or one of them ends without a message.
    pub fn run(&self) -> Result<ExitCode, Error> {
        let missing = |reason| ProcessError::NoLauncher { reason };
        let words = env::args_os().skip(1);
        let words: Vec<String> = words.map(|it| it.to_string_lossy().into_owned()).collect();
        let mut child = self.command()?.spawn().map_err(missing)?;
        let mut input = child.stdin.take();
        let messages = Arc::new(Mutex::new(LauncherMessages::new(typed(&words))));
        let listening = listen_to(&mut child, &messages);
        let listeners = listening.inspect_err(|_| drop(child.kill()))?;
        // From here on a signal is passed on as an order: process 0 then ends the run after its
        // step.
        let (sender, requests) = mpsc::channel();
        interrupt::on_signals(move |request| _ = sender.send(request)).map_err(missing)?;
        let mut last: Option<Instant> = None;
        let mut stop_requests = 0;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(missing)? {
                break status;
            }
            let Ok(request) = requests.recv_timeout(MOMENT) else {
                continue;
            };
            if request == Request::End && last.is_none_or(|last| last.elapsed() > SAME_REQUEST) {
                stop_requests += 1;
                last = Some(Instant::now());
            }
            if stop_requests >= KILLING_REQUEST {
                child.kill().map_err(missing)?;
            }
            let order = match request {
                Request::End => orders::STOP,
                Request::Save => orders::SAVE,
            };
            if let Some(input) = &mut input {
                // A run that has ended reads no more orders.
                drop(writeln!(input, "{order}").and_then(|()| input.flush()));
            }
        };
        for listener in listeners {
            // A thread that panicked has no more output.
            drop(listener.join());
        }
        let messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
        end(status, &messages)
    }

    fn command(&self) -> Result<Command, Error> {
        let version = Command::new(LAUNCHER).arg("--version").output();
        let version = version.map_err(|reason| ProcessError::NoLauncher { reason })?;
        let is_open_mpi = String::from_utf8_lossy(&version.stdout).contains("Open MPI")
            || String::from_utf8_lossy(&version.stdout).contains("OpenRTE");
        let mut command = Command::new(LAUNCHER);
        command.arg("-n").arg(self.processes.to_string());
        if let Some(hosts) = &self.hosts {
            command.args([if is_open_mpi { "--host" } else { "-hosts" }, hosts]);
        }
        let mut typed = env::args_os();
        command.arg(typed.next().unwrap_or_else(|| OsString::from("strata")));
        // The command's name comes first: `--launched` is one of its options.
        command.args(typed.next()).arg("--launched").args(typed);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that Ctrl-C of the terminal reaches only this process: the
        // launcher would kill the run at once.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }
}

/// Starts a thread for each output stream of the launcher, which passes the output on.
///
/// # Errors
/// If a thread cannot be started.
fn listen_to(
    child: &mut Child,
    messages: &Arc<Mutex<LauncherMessages>>,
) -> Result<Vec<JoinHandle<()>>, Error> {
    let mut listeners = Vec::new();
    if let Some(stream) = child.stdout.take() {
        let messages = Arc::clone(messages);
        listeners.push(Builder::new().spawn(move || listen(stream, &messages, output::write)));
    }
    if let Some(stream) = child.stderr.take() {
        let messages = Arc::clone(messages);
        let warn = |line: &[u8]| drop(io::stderr().write_all(line));
        listeners.push(Builder::new().spawn(move || listen(stream, &messages, warn)));
    }
    let started: io::Result<_> = listeners.into_iter().collect();
    started.map_err(|reason| Error::NoThread {
        purpose: "what the processes say",
        reason,
    })
}

/// Passes on the output of processes and launcher, until the stream ends.
fn listen(stream: impl Read, messages: &Mutex<LauncherMessages>, mut show: impl FnMut(&[u8])) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line);
        let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.read_line(text.trim_end_matches(['\n', '\r'])) {
            show(&line);
        }
        line.clear();
    }
}

/// Returns the exit code of the run, or the error that says how the run ended if no process could.
fn end(status: ExitStatus, messages: &LauncherMessages) -> Result<ExitCode, Error> {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    match (messages.end(), code) {
        (None, Some(code @ (0 | 1 | interrupt::EXIT_CODE))) => Ok(ExitCode::from(code)),
        (Some(_), Some(interrupt::EXIT_CODE)) => Ok(ExitCode::from(interrupt::EXIT_CODE)),
        (end, _) => Err(Error::from(ProcessError::ProcessEnded {
            what: end.or_else(|| messages.noticed()).unwrap_or_else(|| {
                messages
                    .internal()
                    .iter()
                    .for_each(|line| output::tell(line));
                format!("{LAUNCHER} ended with {status}")
            }),
            left: messages.left(),
        })),
    }
}
