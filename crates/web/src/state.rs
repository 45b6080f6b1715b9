//! State of the page, and how it changes. Pure: neither browser nor worker.
//!
//! - here: [`State`], and [`Action`], all that can happen to it
//! - `beginning`: changes when a run begins or goes on; [`end`]: how a run ended, and how it can go
//!   on; `poems`: changes when poems are written
//! - `beside`: the model that lies beside the present one
//! - [`history`]: the curves, thinned out so that long runs stay cheap; [`overlay`]: earlier runs
//!   beside the present one; [`level_weights`], [`speed`]: parts of that
//! - [`Keeping`]: the present run, and what the page shows of the kept ones, each a [`KeptRun`];
//!   `run_name`: name of a run until a user names it
//! - `left`: runs that were left; [`same_question`]: answers of several runs

mod beginning;
mod beside;
mod current_run;
pub mod end;
pub mod history;
mod kept_run;
mod left;
pub mod level_weights;
pub mod moments;
pub mod overlay;
mod poems;
mod run_name;
pub mod same_question;
pub mod speed;

pub use beginning::FURTHER_FILES;
pub use beside::{Beside, BesideModel};
pub use current_run::{Change, Compared, Keeping, Opening, Snapshot, Storage, branched};
pub use kept_run::KeptRun;
pub use left::{Left, LeftRun, Resumed};
pub use run_name::{name_of, what_differs};

use crate::address::{Address, Device};
use crate::by_pointer::ByPointer;
use crate::presets::Preset;
use crate::sentence::sentence;
use crate::texts::Texts;
use history::History;
use level_weights::SharesHistory;
use moments::Moments;
use overlay::Earlier;
use same_question::SameQuestion;
use speed::Speed;
use std::rc::Rc;
use strata_models::Search;
use strata_session::protocol::{
    Activity, AnswerView, Event, LacksView, Part, PoemView, Ready, StepReport, TranslationView,
    Validation, View, ViewData, ViewRequest, ViewUpdate, Writers,
};
use strata_tasks::{CorpusReport, Pipeline};
use strata_training::Experiment;
use yew::Reducible;

/// The most messages that are shown at once.
const MESSAGES: usize = 3;
/// The most letters of one message: a text from a file can have any length.
const LETTERS: usize = 600;

/// Earlier views of one kind, by their steps.
pub type Past = Moments<ByPointer<ViewUpdate>>;
/// The most views, of some kB each, that are kept to wind back to.
const VIEWS: usize = 120;

/// The view that is asked for at first: the whole model, so that attention is seen in its place.
pub const FIRST_LOOK: ViewRequest = ViewRequest {
    example: 0,
    view: View::Network { site: None },
};

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

/// A sentence for the user, shown until the user closes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Number of the message, which tells it from others with the same text.
    pub number: u64,
    /// Text of the message, a sentence.
    pub text: String,
    /// True for failures, which a screen reader says at once.
    pub is_grave: bool,
    /// True for a complaint about the user's own texts; shown until the texts are read in another
    /// way.
    pub is_of_texts: bool,
}

/// A sentence to translate or to write on, with its search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Text to translate, or to write on.
    pub text: String,
    /// Tokens that the target must begin with.
    pub prefix: Vec<String>,
    /// Search for the target: greedy, beam or sampling.
    pub search: Search,
}

/// A question to a reader, with its passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// The passage in which the reader looks for the answer.
    pub passage: String,
}

/// State of the page: all that its components show.
#[derive(Clone, Debug)]
pub struct State {
    /// The preset of `experiment`, unless a user changed its settings.
    pub preset: Option<Preset>,
    /// The preset that the session has prepared; differs from `preset` while another one loads.
    prepared: Option<Preset>,
    /// The experiment that is trained, or is being loaded.
    pub experiment: ByPointer<Experiment>,
    /// The experiment that the session has prepared; differs from `experiment` while another one
    /// loads.
    pub applied: ByPointer<Experiment>,
    /// The device that trains the run.
    pub device: Device,
    /// Phase of the worker.
    pub phase: Phase,
    /// The activity that the session last reported.
    activity: Activity,
    /// Properties of the run that the session prepared, or `None` before the first.
    pub ready: Option<ByPointer<Ready>>,
    /// Number of runs that the session has prepared on this page.
    pub preparations: u64,
    /// Curves of the present run.
    pub history: ByPointer<History>,
    /// Runs of this visit that ended, the most recent one last.
    pub earlier: ByPointer<Vec<Earlier>>,
    /// The last reported step, or `None` before the first.
    pub latest: Option<StepReport>,
    /// Speed over the most recent steps.
    pub speed: Speed,
    /// Time spent in steps, in milliseconds, since step 0 or since the page has known the run.
    pub milliseconds: f64,
    /// The last validation of the whole model.
    pub validation: Option<Validation>,
    /// Parts of the model that are muted.
    pub muted: ByPointer<Vec<Part>>,
    /// The validation with the muted parts left out.
    pub without: Option<Validation>,
    /// The view of a held-out example that is requested from the worker.
    pub look: ViewRequest,
    /// True if the worker is asked for any view.
    pub watching: bool,
    /// The last view that the worker sent.
    pub watched: Option<ByPointer<ViewUpdate>>,
    /// Shares of the levels in the views so far, by step.
    pub shares: ByPointer<SharesHistory>,
    /// Earlier views of the same kind, to wind back to.
    pub past: ByPointer<Past>,
    /// The sentence of the last request to translate.
    pub asked: Option<ByPointer<Question>>,
    /// The model that is compared with the present one (laid beside).
    pub beside: Option<Beside>,
    /// The last translation.
    pub translated: Option<ByPointer<TranslationView>>,
    /// The last question to a reader, with its passage.
    pub question: Option<ByPointer<Asked>>,
    /// The answer to `question`; `translated` shows the attention behind the answer.
    pub answered: Option<ByPointer<AnswerView>>,
    /// Answers of the runs so far to the last question.
    pub same_question: ByPointer<SameQuestion>,
    /// The last poem, or its plan.
    pub poem: Option<ByPointer<PoemView>>,
    /// True while the page waits for a poem.
    pub composing: bool,
    /// The poem of the model beside, or a sentence that says why there is none.
    pub poem_beside: Option<Result<ByPointer<PoemView>, String>>,
    /// True while the page waits for the poem of the model beside.
    pub composing_beside: bool,
    /// Number of times that a user asked for a model of poems; each time the panel for own texts
    /// opens.
    pub bring_poems: u32,
    /// Report on the user's own texts.
    pub examined: Option<ByPointer<CorpusReport>>,
    /// True while the page waits for a report on the user's own texts.
    pub examining: bool,
    /// True while the page waits for a translation or an answer.
    pub translating: bool,
    /// The present run's identity in the store, and the kept runs.
    pub keeping: Keeping,
    /// The run that was left, until the present run takes a step.
    pub left: Option<LeftRun>,
    /// The run that the page began with, until that run takes a step.
    pub resumed: Option<Resumed>,
    /// Sentences for the user to read.
    pub messages: Vec<Message>,
    told: u64,
}

/// A change of the state: everything that can happen to the page.
#[derive(Debug)]
pub enum Action {
    /// Takes in events of the worker.
    Events(Vec<Event>),
    /// Starts loading an experiment, and its preset if it has one.
    Load(Option<Preset>, Box<Experiment>),
    /// Starts loading a run from a checkpoint.
    Open(Box<Opening>),
    /// Records the user's own texts that the next run reads.
    Texts(Texts),
    /// Changes the kept runs, or the list of them.
    Keeping(Box<Change>),
    /// Starts moving the run to another device.
    Move(Device),
    /// Records that the run stays on this device.
    Stay(Device),
    /// Requests another view of a held-out example.
    ViewRequest(ViewRequest),
    /// True to request views of held-out examples, false to request none.
    Watching(bool),
    /// Starts comparing with another model, or stops comparing (`None`).
    Beside(Option<Box<Beside>>),
    /// Starts waiting for a translation.
    Translate(Question),
    /// Starts waiting for an answer.
    Ask(Asked),
    /// Starts waiting for a poem of these models.
    WritePoem(Writers),
    /// Opens the panel for own texts, to be given a file of poems.
    BringPoems,
    /// Starts waiting for a report on the user's own texts.
    Examine,
    /// Records that no worker is left, with the reason.
    Lost(String),
    /// Shows a sentence to the user.
    Tell(String),
    /// Shows a complaint about the user's own texts, in the place of earlier complaints.
    Complain(String),
    /// Removes the message of this number, which a user closed.
    PutAway(u64),
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
            without: None,
            look: FIRST_LOOK,
            watching: true,
            watched: None,
            shares: ByPointer::new(SharesHistory::default()),
            past: ByPointer::new(Past::new(VIEWS)),
            asked: None,
            beside: None,
            translated: None,
            question: None,
            answered: None,
            same_question: ByPointer::new(SameQuestion::default()),
            translating: false,
            poem: None,
            composing: false,
            poem_beside: None,
            composing_beside: false,
            bring_poems: 0,
            examined: None,
            examining: false,
            keeping: Keeping::new(page),
            left: None,
            resumed: None,
            messages: Vec::new(),
            told: 0,
        };
        // Joins the complaints beyond the number of messages that are shown: the last message has
        // the rest.
        let all = &address.complaints;
        let (first, rest) = all.split_at(all.len().min(MESSAGES - 1));
        for complaint in first {
            state.tell(complaint.clone());
        }
        if !rest.is_empty() {
            state.tell(rest.join(" "));
        }
        state
    }

    /// True if the model is a reader, which answers questions.
    pub fn is_reader(&self) -> bool {
        self.applied.task.pipeline() == Pipeline::QuestionAnswering
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

    /// Adds a message for the user; the oldest one goes if there are too many.
    pub fn tell(&mut self, text: String) {
        self.add_message(text, false);
    }

    /// Adds a message about a failure, which a screen reader says at once.
    fn tell_of_failure(&mut self, text: String) {
        self.add_message(text, true);
    }

    fn add_message(&mut self, text: String, is_grave: bool) {
        let text = sentence(&shortened(&text));
        // A repeated message moves to the end, instead of being shown twice.
        self.messages.retain(|message| message.text != text);
        self.told += 1;
        self.messages.push(Message {
            number: self.told,
            text,
            is_grave,
            is_of_texts: false,
        });
        let surplus = self.messages.len().saturating_sub(MESSAGES);
        self.messages.drain(..surplus);
    }

    /// Shows a complaint about the user's own texts, in the place of earlier complaints.
    fn complain(&mut self, text: String) {
        self.forget_complaints();
        self.tell_of_failure(text);
        if let Some(message) = self.messages.last_mut() {
            message.is_of_texts = true;
        }
    }

    /// Removes complaints about the user's own texts, which are now read in another way.
    fn forget_complaints(&mut self) {
        self.messages.retain(|message| !message.is_of_texts);
    }

    /// True while a complaint about the user's own texts is shown.
    pub fn complains(&self) -> bool {
        self.messages.iter().any(|message| message.is_of_texts)
    }

    fn change_history(&mut self, change: impl FnOnce(&mut History)) {
        // Components compare the history by pointer, so every change needs a new allocation.
        let mut history = (*self.history).clone();
        change(&mut history);
        self.history = ByPointer::new(history);
    }

    fn see(&mut self, sight: ViewUpdate) {
        // Shares are drawn over time, so their history grows with each view, whichever is shown.
        if let ViewData::Shares(shares) = &sight.seen {
            let mut history = (*self.shares).clone();
            history.push(sight.step, shares);
            self.shares = ByPointer::new(history);
        }
        // The timeline winds back through views of the same request alone: another request begins
        // anew.
        let sight = ByPointer::new(sight);
        let last = self.past.last();
        let mut past = match last.is_some_and(|last| last.look == sight.look) {
            true => (*self.past).clone(),
            false => Past::new(VIEWS),
        };
        past.push(sight.step, sight.clone());
        self.past = ByPointer::new(past);
        self.watched = Some(sight);
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Ready(ready) => self.begin(ready),
            Event::Activity { activity } => {
                self.activity = activity;
                self.phase = Phase::Active(activity);
            }
            Event::Progress { steps } => {
                self.change_history(|history| steps.iter().for_each(|step| history.push(step)));
                for step in &steps {
                    self.speed.push(step);
                    self.milliseconds += step.milliseconds;
                }
                self.latest = steps.last().copied().or(self.latest);
                // A run that has taken a step replaces the run before: that run is no longer
                // offered.
                if !steps.is_empty() {
                    (self.left, self.resumed) = (None, None);
                }
            }
            Event::Validated(validation) => {
                self.change_history(|history| history.validate(&validation));
                self.validation = Some(validation);
            }
            Event::Muted { parts, validation } => {
                // The model's validation in `validation` stays that of the whole model.
                self.without = validation.filter(|_| !parts.is_empty());
                self.muted = ByPointer::new(parts);
            }
            Event::Attention(sight) => self.see(sight),
            Event::Beside { step, experiment } => match (step, experiment) {
                (Some(step), Some(experiment)) => {
                    if let Some(beside) = &mut self.beside {
                        let experiment = *experiment;
                        beside.model = Some(ByPointer::new(BesideModel { step, experiment }));
                    }
                }
                _ => self.lay_beside(None),
            },
            Event::Translated(picture) => {
                self.translated = Some(ByPointer::new(picture));
                self.translating = false;
            }
            Event::Answered { answer, attention } => {
                if let Some(asked) = &self.question {
                    let name = self.keeping.name.clone();
                    let name = name.unwrap_or_else(|| name_of(&self.applied));
                    let mut same = (*self.same_question).clone();
                    same.push(asked, (&self.keeping.id, name), &answer);
                    self.same_question = ByPointer::new(same);
                }
                self.answered = Some(ByPointer::new(answer));
                self.translated = Some(ByPointer::new(attention));
                self.translating = false;
            }
            Event::Poem(poem) => self.take_poem(poem),
            Event::PoemBeside { written } => self.take_poem_beside(written),
            Event::Examined(examined) => {
                self.examined = Some(ByPointer::new(examined));
                self.examining = false;
            }
            Event::Saved { step, checkpoint } => self.snapshot(step, checkpoint),
            // The page `bench` runs workloads and shows their results; this page never asks for
            // any.
            Event::Benched(_) => {}
            Event::Refused { reason } => {
                // The worker does not say which request it refuses, so the page stops waiting for
                // any.
                self.translating = false;
                self.stop_composing();
                let was_examining = std::mem::take(&mut self.examining);
                self.keeping.give_up();
                if self.beside.as_ref().is_some_and(|it| it.model.is_none()) {
                    self.lay_beside(None);
                }
                if self.phase == Phase::Loading {
                    // A refused request leaves the session as it was, so the page shows the
                    // prepared run again.
                    self.preset = self.prepared;
                    if let Some(ready) = &self.ready {
                        self.experiment = ByPointer::new(ready.experiment.clone());
                    }
                    self.phase = Phase::Active(self.activity);
                    self.tell_of_failure(reason);
                } else if was_examining {
                    self.complain(reason);
                } else {
                    self.tell_of_failure(reason);
                }
            }
            Event::Diverged { reason, .. } => {
                self.phase = Phase::Active(Activity::Diverged);
                self.tell_of_failure(reason);
            }
            Event::Lost { reason } => {
                self.phase = Phase::Lost;
                self.translating = false;
                self.stop_composing();
                self.examining = false;
                self.tell_of_failure(reason);
            }
        }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = Rc::unwrap_or_clone(self);
        match action {
            Action::Events(events) => events.into_iter().for_each(|event| state.event(event)),
            Action::Load(preset, experiment) => {
                state.preset = preset;
                // Another task has other examples: the last view would show tokens of data that are
                // gone.
                if state.experiment.task != experiment.task {
                    state.watched = None;
                }
                // Other data may have fewer examples.
                state.look.example = 0;
                state.experiment = ByPointer::new(*experiment);
                state.phase = Phase::Loading;
            }
            Action::Open(opening) => {
                state.keeping.open(*opening);
                state.phase = Phase::Loading;
            }
            Action::Texts(texts) => state.keeping.texts = texts,
            Action::Keeping(change) => {
                let run = state.beside.as_ref().and_then(|it| it.run.as_ref());
                let is_removed = run.is_some_and(|run| match &*change {
                    // The model beside is read from the kept run, so it goes when that run is
                    // removed.
                    Change::Deleted(id, _) => *id == run.id,
                    Change::RemovedAll => true,
                    _ => false,
                });
                if is_removed {
                    state.lay_beside(None);
                }
                state.keeping.change(*change);
            }
            Action::Beside(beside) => state.lay_beside(beside.map(|it| *it)),
            Action::Move(device) => {
                state.device = device;
                state.phase = Phase::Moving;
            }
            Action::Stay(device) => state.device = device,
            Action::ViewRequest(look) => (state.look, state.watching) = (look, true),
            Action::Watching(watching) => state.watching = watching,
            Action::Translate(question) => {
                state.asked = Some(ByPointer::new(question));
                state.translating = true;
            }
            Action::Ask(asked) => {
                state.question = Some(ByPointer::new(asked));
                state.translating = true;
            }
            Action::WritePoem(writers) => state.compose(writers),
            Action::BringPoems => state.bring_poems += 1,
            Action::Examine => {
                state.forget_complaints();
                state.examining = true;
            }
            Action::Lost(reason) => state.event(Event::Lost { reason }),
            Action::Tell(text) => state.tell(text),
            Action::Complain(text) => state.complain(text),
            Action::PutAway(number) => state.messages.retain(|message| message.number != number),
        }
        Rc::new(state)
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
    Preset::ALL.into_iter().find(is_it)
}

/// Returns the text, or its first `LETTERS` letters with an ellipsis.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
