//! Commands on the kept runs.

use crate::by_pointer::ByPointer;
use crate::keeping::StoreError;
use crate::state::{KeptRun, Snapshot};
use yew::Callback;

/// A command of a user, or of the page itself, on the kept runs.
#[derive(Clone, Debug)]
pub enum RunCommand {
    /// List the kept runs.
    List,
    /// Write the present run.
    Keep(ByPointer<Snapshot>),
    /// Go on with the run of this id.
    Open(String),
    /// Go on with the run of this entry of the browser's history, on loading the page or on Back;
    /// if that fails, call `otherwise` with the reason.
    Return {
        /// Id of the run.
        id: String,
        /// True if the page is being loaded, and begins with the run.
        begins: bool,
        /// Called if the page cannot go on with the run.
        otherwise: Callback<Option<StoreError>>,
    },
    /// Go on with the run of this id, without which the page began because the database had not
    /// opened yet.
    OpenLate(String),
    /// Go on from the last step of the run of this id, as another run.
    Branch(String),
    /// Rename a run: the run's id and new name.
    Rename(String, String),
    /// Remove the run of this id.
    Delete(String),
    /// Put back the run that was removed last.
    Undelete,
    /// Show the curves of the run of this id beside the present ones.
    Compare(String),
    /// Read a run's model and pass it to `read`, without going on with the run.
    Read {
        /// Id of the run.
        id: String,
        /// Called with the run and the run's checkpoint.
        read: Callback<(KeptRun, Vec<u8>)>,
    },
    /// Remove all runs, and all progress in lessons.
    RemoveAll,
    /// Ask the browser to make the storage persistent, so that runs are not evicted.
    Persist,
}
