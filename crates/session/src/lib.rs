//! Session: trains one experiment, driven by commands, and reports by events.
//!
//! - [`protocol`]: all commands to a session and all events from it
//! - [`Session`]: the training loop that worker, command line and tests share
//! - [`Composer`]: composition of poems, shared by page and command line
//!
//! ```
//! use burn::tensor::Device;
//! use pollster::block_on;
//! use strata_session::Session;
//! use strata_session::protocol::{Command, Event};
//! use strata_training::Experiment;
//!
//! let mut session = Session::new(Device::flex(), "CPU".to_owned(), || 0.0);
//! let mut events = Vec::new();
//! let experiment = Box::new(Experiment::default());
//! for command in [Command::Load { experiment }, Command::Step] {
//!     block_on(session.handle(command, &mut |event| events.push(event)));
//! }
//! let took_a_step = |event: &Event| matches!(event, Event::Progress { steps } if steps[0].step == 1);
//! assert!(events.iter().any(took_a_step));
//! ```
//!
//! A session never blocks and reads no clock of its own, so that it runs in a browser's worker as
//! well as natively.

mod composer;
mod error;
mod event_throttle;
mod notes;
mod picture;
pub mod protocol;
mod searching;
mod session;

pub use composer::{Composer, PoemFault};
pub use picture::{
    Heads, PyramidLevel, SiteDetails, details_of_answer, details_of_translation,
    of_answer as view_of_answer, of_translation as picture_of_translation,
};
pub use session::Session;
