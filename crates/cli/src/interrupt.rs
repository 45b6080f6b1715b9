//! Ctrl-C, a system that shuts down, a cluster that wants a run saved.
//!
//! The first signal that asks for an end is acknowledged at once and ends the run after the present
//! step; a second one ends it at once, with the last complete state saved where there is one to
//! save. `SIGUSR1` and `SIGUSR2` ask for a checkpoint alone.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::output::warn;
use crate::terminal;

/// What shells report of a program that Ctrl-C ended.
pub const EXIT_CODE: u8 = 130;

/// Signals this soon after the last are the same wish: `timeout` and some shells send theirs to the
/// program and again to its group, and a key that is held down repeats.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Whether an end of the run was asked for.
static ASKED: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    stage: Stage::AtOnce(String::new()),
    heard: None,
    is_rescuing: false,
    rescue: None,
});
/// The step of the last checkpoint that was written; held while one is, so that an older one never
/// takes the place of a newer one.
static WRITTEN: Mutex<Option<u64>> = Mutex::new(None);
/// Whether a checkpoint was asked for.
static SAVE: AtomicBool = AtomicBool::new(false);

/// What an end means at present.
#[derive(Debug)]
pub enum Stage {
    /// There is nothing to finish first; the sentence says what comes of it.
    AtOnce(String),
    /// A run, which ends after its step. The sentence says what there is of it already.
    Run(String),
}

struct State {
    stage: Stage,
    /// When an end was asked for last.
    heard: Option<Instant>,
    is_rescuing: bool,
    rescue: Option<Rescue>,
}

/// The last complete state of a run.
pub struct Rescue {
    /// Steps taken.
    pub step: u64,
    /// Saves it, and says so.
    pub save: Box<dyn FnOnce() -> String + Send>,
}

/// Begins to listen.
pub fn listen() {
    // Without a handler Ctrl-C ends the program as it always does; the checkpoints are there.
    if let Err(error) = hear() {
        warn(&format!("warning: Ctrl-C will not save ({error})."));
    }
}

/// Hears signals in a thread of its own.
#[cfg(unix)]
fn hear() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

    let mut wanted = vec![SIGINT, SIGTERM, SIGUSR1, SIGUSR2];
    // `nohup` asks for a run that outlives its terminal.
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    let hear = move || {
        for signal in signals.forever() {
            match signal {
                SIGUSR1 | SIGUSR2 => ask_to_save(),
                _ => ask(),
            }
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(hear)?;
    Ok(())
}

/// True if whoever started the program had it ignore a signal; where that is not to be known, not.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn hear() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(ask)
}

/// Says what an end means from now on.
pub fn enter(stage: Stage) {
    state().stage = stage;
}

/// What a second wish to end can save while the present step is computed.
pub fn keep(rescue: Option<Rescue>) {
    let mut state = state();
    if !state.is_rescuing {
        state.rescue = rescue;
    }
}

/// Writes the checkpoint of a step; nobody else does meanwhile.
///
/// # Errors
/// Those of `write`.
pub fn write<E>(step: u64, write: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    write()?;
    *written = Some(step);
    Ok(())
}

/// True if an end was asked for.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// True if a checkpoint was asked for since the last time.
pub fn save_asked() -> bool {
    SAVE.swap(false, Ordering::SeqCst)
}

/// A wish for a checkpoint.
#[cfg(unix)]
fn ask_to_save() {
    SAVE.store(true, Ordering::SeqCst);
    if matches!(state().stage, Stage::Run(_)) {
        tell("Saves after the present step or validation, and goes on.");
    }
}

/// A wish to end, by a signal or by a key.
pub fn ask() {
    let state = &mut *state();
    let is_first = !ASKED.load(Ordering::SeqCst);
    let is_new = state.heard.is_none_or(|last| last.elapsed() > SAME_WISH);
    if is_new {
        state.heard = Some(Instant::now());
    }
    match &state.stage {
        Stage::AtOnce(sentence) => end(sentence),
        Stage::Run(_) if is_first => {
            ASKED.store(true, Ordering::SeqCst);
            tell(
                "Ends after the present step or validation, and saves. Once more: at once, \
                 without that step.",
            );
        }
        Stage::Run(_) if !is_new => {}
        Stage::Run(so_far) if state.is_rescuing => end(&format!("Ended at once. {so_far}")),
        Stage::Run(so_far) => match state.rescue.take() {
            None => end(&format!("Ended at once. {so_far}")),
            Some(rescue) => {
                state.is_rescuing = true;
                // Not here: a third wish is to be heard.
                thread::spawn(move || {
                    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
                    if *written >= Some(rescue.step) {
                        // The step has ended meanwhile, and was saved.
                        end_by_stage();
                    }
                    end(&(rescue.save)());
                });
            }
        },
    }
}

fn end_by_stage() -> ! {
    match &state().stage {
        Stage::AtOnce(so_far) | Stage::Run(so_far) => end(&format!("Ended at once. {so_far}")),
    }
}

fn end(sentence: &str) -> ! {
    terminal::give_back();
    tell(sentence);
    process::exit(EXIT_CODE.into());
}

/// A line on standard error; a view shows by itself that it has heard.
fn tell(sentence: &str) {
    if terminal::is_taken() {
        return;
    }
    // Where a terminal echoes `^C` and a bar stands, the line is begun anew.
    let begin = if std::io::IsTerminal::is_terminal(&std::io::stderr()) {
        "\r\x1b[K"
    } else {
        ""
    };
    warn(&format!("{begin}{sentence}"));
}

fn state() -> MutexGuard<'static, State> {
    // Whoever panicked with it left a whole state behind.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
