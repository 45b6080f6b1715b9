//! Splits work into jobs for all threads.
//!
//! A piece of work is a list of jobs whose number does not depend on the number of threads. The
//! thread that calls [`par_map`] owns the piece.
//!
//! - `piece`: hands out the jobs of a piece, and waits for the helper threads
//! - `governor`: decides, from the times of earlier pieces, whether threads share the next one
//! - `watch`: keeps helper threads awake between two pieces
//! - `pool`, `start`: start the threads, natively and in WebAssembly

#[cfg(feature = "flex")]
mod governor;
#[cfg(feature = "flex")]
mod piece;
#[cfg(all(feature = "flex", not(target_family = "wasm")))]
mod pool;
#[cfg(feature = "threads")]
pub mod start;
#[cfg(feature = "flex")]
mod watch;

#[cfg(all(feature = "flex", not(target_family = "wasm")))]
pub use pool::Pool;

/// Number of elements that one thread works on at a time.
pub const CHUNK: usize = 1 << 13;

/// True if there is only one thread, so that work need not be split.
pub const SINGLE_THREADED: bool = cfg!(all(target_family = "wasm", not(feature = "threads")));

/// Number of rows of this width in one job: about [`CHUNK`] elements.
pub fn rows_of(width: usize) -> usize {
    (CHUNK / width.max(1)).max(1)
}

/// Runs `work` on all jobs, on all threads, and returns the results in the order of the jobs. The
/// split into jobs must not depend on the number of threads, or the result would depend on it too.
pub fn par_map<J: Send, R: Send>(
    jobs: impl Iterator<Item = J>,
    work: impl Fn(J) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "flex")]
    if !SINGLE_THREADED {
        return piece::all(jobs.collect(), &work);
    }
    jobs.map(work).collect()
}

/// Runs `work` on all jobs, a thread for each as long as there are more jobs than threads, and returns
/// the results in the order of the jobs. For jobs of many small pieces of work, such as decoding,
/// which gain little from sharing each piece.
pub fn par_map_long<J: Send, R: Send>(
    jobs: impl Iterator<Item = J>,
    work: impl Fn(J) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "flex")]
    if !SINGLE_THREADED {
        return piece::long(jobs.collect(), &work);
    }
    jobs.map(work).collect()
}

/// Runs a program on one of the threads that share the work of [`par_map`], which is quicker: a
/// thread outside the pool would first wait for the pool to wake up. The pool has `threads`
/// threads, or as many of them as the system starts; 0 stands for one per core. `program` gets the
/// pool, or `None` if this build has none.
#[cfg(all(feature = "flex", not(target_family = "wasm")))]
pub fn run_in_pool<R: Send>(threads: usize, program: impl FnOnce(Option<Pool>) -> R + Send) -> R {
    let pool = pool::start(threads);
    rayon::scope(|_| program(Some(pool)))
}

/// Runs a program without a pool, since this build has none.
#[cfg(not(all(feature = "flex", not(target_family = "wasm"))))]
pub fn run_in_pool<R: Send>(_: usize, program: impl FnOnce(Option<Pool>) -> R + Send) -> R {
    program(None)
}

/// Threads that share work. This build has none.
#[cfg(not(all(feature = "flex", not(target_family = "wasm"))))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Number of threads that was asked for.
    pub asked: usize,
    /// Largest number of threads that makes sense on this machine.
    pub most: usize,
    /// Number of threads in the pool.
    pub threads: usize,
}

/// Sums rows of this width in their order.
pub fn sum_of(rows: impl IntoIterator<Item = Vec<f32>>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += x;
        }
    }
    sum
}
