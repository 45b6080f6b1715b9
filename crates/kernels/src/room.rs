//! Room for results that jobs write, each its part: what fills it with zeros is the job itself, so that no
//! thread waits for that, and the part is in its cache when it begins.

use std::mem::MaybeUninit;

use crate::threads::on_threads;

/// So many numbers for each result, of which each job gets so many, the last ones perhaps fewer; they are 0
/// before it. Also what the jobs gave.
///
/// # Panics
/// If so many jobs do not get all numbers.
pub fn zeros_in_parts<const N: usize, R: Send>(
    jobs: usize,
    sizes: [[usize; 2]; N],
    work: impl Fn(usize, [&mut [f32]; N]) -> R + Sync + Send,
) -> ([Vec<f32>; N], Vec<R>) {
    let mut results = sizes.map(|[length, _]| Vec::with_capacity(length));
    let mut at = 0;
    let mut rests = results.each_mut().map(|room| {
        let [length, _] = sizes[at];
        at += 1;
        &mut room.spare_capacity_mut()[..length]
    });
    let mut parts = Vec::with_capacity(jobs);
    for job in 0..jobs {
        let mut at = 0;
        let part = rests.each_mut().map(|rest| {
            let length = sizes[at][1].min(rest.len());
            at += 1;
            rest.split_off_mut(..length).expect("it has so many")
        });
        parts.push((job, part));
    }
    assert!(rests.iter().all(|rest| rest.is_empty()), "parts for all");
    let given = on_threads(parts.into_iter(), |(job, part)| work(job, part.map(zeroed)));
    for (result, [length, _]) in results.iter_mut().zip(sizes) {
        // SAFETY: there is room for so many, all of which the jobs have made numbers.
        #[allow(unsafe_code)] // To fill it first takes as long as some jobs.
        unsafe {
            result.set_len(length);
        }
    }
    (results, given)
}

fn zeroed(room: &mut [MaybeUninit<f32>]) -> &mut [f32] {
    room.fill(MaybeUninit::new(0.0));
    // SAFETY: it is full of numbers.
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
        let ([a, b, c], given) = zeros_in_parts(3, sizes, |job, [a, b, c]| {
            assert!(a.iter().chain(&*b).chain(&*c).all(|x| *x == 0.0));
            a.fill(job as f32 + 1.0);
            b[0] = 7.0;
            (job, a.len(), c.len())
        });
        assert_eq!(a, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!((b, c), (vec![7.0; 3], vec![]));
        assert_eq!(given, [(0, 4, 0), (1, 4, 0), (2, 2, 0)]);
        let (none, nothing) = zeros_in_parts(0, [[0, 3]], |_, [_]| ());
        assert_eq!((none, nothing), ([vec![]], vec![]));
    }

    #[test]
    #[should_panic = "parts for all"]
    fn no_number_is_left_out() {
        zeros_in_parts(2, [[10, 4]], |_, [_]| ());
    }
}
