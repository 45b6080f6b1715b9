//! Work in parts, on all threads where there are any.

#[cfg(all(feature = "flex", not(target_family = "wasm")))]
use rayon::prelude::*;

/// Numbers that one thread works on at a time.
pub const CHUNK: usize = 1 << 13;

/// How many rows of this width make a part.
pub fn rows_of(width: usize) -> usize {
    (CHUNK / width.max(1)).max(1)
}

/// Does all jobs; what they gave, in their order. What a job is must not depend on the number of
/// threads, for then the result would, too.
pub fn on_threads<J: Send, R: Send>(
    jobs: impl Iterator<Item = J>,
    work: impl Fn(J) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(all(feature = "flex", not(target_family = "wasm")))]
    {
        let jobs: Vec<J> = jobs.collect();
        if jobs.len() > 1 {
            return jobs.into_par_iter().map(work).collect();
        }
        jobs.into_iter().map(work).collect()
    }
    #[cfg(not(all(feature = "flex", not(target_family = "wasm"))))]
    jobs.map(work).collect()
}

/// The sum of rows of equal length, in their order.
pub fn sum_of(rows: Vec<Vec<f32>>, width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows {
        for (sum, x) in sum.iter_mut().zip(row) {
            *sum += x;
        }
    }
    sum
}
