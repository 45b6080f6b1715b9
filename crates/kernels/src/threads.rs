//! Work in parts, on all threads where there are any.

#[cfg(feature = "flex")]
mod governor;
#[cfg(feature = "flex")]
mod piece;
#[cfg(feature = "threads")]
pub mod start;
#[cfg(feature = "flex")]
mod watch;

/// Numbers that one thread works on at a time.
pub const CHUNK: usize = 1 << 13;

/// True if there is one thread and no more, for which no work need be parted.
pub const SINGLE_THREADED: bool = cfg!(all(target_family = "wasm", not(feature = "threads")));

/// Number of rows of this width that make a part.
pub fn rows_of(width: usize) -> usize {
    (CHUNK / width.max(1)).max(1)
}

/// Does all jobs; what they gave, in their order. What a job is must not depend on the number of
/// threads, for then the result would, too.
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

/// Runs a program on one of the threads that share the work of [`par_map`]. It then begins with a
/// part of each work itself, while another thread wakes up for the rest; from any other thread it
/// would wait until all of them are awake.
pub fn run_in_pool<R: Send>(program: impl FnOnce() -> R + Send) -> R {
    #[cfg(all(feature = "flex", not(target_family = "wasm")))]
    {
        // As much as a program's first thread has. Threads that are there already stay as they are.
        let threads = rayon::ThreadPoolBuilder::new().stack_size(8 << 20);
        drop(threads.build_global());
        rayon::scope(|_| program())
    }
    #[cfg(not(all(feature = "flex", not(target_family = "wasm"))))]
    program()
}

/// The sum of rows of equal length, in their order.
pub fn sum_of(rows: impl IntoIterator<Item = Vec<f32>>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += x;
        }
    }
    sum
}
