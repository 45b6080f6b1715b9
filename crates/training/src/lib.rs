//! Training: the step, optimiser, schedules and checkpoints.
//!
//! - [`Experiment`]: everything that decides a run: task, model, training, seed
//! - [`Trainer`]: a run; its [`step`](Trainer::step) is one `async fn` for browser and native
//!   programs
//! - [`Inference`]: a trained model alone, to translate with, or a reader to ask
//! - [`Checkpoint`]: a run in one `.safetensors` file; [`Average`]: the mean of several
//! - [`Exchange`]: communication among the processes of one run; [`Alone`] until [`Trainer::join`]
//! - [`EarlyStopping`]: ranking of the validations, by which a run may end early
//!
//! ```
//! use burn::tensor::Device;
//! use pollster::block_on;
//! use strata_tasks::{TaskConfig, Uploads};
//! use strata_training::{Experiment, Trainer};
//!
//! let mut experiment = Experiment::default(); // a Transformer
//! experiment.task = TaskConfig::of_kind("copy").expect("a task of this name");
//! experiment.training.steps = 3;
//! let mut trainer = Trainer::new(experiment, &Uploads::default(), &Device::flex())?;
//! while !trainer.is_finished() {
//!     let report = block_on(trainer.step())?;
//!     println!("step {}: loss {:.3}", report.step, report.loss);
//! }
//! let text = trainer.held_out().prompt_text(0);
//! let translation = block_on(trainer.inference().translate(&text))?;
//! println!("{text} → {}", translation.text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here blocks: values read from a device are awaited. Modules in the order of a run:
//! `check` and `size` (checks beforehand), `data`, `tokenizer`, `questions` (of readers) and
//! `batch_source` (from text to batches), `step`, `pass` (forward and backward), `exchange` and
//! `processes` (a step that several processes share), `precision`, `measure` (loss and correct
//! tokens), `optimizer`, `schedule`, `held_out` (tokens and text of held-out examples),
//! `learned_before` (held-out examples that a model had learned), `evaluation`, `bleu`,
//! `answering`, `early_stopping`, `norms`; then `parameters` (a model by the names of its
//! parameters), `snapshot`, `checkpoint` (with `malformed` and `difference`), `inspection`,
//! `restore`, `lacking` (models without their data), `average`, `transfer` and `file`; `initial`
//! (embeddings that begin with vectors) and `poem` (poems by a plan).

mod answering;
mod average;
mod batch_source;
mod bleu;
mod check;
mod checkpoint;
mod config;
mod data;
mod difference;
mod early_stopping;
mod error;
mod evaluation;
mod exchange;
#[cfg(not(target_family = "wasm"))]
mod file;
mod held_out;
mod inference;
mod initial;
mod inspection;
mod lacking;
mod learned_before;
mod malformed;
mod measure;
mod metric;
mod norms;
mod optimizer;
mod parameters;
mod pass;
mod poem;
mod precision;
mod processes;
mod questions;
mod restore;
mod resume;
mod schedule;
mod size;
mod snapshot;
mod step;
mod tokenizer;
mod trainer;
mod transfer;

pub mod workload;

pub use answering::{Answer, Answered, Probabilities};
pub use average::Average;
pub use checkpoint::Checkpoint;
pub use config::{BleuWords, Experiment, Measure, Precision, TrainingConfig};
pub use early_stopping::{BestCheckpoint, EarlyStopping};
pub use error::{CheckpointError, EnsembleError, TrainingError, TranslationError};
pub use evaluation::{ScoredAnswer, SpanRules, Validation, free_answers};
pub use exchange::{Alone, Exchange};
#[cfg(not(target_family = "wasm"))]
pub use file::write_atomically;
pub use held_out::HeldOut;
pub use inference::{Attended, Inference, SearchOptions, Translation};
pub use inspection::Stored;
pub use lacking::Lacking;
pub use learned_before::HeldOutBefore;
pub use metric::Metric;
pub use norms::Norms;
pub use optimizer::OptimizerConfig;
pub use poem::{AttendedLine, Distinct, PoemContext, PoemLine, PoemRequest};
pub use resume::CHANGEABLE;
pub use schedule::Schedule;
pub use size::{Bytes, watch_memory, what_to_lower};
pub use snapshot::Snapshot;
pub use step::StepReport;
pub use tokenizer::{Encoded, Tokenizer};
pub use trainer::Trainer;
pub use transfer::Transferred;
