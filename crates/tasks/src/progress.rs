//! How far a preparation is, for whoever waits for it.

use std::sync::OnceLock;

/// Steps between two reports.
const REPORT_EVERY: usize = 1000;

/// How far the preparation of a corpus is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparation {
    /// What is being done.
    pub what: &'static str,
    /// From 0 to 1, which is the end; none where nobody knows.
    pub share: Option<f64>,
}

static WATCH: OnceLock<fn(Preparation)> = OnceLock::new();

/// Has `watch` told of every preparation from now on, again and again while it lasts. Only the
/// first call in a program counts.
pub fn watch_preparation(watch: fn(Preparation)) {
    // A second watcher has nothing to see.
    let _ = WATCH.set(watch);
}

/// Tells how far it is.
pub(crate) fn tell(what: &'static str, share: f64) {
    report(what, Some(share));
}

/// Does work of which nobody knows how far it is: its beginning and its end are told.
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

/// So many equal steps, one after the other.
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

    /// Takes a step.
    pub(crate) fn next(&mut self) {
        self.taken += 1;
        if self.taken.is_multiple_of(REPORT_EVERY) || self.taken == self.all {
            tell(self.what, self.taken as f64 / self.all as f64);
        }
    }
}
