//! State of the page, and how it changes. Pure: neither browser nor worker.
//!
//! - here: [`State`]; [`Action`]: a change of the state; `events`: changes by events of the worker
//! - [`PipelineState`]: the user's requests to the model, and the results, for each kind of work
//! - `watch`: the view of the watched example; [`Message`]: a sentence for the user
//! - `beginning`: changes when a run begins or goes on; [`end`]: how a run ended, and how training
//!   can go on
//! - `beside`: the model that lies beside the present one; `attention_file`: attention files in the
//!   place of the model
//! - [`history`]: the curves, thinned out so that long runs stay cheap; [`overlay`]: earlier runs
//!   beside the present one; [`level_weights`], [`speed`]: parts of the curves
//! - [`Keeping`]: the present run, and the kept runs as the page shows them, each a [`KeptRun`];
//!   `run_name`: name of a run until a user names it
//! - `left`: runs that were left

mod action;
mod attention_file;
mod beginning;
mod beside;
mod current_run;
pub mod end;
mod events;
pub mod history;
mod kept_run;
mod left;
pub mod level_weights;
mod message;
pub mod moments;
pub mod overlay;
pub mod pipeline;
mod run_name;
pub mod speed;
pub mod telemetry;
mod watch;

pub use action::{Action, example_on_load};
pub use attention_file::{AttentionFiles, OpenedAttention};
pub use beginning::FURTHER_FILES;
pub use beside::{Beside, BesideModel};
pub use current_run::{Change, Compared, Keeping, Opening, Snapshot, Storage, branched};
pub use kept_run::KeptRun;
pub use left::{Left, LeftRun, Resumed};
pub use message::Message;
pub use pipeline::PipelineState;
pub use run_name::{name_of, what_differs};
pub use watch::{FIRST_VIEW, Past, WatchState};

use crate::address::{Address, Device};
use crate::by_pointer::ByPointer;
use crate::presets::Preset;
use history::History;
use overlay::Earlier;
use speed::Speed;
use strata_session::protocol::{Activity, LacksView, Part, Ready, StepReport, Validation};
use strata_tasks::CorpusReport;
use strata_training::Experiment;

/// Activity of the worker, as far as the page knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A worker starts, or prepares an experiment.
    Loading,
    /// The run moves to another device.
    Moving,
    /// The session has prepared a run.
    Active(Activity),
    /// No worker is left, and no other is started.
    Lost,
}

/// State of the page: everything that the components show.
///
/// Each action replaces the state, several times a second while a run trains. Large parts are
/// therefore behind pointers: copying the state is cheap, and a component whose part has the same
/// pointer as before is not drawn again. A changed part needs a new allocation for that reason.
#[derive(Clone, Debug)]
pub struct State {
    /// The preset of `experiment`, unless a user changed its settings.
    pub preset: Option<Preset>,
    /// The preset that the session has prepared; differs from `preset` while another one loads.
    prepared: Option<Preset>,
    /// The experiment that is trained, or is being loaded. The page shows this experiment at once,
    /// before the worker has prepared it, so that a choice is visible where it was made.
    pub experiment: ByPointer<Experiment>,
    /// The experiment that the session has prepared; differs from `experiment` while another one
    /// loads.
    pub applied: ByPointer<Experiment>,
    /// The device that trains the run.
    pub device: Device,
    /// Phase of the worker.
    pub phase: Phase,
    /// The activity that the session last reported. `phase` returns to this activity if the worker
    /// refuses to load an experiment: the run before goes on.
    activity: Activity,
    /// Properties of the run that the session prepared, or `None` before the first.
    pub ready: Option<ByPointer<Ready>>,
    /// Number of runs that the session has prepared on this page.
    pub preparations: u64,
    /// Curves of the present run.
    pub history: ByPointer<History>,
    /// Runs of this visit that ended, the most recent one last.
    pub earlier: ByPointer<Vec<Earlier>>,
    /// The last reported step; `None` before the first, and after a run was opened at another step.
    pub latest: Option<StepReport>,
    /// Speed over the most recent steps.
    pub speed: Speed,
    /// Time spent in steps, in milliseconds, since step 0 or since the page has known the run.
    pub milliseconds: f64,
    /// The last validation of the whole model.
    pub validation: Option<Validation>,
    /// Parts of the model that are muted.
    pub muted: ByPointer<Vec<Part>>,
    /// Parts of the model that the user has asked to mute last.
    pub asked: ByPointer<Vec<Part>>,
    /// The validation with the muted parts left out.
    pub without: Option<Validation>,
    /// The view of a held-out example: requested and received.
    pub watch: WatchState,
    /// The model that is compared with the present one (laid beside).
    pub beside: Option<Beside>,
    /// Attention files that are shown in the place of the model.
    pub attention: Option<AttentionFiles>,
    /// The user's requests to the model, and the results.
    pub pipeline: PipelineState,
    /// Report on the user's own texts.
    pub examined: Option<ByPointer<CorpusReport>>,
    /// True while the page waits for a report on the user's own texts.
    pub examining: bool,
    /// The present run's identity in the store, and the kept runs.
    pub keeping: Keeping,
    /// The run that was left, until the present run takes a step.
    pub left: Option<LeftRun>,
    /// The run that the page began with, until that run takes a step.
    pub resumed: Option<Resumed>,
    /// Sentences for the user to read.
    pub messages: Vec<Message>,
    /// Number of messages so far, from which each message gets a number.
    message_count: u64,
}

impl State {
    /// Returns the state before any event. `page` is a prefix for the names of this page's runs,
    /// different on every page.
    pub fn new(address: &Address, page: String) -> Self {
        let experiment = ByPointer::new(address.experiment.clone());
        let mut state = Self {
            preset: preset_of(&experiment),
            prepared: preset_of(&experiment),
            applied: experiment.clone(),
            experiment,
            device: address.device,
            phase: Phase::Loading,
            activity: Activity::Paused,
            ready: None,
            preparations: 0,
            history: ByPointer::new(History::default()),
            earlier: ByPointer::new(Vec::new()),
            latest: None,
            speed: Speed::default(),
            milliseconds: 0.0,
            validation: None,
            muted: ByPointer::new(Vec::new()),
            asked: ByPointer::new(Vec::new()),
            without: None,
            watch: WatchState::default(),
            beside: None,
            attention: None,
            pipeline: PipelineState::default(),
            examined: None,
            examining: false,
            keeping: Keeping::new(page),
            left: None,
            resumed: None,
            messages: Vec::new(),
            message_count: 0,
        };
        state.tell_all(&address.complaints);
        state
    }

    /// Returns the data that the model lacks. A model that was opened without its data is not
    /// trained.
    pub fn lacks(&self) -> Option<&LacksView> {
        self.ready.as_ref()?.lacks.as_ref()
    }

    /// Number of steps that the present run has taken.
    pub fn step(&self) -> u64 {
        let ready = self.ready.as_ref().map_or(0, |ready| ready.step);
        self.latest.map_or(ready, |latest| latest.step)
    }

    /// Returns the title of a model that was opened without its data: users know such a model by
    /// its file.
    pub fn opened(&self) -> Option<String> {
        self.lacks().map(|_| self.present_model().1)
    }

    /// Returns the run's experiment and title.
    pub fn present_model(&self) -> (&Experiment, String) {
        let name = self.keeping.name.clone();
        (
            &self.applied,
            name.unwrap_or_else(|| name_of(&self.applied)),
        )
    }

    fn change_history(&mut self, change: impl FnOnce(&mut History)) {
        // Components compare the history by pointer, so every change needs a new allocation.
        let mut history = (*self.history).clone();
        change(&mut history);
        self.history = ByPointer::new(history);
    }
}

/// Returns the preset that equals an experiment in everything but the seed.
fn preset_of(experiment: &Experiment) -> Option<Preset> {
    let is_it = |preset: &Preset| {
        let seed = experiment.seed;
        *experiment
            == Experiment {
                seed,
                ..preset.experiment()
            }
    };
    Preset::every().find(is_it)
}

#[cfg(test)]
mod tests;
