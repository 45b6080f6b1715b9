//! Measures the memory that a piece of work takes: every allocation of this program is counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The most bytes that any work has taken since the last [`most_taken`].
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Runs work that may use at most `most` bytes at a time beyond those in use before.
pub fn within<T>(most: usize, work: impl FnOnce() -> T) -> T {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let done = work();
    let taken = HEAP.peak_usage().saturating_sub(before);
    assert!(
        taken <= most,
        "{taken} bytes of memory were taken at a time, but {most} are allowed"
    );
    MOST.fetch_max(taken, Ordering::Relaxed);
    done
}

/// Returns the most bytes that any work has taken since the last call.
pub fn most_taken() -> usize {
    MOST.swap(0, Ordering::Relaxed)
}
