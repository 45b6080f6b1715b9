//! Training: the step, optimiser, schedules and checkpoints.
//!
//! - [`Experiment`]: everything that decides a run: task, model, training, seed
//! - [`Trainer`]: a run; [`Trainer::step`] is one `async fn` for the browser and for native programs
//! - [`Inference`]: a trained model alone, to translate with
//! - [`Checkpoint`]: a run in one `.safetensors` file
//!
//! Nothing here blocks: whatever a device must be asked for is awaited. In the order of a run:
//! `check` and `size` (what is refused beforehand), `data` and `tokenizer` (from text to batches),
//! `step`, `measure` (loss and right tokens), `optimizer`, `schedule`, `evaluation`; then
//! `parameters` (a model by the names of its parameters), `checkpoint`, `restore` and `file`.

mod check;
mod checkpoint;
mod config;
mod data;
mod error;
mod evaluation;
#[cfg(not(target_family = "wasm"))]
mod file;
mod inference;
mod measure;
mod optimizer;
mod parameters;
mod restore;
mod schedule;
mod size;
mod step;
mod tokenizer;
mod trainer;

pub use checkpoint::Checkpoint;
pub use config::{Experiment, OptimizerConfig, Schedule, TrainingConfig};
pub use error::{CheckpointError, TrainingError, TranslationError};
pub use evaluation::ValidationReport;
#[cfg(not(target_family = "wasm"))]
pub use file::write_atomically;
pub use inference::{Attended, Inference, SearchOptions, Translation};
pub use step::StepReport;
pub use tokenizer::{Encoded, Tokenizer};
pub use trainer::Trainer;
