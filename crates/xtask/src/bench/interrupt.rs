//! Ctrl-C while something is measured: the program that is being measured ends, and this one says which part
//! that was. A second one ends it outright.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of times that an end was asked for.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Begins to listen.
pub fn listen() {
    let heard = || {
        if ASKED.fetch_add(1, Ordering::SeqCst) > 0 {
            process::exit(1);
        }
    };
    // Without it Ctrl-C ends the program as it always does; what was measured is written.
    if let Err(error) = ctrlc::set_handler(heard) {
        eprintln!("warning: Ctrl-C will not say which part it ended ({error})");
    }
}

/// True if an end was asked for.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst) > 0
}
