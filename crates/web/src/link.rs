//! The page's side of a worker. It speaks by `protocol.rs` alone.
//!
//! - [`worker_handle`], [`connection`]: starts a worker, moves a run from one to the other
//! - [`worker_build`]: which program this browser runs
//! - [`outbox`], [`inbox`]: what waits for a worker to listen, and for the page to draw it
//! - [`recovery`], [`worker_texts`]: what a new worker must be told to go on where the last one was,
//!   and the user's own texts that it must be given again
//! - [`liveness`], [`failures`], [`wear`]: notice a worker's end, when to give up, and when to take a
//!   new one
//! - [`autosave`]: when to save
//! - [`device_report`], [`measure`]: what there is to compute with, and how fast it is

pub mod autosave;
pub mod connection;
pub mod device_report;
pub mod failures;
pub mod inbox;
pub mod liveness;
pub mod measure;
pub mod outbox;
pub mod recovery;
pub mod wear;
pub mod worker_build;
pub mod worker_handle;
pub mod worker_texts;
