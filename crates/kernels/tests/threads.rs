//! Long jobs on all threads, with work inside of each job.

#![cfg(feature = "flex")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_kernels::threads::{par_map, par_map_long};

/// Multiplies a number by 0 to 49, in jobs that may be shared.
fn multiples(number: usize) -> Vec<usize> {
    par_map(0..50, |factor| number * factor)
}

#[test]
fn results_of_long_jobs_are_in_the_order_of_the_jobs() {
    for count in [0, 1, 2, 3, 40] {
        let expected: Vec<_> = (0..count).map(multiples).collect();
        assert_eq!(par_map_long(0..count, multiples), expected);
    }
}

#[test]
fn a_long_job_that_panics_holds_up_no_later_work() {
    let work = |job: usize| {
        assert!(job != 5, "on purpose");
        multiples(job)
    };
    assert!(catch_unwind(AssertUnwindSafe(|| par_map_long(0..9, work))).is_err());
    let expected: Vec<_> = (0..9).map(multiples).collect();
    assert_eq!(par_map_long(0..9, multiples), expected);
}
