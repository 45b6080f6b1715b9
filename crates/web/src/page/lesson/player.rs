//! A lesson that is under way: sets up the present step, and notices what the learner does. Pure:
//! the page carries out the [`Effect`]s.
//!
//! - here: the player's state, and its reaction to commands, events and the clock
//! - `setting_up`: from opening a step to the state in which the learner begins; `doing`: actions
//!   of the learner; `shown`: what the region shows; `run_record`: the run as a receipt tells it

mod doing;
mod run_record;
mod setting_up;
mod shown;

use crate::by_pointer::ByPointer;
use crate::page::lesson::preparation::RequiredRun;
use crate::page::lesson::progress::Progress;
use crate::page::run::intent::Intent;
use crate::state::{Compared, KeptRun, Opening};
use run_record::RunRecord;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use strata_lessons::{Compiled, Facts, Step, StepWords, Value};
use strata_session::protocol::{Activity, Command, Event, Part, Ready, Validation, ViewRequest};
use strata_training::Experiment;

/// Milliseconds after which a learner gets the hint.
const HINT_AFTER: f64 = 60_000.0;
/// Number of wrong tries after which a learner gets the hint.
const TRIES: u32 = 2;
/// Milliseconds after which a step begins even if its picture has not come.
const MAX_VIEW_WAIT: f64 = 6_000.0;

/// State of the present step.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// A run is being prepared.
    Opening,
    /// A run of the set-up is trained up to this step.
    Training(u64),
    /// The run of the set-up is given all steps of the experiment.
    GoingOn,
    /// Waits, since this time, for the view and the answer that belong to the set-up.
    AwaitingView {
        view: bool,
        answer: bool,
        since: f64,
    },
    /// Waits for the learner's guess.
    Guess,
    /// Waits for the learner's action.
    Act,
    /// The step's condition was met.
    Done,
    /// The worker refused the set-up, for this reason.
    Refused(String),
    /// After the last step.
    Free,
}

/// An effect that the page carries out.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Follow an intent, as if the user had it.
    Follow(Intent),
    /// Offer these runs for comparison, in place of all other runs of lessons.
    Offer(Vec<Compared>),
    /// Name the present run.
    Name(String),
    /// Store the learner's progress.
    StoreProgress,
    /// Save the run, for a receipt.
    Save,
    /// Tell the page around a frame of this event.
    Tell(&'static str),
    /// Fetch a recorded model and go on from it.
    Fetch(Box<Fetched>),
}

/// A recorded model to fetch.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Name of the model.
    pub model: String,
    /// Properties of the model's run, for the page.
    pub opening: Opening,
    /// Intent to follow if the model cannot be fetched.
    pub otherwise: Intent,
}

/// Visible state of a lesson; if an event changes it, the region is drawn anew.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    stage: Stage,
    marks: [bool; 2],
    step: u64,
    values: usize,
    activity: Activity,
    places: usize,
}

/// A lesson that is under way.
#[derive(Debug)]
pub struct Player {
    /// The lesson with its texts and recorded runs.
    pub lesson: Rc<Compiled>,
    /// Progress of the learner in the lesson.
    pub progress: Progress,
    /// Number of the present step, from 0; the number of steps after the last one.
    pub at: usize,
    /// Stage of the present step.
    pub stage: Stage,
    /// The learner's guess at the present step.
    pub guess: Option<Value>,
    /// True if the hint is shown.
    pub is_hinted: bool,
    /// True if training ended, or passed the step's limit, before the condition was met.
    pub is_late: bool,
    /// Number of steps that the present run has taken.
    pub step: u64,
    /// Activity of the session.
    pub activity: Activity,
    /// Source tokens of the example in view.
    pub source: Vec<String>,
    experiments: BTreeMap<String, Experiment>,
    kept: Option<ByPointer<Vec<KeptRun>>>,
    facts: Facts,
    waiting: VecDeque<RequiredRun>,
    /// The run that the session last prepared for this lesson.
    ready: Option<Ready>,
    muted: Vec<Part>,
    is_restored: bool,
    /// Names of the recorded models that are served with the page.
    models: Vec<String>,
    /// Name of the recorded model that is being fetched.
    awaited: Option<String>,
    /// The last validation of the kept run that the step continues.
    validation: Option<Validation>,
    is_shown: bool,
    is_try: bool,
    tries: u32,
    /// Values before the learner's action that the texts name; `after` has those after the action.
    before: BTreeMap<String, Value>,
    after: BTreeMap<String, Value>,
    began: f64,
    seconds: f64,
    run: RunRecord,
}

impl Player {
    /// Returns the player of a lesson, with earlier progress. `models` are the names of the
    /// recorded models that are served.
    pub fn new(lesson: Compiled, progress: Progress, models: Vec<String>) -> Self {
        let mut experiments = BTreeMap::new();
        for name in lesson.lesson.experiments.keys() {
            if let Some(mut experiment) = lesson.lesson.experiment(name) {
                experiment.seed = progress.seed.unwrap_or(experiment.seed);
                experiments.insert(name.clone(), experiment);
            }
        }
        Self {
            experiments,
            lesson: Rc::new(lesson),
            progress,
            at: 0,
            stage: Stage::Opening,
            guess: None,
            is_hinted: false,
            is_late: false,
            step: 0,
            activity: Activity::Paused,
            source: Vec::new(),
            kept: None,
            facts: Facts::default(),
            waiting: VecDeque::new(),
            ready: None,
            muted: Vec::new(),
            is_restored: false,
            models,
            awaited: None,
            validation: None,
            is_shown: false,
            is_try: false,
            tries: 0,
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            began: 0.0,
            seconds: 0.0,
            run: RunRecord::default(),
        }
    }

    /// Goes on in another language.
    pub fn speak(&mut self, lesson: Compiled) {
        self.lesson = Rc::new(lesson);
    }

    /// Returns the present step; `None` after the last.
    pub fn present(&self) -> Option<&Step> {
        self.lesson.lesson.steps.get(self.at)
    }

    /// Returns the texts of the present step.
    pub fn words(&self) -> Option<&StepWords> {
        self.lesson.words.steps.get(&self.present()?.id)
    }

    /// Number of steps in the lesson.
    pub fn count(&self) -> usize {
        self.lesson.lesson.steps.len()
    }

    /// Returns the number of a step by its id.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.lesson
            .lesson
            .steps
            .iter()
            .position(|step| step.id == id)
    }

    /// Returns the number of the first step that is not done; 0 if all are done.
    pub fn first_open(&self) -> usize {
        let mut steps = self.lesson.lesson.steps.iter();
        let first = steps.position(|it| !self.progress.is_past(&it.id));
        first.unwrap_or(0)
    }

    /// Returns the number of the first step that is not done; the number of steps if all are done.
    pub fn furthest(&self) -> usize {
        let mut steps = self.lesson.lesson.steps.iter();
        let first = steps.position(|it| !self.progress.is_past(&it.id));
        first.unwrap_or(self.count())
    }

    /// True if the learner has made enough wrong tries to be helped.
    pub fn is_tried(&self) -> bool {
        self.tries >= TRIES
    }

    /// Returns the view that the present step's set-up asks for.
    pub fn view_request(&self) -> ViewRequest {
        let setup = self.present().map(|step| step.setup.look.request());
        setup.unwrap_or_default()
    }

    /// Records the kept runs.
    pub fn set_kept_runs(&mut self, kept: Option<ByPointer<Vec<KeptRun>>>) {
        self.kept = kept;
    }

    /// Takes in a command that the page has sent.
    pub fn on_command(&mut self, command: &Command) {
        self.facts.command(command);
        if self.stage == Stage::Act && matches!(command, Command::Watch { view: Some(_) }) {
            self.is_try = true;
        }
    }

    /// Takes in an event of the worker; `now` is in milliseconds. Returns the effects that follow.
    pub fn on_event(&mut self, event: &Event, now: f64) -> Vec<Effect> {
        self.facts.event(event);
        let is_begun = matches!(self.stage, Stage::Guess | Stage::Act | Stage::Done);
        self.run.event(event, is_begun);
        match event {
            Event::Ready(ready) => (self.step, self.ready) = (ready.step, Some(ready.clone())),
            Event::Diverged { .. } => self.activity = Activity::Diverged,
            Event::Progress { steps } => {
                self.step = steps.last().map_or(self.step, |it| it.step);
            }
            Event::Activity { activity } => {
                self.activity = *activity;
                self.is_late &= *activity != Activity::Training;
            }
            Event::Muted { parts, .. } => self.muted.clone_from(parts),
            Event::View(update) => self.source.clone_from(&update.source),
            _ => {}
        }
        self.record(event);
        match self.stage.clone() {
            Stage::Opening => self.opening(event),
            Stage::Training(to) => self.training(event, to),
            Stage::GoingOn => match event {
                Event::Ready(_) => self.show_setup(now),
                Event::Refused { reason } => self.refuse(reason),
                _ => Vec::new(),
            },
            Stage::AwaitingView { .. } => self.awaiting_view(event, now),
            Stage::Guess | Stage::Act => {
                if matches!(event, Event::Ready(_)) {
                    self.add_recorded_curves();
                }
                let noticed = self.check(now);
                if noticed.is_empty() {
                    self.count_try(event);
                }
                noticed
            }
            Stage::Done => {
                let mut effects = self.complete();
                effects.extend(self.take_receipt(event));
                effects
            }
            Stage::Refused(_) | Stage::Free => Vec::new(),
        }
    }

    /// Takes in the time `now` in milliseconds; returns true if anything visible changed, and the
    /// effects.
    pub fn tick(&mut self, now: f64) -> (bool, Vec<Effect>) {
        match self.stage {
            Stage::AwaitingView { since, .. } if since > 0.0 && now - since > MAX_VIEW_WAIT => {
                (true, self.begin(now))
            }
            Stage::AwaitingView { .. } => {
                if let Stage::AwaitingView { since, .. } = &mut self.stage
                    && *since == 0.0
                {
                    *since = now;
                }
                (false, Vec::new())
            }
            Stage::Act
                if !self.is_hinted
                    && self.activity != Activity::Training
                    && now - self.began > HINT_AFTER =>
            {
                self.is_hinted = true;
                (true, Vec::new())
            }
            _ => (false, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests;
