//! Progress display while a corpus is prepared.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use strata_text::{Preparation, watch_preparation};

use crate::display::format::{duration, percent};

/// Time between two lines in a terminal, where each line replaces the last.
const LIVELY: Duration = Duration::from_millis(200);
/// Time between two lines elsewhere, where lines pile up.
const CALM: Duration = Duration::from_secs(10);
/// Interval at which work without known progress is shown.
const SECOND: Duration = Duration::from_secs(1);

static SHOWN: Mutex<Shown> = Mutex::new(Shown {
    last: None,
    is_shown: false,
    unknown: None,
});

/// State of the display.
struct Shown {
    /// Time of the last printed line; before the first line, the beginning of the preparation.
    last: Option<Instant>,
    /// True if a line is visible in the terminal.
    is_shown: bool,
    /// Name and beginning of work that reports no progress.
    unknown: Option<(&'static str, Instant)>,
}

/// Shows every preparation from now on, on standard error.
pub fn show() {
    watch_preparation(tell);
    // Work that reports no progress is shown with its duration.
    let shown = thread::Builder::new().spawn(|| {
        loop {
            thread::sleep(SECOND);
            tick();
        }
    });
    // If no thread can be started, such work stays invisible.
    drop(shown);
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tell(Preparation { what, share }: Preparation) {
    let mut shown = shown();
    let Some(share) = share else {
        shown.unknown = Some((what, Instant::now()));
        return;
    };
    shown.unknown = None;
    shown.line(
        &format!("{what}: {}", percent(share.min(1.0))),
        share >= 1.0,
    );
}

fn tick() {
    let mut shown = shown();
    if let Some((what, since)) = shown.unknown {
        let since = duration(since.elapsed().as_secs_f64());
        shown.line(&format!("{what}: for {since}"), false);
    }
}

impl Shown {
    /// Writes a line, unless the last one is too recent; in a terminal, clears it when the work is
    /// done.
    fn line(&mut self, line: &str, is_done: bool) {
        let in_place = io::stderr().is_terminal();
        let pause = if in_place { LIVELY } else { CALM };
        let last = *self.last.get_or_insert_with(Instant::now);
        let clears = in_place && is_done && self.is_shown;
        if last.elapsed() < pause && !clears {
            return;
        }
        let mut errors = io::stderr().lock();
        // Standard error may be closed; the work goes on all the same.
        drop(match (in_place, is_done) {
            (true, false) => write!(errors, "\r{line}\x1b[K"),
            (true, true) => write!(errors, "\r\x1b[K"),
            (false, _) => writeln!(errors, "{line}"),
        });
        self.last = Some(Instant::now());
        self.is_shown = !is_done;
    }
}
