//! What a person sees while a large corpus is prepared.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use strata_tasks::{Preparation, watch_preparation};

use crate::wording::percent;

/// Time between two lines in a terminal, where each takes the place of the last.
const LIVELY: Duration = Duration::from_millis(200);
/// Time between two lines elsewhere.
const CALM: Duration = Duration::from_secs(10);

/// When a line was last written (before the first, when it began), and whether one stands there.
static LAST: Mutex<Option<(Instant, bool)>> = Mutex::new(None);

/// Shows every preparation from now on, on standard error.
pub fn show() {
    watch_preparation(tell);
}

fn tell(Preparation { what, share }: Preparation) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let in_place = io::stderr().is_terminal();
    let pause = if in_place { LIVELY } else { CALM };
    let is_done = share >= 1.0;
    let (since, is_shown) = *last.get_or_insert((Instant::now(), false));
    let clears = in_place && is_done && is_shown;
    if since.elapsed() < pause && !clears {
        return;
    }
    let line = format!("{what}: {}", percent(share.min(1.0)));
    let mut errors = io::stderr().lock();
    // Nobody may be reading; the work is to go on.
    drop(match (in_place, is_done) {
        (true, false) => write!(errors, "\r{line}\x1b[K"),
        (true, true) => write!(errors, "\r\x1b[K"),
        (false, _) => writeln!(errors, "{line}"),
    });
    *last = Some((Instant::now(), !is_done));
}
