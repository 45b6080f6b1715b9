//! Ctrl-C, or a system that shuts down: the first signal asks for an end, the second makes one.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{complain, tui};

/// What shells report of a program that Ctrl-C ended.
pub const EXIT_CODE: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Begins to listen.
pub fn listen() {
    let heard = || {
        if ASKED.swap(true, Ordering::SeqCst) {
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
    ASKED.load(Ordering::SeqCst)
}
