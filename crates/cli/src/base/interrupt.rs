//! Handles signals: Ctrl-C, a system that shuts down, a cluster that asks for a checkpoint.
//!
//! The first signal to end is acknowledged at once, and ends the run after the present step; a
//! second one ends the run immediately, after saving the last complete state if there is one.
//! `SIGUSR1` and `SIGUSR2` only ask for a checkpoint.

use std::io;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::output::warn;

/// Exit code that shells report for a program which Ctrl-C has ended.
pub const EXIT_CODE: u8 = 130;

/// Time within which a further signal counts as the same request: `timeout` and some shells signal
/// the program and then its process group, and a key that is held down repeats.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// True once the end of the run was requested.
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    stage: Stage::AtOnce(String::new()),
    last_request: None,
    is_rescuing: false,
    rescue: None,
});
/// Step of the last written checkpoint. The lock is held while a checkpoint is written, so that an
/// older one never replaces a newer one.
static WRITTEN: Mutex<Option<u64>> = Mutex::new(None);
/// True once a checkpoint was requested, until the run takes notice.
static SAVE_REQUESTED: AtomicBool = AtomicBool::new(false);

/// Request that a signal makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The end of the run.
    End,
    /// A checkpoint.
    Save,
}

/// Effect of a request to end, at present.
#[derive(Debug)]
pub enum Stage {
    /// Ends at once, since there is nothing to finish; the sentence tells the user what remains.
    AtOnce(String),
    /// Ends a run after its present step; the sentence tells the user what is saved already.
    Run(String),
}

struct State {
    stage: Stage,
    /// Time of the last request to end.
    last_request: Option<Instant>,
    is_rescuing: bool,
    rescue: Option<Rescue>,
}

/// The last complete state of a run, and how to save it.
pub struct Rescue {
    /// Number of steps that the run has taken.
    pub step: u64,
    /// Saves the state, and returns a sentence about that for the user.
    pub save: Box<dyn FnOnce() -> String + Send>,
}

/// Installs the signal handlers, only once, and forgets the state that an earlier run of this
/// process left.
pub fn listen() {
    keep(None);
    *WRITTEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    static LISTENING: Once = Once::new();
    // If no handler can be installed, Ctrl-C ends the program as usual; earlier checkpoints remain.
    LISTENING.call_once(|| {
        let take = |request| match request {
            Request::End => request_stop(),
            Request::Save => request_save(),
        };
        if let Err(error) = on_signals(take) {
            warn(&format!("warning: Ctrl-C will not save ({error})."));
        }
    });
}

/// Turns the signal for a file that reaches its size limit (`ulimit -f`) into an error of writing,
/// which would otherwise end the program.
pub fn outlive_limits() {
    #[cfg(unix)]
    {
        use std::sync::Arc;

        let reached = Arc::new(AtomicBool::new(false));
        // If no handler can be installed, the program ends there, as any other program does.
        drop(signal_hook::flag::register(
            signal_hook::consts::SIGXFSZ,
            reached,
        ));
    }
}

/// Calls `take` for every signal, in a thread of its own.
///
/// # Errors
/// If the system does not allow this program to handle signals.
#[cfg(unix)]
pub fn on_signals(mut take: impl FnMut(Request) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

    let mut wanted = vec![SIGINT, SIGTERM, SIGUSR1, SIGUSR2];
    // Under `nohup` a run must survive its terminal.
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    let listen = move || {
        for signal in signals.forever() {
            match signal {
                SIGUSR1 | SIGUSR2 => take(Request::Save),
                _ => take(Request::End),
            }
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listen)?;
    Ok(())
}

/// True if the program was started with a signal ignored; false if that is unknown.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Calls `take` for every Ctrl-C.
///
/// # Errors
/// If the system does not allow this program to handle Ctrl-C.
#[cfg(not(unix))]
pub fn on_signals(mut take: impl FnMut(Request) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || take(Request::End)).map_err(io::Error::other)
}

/// Sets what a request to end does from now on.
pub fn enter(stage: Stage) {
    state().stage = stage;
}

/// Sets the state that a second request to end saves while the present step is computed.
pub fn keep(rescue: Option<Rescue>) {
    let mut state = state();
    if !state.is_rescuing {
        state.rescue = rescue;
    }
}

/// Writes the checkpoint of a step, while no other thread writes one.
///
/// # Errors
/// The errors of `write`.
pub fn write<E>(step: u64, write: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    write()?;
    *written = Some(step);
    Ok(())
}

/// True if the end of the run was requested.
pub fn stop_requested() -> bool {
    STOP_REQUESTED.load(Ordering::SeqCst)
}

/// True if a checkpoint was requested since the last call.
pub fn take_save_request() -> bool {
    SAVE_REQUESTED.swap(false, Ordering::SeqCst)
}

/// Requests a checkpoint, as a signal does.
pub fn request_save() {
    SAVE_REQUESTED.store(true, Ordering::SeqCst);
    if matches!(state().stage, Stage::Run(_)) {
        tell("Saves after the present step or validation, and goes on.");
    }
}

/// Requests the end of the run, as a signal does.
pub fn request_stop() {
    let state = &mut *state();
    let is_first = !STOP_REQUESTED.load(Ordering::SeqCst);
    let is_new = state
        .last_request
        .is_none_or(|last| last.elapsed() > SAME_REQUEST);
    if is_new {
        state.last_request = Some(Instant::now());
    }
    match &state.stage {
        Stage::AtOnce(sentence) => end(sentence),
        Stage::Run(_) if is_first => {
            STOP_REQUESTED.store(true, Ordering::SeqCst);
            tell(
                "Ends after the present step or validation, and saves. Once more: at once, \
                 without that step.",
            );
        }
        // `timeout` and held keys repeat a signal: that is no second request.
        Stage::Run(_) if !is_new => {}
        Stage::Run(so_far) if state.is_rescuing => end(&format!("Ended at once. {so_far}")),
        Stage::Run(so_far) => match state.rescue.take() {
            None => end(&format!("Ended at once. {so_far}")),
            Some(rescue) => {
                state.is_rescuing = true;
                // In another thread, so that a third request is still handled.
                let saved = thread::Builder::new().spawn(move || {
                    // Waits for a checkpoint that is being written.
                    let written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
                    if *written >= Some(rescue.step) {
                        // The step has ended meanwhile, and its state was saved.
                        end_by_stage();
                    }
                    end(&(rescue.save)());
                });
                if saved.is_err() {
                    end(&format!("Ended at once. {so_far}"));
                }
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
    tell(sentence);
    process::exit(EXIT_CODE.into());
}

/// Prints a line on standard error.
fn tell(sentence: &str) {
    // In a terminal the line may contain an echoed `^C` or a progress bar: clear it first.
    let begin = if io::IsTerminal::is_terminal(&io::stderr()) {
        "\r\x1b[K"
    } else {
        ""
    };
    warn(&format!("{begin}{sentence}"));
}

fn state() -> MutexGuard<'static, State> {
    // The state is consistent even if a thread panicked while it held the lock.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
