//! Runs that outlive the page: each with its curves, its checkpoint and the texts of a user's own
//! that it reads, in the browser's IndexedDB.
//!
//! - [`KeptRun`]: what is known of a run besides its curves and its checkpoint; `name` says what a
//!   run is called until somebody calls it otherwise
//! - [`Keeping`]: which run is the present one, and what the page shows of the others. Pure
//! - [`Store`]: IndexedDB; [`Contents`]: a checkpoint in it; [`Keeper`]: what the user does with it,
//!   and the order of it all
//! - [`pointer`]: the run that a bare address goes on with, and how the page was left
//!
//! Two tabs may go on with the same run. Each write raises the run's revision, and a tab that finds
//! another revision than it knows has lost the race: it goes on as a run of its own.

mod contents;
mod current_run;
mod keeper;
mod name;
pub mod pointer;
mod run;
mod store;

pub use contents::Contents;
pub use current_run::{Change, Compared, Keeping, Opening, Snapshot, Storage};
pub use keeper::{Keeper, RunCommand};
pub use name::{name_of, what_differs};
pub use pointer::Left;
pub use run::{KeptRun, Stored};
pub use store::{Store, StoreError};
