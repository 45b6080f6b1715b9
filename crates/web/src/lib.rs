//! The playground: a page that shows, and a worker that computes.
//!
//! The page carries no tensor code. It speaks with the worker in the two enums of
//! [`strata_session::protocol`] and nothing else. Each folder uses those below it alone:
//!
//! - [`page`]: the Yew components
//! - [`worker`]: the code of the worker, built five times in `strata-worker`: for WebGPU, and for
//!   the CPU with and without relaxed SIMD and threads
//! - [`link`]: the page's side of a worker: starts it, speaks with it, and starts another one that
//!   goes on with the run
//! - [`keeping`]: runs that outlive the page, in the browser or as files
//! - [`state`]: state of the page, changed by events
//!
//! Below them all:
//!
//! - [`texts`]: a user's own texts on their way to the worker; [`encoding`]: their encodings
//! - [`sentence`]: wording of errors; [`labels`]: the form's labels of the settings that they name
//! - [`by_pointer`]: large things that components share; [`time_limit`]: for what a browser may never answer
//! - `presets`, `address`: experiments to begin with, from `strata_settings`

pub mod by_pointer;
pub mod encoding;
pub mod keeping;
pub mod labels;
pub mod link;
pub mod page;
pub mod sentence;
pub mod state;
pub mod texts;
pub mod time_limit;
#[cfg(any(feature = "cpu", feature = "webgpu"))]
pub mod worker;

pub use strata_settings::{address, presets};
