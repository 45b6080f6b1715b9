//! The page's side of a worker, which speaks by `protocol.rs` alone.
//!
//! - [`worker_handle`], [`connection`]: starts a worker, moves a run from one to the other
//! - [`worker_build`]: the program that this browser runs; [`program_sizes`]: how large it is
//! - [`outbox`], [`inbox`]: requests that wait for a worker to listen, events that wait for the
//!   page to draw them, for as long as `pace` says
//! - [`recovery`], [`worker_texts`]: the commands with which a new worker goes on where the last
//!   one was, and the user's own texts that it must be given again
//! - `liveness` (of `strata_wire`), [`failures`], [`wear`]: notice a worker's end, when to give up, and when to
//!   start a new one
//! - [`autosave`]: times at which a run is saved
//! - [`device_report`], [`measure`]: devices to compute with, and their speed

pub mod autosave;
pub mod connection;
pub mod device_report;
pub mod failures;
pub mod inbox;
pub mod measure;
pub mod outbox;
mod pace;
pub mod program_sizes;
pub mod recovery;
pub mod wear;
pub mod worker_build;
pub mod worker_handle;
pub mod worker_texts;
