//! Progress of the preparation of a corpus.

use std::sync::OnceLock;

/// Number of steps between two reports.
const REPORT_EVERY: usize = 1000;

/// Progress of the preparation of a corpus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// Name of the present stage.
    pub what: &'static str,
    /// Finished share, from 0 to 1; `None` if unknown.
    pub share: Option<f64>,
}

static WATCH: OnceLock<fn(Preparation)> = OnceLock::new();

/// Registers `watch`, which is then called repeatedly during every preparation. Only the first call
/// in a program has an effect.
pub fn watch_preparation(watch: fn(Preparation)) {
    // Later calls are ignored.
    let _ = WATCH.set(watch);
}

/// Reports the finished share of a stage.
pub(crate) fn tell(what: &'static str, share: f64) {
    report(what, Some(share));
}

/// Does work whose progress is unknown; reports its beginning and its end.
pub(crate) fn during<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    report(what, None);
    let done = work();
    report(what, Some(1.0));
    done
}

fn report(what: &'static str, share: Option<f64>) {
    if let Some(watch) = WATCH.get() {
        watch(Preparation { what, share });
    }
}

/// Progress over a known number of equal steps.
pub(crate) struct Steps {
    what: &'static str,
    taken: usize,
    all: usize,
}

impl Steps {
    pub(crate) fn new(what: &'static str, all: usize) -> Self {
        Self {
            what,
            taken: 0,
            all,
        }
    }

    /// Counts a step.
    pub(crate) fn next(&mut self) {
        self.taken += 1;
        if self.taken.is_multiple_of(REPORT_EVERY) || self.taken == self.all {
            tell(self.what, self.taken as f64 / self.all as f64);
        }
    }
}
