//! Ctrl-C, or a system that shuts down: the first signal asks for an end, a later one makes one.

use std::process;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::{complain, tui};

/// What shells report of a program that Ctrl-C ended.
pub const EXIT_CODE: u8 = 130;

/// Signals this soon after the first are the same wish: `timeout` and some shells send theirs to
/// the program and again to its group.
const SAME_WISH: Duration = Duration::from_secs(1);

/// When an end was first asked for.
static ASKED: OnceLock<Instant> = OnceLock::new();

/// Begins to listen.
pub fn listen() {
    let heard = || {
        if ASKED.get_or_init(Instant::now).elapsed() > SAME_WISH {
            tui::give_back();
            process::exit(EXIT_CODE.into());
        }
    };
    // Without a handler Ctrl-C ends the program as it always does; the checkpoints are there.
    if let Err(error) = ctrlc::set_handler(heard) {
        complain(&format!("warning: Ctrl-C will not save ({error})."));
    }
}

/// Whether an end was asked for.
pub fn asked() -> bool {
    ASKED.get().is_some()
}
