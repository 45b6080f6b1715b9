//! Protocol of a session: two closed enums, commands in and events out.
//!
//! The same session serves the worker in the browser, the command line and the tests.

mod answer;
mod beside;
mod poem;
mod view;

use serde::{Deserialize, Serialize};
pub use strata_models::Part;
use strata_models::{Search, SiteName};
use strata_tasks::{CorpusReport, TaskConfig};
use strata_text::{UploadedText, serde_as_json};
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
    /// Prepare an experiment: its data and a new model. Replies [`Event::Ready`], paused.
    Load {
        /// The experiment to prepare.
        #[serde(with = "serde_as_json")]
        experiment: Box<Experiment>,
    },
    /// Continue from a checkpoint file. Replies [`Event::Ready`], paused.
    Restore {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Continue from a checkpoint file even if the model's data are missing. A model without its
    /// data translates, shows its attention and can be saved, but is not trained
    /// ([`Ready::lacks`]). Replies [`Event::Ready`], paused; once more when the texts have been
    /// given ([`Command::Examine`]).
    Open {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// Continue the present run from its present step with a changed experiment: with more steps,
    /// at another rate, …. The experiment may differ from the present one ([`Ready::experiment`])
    /// only in settings that may change during a run ([`Experiment::can_go_on_as`]). Replies
    /// [`Event::Ready`], paused (finished, if no step is left).
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
    /// Go back to step 0 with the same initial parameters.
    Reset,
    /// Go back to step 0 with other initial parameters and another order of the data.
    NewSeed {
        /// Seed of the new run.
        seed: u64,
    },
    /// Show a view of a held-out example, now and while training. Replies [`Event::Attention`].
    Watch {
        /// The requested view; `None` to show no more views.
        look: Option<ViewRequest>,
    },
    /// Translate one sentence. Replies [`Event::Translated`].
    Translate {
        /// Sentence in the source language, as the task writes it.
        text: String,
        /// Tokens with which the target begins, as in [`FoundTranslationView::tokens`].
        #[serde(default)]
        prefix: Vec<String>,
        /// Search algorithm and its settings.
        #[serde(default, with = "serde_as_json")]
        search: Search,
        /// True to report the search as well ([`TranslationView::search`]).
        #[serde(default)]
        details: bool,
    },
    /// Answer a question about a passage, if the model is a reader. Replies [`Event::Answered`].
    Answer {
        /// The question.
        question: String,
        /// Passage in which the answer is searched.
        passage: String,
    },
    /// Plan a poem, and write it. Replies [`Event::Poem`]; then [`Event::PoemBeside`], if the model
    /// beside the present one writes the poem, too.
    WritePoem {
        /// The requested poem.
        wish: Box<PoemWish>,
    },
    /// Examine texts before anything is trained on them, and keep them: later, experiments whose
    /// task names these texts read them like files. Replies [`Event::Examined`].
    Examine {
        /// Task that reads the texts.
        #[serde(with = "serde_as_json")]
        task: Box<TaskConfig>,
        /// Texts to examine; those that were given before need not be given again.
        #[serde(default)]
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
        parts: Vec<Part>,
    },
    /// Load the model of another run from its checkpoint file beside the present one, for
    /// [`View::Beside`] and for poems; `None` removes it. The present run stays as it is. Replies
    /// [`Event::Beside`].
    Beside {
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
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
        steps: Vec<StepReport>,
    },
    /// The validation set was measured.
    Validated(Validation),
    /// These parts of the model are muted now, and no others.
    Muted {
        /// Muted parts, as the command named them.
        parts: Vec<Part>,
        /// Validation without the muted parts, which does not count as one of the run; `None` for a
        /// model whose data are missing.
        validation: Option<Validation>,
    },
    /// A model was loaded beside the present one, or removed.
    Beside {
        /// Number of steps for which the model beside was trained; `None` if there is none.
        step: Option<u64>,
        /// Experiment by which the model beside was trained.
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
        /// Attention in the passage of the best answer: the question is the source, the passage the
        /// target.
        attention: TranslationView,
    },
    /// A poem was planned, and written.
    Poem(PoemView),
    /// The model beside was asked to write a poem by the keywords of the present model.
    PoemBeside {
        /// The poem, or a sentence on the reason why there is none.
        written: Result<PoemView, String>,
    },
    /// Texts were examined and kept.
    Examined(CorpusReport),
    /// A checkpoint was made.
    Saved {
        /// Number of steps taken.
        step: u64,
        /// Contents of the checkpoint file.
        #[serde(with = "serde_bytes")]
        checkpoint: Vec<u8>,
    },
    /// The steps of a workload were timed.
    Benched(WorkloadReport),
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
    pub parts: Vec<Part>,
    /// Parts that are muted now.
    #[serde(default)]
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
pub struct LacksView {
    /// Names of the files that must be given before training can continue; empty if files would not
    /// help.
    pub files: Vec<String>,
    /// Reason why the model cannot be trained further, and what to do.
    pub reason: String,
}

/// A translation with its attention.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct TranslationView {
    /// Number of steps taken.
    pub step: u64,
    /// Source tokens, the columns of cross-attention.
    pub source: Vec<String>,
    /// Target tokens, the rows of cross-attention; the last is `</s>` if the translation ended.
    pub target: Vec<String>,
    /// The best translation found, as text.
    pub text: String,
    /// Source words that are not in the vocabulary.
    pub unknown: Vec<String>,
    /// Attention of each site.
    pub sites: Vec<SiteView>,
    /// Search that found the translation, if its details were requested.
    #[serde(default)]
    pub search: Option<SearchView>,
}

/// Results and tree of a search, token by token.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SearchView {
    /// Translations that the search returned, at most 16: the best first, or with sampling in the
    /// order in which they were drawn.
    pub translations: Vec<FoundTranslationView>,
    /// Hypotheses that were kept in each step, by their last token; in a beam ordered by score.
    /// Empty if there are more than 16 at a time.
    pub tree: Vec<Vec<NodeView>>,
}

/// A translation with its scores.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct FoundTranslationView {
    /// The translation as text.
    pub text: String,
    /// Tokens of the translation, with `</s>` if it ended.
    pub tokens: Vec<String>,
    /// ln p of each token, given the tokens before it.
    pub log_probabilities: Vec<f32>,
    /// Sum of the log-probabilities.
    pub score: f64,
    /// Score by which translations of different lengths are compared.
    pub normalised: f64,
    /// Most probable tokens at the place of each token, at most 5, the best first.
    pub candidates: Vec<Vec<CandidateView>>,
    /// Index of each token among the hypotheses of its step in the tree.
    pub path: Vec<usize>,
}

/// A candidate token, one that could have been written.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CandidateView {
    /// The token as text.
    pub token: String,
    /// ln p of the token.
    pub log_probability: f32,
}

/// The last token of a hypothesis that was kept in a step.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Index of the hypothesis of the previous step that this one continues; 0 in the first step.
    pub parent: usize,
    /// The token as text; `</s>` ends the hypothesis.
    pub token: String,
    /// ln p of the token.
    pub log_probability: f32,
    /// Sum of ln p over the whole hypothesis.
    pub score: f64,
}

/// Attention of one site.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct SiteView {
    /// Name of the site. The columns of `decoder.….self` are `<s>` and the target without its last
    /// token.
    pub site: SiteName,
    /// Number of heads, H; 1 for a single head or the mean of all heads.
    pub heads: usize,
    /// Number of levels, N.
    pub levels: usize,
    /// Numbers of the included levels, within 1 ..= N: all of them, or a few spread from 1 to N.
    pub level_numbers: Vec<usize>,
    /// Number of rows: T, or fewer in a thumbnail.
    pub rows: usize,
    /// Number of columns: S, or fewer in a thumbnail.
    pub columns: usize,
    /// Effective attention of each of the `level_numbers`: `[levels, heads, rows, columns]`,
    /// row-major.
    pub weights: Vec<f32>,
    /// Positions that the rows of local attention predict, from 0: `[heads, rows]`. Empty for other
    /// mechanisms, for thumbnails, and for the mean of several heads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<f32>,
}
