//! Training: controls, kept runs and models.
//!
//! - `intent`: intents of a user, as components state them; `follow`: their consequences
//! - `controls`: Train, Pause, Step; `pressing`: changes that Train applies before training begins;
//!   `devices`: devices to compute with; `able`: asks whether a run that can do everything should go on
//! - `runs`: the kept runs; `keeping` keeps the present run, and `run_title` names a run
//! - `others`: models that can lie beside the present one; `small_models`: models that come with
//!   the page; `model_files`: models that a user chooses

pub mod able;
pub mod controls;
pub mod devices;
pub mod follow;
pub mod intent;
pub mod keeping;
pub mod model_files;
pub mod others;
pub mod pressing;
pub mod run_title;
pub mod runs;
pub mod small_models;
