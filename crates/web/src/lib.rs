//! The playground: a page that shows, and a worker that computes.
//!
//! The page carries no tensor code. It speaks with the worker in the two enums of
//! [`strata_session::protocol`] and nothing else:
//!
//! - [`worker`]: the worker's side, built four times in `strata-worker`: for WebGPU, and for the CPU
//!   plain, with relaxed SIMD, and with that and threads
//! - [`worker_handle`], [`connection`]: the page's side: starts a worker, moves a run from one to
//!   the other; [`worker_build`] says which this browser runs, [`inbox`] gathers what it tells, [`liveness`]
//!   notices its end
//! - [`recovery`], [`outbox`], [`autosave`], [`failures`], [`wear`]: what a new worker must be told to
//!   go on where the last one was, when to save, when to give up, and when to take a new one
//! - [`texts`], [`reading`]: a user's own texts on their way to the worker, and there; [`encoding`]:
//!   what they may be written in; [`worker_texts`]: those that it has
//! - [`keeping`]: runs that outlive the page; [`model_file`]: models that leave it and come back
//! - [`device_report`], [`measure`]: what there is to compute with, and how fast it is
//! - [`state`]: what the page knows; events change it
//! - [`end`]: what can be done with a run at its end
//! - [`history`]: the curves, thinned out so that long runs stay cheap
//! - [`overlay`]: earlier runs beside the present one
//! - [`by_pointer`], [`level_weights`], [`speed`]: parts of that
//! - `presets`, `address`: what to begin with, of `strata_settings`; [`bench_order`], [`embed`]:
//!   addresses that ask for less than the whole page
//! - [`sentence`]: how errors are said; [`labels`]: what the form calls what they name
//! - [`page`]: the Yew components

pub mod autosave;
pub mod bench_order;
pub mod by_pointer;
pub mod connection;
pub mod device_report;
pub mod embed;
pub mod encoding;
pub mod end;
pub mod failures;
pub mod history;
pub mod inbox;
pub mod keeping;
pub mod labels;
pub mod level_weights;
pub mod liveness;
pub mod measure;
pub mod model_file;
pub mod outbox;
pub mod overlay;
pub mod page;
#[cfg(any(feature = "cpu", feature = "webgpu"))]
pub mod reading;
pub mod recovery;
pub mod sentence;
pub mod speed;
pub mod state;
pub mod texts;
pub mod wear;
#[cfg(any(feature = "cpu", feature = "webgpu"))]
pub mod worker;
pub mod worker_build;
pub mod worker_handle;
pub mod worker_texts;

pub use strata_settings::{address, presets};
