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
//! use strata_tasks::TaskConfig;
//! use strata_text::Uploads;
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
//!
//! - `config`, `curriculum`, `check` and `size`: the settings, and checks before anything is built
//! - `pipeline`: what differs from one kind of work to another, a file or folder each
//! - `data`: from text to batches (`tokenizer`, `batch_source`), held-out examples (`held_out`),
//!   what a model had learned before (`learned_before`), embeddings that begin with vectors
//!   (`initial`)
//! - `step`: forward and backward (`pass`), loss and correct tokens (`measure`), `precision`,
//!   `optimizer`, `schedule`, `norms`; a step that several processes share (`exchange`, `processes`)
//! - `evaluation`: a validation, its `metric`, `early_stopping`, statistics of attention
//!   (`telemetry`)
//! - `checkpoint`: a run as a file (`snapshot`, `restore`, `resume`, `malformed`, `difference`,
//!   `inspection`, `file`), a model by the names of its parameters (`parameters`), models without
//!   their data (`lacking`), `average`, `transfer`
//! - `inference`: a trained model alone; `trainer`: the run; `workload`: what benchmarks train
//!
//! # Invariants
//!
//! - A configuration is checked whole, by [`Experiment::check`], before anything is built. Tests:
//!   `each_value_is_refused_by_name`, `task_and_model_are_checked_too`,
//!   `a_model_that_no_memory_holds_is_refused_before_it_is_built`.
//! - A model that cannot learn the kind of work of its task is refused. Tests:
//!   `a_model_that_does_not_fit_its_task_is_refused`,
//!   `questions_about_passages_need_a_reader_and_a_reader_needs_them`.
//! - Nothing in a step blocks: in a browser a blocking read of a GPU would panic. Test:
//!   `losses_on_webgpu_are_those_of_pytorch`. A step awaits one read of three numbers; a step that
//!   processes share also reads all gradients. Not tested.
//! - The host draws everything random except the masks of dropout: initial parameters, data, their
//!   order, and the keys of hard attention (`Draws`). One seed gives one run on every device.
//!   Tests: `the_same_seed_gives_the_same_parameters`,
//!   `a_resumed_run_draws_the_keys_that_the_uninterrupted_one_does`,
//!   `the_webgpu_worker_computes_what_the_native_cpu_does`.
//! - A step changes nothing until its loss and the norm of its gradients are known to be finite.
//!   Test: `divergence_names_the_step_and_keeps_the_state`.
//! - A checkpoint with a number that is not finite is neither written nor read. Tests:
//!   `numbers_that_are_not_finite_are_refused_by_name`,
//!   `numbers_that_are_not_finite_are_refused_everywhere` (reading; writing is not tested).
//! - A checkpoint holds the state that a recurrent language model carries from step to step. Test:
//!   `a_resumed_run_carries_on_the_state`.
//! - Parameters and optimiser are F32. A pass in 16 bits reads a cast copy, so that gradients
//!   arrive in F32. Test: `every_mechanism_computes_in_every_precision`.
//! - An experiment does not know how many processes train it. Random numbers begin anew with each
//!   batch, and sums are added in the order of the processes (of cards, in the order of NCCL). As
//!   many processes as batches a step give the bits of one process; fewer processes add the same
//!   sums in another order. Tests: `as_many_processes_as_batches_give_the_bits_of_one`,
//!   `fewer_processes_than_batches_give_the_losses_of_one`.
//! - Every process makes the same calls of [`Exchange`] in the same order, or ends all processes.
//!   Tests: `parameters_that_drift_apart_end_the_run`,
//!   `a_killed_process_ends_all_and_the_run_goes_on_with_the_same_losses`.
//! - One list, [`CHANGEABLE`], names the settings that may change when a run goes on. Test:
//!   `what_may_change_is_what_the_list_says_and_nothing_else`.
//! - A checkpoint knows the sentences that its model has learned (`strata_tasks::Learned`), also
//!   before its run, and a held-out example that one of the measured models has learned is left out
//!   or named. Tests: `a_checkpoint_says_what_was_learned_and_not_what_was_held_out`,
//!   `a_run_that_begins_with_a_model_measures_nothing_that_it_has_learned`,
//!   `where_all_was_learned_it_is_kept_and_told`,
//!   `what_another_model_of_an_ensemble_has_learned_is_left_out_and_told`.
//! - Scores, and the held-out examples that a user sees, are of the text in the file ([`HeldOut`]);
//!   tokens have `<unk>` in the place of rare words. Tests:
//!   `pairs_are_those_of_the_file_at_every_level`, `bleu_of_a_validation_is_that_of_the_text`,
//!   `there_is_one_bleu_and_it_is_that_of_the_text`.

mod check;
mod checkpoint;
mod config;
mod curriculum;
mod data;
mod error;
mod evaluation;
mod inference;
mod pipeline;
mod size;
mod step;
mod trainer;

pub mod workload;

pub use checkpoint::Checkpoint;
pub use checkpoint::average::Average;
#[cfg(not(target_family = "wasm"))]
pub use checkpoint::file::write_atomically;
pub use checkpoint::inspection::Stored;
pub use checkpoint::lacking::Lacking;
pub use checkpoint::resume::CHANGEABLE;
pub use checkpoint::snapshot::Snapshot;
pub use checkpoint::transfer::{ADDED_SHARE, ChangedLevels, Transferred};
pub use config::{BleuWords, Experiment, Measure, Precision, TrainingConfig};
pub use curriculum::{Curriculum, CurriculumError, Stage};
pub use data::held_out::HeldOut;
pub use data::learned_before::HeldOutBefore;
pub use data::tokenizer::{Encoded, Tokenizer};
pub use error::{CheckpointError, EnsembleError, TrainingError, TranslationError};
pub use evaluation::early_stopping::{BestCheckpoint, EarlyStopping};
pub use evaluation::metric::Metric;
pub use evaluation::telemetry::{CurveName, SiteTelemetry, Telemetry};
pub use evaluation::{FreeScores, Scores, Validation};
pub use inference::{Attended, Inference, SearchOptions, Translation};
pub use pipeline::poetry::{AttendedLine, Distinct, PoemContext, PoemLine, PoemPrompt};
pub use pipeline::question_answering::{
    Answer, Answered, Probabilities, ScoredAnswer, SpanRules, free_answers,
};
pub use size::{Bytes, watch_memory, what_to_lower};
pub use step::StepReport;
pub use step::exchange::{Alone, Exchange};
pub use step::norms::Norms;
pub use step::optimizer::OptimizerConfig;
pub use step::schedule::Schedule;
pub use trainer::Trainer;
