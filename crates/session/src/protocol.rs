//! Protocol of a session: two closed enums, commands in and events out.
//!
//! The same session serves the worker in the browser, the command line and the tests.

mod arrows;
mod beside;
mod poetry;
mod question_answering;
mod request;
mod site;
mod translation;
#[cfg(feature = "types")]
pub mod types;
mod view;
mod view_data;

use serde::{Deserialize, Serialize};
pub use strata_models::{Part, SiteLevels};
use strata_tasks::{CorpusReport, TaskConfig};
use strata_text::{UploadedText, serde_as_json};
use strata_training::Experiment;
use strata_training::workload::WorkloadReport;
pub use strata_training::{StepReport, Telemetry, Validation};

pub use arrows::{ArrowsView, HeadChoice, LargestView};
pub use beside::BesideView;
pub use poetry::{
    Distinct, FormView, LineView, Origin, PlannedWord, PoemRequest, PoemView, Writers,
};
pub use question_answering::{
    AnswerOutput, AnswerRequest, AnswerView, FoundAnswerView, PassageTokenView, PassageView,
    PlaceView,
};
pub use request::{Output, Request};
pub use site::SiteView;
pub use translation::{
    CandidateView, FoundTranslationView, NodeView, SearchView, TranslateRequest, TranslationView,
};
pub use view::{
    SiteOutline, THUMBNAIL, View, ViewRequest, ViewUpdate, decoder_input, notable_site,
};
pub use view_data::{
    BlockView, CellView, DescentView, LevelView, NetworkView, NormView, RolloutView, ScoreView,
    SharesView, StageView, TokenView, ViewData,
};

/// Command to a session.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Prepare an experiment: its data and a new model. Replies [`Event::Ready`], paused.
    Load {
        /// The experiment to prepare.
        #[serde(with = "serde_as_json")]
        #[cfg_attr(feature = "types", ts(as = "types::Json"))]
        experiment: Box<Experiment>,
    },
    /// Continue from a checkpoint file. Replies [`Event::Ready`], paused.
    Restore {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        #[cfg_attr(feature = "types", ts(as = "types::Bytes"))]
        checkpoint: Vec<u8>,
    },
    /// Continue from a checkpoint file even if the model's data are missing. A model without its
    /// data translates, shows its attention and can be saved, but is not trained
    /// ([`Ready::lacks`]). Replies [`Event::Ready`], paused; once more when the texts have been
    /// given ([`Command::Examine`]).
    Open {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        #[cfg_attr(feature = "types", ts(as = "types::Bytes"))]
        checkpoint: Vec<u8>,
    },
    /// Continue the present run from its present step with a changed experiment: with more steps,
    /// at another rate, …. The experiment may differ from the present one ([`Ready::experiment`])
    /// only in settings that may change during a run ([`Experiment::can_go_on_as`]). Replies
    /// [`Event::Ready`], paused (finished, if no step is left).
    GoOn {
        /// The present experiment, changed.
        #[serde(with = "serde_as_json")]
        #[cfg_attr(feature = "types", ts(as = "types::Json"))]
        experiment: Box<Experiment>,
    },
    /// Train until told otherwise or until the last step.
    Train,
    /// Stop after the present step.
    Pause,
    /// Take a single step, then pause.
    Step,
    /// Go back to step 0 with the same initial parameters.
    Reset,
    /// Go back to step 0 with other initial parameters and another order of the data.
    NewSeed {
        /// Seed of the new run.
        seed: u64,
    },
    /// Show a view of a held-out example, now and while training. Replies [`Event::View`].
    Watch {
        /// The requested view; `None` to show no more views.
        view: Option<ViewRequest>,
    },
    /// Have the model do its work once: translate a sentence, answer a question, write a poem.
    /// Replies [`Event::Done`].
    Run(Request),
    /// Examine texts before anything is trained on them, and keep them: later, experiments whose
    /// task names these texts read them like files. Replies [`Event::Examined`].
    Examine {
        /// Task that reads the texts.
        #[serde(with = "serde_as_json")]
        #[cfg_attr(feature = "types", ts(as = "types::Json"))]
        task: Box<TaskConfig>,
        /// Texts to examine; those that were given before need not be given again.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Vec<types::UploadedText>"))]
        texts: Vec<UploadedText>,
    },
    /// Measure the validation set now. Replies [`Event::Validated`].
    Validate,
    /// Mute these parts of the model and unmute all others, until the next such command or until
    /// another run begins: steps, validations, translations and views are computed without the
    /// muted parts; parameters and checkpoints stay as they are. Replies [`Event::Muted`].
    Mute {
        /// Parts to mute, from [`Ready::parts`], or rows ([`Part::Row`]) and nodes ([`Part::Node`])
        /// whose weights are given.
        #[cfg_attr(feature = "types", ts(as = "Vec<types::Part>"))]
        parts: Vec<Part>,
    },
    /// Load the model of another run from its checkpoint file beside the present one, for
    /// [`View::Beside`] and for poems; `None` removes it. The present run stays as it is. Replies
    /// [`Event::Beside`].
    Beside {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        #[cfg_attr(feature = "types", ts(as = "Option<types::Bytes>"))]
        checkpoint: Option<Vec<u8>>,
    },
    /// Replies [`Event::Saved`] with a checkpoint file.
    Save,
    /// Take the steps of a built-in workload, apart from any run. Replies [`Event::Benched`].
    Bench {
        /// Name of the workload.
        name: String,
        /// Number of steps to time, instead of the workload's own number.
        steps: Option<u32>,
        /// Number of steps to take before the timed ones, instead of the workload's own number.
        warmup: Option<u32>,
    },
}

impl Command {
    /// True if the command ends the present run.
    pub fn begins_another_run(&self) -> bool {
        matches!(
            self,
            Self::Load { .. }
                | Self::Restore { .. }
                | Self::Open { .. }
                | Self::Reset
                | Self::NewSeed { .. }
        )
    }
}

/// Event that a session reports.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An experiment was prepared, restored or reset.
    Ready(Ready),
    /// The activity of the session changed.
    Activity {
        /// Present activity of the session.
        activity: Activity,
    },
    /// Training steps were taken; short steps are reported several at once.
    Progress {
        /// Reports of the steps, in order.
        #[cfg_attr(feature = "types", ts(as = "Vec<types::StepReport>"))]
        steps: Vec<StepReport>,
    },
    /// The attention weights were measured, just before a validation of the run.
    Telemetry(#[cfg_attr(feature = "types", ts(as = "types::Telemetry"))] Telemetry),
    /// The validation set was measured.
    Validated(#[cfg_attr(feature = "types", ts(as = "types::Validation"))] Validation),
    /// These parts of the model are muted now, and no others.
    Muted {
        /// Muted parts, as the command named them.
        #[cfg_attr(feature = "types", ts(as = "Vec<types::Part>"))]
        parts: Vec<Part>,
        /// Validation without the muted parts, which does not count as one of the run; `None` for a
        /// model whose data are missing.
        #[cfg_attr(feature = "types", ts(as = "Option<types::Validation>"))]
        validation: Option<Validation>,
    },
    /// A model was loaded beside the present one, or removed.
    Beside {
        /// Number of steps for which the model beside was trained; `None` if there is none.
        step: Option<u64>,
        /// Experiment by which the model beside was trained.
        #[serde(with = "serde_as_json")]
        #[cfg_attr(feature = "types", ts(as = "Option<types::Json>"))]
        experiment: Option<Box<Experiment>>,
    },
    /// The requested view of the watched example.
    View(ViewUpdate),
    /// A request was carried out.
    Done(Output),
    /// Texts were examined and kept.
    Examined(#[cfg_attr(feature = "types", ts(as = "types::CorpusReport"))] CorpusReport),
    /// A checkpoint was made.
    Saved {
        /// Number of steps taken.
        step: u64,
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        #[cfg_attr(feature = "types", ts(as = "types::Bytes"))]
        checkpoint: Vec<u8>,
    },
    /// The steps of a workload were timed.
    Benched(#[cfg_attr(feature = "types", ts(as = "types::WorkloadReport"))] WorkloadReport),
    /// A command could not be carried out; the session is as it was before.
    Refused {
        /// A sentence: what, where, what to do.
        reason: String,
    },
    /// The loss is no longer a finite number: the run stopped at its last good state.
    Diverged {
        /// The step whose loss or gradient was not finite.
        step: u64,
        /// A sentence: what happened, what to do.
        reason: String,
    },
    /// The device failed; nothing more comes from this session.
    Lost {
        /// A sentence: what happened.
        reason: String,
    },
}

/// State of a session.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Waiting for a command.
    Paused,
    /// Training.
    Training,
    /// All steps taken.
    Finished,
    /// Stopped by a loss that is NaN or infinite.
    Diverged,
}

/// A prepared experiment.
#[derive(Serialize, Deserialize, Clone, Debug, Default)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[cfg_attr(feature = "types", ts(optional_fields))]
pub struct Ready {
    /// The prepared experiment, fully resolved.
    #[serde(with = "serde_as_json")]
    #[cfg_attr(feature = "types", ts(as = "types::Json"))]
    pub experiment: Experiment,
    /// Number of steps already taken (0 in a new run).
    pub step: u64,
    /// Number of trained parameters of the model.
    pub parameters: usize,
    /// Number of tokens in the source vocabulary.
    pub source_vocabulary: usize,
    /// Number of tokens in the target vocabulary.
    pub target_vocabulary: usize,
    /// Number of training examples.
    pub training_examples: usize,
    /// Number of held-out examples.
    pub validation_examples: usize,
    /// A few held-out sentences to try, written as in the file.
    pub samples: Vec<String>,
    /// Passages of the samples, if the samples are questions; else empty.
    #[serde(default)]
    pub passages: Vec<String>,
    /// Notes on the data for the user, such as the number of examples that were left out and the
    /// reason. May be empty.
    pub notes: Vec<String>,
    /// Parts of the model that can be muted ([`Command::Mute`]).
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Vec<types::Part>"))]
    pub parts: Vec<Part>,
    /// Sites that can compute with another number of levels ([`Part::Levels`]).
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Vec<types::SiteLevels>"))]
    pub levels: Vec<SiteLevels>,
    /// Parts that are muted now.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Vec<types::Part>"))]
    pub muted: Vec<Part>,
    /// Data that the model lacks, if it was opened without them ([`Command::Open`]). Such a run has
    /// no examples; translated sentences and asked questions are watched instead.
    #[serde(default)]
    pub lacks: Option<LacksView>,
    /// Name of the device: `CPU (flex)`, `CPU (flex, 4 threads)`, `WebGPU (…)`, ….
    pub device: String,
}

/// Data that a model lacks.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
pub struct LacksView {
    /// Names of the files that must be given before training can continue; empty if files would not
    /// help.
    pub files: Vec<String>,
    /// Reason why the model cannot be trained further, and what to do.
    pub reason: String,
}
