//! Ctrl-C during a measurement: the measured program ends, and this program names the part that was
//! interrupted. A second Ctrl-C ends this program at once.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of times that Ctrl-C was pressed.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Installs the handler of Ctrl-C.
pub fn listen() {
    let heard = || {
        if ASKED.fetch_add(1, Ordering::SeqCst) > 0 {
            process::exit(1);
        }
    };
    // Without the handler, Ctrl-C ends the program as usual; finished tables are already written.
    if let Err(error) = ctrlc::set_handler(heard) {
        eprintln!("warning: Ctrl-C will not say which part it ended ({error})");
    }
}

/// True if Ctrl-C was pressed.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst) > 0
}
