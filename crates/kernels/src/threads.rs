//! Splits work into jobs for all threads.

#[cfg(feature = "flex")]
mod governor;
#[cfg(feature = "flex")]
mod piece;
#[cfg(feature = "threads")]
pub mod start;
#[cfg(feature = "flex")]
mod watch;

/// Number of elements that one thread works on at a time.
pub const CHUNK: usize = 1 << 13;

/// True if there is only one thread, for which work need not be split.
pub const SINGLE_THREADED: bool = cfg!(all(target_family = "wasm", not(feature = "threads")));

/// Number of rows of this width in one job, about [`CHUNK`] elements.
pub fn rows_of(width: usize) -> usize {
    (CHUNK / width.max(1)).max(1)
}

/// Runs `work` on all jobs, on all threads, and returns the results in the order of the jobs. How
/// work is split into jobs must not depend on the number of threads, or the result would, too.
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

/// Runs a program on one of the threads that share the work of [`par_map`]. This thread then begins
/// jobs itself while others wake up; called from a thread outside of the pool, `par_map` would
/// first wait for the pool to wake up. The pool has so many threads; for 0, one for each core.
pub fn run_in_pool<R: Send>(threads: usize, program: impl FnOnce() -> R + Send) -> R {
    #[cfg(all(feature = "flex", not(target_family = "wasm")))]
    {
        // 8 MiB, the stack of a program's main thread. An existing pool stays as it is.
        let pool = rayon::ThreadPoolBuilder::new().stack_size(8 << 20);
        drop(pool.num_threads(threads).build_global());
        rayon::scope(|_| program())
    }
    #[cfg(not(all(feature = "flex", not(target_family = "wasm"))))]
    {
        _ = threads;
        program()
    }
}

/// Sum of rows of this width, added in their order.
pub fn sum_of(rows: impl IntoIterator<Item = Vec<f32>>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += x;
        }
    }
    sum
}
