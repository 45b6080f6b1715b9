//! Progress of the preparation of a corpus.

use std::sync::OnceLock;

/// Number of steps between two reports.
const REPORT_EVERY: usize = 1000;

/// Progress of one stage of the preparation of a corpus.
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

/// Does work whose progress is unknown, and reports the beginning and the end of the work.
pub(crate) fn during<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    report(what, None);
    let done = work();
    report(what, Some(1.0));
    done
}

/// Reports the finished share of a stage; `None` if the share is unknown.
pub fn report(what: &'static str, share: Option<f64>) {
    if let Some(watch) = WATCH.get() {
        watch(Preparation { what, share });
    }
}

/// Progress of a stage that consists of a known number of equal steps.
pub struct Steps {
    what: &'static str,
    taken: usize,
    all: usize,
}

impl Steps {
    /// Begins a stage of `all` steps.
    pub fn new(what: &'static str, all: usize) -> Self {
        Self {
            what,
            taken: 0,
            all,
        }
    }

    /// Counts a step, and reports the finished share now and then.
    pub fn count(&mut self) {
        self.taken += 1;
        if self.taken.is_multiple_of(REPORT_EVERY) || self.taken == self.all {
            report(self.what, Some(self.taken as f64 / self.all as f64));
        }
    }
}
