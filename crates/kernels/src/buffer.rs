//! Result buffers that jobs write in parts. Each job zeroes its own part: no thread waits for the
//! zeroing, and the part is in the job's cache.

use std::mem::MaybeUninit;

use crate::threads::par_map;

/// Runs `jobs` jobs that write N results, each job a zeroed part of each result. Returns the
/// results and the return values of the jobs. `sizes` holds `[length, part]` of each result; the
/// last part may be shorter.
///
/// # Panics
/// If the parts of all jobs do not cover a result.
pub fn zeroed_chunks<const N: usize, R: Send>(
    jobs: usize,
    sizes: [[usize; 2]; N],
    work: impl Fn(usize, [&mut [f32]; N]) -> R + Sync + Send,
) -> ([Vec<f32>; N], Vec<R>) {
    let all = |&[length, size]: &[usize; 2]| jobs * size >= length;
    assert!(sizes.iter().all(all), "parts for all");
    let mut results = sizes.map(|[length, _]| Vec::with_capacity(length));
    let mut rests = results.each_mut().map(Vec::spare_capacity_mut);
    let mut parts = Vec::with_capacity(jobs);
    for job in 0..jobs {
        let part: [_; N] = std::array::from_fn(|at| {
            let [length, size] = sizes[at];
            let count = size.min(length.saturating_sub(job * size));
            let part = rests[at].split_off_mut(..count);
            part.expect("there is room for the whole length")
        });
        parts.push((job, part));
    }
    let given = par_map(parts.into_iter(), |(job, part)| work(job, part.map(zeroed)));
    for (result, [length, _]) in results.iter_mut().zip(sizes) {
        // SAFETY: the capacity is `length`, and the jobs have initialised all of it.
        #[allow(unsafe_code)] // Filling it first takes as long as some jobs.
        unsafe {
            result.set_len(length);
        }
    }
    (results, given)
}

fn zeroed(room: &mut [MaybeUninit<f32>]) -> &mut [f32] {
    room.fill(MaybeUninit::new(0.0));
    // SAFETY: every element has just been written.
    #[allow(unsafe_code)]
    unsafe {
        room.assume_init_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_has_its_part_and_finds_zeros() {
        let sizes = [[10, 4], [3, 1], [0, 7]];
        let ([a, b, c], given) = zeroed_chunks(3, sizes, |job, [a, b, c]| {
            assert!(a.iter().chain(&*b).chain(&*c).all(|x| *x == 0.0));
            a.fill(job as f32 + 1.0);
            b[0] = 7.0;
            (job, a.len(), c.len())
        });
        assert_eq!(a, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!((b, c), (vec![7.0; 3], vec![]));
        assert_eq!(given, [(0, 4, 0), (1, 4, 0), (2, 2, 0)]);
        let (none, nothing) = zeroed_chunks(0, [[0, 3]], |_, [_]| ());
        assert_eq!((none, nothing), ([vec![]], vec![]));
    }

    #[test]
    #[should_panic = "parts for all"]
    fn no_number_is_left_out() {
        zeroed_chunks(2, [[10, 4]], |_, [_]| ());
    }
}
