//! Orders of `strata train --processes` to process 0, or of a sweep to its runs: lines on standard
//! input, which every launcher passes on. A signal, in contrast, would reach the launcher, which
//! ends all at once.

use std::io;
use std::thread;

use crate::base::interrupt;
use crate::base::output;

/// Order to save and end the run after the present step.
pub const STOP: &str = "stop";
/// Order to save the run, which goes on.
pub const SAVE: &str = "save";

/// Carries out orders from now on. If standard input ends, so does the run: no one is left to stop
/// it.
pub fn listen() {
    let listening = thread::Builder::new().spawn(|| {
        for line in io::stdin().lines().map_while(Result::ok) {
            match line.trim() {
                STOP => interrupt::request_stop(),
                SAVE => interrupt::request_save(),
                _ => {}
            }
        }
        // The process that would have read the output is gone.
        output::be_quiet();
        interrupt::request_stop();
    });
    if let Err(reason) = listening {
        output::warn(&format!(
            "warning: this run does not end with the process that started it ({reason})."
        ));
    }
}
