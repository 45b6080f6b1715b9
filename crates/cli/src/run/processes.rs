//! The processes that train one run, this one among them.
//!
//! - here: what processes agree on before and after a run; sums of gradients are in
//!   `strata_training::Exchange`
//! - `launch`: `strata train --processes N`, which starts the processes; `messages`: what it reads of
//!   their output
//! - `orders`: what it writes to process 0
//! - `cards`: `strata train --cards N`, whose processes are threads
//! - `mpi`: how processes reach each other; `without_mpi` in a program built without that feature

mod cards;
mod launch;
mod messages;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(not(feature = "mpi"))]
#[path = "processes/without_mpi.rs"]
mod mpi;
pub mod orders;

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};
use strata_session::protocol::Command;
use strata_training::{Alone, Exchange};

use crate::base::error::{Error, ProcessError};
use crate::base::output::{self, failed};

pub use cards::Cards;
pub use launch::Launch;
use messages::Mark;

/// Most bytes of a text that processes exchange.
const LONGEST_TEXT: usize = 1000;
/// First byte of a command from process 0: `FAILED` for no command, `LOADS` for an experiment,
/// `RESTORES` for a checkpoint.
const FAILED: u8 = 0;
const LOADS: u8 = 1;
const RESTORES: u8 = 2;

/// This process and its connection to the others of the run.
pub struct Processes {
    exchange: Arc<dyn Exchange>,
    /// Number of threads to compute with; 0 for as many as there are.
    threads: usize,
    /// Name of this process's host.
    host: String,
    /// Number of this process among the processes of its host, from 0.
    place: usize,
    /// True if `strata train --processes` started the processes.
    is_launched: AtomicBool,
    /// True if the processes are threads of this program, a thread for each card.
    are_cards: bool,
    /// True while process 0 can fail and the other processes go on.
    is_apart: AtomicBool,
}

impl Processes {
    /// Returns the processes of this run: those of MPI if a launcher started this process,
    /// otherwise this process alone.
    pub fn present() -> &'static Self {
        static PRESENT: OnceLock<Processes> = OnceLock::new();
        PRESENT.get_or_init(|| mpi::join().unwrap_or_else(Self::alone))
    }

    fn alone() -> Self {
        Self::new(Arc::new(Alone), 0, String::new(), 0)
    }

    fn new(exchange: Arc<dyn Exchange>, threads: usize, host: String, place: usize) -> Self {
        Self {
            exchange,
            threads,
            host,
            place,
            is_launched: AtomicBool::new(false),
            are_cards: false,
            is_apart: AtomicBool::new(false),
        }
    }

    pub fn exchange(&self) -> Arc<dyn Exchange> {
        Arc::clone(&self.exchange)
    }

    /// Number of threads to compute with; 0 for as many as there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Number of this process among the processes of its host, from 0.
    pub fn place(&self) -> usize {
        self.place
    }

    pub fn size(&self) -> usize {
        self.exchange.size()
    }

    fn rank(&self) -> usize {
        self.exchange.rank()
    }

    /// True for process 0, which writes files and prints.
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// Checks that all processes run the same program with the same arguments. If
    /// `strata train --processes` started them, process 0 tells it who they are, and follows its
    /// orders from now on.
    ///
    /// # Errors
    /// If a process differs from process 0; all processes return the same error.
    pub fn meet(&self, is_launched: bool) -> Result<(), Error> {
        if self.size() == 1 {
            warn_of_strangers();
            return Ok(());
        }
        self.is_launched.store(is_launched, Ordering::Relaxed);
        // Every process must take part in each exchange below, in this order, even if it has
        // nothing to say: otherwise the others wait for ever.
        let mut hasher = DefaultHasher::new();
        env::args_os().skip(1).for_each(|it| it.hash(&mut hasher));
        for (what, number) in [
            ("another program", program_digest()),
            ("other arguments", hasher.finish()),
        ] {
            if let Some(rank) = self.exchange.odd_one(number) {
                return Err(ProcessError::OtherProcess { rank, what }.into());
            }
        }
        let numbers = self.exchange.gather(process::id().into());
        let hosts = self.texts(&self.host);
        if self.leads() && is_launched {
            self.mark(&Mark::Began {
                processes: numbers.into_iter().zip(hosts).collect(),
            });
            orders::listen();
        }
        Ok(())
    }

    /// Passes the first command of the run from process 0 to all; `None` if process 0 has none.
    pub fn hand_on(&self, command: Option<&Command>) -> Option<Command> {
        let (kind, bytes) = match command {
            Some(Command::Load { experiment }) => {
                (LOADS, serde_json::to_vec(experiment).unwrap_or_default())
            }
            Some(Command::Restore { checkpoint }) => (RESTORES, checkpoint.clone()),
            _ => (FAILED, Vec::new()),
        };
        // First kind and length, so that the other processes know how many bytes follow.
        let mut head = [0; 9];
        head[0] = kind;
        head[1..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.exchange.spread(&mut head);
        let [kind, length @ ..] = head;
        let mut bytes = bytes;
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        self.exchange.spread(&mut bytes);
        match kind {
            LOADS => {
                let experiment = serde_json::from_slice(&bytes).ok()?;
                Some(Command::Load { experiment })
            }
            RESTORES => Some(Command::Restore { checkpoint: bytes }),
            _ => None,
        }
    }

    /// Returns this process's result if all processes have succeeded.
    ///
    /// # Errors
    /// If a process has failed: in all processes, the error of the first that did.
    pub fn all<T>(&self, done: Result<T, String>) -> Result<T, Error> {
        let failures = self.exchange.gather(done.is_err().into());
        let Some(first) = failures.iter().position(|&failed| failed > 0) else {
            return done.map_err(Error::Session);
        };
        let reason = done.as_ref().err().map_or("", String::as_str);
        let mut texts = self.texts(&format!("{}\n{reason}", self.host));
        let text = texts.swap_remove(first);
        let (host, told) = text.split_once('\n').unwrap_or_default();
        Err(match done {
            // The own text is whole; texts of other processes are cut.
            Err(reason) if first == self.rank() => Error::Session(reason),
            _ => Error::from(ProcessError::OfProcess {
                rank: first,
                host: host.to_owned(),
                reason: told.to_owned(),
            }),
        })
    }

    /// Returns the texts that all processes give, each cut at [`LONGEST_TEXT`] bytes.
    fn texts(&self, own: &str) -> Vec<String> {
        // Texts travel as a sum: each process fills its own part of the row and leaves the rest
        // zero. A byte is exact as a floating-point number, and no other exchange is needed.
        let mut row = vec![0.0; LONGEST_TEXT * self.size()];
        let place = &mut row[LONGEST_TEXT * self.rank()..];
        for (place, byte) in place.iter_mut().zip(own.bytes().take(LONGEST_TEXT)) {
            *place = byte.into();
        }
        self.exchange.sum(&mut row);
        let texts = row.chunks_exact(LONGEST_TEXT).map(|text| {
            let bytes = text.iter().map(|&byte| byte as u8);
            let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        texts.collect()
    }

    /// True if any process wants to stop before the next step.
    pub fn agree_to_stop(&self, own: bool) -> bool {
        if self.size() == 1 {
            return own;
        }
        let mut row = [f32::from(u8::from(own))];
        self.exchange.sum(&mut row);
        row[0] > 0.0
    }

    /// Records that process 0 may fail from now on (or no longer) while the others go on.
    pub fn go_apart(&self, is_apart: bool) {
        self.is_apart.store(is_apart, Ordering::Relaxed);
    }

    /// Ends the run in all processes as it ended in process 0, whose error is printed and whose
    /// exit code is returned. Other processes wait for that code.
    pub fn end(&self, ended: Result<ExitCode, Error>) -> Result<ExitCode, Error> {
        if self.size() == 1 {
            return ended;
        }
        let code = match ended {
            Ok(code) if code == ExitCode::SUCCESS => 0,
            Ok(_) => crate::base::interrupt::EXIT_CODE,
            Err(failure) if self.leads() => {
                failed(failure);
                // The others are in the middle of a step, and would wait for process 0 for ever:
                // end them, too.
                if self.is_apart.load(Ordering::Relaxed) {
                    mpi::abort();
                }
                1
            }
            Err(_) => 1,
        };
        let mut byte = [code];
        self.exchange.spread(&mut byte);
        Ok(ExitCode::from(byte[0]))
    }

    /// Ends all processes, because this process cannot go on while the others do.
    pub fn fail(&self, reason: &str) -> ! {
        let (rank, host) = (self.rank(), self.host.clone());
        let reason = reason.to_owned();
        failed(ProcessError::OfProcess { rank, host, reason }.into());
        mpi::abort()
    }

    /// Tells `strata train --processes` the step of the last checkpoint.
    pub fn saved(&self, step: u64) {
        self.mark(&Mark::Saved { step });
    }

    /// Tells `strata train --processes` the command that continues the run.
    pub fn goes_on_with(&self, command: &str) {
        self.mark(&Mark::GoingOn {
            command: command.to_owned(),
        });
    }

    fn mark(&self, mark: &Mark) {
        if self.is_launched.load(Ordering::Relaxed) {
            drop(writeln!(io::stderr(), "{}", mark.line()));
        }
    }

    /// Returns a command for the same number of processes.
    pub fn of_all(&self, command: String, hosts: Option<&str>) -> String {
        let size = self.size();
        match (size, self.is_launched.load(Ordering::Relaxed), hosts) {
            (1, ..) => command,
            _ if self.are_cards => format!("{command} --cards {size}"),
            (_, false, _) => format!("mpiexec -n {size} {command}"),
            (_, true, None) => format!("{command} --processes {size}"),
            (_, true, Some(hosts)) => format!("{command} --processes {size} --hosts {hosts}"),
        }
    }

    /// Ends MPI, at the end of the program.
    pub fn leave() {
        mpi::leave();
    }
}

/// Warns if Slurm started several processes that do not know each other.
fn warn_of_strangers() {
    let number = |name| env::var(name).ok()?.parse::<usize>().ok();
    let tasks = number("SLURM_STEP_NUM_TASKS").unwrap_or(1);
    // One process warns for all.
    if tasks == 1 || number("SLURM_PROCID") != Some(0) {
        return;
    }
    let mend = if mpi::IS_BUILT {
        "`srun --mpi=list` names the kinds of MPI that it has, of which MPICH knows `pmi2`"
    } else {
        "this program was built without the feature `mpi`"
    };
    output::warn(&format!(
        "warning: srun started {tasks} processes that do not know each other, so that each trains a run \
         of its own; {mend}."
    ));
}

/// Returns 64 bits of a SHA-256 of this program's file, which differ if any byte differs; 0 if the
/// file cannot be read.
fn program_digest() -> u64 {
    let program = env::current_exe().and_then(std::fs::read);
    let digest = program.map(Sha256::digest);
    digest.map_or(0, |digest| {
        let bytes = digest.iter().take(8);
        bytes.fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_training::Experiment;

    use super::*;

    #[test]
    fn a_command_is_handed_on_whole() {
        let alone = Processes::alone();
        let experiment = Box::new(Experiment::default());
        let load = Command::Load { experiment };
        assert!(matches!(
            alone.hand_on(Some(&load)),
            Some(Command::Load { experiment }) if *experiment == Experiment::default()
        ));
        let checkpoint = vec![0, 1, 255];
        let restore = Command::Restore { checkpoint };
        assert!(matches!(
            alone.hand_on(Some(&restore)),
            Some(Command::Restore { checkpoint }) if checkpoint == [0, 1, 255]
        ));
        assert!(alone.hand_on(None).is_none());
    }

    #[test]
    fn a_text_is_cut_and_not_broken() {
        let alone = Processes::alone();
        assert_eq!(alone.texts("Münze"), ["Münze"]);
        assert_eq!(alone.texts(&"x".repeat(5000))[0].len(), LONGEST_TEXT);
    }

    #[test]
    fn a_single_process_agrees_with_itself() {
        let alone = Processes::alone();
        assert!(alone.agree_to_stop(true) && !alone.agree_to_stop(false));
        assert_eq!(alone.of_all("strata".to_owned(), None), "strata");
        assert_eq!(alone.all(Ok(3)).unwrap(), 3);
        let failure = alone.all::<()>(Err("no".to_owned())).unwrap_err();
        assert_eq!(
            failure.to_string(),
            Error::Session("no".to_owned()).to_string()
        );
    }
}
