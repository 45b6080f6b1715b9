//! The processes that train one run, this one among them.
//!
//! - here: what they agree on before and after a run, beside what `strata_training::Exchange` sums
//! - `launch`: `strata train --processes N`, which starts them; `heard`: what it hears of them
//! - `orders`: what it tells them
//! - `cards`: `strata train --cards N`, whose processes are threads
//! - `mpi`: how they reach each other; without the feature of that name `without_mpi`

mod cards;
mod heard;
mod launch;
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

use crate::base::error::Error;
use crate::base::output::{self, failed};

pub use cards::Cards;
use heard::Mark;
pub use launch::Launch;

/// Bytes of a text that processes give each other at most.
const LONGEST_TEXT: usize = 1000;
/// First byte of what process 0 tells the others of a command: there is none, an experiment, or a
/// checkpoint.
const FAILED: u8 = 0;
const LOADS: u8 = 1;
const RESTORES: u8 = 2;

/// This process among those of its run.
pub struct Processes {
    exchange: Arc<dyn Exchange>,
    /// Threads to compute with; 0: as many as there are.
    threads: usize,
    /// Name of its host.
    host: String,
    /// Number of this process among those of its host.
    place: usize,
    /// True if `strata train --processes` started it.
    is_launched: AtomicBool,
    /// True if they are cards of this machine.
    are_cards: bool,
    /// True while process 0 can fail without the others knowing.
    is_apart: AtomicBool,
}

impl Processes {
    /// The processes of this run, of which MPI knows if a launcher of it started this one.
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

    /// Threads to compute with; 0: as many as there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Number of this process among those of its machine, from 0.
    pub fn place(&self) -> usize {
        self.place
    }

    pub fn size(&self) -> usize {
        self.exchange.size()
    }

    fn rank(&self) -> usize {
        self.exchange.rank()
    }

    /// True for process 0, which writes and speaks.
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// Refuses other programs and arguments than those of process 0. Process 0 tells `strata train
    /// --processes`, if that started it, who they are, and does from now on what that asks for.
    ///
    /// # Errors
    /// The same in all processes.
    pub fn meet(&self, is_launched: bool) -> Result<(), Error> {
        if self.size() == 1 {
            warn_of_strangers();
            return Ok(());
        }
        self.is_launched.store(is_launched, Ordering::Relaxed);
        let mut hasher = DefaultHasher::new();
        env::args_os().skip(1).for_each(|it| it.hash(&mut hasher));
        for (what, number) in [
            ("another program", program_digest()),
            ("other arguments", hasher.finish()),
        ] {
            if let Some(rank) = self.exchange.odd_one(number) {
                return Err(Error::OtherProcess { rank, what });
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

    /// Hands the first command of the run from process 0 to the others; `None` if there is none.
    pub fn hand_on(&self, command: Option<&Command>) -> Option<Command> {
        let (kind, bytes) = match command {
            Some(Command::Load { experiment }) => {
                (LOADS, serde_json::to_vec(experiment).unwrap_or_default())
            }
            Some(Command::Restore { checkpoint }) => (RESTORES, checkpoint.clone()),
            _ => (FAILED, Vec::new()),
        };
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

    /// Result of this process, if all succeeded.
    ///
    /// # Errors
    /// In all processes, if one of them failed; that of the first one.
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
            // Its own text has not been cut.
            Err(reason) if first == self.rank() => Error::Session(reason),
            _ => Error::OfProcess {
                rank: first,
                host: host.to_owned(),
                reason: told.to_owned(),
            },
        })
    }

    /// The texts that all processes give here, each cut at [`LONGEST_TEXT`].
    fn texts(&self, own: &str) -> Vec<String> {
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

    /// True if any process is to stop before the next step.
    pub fn agree_to_stop(&self, own: bool) -> bool {
        if self.size() == 1 {
            return own;
        }
        let mut row = [f32::from(u8::from(own))];
        self.exchange.sum(&mut row);
        row[0] > 0.0
    }

    /// Tells that process 0 may fail from now on (or no longer) while the others go on.
    pub fn go_apart(&self, is_apart: bool) {
        self.is_apart.store(is_apart, Ordering::Relaxed);
    }

    /// Ends the run in all processes as it ended in process 0: prints its error, and returns its
    /// exit code. In the others, waits for that.
    pub fn end(&self, ended: Result<ExitCode, Error>) -> Result<ExitCode, Error> {
        if self.size() == 1 {
            return ended;
        }
        let code = match ended {
            Ok(code) if code == ExitCode::SUCCESS => 0,
            Ok(_) => crate::base::interrupt::EXIT_CODE,
            Err(failure) if self.leads() => {
                failed(failure);
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

    /// Ends all processes, because this one cannot go on while the others do.
    pub fn fail(&self, reason: &str) -> ! {
        let (rank, host) = (self.rank(), self.host.clone());
        let reason = reason.to_owned();
        failed(Error::OfProcess { rank, host, reason });
        mpi::abort()
    }

    /// Tells the step of the last checkpoint to `strata train --processes`.
    pub fn saved(&self, step: u64) {
        self.mark(&Mark::Saved { step });
    }

    /// Tells the command that goes on with the run.
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

    /// A command for as many processes.
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

    /// Takes leave of the others at the end of the program.
    pub fn leave() {
        mpi::leave();
    }
}

/// Says that Slurm started this process as one of several that do not know each other.
fn warn_of_strangers() {
    let number = |name| env::var(name).ok()?.parse::<usize>().ok();
    let tasks = number("SLURM_STEP_NUM_TASKS").unwrap_or(1);
    // One of them says it.
    if tasks == 1 || number("SLURM_PROCID") != Some(0) {
        return;
    }
    let mend = match mpi::IS_BUILT {
        true => "`srun --mpi=list` names the kinds of MPI that it has, of which MPICH knows `pmi2`",
        false => "this program was built without the feature `mpi`",
    };
    output::warn(&format!(
        "warning: srun started {tasks} processes that do not know each other, so that each trains a run \
         of its own; {mend}."
    ));
}

/// A number of this program's file: other bytes, another number; 0 if it cannot be read.
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
