//! Threads that watch for work before they sleep. Rayon's own do so for a few dozen microseconds, less than
//! often lies between two pieces of work of a training step, and to wake one takes as long again.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::Yield;
use web_time::Instant;

/// How long a thread finds nothing to do before it sleeps.
const PATIENCE: Duration = Duration::from_micros(100);

/// Threads that watch, or are about to.
static WATCHING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// How many pieces of work this thread is at, one inside the other.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One piece of work.
struct Busy;

impl Busy {
    fn new() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Does a piece of work that was shared out.
pub(super) fn busy<R>(work: impl FnOnce() -> R) -> R {
    let _busy = Busy::new();
    work()
}

/// Tells if this thread is at a piece of work, or watches for some.
pub(super) fn is_busy() -> bool {
    DEPTH.get() > 0
}

/// Has all other threads watch while there is work every now and then, if none does.
pub(super) fn begin() {
    let own = rayon::current_thread_index();
    let others = rayon::current_num_threads() - usize::from(own.is_some());
    let none = WATCHING.load(Ordering::Relaxed) == 0;
    if !none || others == 0 || DEPTH.get() > 0 {
        return;
    }
    let claim = WATCHING.compare_exchange(0, others, Ordering::Relaxed, Ordering::Relaxed);
    if claim.is_ok() {
        rayon::spawn_broadcast(move |thread| {
            if Some(thread.index()) != own {
                watch();
                WATCHING.fetch_sub(1, Ordering::Relaxed);
            }
        });
    }
}

/// Does what work there is, until there has been none for a while.
fn watch() {
    // In the middle of other work it would keep this waiting.
    if DEPTH.get() > 0 {
        return;
    }
    let _busy = Busy::new();
    let mut since = Instant::now();
    while since.elapsed() < PATIENCE {
        match rayon::yield_now() {
            Some(Yield::Executed) => since = Instant::now(),
            _ => std::thread::yield_now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::threads::{among_threads, on_threads};

    #[test]
    fn threads_sleep_once_there_is_no_more_work() {
        let sums = among_threads(|| {
            on_threads(0..50, |outer| {
                on_threads(0..9, |inner| outer * inner)
                    .iter()
                    .sum::<usize>()
            })
        });
        let expected = (0..50).map(|outer| outer * 36).collect::<Vec<usize>>();
        assert_eq!(sums, expected);
        // Other tests may have work.
        let begin = Instant::now();
        while WATCHING.load(Ordering::Relaxed) > 0 {
            assert!(begin.elapsed() < Duration::from_secs(60), "all still watch");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn work_that_panics_is_over_too() {
        let panics = || busy(|| panic!("on purpose"));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert_eq!(DEPTH.get(), 0);
        let one_of_many = || on_threads(0..8, |job| assert!(job != 5, "on purpose"));
        assert!(catch_unwind(AssertUnwindSafe(one_of_many)).is_err());
        assert_eq!(on_threads(0..8, |job| job + 1), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
