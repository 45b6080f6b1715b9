//! Messages of a worker that has begun, and the number of threads that a worker starts.

/// Message that a worker sends once, when the worker is ready to listen.
pub const LISTENING: &str = "listening";

/// Message that a worker sends once the worker holds a lock, by which the page notices the worker's
/// end.
pub const HELD: &str = "held";

/// The most threads: further threads do not speed up a step of a small model.
const MOST_THREADS: usize = 8;

/// Returns the number of threads to start on a processor with `processor` hardware threads.
#[must_use]
pub fn threads_of(processor: f64) -> usize {
    (processor as usize).clamp(1, MOST_THREADS)
}
