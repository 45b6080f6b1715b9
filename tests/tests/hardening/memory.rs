//! How much memory a piece of work takes: every allocation of this program is counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The most that any work has taken since the last [`most_taken`].
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Does work that may have at most `most` bytes more at a time than were in use before.
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

/// The most bytes that any work has taken since the last call.
pub fn most_taken() -> usize {
    MOST.swap(0, Ordering::Relaxed)
}
