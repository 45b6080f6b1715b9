//! Runs that outlive the page: each with its curves, its checkpoint and the texts of a user's own
//! that it reads, in the browser's IndexedDB.
//!
//! - [`Store`]: IndexedDB; [`Stored`]: a run in it, and [`Contents`], its checkpoint
//! - [`Keeper`]: what the user does with it, and the order of it all
//! - [`pointer`]: the run that a bare address goes on with, and how the page was left
//! - [`model_file`]: models that leave the browser and come back
//!
//! What the page knows of all this is [`Keeping`](crate::state::Keeping), a part of its state.
//!
//! Two tabs may go on with the same run. Each write raises the run's revision, and a tab that finds
//! another revision than it knows has lost the race: it goes on as a run of its own.

mod contents;
mod error;
mod keeper;
pub mod model_file;
pub mod pointer;
mod store;
mod stored;

pub use contents::Contents;
pub use error::StoreError;
pub use keeper::{Keeper, RunCommand};
pub use store::Store;
pub use stored::Stored;
