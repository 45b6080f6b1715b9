//! The whole protocol: commands in, events out. Two closed enums.
//!
//! The same session serves the worker in the browser, the command line and the tests.

mod answer;
mod beside;
mod poem;
mod view;

use serde::{Deserialize, Serialize};
pub use strata_models::Part;
use strata_models::{Search, SiteName};
use strata_tasks::{CorpusReport, TaskConfig, UploadedText, serde_as_json};
use strata_training::Experiment;
use strata_training::workload::WorkloadReport;
pub use strata_training::{StepReport, Validation};

pub use answer::{AnswerView, FoundAnswerView, PassageTokenView, PassageView, PlaceView};
pub use beside::BesideView;
pub use poem::{Distinct, FormView, LineView, Origin, PlannedWord, PoemView, PoemWish, Writers};
pub use view::{
    BlockView, CellView, DescentView, LevelView, NetworkView, NormView, RolloutView, ScoreView,
    SharesView, SiteOutline, StageView, THUMBNAIL, TokenView, View, ViewData, ViewRequest,
    ViewUpdate, notable_site,
};

/// Command to a session.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Prepare this experiment: its data and a fresh model. Replies [`Event::Ready`], paused.
    Load {
        /// The experiment to prepare.
        #[serde(with = "serde_as_json")]
        experiment: Box<Experiment>,
    },
    /// Go on from a checkpoint file. Replies [`Event::Ready`], paused.
    Restore {
        /// The file's bytes.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// The same, but a model whose data are not here is opened alone: it translates, shows where it
    /// looks and is saved, and is not trained ([`Ready::lacks`]). Replies [`Event::Ready`], paused; once
    /// more when the texts have been given ([`Command::Examine`]).
    Open {
        /// The file's bytes.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Go on with the present run from its present step as this experiment has it: with more
    /// steps, at another rate, …; it differs from the present one
    /// ([`Ready::experiment`]) only in what may change on the way
    /// ([`Experiment::can_go_on_as`]). Replies [`Event::Ready`], paused (finished, if no step is
    /// left).
    GoOn {
        /// The present experiment, changed.
        #[serde(with = "serde_as_json")]
        experiment: Box<Experiment>,
    },
    /// Train until told otherwise or until the last step.
    Train,
    /// Stop after the present step.
    Pause,
    /// Take a single step, then pause.
    Step,
    /// Back to step 0 with the same initial parameters.
    Reset,
    /// Back to step 0 with other initial parameters and another order of the data.
    NewSeed {
        /// The new seed.
        seed: u64,
    },
    /// Show a view of a held-out example, now and while training. Replies [`Event::Attention`].
    Watch {
        /// `None` stops showing it.
        look: Option<ViewRequest>,
    },
    /// Translate one sentence. Replies [`Event::Translated`].
    Translate {
        /// In the source language, as the task writes it.
        text: String,
        /// Tokens that the target begins with, as [`FoundTranslationView::tokens`] has them.
        #[serde(default)]
        prefix: Vec<String>,
        /// Search algorithm and its settings.
        #[serde(default, with = "serde_as_json")]
        search: Search,
        /// True to tell how it was found ([`TranslationView::search`]).
        #[serde(default)]
        details: bool,
    },
    /// Answer a question about a passage, by a reader. Replies [`Event::Answered`].
    Answer {
        /// The question.
        question: String,
        /// The passage, in which the answer is looked for.
        passage: String,
    },
    /// Plan a poem, and write it. Replies [`Event::Poem`]; then [`Event::PoemBeside`], where a model
    /// beside the present one writes it, too.
    WritePoem {
        /// The poem that is asked for.
        wish: Box<PoemWish>,
    },
    /// Look at texts before anything is trained on them, and keep them: experiments whose task
    /// names them are loaded from them as from files. Replies [`Event::Examined`].
    Examine {
        /// The task that reads them.
        #[serde(with = "serde_as_json")]
        task: Box<TaskConfig>,
        /// The texts; those that were given before need not be given again.
        #[serde(default)]
        texts: Vec<UploadedText>,
    },
    /// Measure the validation set now. Replies [`Event::Validated`].
    Validate,
    /// Mute these parts of the model and unmute all others, until the next such command or until
    /// another run begins: steps, validations, translations and views are computed without them;
    /// parameters and checkpoints stay as they are. Replies [`Event::Muted`].
    Mute {
        /// Parts to mute, from [`Ready::parts`]; rows to give weights to ([`Part::Row`]), nodes
        /// ([`Part::Node`]).
        parts: Vec<Part>,
    },
    /// Lay the model of another run, by its checkpoint file, beside the present one, for
    /// [`View::Beside`] and for poems; `None` lets go of it. The present run stays as it is. Replies
    /// [`Event::Beside`].
    Beside {
        /// The file's bytes.
        #[serde(with = "serde_bytes")]
        checkpoint: Option<Vec<u8>>,
    },
    /// Replies [`Event::Saved`] with a checkpoint file.
    Save,
    /// Take the steps of a workload that is built in, apart from any run. Replies
    /// [`Event::Benched`].
    Bench {
        /// Its name.
        name: String,
        /// Steps to time instead of as many as the workload says.
        steps: Option<u32>,
        /// Steps to take before those.
        warmup: Option<u32>,
    },
}

impl Command {
    /// True if the present run ends with it.
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
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An experiment is prepared (or restored, or reset).
    Ready(Ready),
    /// The activity of the session changed.
    Activity {
        /// Its present activity.
        activity: Activity,
    },
    /// Training steps that were taken; several at once where they are quick.
    Progress {
        /// Reports of the steps, in order.
        steps: Vec<StepReport>,
    },
    /// The validation set was measured.
    Validated(Validation),
    /// These parts of the model are away now, and no others.
    Muted {
        /// Muted parts, as the command named them.
        parts: Vec<Part>,
        /// The validation set, measured without them; no validation of the run. `None` of a model
        /// whose data are not here.
        validation: Option<Validation>,
    },
    /// A model lies beside the present one, or none.
    Beside {
        /// Steps that it was trained for.
        step: Option<u64>,
        /// The experiment that it was trained by.
        #[serde(with = "serde_as_json")]
        experiment: Option<Box<Experiment>>,
    },
    /// The requested view of the watched example.
    Attention(ViewUpdate),
    /// A sentence was translated.
    Translated(TranslationView),
    /// A question was answered.
    Answered {
        /// The best answers.
        answer: AnswerView,
        /// Where the model looked in the passage of the best: the question is its source, the
        /// passage its target.
        attention: TranslationView,
    },
    /// A poem was planned, and written.
    Poem(PoemView),
    /// The model beside was to write a poem, by the keywords of the present model's.
    PoemBeside {
        /// The poem, or a sentence on why there is none.
        written: Result<PoemView, String>,
    },
    /// Texts were looked at, and taken.
    Examined(CorpusReport),
    /// A checkpoint.
    Saved {
        /// Steps taken.
        step: u64,
        /// The file's bytes.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// The steps of a workload were timed.
    Benched(WorkloadReport),
    /// Something could not be done; the session is as it was before.
    Refused {
        /// A sentence: what, where, what to do.
        reason: String,
    },
    /// The loss is no longer a number: the run stopped at its last good state.
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
pub struct Ready {
    /// The prepared experiment, fully resolved.
    #[serde(with = "serde_as_json")]
    pub experiment: Experiment,
    /// Steps already taken (0 if fresh).
    pub step: u64,
    /// Trained numbers of the model.
    pub parameters: usize,
    /// Tokens that the source side knows.
    pub source_vocabulary: usize,
    /// Tokens that the target side knows.
    pub target_vocabulary: usize,
    /// Training examples.
    pub training_examples: usize,
    /// Held-out examples.
    pub validation_examples: usize,
    /// A few held-out sentences (source text as it is in the file), to try.
    pub samples: Vec<String>,
    /// The passages of these, where they are questions; else empty.
    #[serde(default)]
    pub passages: Vec<String>,
    /// Notes on the data, before the run starts: examples that were dropped and why, and the like.
    /// May be empty.
    pub notes: Vec<String>,
    /// Parts of the model that can be taken away ([`Command::Mute`]).
    #[serde(default)]
    pub parts: Vec<Part>,
    /// Parts that are muted now.
    #[serde(default)]
    pub muted: Vec<Part>,
    /// Data that a model lacks which was opened without them ([`Command::Open`]): there are no examples
    /// then, but what is translated or asked is watched in the place of them.
    #[serde(default)]
    pub lacks: Option<LacksView>,
    /// Name of the device: `CPU (flex)`, `CPU (flex, 4 threads)`, `WebGPU (…)`, ….
    pub device: String,
}

/// Data that a model lacks.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct LacksView {
    /// Names of the files to give so that the model can be trained on; none where files would not help.
    pub files: Vec<String>,
    /// Reason why the model is not trained on, and what to do.
    pub reason: String,
}

/// A translation with its attention.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct TranslationView {
    /// Steps taken.
    pub step: u64,
    /// Source tokens, the columns of cross-attention.
    pub source: Vec<String>,
    /// Target tokens with `</s>` where it was reached, the rows of cross-attention.
    pub target: Vec<String>,
    /// The best translation found, as text.
    pub text: String,
    /// Source words that the vocabulary does not know.
    pub unknown: Vec<String>,
    /// The attention of each site.
    pub sites: Vec<SiteView>,
    /// The search that found the translation, where that was asked for.
    #[serde(default)]
    pub search: Option<SearchView>,
}

/// Results and tree of a search, token by token.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SearchView {
    /// The translations that the search gives, the best first (of sampling in the order of the
    /// draws), at most 16.
    pub translations: Vec<FoundTranslationView>,
    /// For each step the hypotheses that were kept in it, by their last token, those of a beam in
    /// the order of their scores. Empty where there are more than 16 at a time.
    pub tree: Vec<Vec<NodeView>>,
}

/// A translation with its numbers.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct FoundTranslationView {
    /// The translation as text.
    pub text: String,
    /// Its tokens, with `</s>` where it was reached.
    pub tokens: Vec<String>,
    /// ln p of each token after those before it.
    pub log_probabilities: Vec<f32>,
    /// Their sum.
    pub score: f64,
    /// The score by which translations of different lengths are compared.
    pub normalised: f64,
    /// For each token the most probable ones at its place, at most 5, the best first.
    pub candidates: Vec<Vec<CandidateView>>,
    /// The place of each token among the hypotheses of its step in the tree.
    pub path: Vec<usize>,
}

/// A token that could have been written.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CandidateView {
    /// The token as text.
    pub token: String,
    /// Its ln p.
    pub log_probability: f32,
}

/// The last token of a hypothesis that was kept in a step.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Its place among the hypotheses of the step before that it goes on; 0 in the first step.
    pub parent: usize,
    /// The token as text; `</s>` ends the hypothesis.
    pub token: String,
    /// Its ln p.
    pub log_probability: f32,
    /// Sum of ln p over the whole hypothesis.
    pub score: f64,
}

/// The attention of one site.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SiteView {
    /// Its name. Columns of `decoder.….self` are `<s>` and the target without its last token.
    pub site: SiteName,
    /// H; 1 where it is one of them, or their mean.
    pub heads: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Numbers of the levels that are included, within 1 ..= N: all, or a few spread over them, 1
    /// and N among them.
    pub level_numbers: Vec<usize>,
    /// Number of rows: T, or fewer in a thumbnail.
    pub rows: usize,
    /// Number of columns: S, or fewer in a thumbnail.
    pub columns: usize,
    /// Effective attention of each of `level_numbers`: `[levels, heads, rows, columns]`,
    /// row-major.
    pub weights: Vec<f32>,
    /// The position that each row predicts, from 0, of local attention: `[heads, rows]`. Empty of
    /// other mechanisms, of thumbnails and of the mean of several heads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<f32>,
}
