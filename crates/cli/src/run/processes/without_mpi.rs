//! Stands in for `mpi` in a program without MPI, which is a single process.

use std::env;
use std::process;

use super::Processes;
use crate::base::output::warn;

/// False, since this program has no MPI.
pub const IS_BUILT: bool = false;

/// Returns `None`; warns if a launcher of MPI started this process beside others.
pub fn join() -> Option<Processes> {
    let several = |name| env::var(name).is_ok_and(|it| it.parse().is_ok_and(|size: u32| size > 1));
    if ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"]
        .into_iter()
        .any(several)
    {
        warn(
            "warning: a launcher of MPI started this program several times, but it was built without \
             the feature `mpi`: each of them trains a run of its own.",
        );
    }
    None
}

pub fn abort() -> ! {
    process::exit(1)
}

pub fn leave() {}
