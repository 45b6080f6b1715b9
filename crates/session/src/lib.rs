//! Session: trains one experiment, driven by commands, and reports by events.
//!
//! - [`protocol`]: all commands to a session and all events from it
//! - `pipeline`: what a session does for each kind of work; `view`: views of a model
//! - [`Session`]: the training loop that worker, command line and tests share
//! - [`Composer`]: composition of poems, shared by page and command line
//! - [`attention_file`]: attention weights that any program wrote
//! - [`receipt`]: what a run has come to, checked by training again
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
//!
//! # Invariants
//!
//! - A command that is refused changes nothing. Test: `hostile_commands_change_nothing`.
//! - Only the parts of the watched example that are shown are computed and read. Tests:
//!   `a_closed_inspector_reads_nothing`, `a_look_at_a_site_reads_one_matrix_and_no_more`. One
//!   transaction reads them. Not tested.
//! - While a session trains, an unchanged view takes at most a twentieth of the time and comes at
//!   most four times a second. Test:
//!   `costly_views_are_rare_and_cheap_ones_come_four_times_a_second`.
//! - Muted and forced parts are not in a checkpoint, and another run begins without them. Test:
//!   `checkpoints_know_nothing_of_it_and_another_run_begins_whole`.
//! - The run beside the present one (`Command::Beside`) is a second model in the same worker,
//!   without trainer and data. It writes poems by the plan of the present run. Tests:
//!   `two_runs_read_the_same_tokens_and_write_their_own`, `two_depths_write_by_one_plan`.
//! - A model that is opened without its data (`Command::Open`) takes no step; the text that a user
//!   types stands in the place of held-out examples. The model asks for its files by their names,
//!   and training is possible as soon as the files are given. Tests:
//!   `a_model_of_files_is_used_looked_at_and_saved_without_them`,
//!   `it_goes_on_when_the_files_come_by_their_names`.
//! - Any attention file is read or refused in a sentence, and takes memory in proportion to the size
//!   of the file. Tests: `an_attention_file_is_read_or_refused`,
//!   `a_small_file_takes_little_memory`.
//! - A run that is repeated on one device has the same parameters to the last bit, and a receipt that
//!   was changed by hand is told from one that was not. Tests:
//!   `a_run_that_is_repeated_is_the_same_at_any_step`, `what_was_changed_by_hand_is_told`.
//! - A session speaks of settings by their keys; the page replaces these keys by the labels of its
//!   form. Test: `keys_become_what_the_form_says`.

pub mod attention_file;
mod error;
mod event_throttle;
mod pipeline;
pub mod protocol;
mod ready;
pub mod receipt;
mod session;
mod view;

pub use pipeline::poetry::{Composer, PoemFault};
pub use pipeline::question_answering::{details_of_answer, view_of_answer};
pub use pipeline::translation::{details_of_translation, view_of_translation};
pub use session::Session;
pub use view::{Heads, PyramidLevel, SiteDetails};
