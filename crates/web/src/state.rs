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
use strata_tasks::{CorpusReport, Form};
use strata_training::Experiment;
use yew::Reducible;

/// The most messages that are shown at once.
const MESSAGES: usize = 3;
/// The most letters of one message: a text from a file can have any length.
const LETTERS: usize = 600;

/// Views of one kind at some steps.
pub type Past = Moments<ByPointer<ViewUpdate>>;
/// The most views that are kept to wind back to, of some kB each.
const VIEWS: usize = 120;

/// The first view: the whole model, so that attention is seen in its place.
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
    /// A session is prepared.
    Active(Activity),
    /// There is no worker any more.
    Lost,
}

/// A sentence for the user, until it is put away.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Number of the message, which tells it from the others.
    pub number: u64,
    /// The sentence.
    pub text: String,
    /// True for failures, which a screen reader says at once.
    pub is_grave: bool,
    /// True for what is wrong with the user's own texts, until they are read in another way.
    pub is_of_texts: bool,
}

/// A request to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    /// Text to be translated, or written on.
    pub text: String,
    /// Tokens that the target begins with.
    pub prefix: Vec<String>,
    /// Search by which the target is found.
    pub search: Search,
}

/// A question to a reader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// The passage, in which the answer is looked for.
    pub passage: String,
}

/// All that the page shows.
#[derive(Clone, Debug)]
pub struct State {
    /// The preset that the experiment is, unless a user changed it.
    pub preset: Option<Preset>,
    /// The preset that is prepared, where another is on its way.
    prepared: Option<Preset>,
    /// The experiment that is trained, or is going to be.
    pub experiment: ByPointer<Experiment>,
    /// The prepared experiment, where another is on its way.
    pub applied: ByPointer<Experiment>,
    /// The device that trains it.
    pub device: Device,
    /// Phase of the worker.
    pub phase: Phase,
    /// The activity that the session last reported.
    activity: Activity,
    /// Properties of the run that the session prepared.
    pub ready: Option<ByPointer<Ready>>,
    /// Number of times that it prepared a run.
    pub preparations: u64,
    /// Curves of the present run.
    pub history: ByPointer<History>,
    /// Runs of this visit that ended, the last one last.
    pub earlier: ByPointer<Vec<Earlier>>,
    /// The last step.
    pub latest: Option<StepReport>,
    /// Speed over the last steps.
    pub speed: Speed,
    /// Time spent in steps, in milliseconds, since step 0 or since the page has known the run.
    pub milliseconds: f64,
    /// The last validation.
    pub validation: Option<Validation>,
    /// Parts of the model that are muted.
    pub muted: ByPointer<Vec<Part>>,
    /// The validation without the muted parts.
    pub without: Option<Validation>,
    /// The view of the held-out examples that is asked for.
    pub look: ViewRequest,
    /// True if the worker is asked for any view.
    pub watching: bool,
    /// The last view that the worker sent.
    pub watched: Option<ByPointer<ViewUpdate>>,
    /// Shares of the levels in the views so far, over the steps.
    pub shares: ByPointer<SharesHistory>,
    /// Earlier views of the same kind, to wind back to.
    pub past: ByPointer<Past>,
    /// The last request to translate.
    pub asked: Option<ByPointer<Question>>,
    /// The model that lies beside the present one, to compare their outputs.
    pub beside: Option<Beside>,
    /// The last translation.
    pub translated: Option<ByPointer<TranslationView>>,
    /// The last question to a reader.
    pub question: Option<ByPointer<Asked>>,
    /// The answer to it; `translated` shows where the model looked.
    pub answered: Option<ByPointer<AnswerView>>,
    /// Answers of the runs so far to the last question.
    pub same_question: ByPointer<SameQuestion>,
    /// The last poem, or its plan.
    pub poem: Option<ByPointer<PoemView>>,
    /// True if a poem is awaited.
    pub composing: bool,
    /// The poem of the model beside, or a sentence in its place.
    pub poem_beside: Option<Result<ByPointer<PoemView>, String>>,
    /// True if that is awaited.
    pub composing_beside: bool,
    /// Number of times that a user asked for a model of poems.
    pub bring_poems: u32,
    /// Report on the user's own texts.
    pub examined: Option<ByPointer<CorpusReport>>,
    /// True if a report is awaited.
    pub examining: bool,
    /// True if a translation or an answer is awaited.
    pub translating: bool,
    /// The present run among those that are kept.
    pub keeping: Keeping,
    /// The run before, until the present one takes a step.
    pub left: Option<LeftRun>,
    /// The run that the page began with, until that takes a step.
    pub resumed: Option<Resumed>,
    /// Sentences for the user to read.
    pub messages: Vec<Message>,
    told: u64,
}

/// All that can happen to the state.
#[derive(Debug)]
pub enum Action {
    /// Events of the worker.
    Events(Vec<Event>),
    /// An experiment is going to be prepared.
    Load(Option<Preset>, Box<Experiment>),
    /// A run that was not begun here is going to be prepared.
    Open(Box<Opening>),
    /// Texts of a user's own that the next run reads.
    Texts(Texts),
    /// A change of the kept runs.
    Keeping(Box<Change>),
    /// The run is going to another device.
    Move(Device),
    /// The run stays on this device.
    Stay(Device),
    /// Another view is going to be looked at.
    ViewRequest(ViewRequest),
    /// True if a view is going to be looked at, false if none is.
    Watching(bool),
    /// A model is going to lie beside the present one, or none any more.
    Beside(Option<Box<Beside>>),
    /// A translation is asked for.
    Translate(Question),
    /// An answer is asked for.
    Ask(Asked),
    /// A poem is asked for, of these models.
    WritePoem(Writers),
    /// A file of poems is needed.
    BringPoems,
    /// Texts are going to be examined.
    Examine,
    /// There is no worker any more.
    Lost(String),
    /// A sentence for the user.
    Tell(String),
    /// A sentence on the user's own texts, in the place of those before.
    Complain(String),
    /// A message was closed.
    PutAway(u64),
}

impl State {
    /// The state before any event. `page` is different on every page, for the names of its runs.
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
        // As many as are shown at once: the last message has the rest.
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

    /// True if the model answers questions.
    pub fn is_reader(&self) -> bool {
        self.applied.task.form() == Form::Spans
    }

    /// Data that the model lacks, if it was opened without them: then it is not trained.
    pub fn lacks(&self) -> Option<&LacksView> {
        self.ready.as_ref()?.lacks.as_ref()
    }

    /// Steps taken.
    pub fn step(&self) -> u64 {
        let ready = self.ready.as_ref().map_or(0, |ready| ready.step);
        self.latest.map_or(ready, |latest| latest.step)
    }

    /// Adds a sentence for the user.
    pub fn tell(&mut self, text: String) {
        self.add_message(text, false);
    }

    /// Adds a sentence about a failure.
    fn tell_of_failure(&mut self, text: String) {
        self.add_message(text, true);
    }

    fn add_message(&mut self, text: String, is_grave: bool) {
        let text = sentence(&shortened(&text));
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

    /// Says what is wrong with the user's own texts.
    fn complain(&mut self, text: String) {
        self.forget_complaints();
        self.tell_of_failure(text);
        if let Some(message) = self.messages.last_mut() {
            message.is_of_texts = true;
        }
    }

    /// Takes back what was wrong with the user's own texts: they are read in another way.
    fn forget_complaints(&mut self) {
        self.messages.retain(|message| !message.is_of_texts);
    }

    /// True while something is said to be wrong with the user's own texts.
    pub fn complains(&self) -> bool {
        self.messages.iter().any(|message| message.is_of_texts)
    }

    fn change_history(&mut self, change: impl FnOnce(&mut History)) {
        let mut history = (*self.history).clone();
        change(&mut history);
        self.history = ByPointer::new(history);
    }

    fn see(&mut self, sight: ViewUpdate) {
        if let ViewData::Shares(shares) = &sight.seen {
            let mut history = (*self.shares).clone();
            history.push(sight.step, shares);
            self.shares = ByPointer::new(history);
        }
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
                if !steps.is_empty() {
                    (self.left, self.resumed) = (None, None);
                }
            }
            Event::Validated(validation) => {
                self.change_history(|history| history.validate(&validation));
                self.validation = Some(validation);
            }
            Event::Muted { parts, validation } => {
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
            // Workloads run on a page of their own.
            Event::Benched(_) => {}
            Event::Refused { reason } => {
                self.translating = false;
                self.stop_composing();
                let was_examining = std::mem::take(&mut self.examining);
                self.keeping.give_up();
                if self.beside.as_ref().is_some_and(|it| it.model.is_none()) {
                    self.lay_beside(None);
                }
                if self.phase == Phase::Loading {
                    // The session is as it was before.
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
                if state.experiment.task != experiment.task {
                    state.watched = None;
                }
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

/// The preset that an experiment has, with any seed.
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

/// The text, or its beginning.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
