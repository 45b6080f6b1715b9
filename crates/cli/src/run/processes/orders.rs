//! Orders of `strata train --processes` to process 0, or of a sweep to its runs: lines on its standard input, which every
//! launcher passes on. Signals would reach the launcher, which ends all at once.

use std::io;
use std::thread;

use crate::base::interrupt;
use crate::base::output;

/// Ends the run after the present step, and saves it.
pub const STOP: &str = "stop";
/// Saves the run, which goes on.
pub const SAVE: &str = "save";

/// Does what is asked for from now on. Where nobody is left to ask, the run ends.
pub fn listen() {
    let listening = thread::Builder::new().spawn(|| {
        for line in io::stdin().lines().map_while(Result::ok) {
            match line.trim() {
                STOP => interrupt::ask(),
                SAVE => interrupt::ask_to_save(),
                _ => {}
            }
        }
        // Who would have read it is gone.
        output::be_quiet();
        interrupt::ask();
    });
    if let Err(reason) = listening {
        output::warn(&format!(
            "warning: this run does not end with the process that started it ({reason})."
        ));
    }
}
