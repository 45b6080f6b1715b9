//! Keeps threads awake for a while after work, in case more comes. Rayon's own threads watch for a
//! few dozen microseconds, often less than the gap between two pieces of work of a training step,
//! and waking one takes as long again.
//!
//! On a core that another program uses, a thread rests instead. Rayon's threads yield about thirty
//! times before they sleep, and on such a core each yield takes a time slice. Meanwhile the thread
//! stays in the run queue of that core, which looks full to the system, so that the system does not
//! move the other program there, away from the thread that works.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use rayon::Yield;
use web_time::Instant;

/// Time without work after which a thread sleeps.
const PATIENCE: Duration = Duration::from_micros(100);

/// Duration of a yield that shows that another program had the core.
const SLICE: Duration = Duration::from_micros(500);
/// Time that a thread rests if no work comes, and number of such rests before the thread sleeps
/// like rayon's own.
const REST: Duration = Duration::from_millis(100);
const RESTS: u32 = 20;

/// Number of threads that watch, or are about to watch.
static WATCHING: AtomicUsize = AtomicUsize::new(0);

/// Number of resting threads, number of calls so far, and condition that wakes resting threads.
static RESTING: AtomicUsize = AtomicUsize::new(0);
static CALLS: Mutex<u64> = Mutex::new(0);
static CALL: Condvar = Condvar::new();

thread_local! {
    /// Number of nested pieces of work in this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Guard that counts one piece of work in [`DEPTH`].
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

/// Runs a piece of shared work.
pub(super) fn busy<R>(work: impl FnOnce() -> R) -> R {
    let _busy = Busy::new();
    work()
}

/// True if this thread is in a piece of work, or watches for work.
pub(super) fn is_busy() -> bool {
    DEPTH.get() > 0
}

/// Makes all other threads watch for work as long as it keeps coming, unless some threads watch
/// already.
pub(super) fn begin() {
    let own = rayon::current_thread_index();
    let others = rayon::current_num_threads() - usize::from(own.is_some());
    if RESTING.load(Ordering::Relaxed) > 0 {
        *CALLS.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        CALL.notify_all();
    }
    let none = WATCHING.load(Ordering::Relaxed) == 0;
    if !none || others == 0 || DEPTH.get() > 0 {
        return;
    }
    // The exchange claims the start of the watch for one of several owners. Relaxed is enough for
    // all counters here: they carry no data, and a stale value costs a few microseconds, no result.
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

/// Runs work as it comes, until none has come for a while.
fn watch() {
    // In the middle of other work, watching would delay the rest of that work.
    if DEPTH.get() > 0 {
        return;
    }
    let _busy = Busy::new();
    let mut rests = 0;
    while rests < RESTS {
        let shares_core = work_until_idle();
        if !shares_core {
            return;
        }
        rests = if rest() { 0 } else { rests + 1 };
    }
}

/// Runs work as it comes, until none has come for a while or another program has had the core.
/// Returns true in the second case.
fn work_until_idle() -> bool {
    let mut since = Instant::now();
    while since.elapsed() < PATIENCE {
        if let Some(Yield::Executed) = rayon::yield_now() {
            since = Instant::now();
            continue;
        }
        // Rayon had no job: yield to the system. A yield that takes long shows that another program
        // runs on this core.
        let gave_way = Instant::now();
        std::thread::yield_now();
        if gave_way.elapsed() > SLICE {
            return true;
        }
    }
    false
}

/// Waits until there is work for several threads, at most [`REST`]. Returns true if there is work.
fn rest() -> bool {
    RESTING.fetch_add(1, Ordering::Relaxed);
    let calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let before = *calls;
    // Waits once, without `wait_timeout_while`, which reads a clock that browsers do not have.
    let waited = CALL.wait_timeout(calls, REST);
    let (calls, _) = waited.unwrap_or_else(PoisonError::into_inner);
    RESTING.fetch_sub(1, Ordering::Relaxed);
    *calls != before
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::threads::{par_map, run_in_pool};

    #[test]
    fn threads_sleep_once_there_is_no_more_work() {
        let sums = run_in_pool(0, |_| {
            par_map(0..50, |outer| {
                par_map(0..9, |inner| outer * inner).iter().sum::<usize>()
            })
        });
        let expected = (0..50).map(|outer| outer * 36).collect::<Vec<usize>>();
        assert_eq!(sums, expected);
        // Other tests may have work at the same time.
        let begin = Instant::now();
        while WATCHING.load(Ordering::Relaxed) > 0 {
            assert!(begin.elapsed() < Duration::from_secs(60), "all still watch");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_thread_that_rests_is_called_to_work() {
        let resting = std::thread::spawn(|| {
            let since = Instant::now();
            while !rest() && since.elapsed() < Duration::from_secs(60) {}
            since.elapsed()
        });
        while !resting.is_finished() {
            begin();
        }
        let rested = resting.join().expect("a thread that rests does not panic");
        assert!(rested < Duration::from_secs(60), "nobody called");
    }

    #[test]
    fn work_that_panics_is_over_too() {
        let panics = || busy(|| panic!("on purpose"));
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        assert_eq!(DEPTH.get(), 0);
        let one_of_many = || par_map(0..8, |job| assert!(job != 5, "on purpose"));
        assert!(catch_unwind(AssertUnwindSafe(one_of_many)).is_err());
        assert_eq!(par_map(0..8, |job| job + 1), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
