//! Changes of the kept runs.

use super::{Compared, Storage};
use crate::state::KeptRun;

/// Change of the kept runs, or of the present run's identity.
#[derive(Debug)]
pub enum Change {
    /// Records the runs in the store, and the room in the browser's storage.
    Runs(Vec<KeptRun>, Storage),
    /// Records that nothing can be stored, with the reason.
    Unavailable(String),
    /// Records that a run was written to the store.
    Kept(KeptRun),
    /// Records that another tab has gone on with the run of this id: the snapshot becomes a run of
    /// its own.
    BranchOff(String),
    /// Records that a user renamed a run: the run's id and new name.
    Renamed(String, String),
    /// Records that a run was deleted: the run's id and title.
    Deleted(String, String),
    /// Records that the last deletion was undone.
    Undeleted,
    /// Records that everything was removed.
    RemovedAll,
    /// Shows the curves of a run beside the present ones.
    Compare(Compared),
    /// Stops showing the curves of the run of this id.
    Uncompare(String),
    /// Offers a lesson's runs for comparison, in place of all other runs of lessons.
    Offer(Vec<Compared>),
    /// Shows the curves of the offered run of this name beside the present ones.
    LayBeside(String),
    /// Names the present run.
    Name(String),
}
