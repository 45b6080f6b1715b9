//! One experiment being trained, driven by commands and told of by events.
//!
//! - [`protocol`]: the whole language between a session and those who use it
//! - [`Session`]: the loop that worker, command line and tests share
//!
//! A session never blocks and never looks at a clock of its own: it runs in a browser's worker as
//! it does natively.

mod error;
mod event_throttle;
mod notes;
mod picture;
pub mod protocol;
mod searching;
mod session;

pub use picture::of_translation as picture_of_translation;
pub use session::Session;
