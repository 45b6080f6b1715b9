//! Runs that outlive the page: each with its curves, its checkpoint and the user's own texts that
//! the run reads, in the browser's IndexedDB.
//!
//! - [`Store`]: IndexedDB, named by the page's `folder`; [`Stored`]: a run in it, and [`Contents`],
//!   its checkpoint
//! - [`Keeper`]: carries out what a user does with kept runs, one thing at a time
//! - [`mod@pointer`]: the run that a bare address goes on with, and how the page was left
//! - [`model_file`]: models that leave the browser and come back
//!
//! [`Keeping`](crate::state::Keeping), a part of the page's state, is what the page knows of the
//! kept runs.
//!
//! Two tabs may go on with the same run. Each write raises the run's revision, and a tab that finds
//! another revision than it knows has lost the race: it goes on as a run of its own.

mod contents;
mod error;
mod folder;
mod keeper;
pub mod model_file;
pub mod pointer;
mod store;
mod stored;

pub use contents::Contents;
pub use error::StoreError;
pub use keeper::{Keeper, OpenedRun, RunCommand};
pub use store::Store;
pub use stored::Stored;
