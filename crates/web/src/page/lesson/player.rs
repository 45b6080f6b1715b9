//! A lesson that is under way: what its present step sets up, what was noticed, what is said. Pure:
//! the page carries out the [`Effect`]s.
//!
//! - here: its state, and what commands, events and the clock do to it
//! - `setting_up`: from opening a step to the state that it begins with; `doing`: what a learner does
//!   then; `shown`: what the region shows

mod doing;
mod setting_up;
mod shown;

use crate::by_pointer::ByPointer;
use crate::page::lesson::preparation::Wanted;
use crate::page::lesson::progress::Progress;
use crate::page::run::intent::Intent;
use crate::state::{Compared, KeptRun, Opening};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use strata_lessons::{Compiled, Facts, Step, StepWords, Value};
use strata_session::protocol::{Activity, Command, Event, Part, Ready, Validation, ViewRequest};
use strata_training::Experiment;

/// Milliseconds after which a learner gets the hint.
const HINT_AFTER: f64 = 60_000.0;
/// Wrong tries after which a learner gets the hint.
const TRIES: u32 = 2;
/// Milliseconds after which a step begins although its picture did not come.
const LONGEST_LOOK: f64 = 6_000.0;

/// State of the present step.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// A run is being prepared.
    Opening,
    /// A run is trained up to this step, from which the lesson's step begins.
    Training(u64),
    /// The run gets the rest of its steps.
    GoingOn,
    /// The view and the answer that belong to the set-up are awaited, since this time.
    Looking {
        view: bool,
        answer: bool,
        since: f64,
    },
    /// The learner is asked for a guess.
    Guess,
    /// The learner is asked for the action.
    Act,
    /// The condition was noticed.
    Done,
    /// The set-up was refused, for this reason.
    Refused(String),
    /// After the last step.
    Free,
}

/// Something to be done by the page.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Do as a user could.
    Say(Intent),
    /// Offer these runs for comparison, in the place of all others of lessons.
    Offer(Vec<Compared>),
    /// Name the present run.
    Name(String),
    /// Keep the progress.
    Keep,
    /// Tell the page around a frame.
    Tell(&'static str),
    /// Fetch a recorded model and go on from it.
    Fetch(Box<Fetched>),
}

/// A recorded model that is to be fetched.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Its name.
    pub model: String,
    /// View that the page shows of its run.
    pub opening: Opening,
    /// Intent that is carried out if it cannot be fetched.
    pub otherwise: Intent,
}

/// Visible state of a lesson, which may change with an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
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
    /// The lesson.
    pub lesson: Rc<Compiled>,
    /// Progress so far.
    pub progress: Progress,
    /// Number of the step, from 0; that of the steps at the end.
    pub at: usize,
    /// State of the step.
    pub stage: Stage,
    /// The learner's guess.
    pub guess: Option<Value>,
    /// True if the hint is shown.
    pub is_hinted: bool,
    /// True if training did not get there in time.
    pub is_late: bool,
    /// Steps of the present run.
    pub step: u64,
    /// Activity of the session.
    pub activity: Activity,
    /// Source tokens of the example that is looked at.
    pub source: Vec<String>,
    experiments: BTreeMap<String, Experiment>,
    kept: Option<ByPointer<Vec<KeptRun>>>,
    facts: Facts,
    waiting: VecDeque<Wanted>,
    /// Experiment that the session prepared last for this lesson.
    ready: Option<Ready>,
    muted: Vec<Part>,
    is_restored: bool,
    /// Recorded models that are served with the page.
    models: Vec<String>,
    /// The one that is awaited.
    awaited: Option<String>,
    /// The last validation of the kept run that is gone on with.
    validation: Option<Validation>,
    is_shown: bool,
    is_try: bool,
    tries: u32,
    /// Values that the words named before the action, and those after it.
    before: BTreeMap<String, Value>,
    after: BTreeMap<String, Value>,
    began: f64,
    seconds: f64,
}

impl Player {
    /// A lesson of which so much was done. `models` are the recorded ones that are served.
    pub fn new(lesson: Compiled, progress: Progress, models: Vec<String>) -> Self {
        let mut experiments = BTreeMap::new();
        for name in lesson.lesson.experiments.keys() {
            if let Some(experiment) = lesson.lesson.experiment(name) {
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
        }
    }

    /// The present step; `None` at the end.
    pub fn present(&self) -> Option<&Step> {
        self.lesson.lesson.steps.get(self.at)
    }

    /// Its words.
    pub fn words(&self) -> Option<&StepWords> {
        self.lesson.words.steps.get(&self.present()?.id)
    }

    /// Number of steps.
    pub fn count(&self) -> usize {
        self.lesson.lesson.steps.len()
    }

    /// Number of a step by its id.
    pub fn number(&self, id: &str) -> Option<usize> {
        self.lesson.lesson.steps.iter().position(|it| it.id == id)
    }

    /// Number of the first step that is not done yet; 0 if all are.
    pub fn first_open(&self) -> usize {
        let mut steps = self.lesson.lesson.steps.iter();
        let first = steps.position(|it| !self.progress.is_past(&it.id));
        first.unwrap_or(0)
    }

    /// Number of the first step that is not done yet; that of the steps if all are.
    pub fn furthest(&self) -> usize {
        let mut steps = self.lesson.lesson.steps.iter();
        let first = steps.position(|it| !self.progress.is_past(&it.id));
        first.unwrap_or(self.count())
    }

    /// True if the learner has tried in vain often enough to be helped.
    pub fn is_tried(&self) -> bool {
        self.tries >= TRIES
    }

    /// The request that the present set-up looks at.
    pub fn look(&self) -> ViewRequest {
        let setup = self.present().map(|it| it.setup.look.request());
        setup.unwrap_or_default()
    }

    /// Takes note of the kept runs.
    pub fn know_kept(&mut self, kept: Option<ByPointer<Vec<KeptRun>>>) {
        self.kept = kept;
    }

    /// Notes a command that is sent.
    pub fn sent(&mut self, command: &Command) {
        self.facts.command(command);
        if self.stage == Stage::Act && matches!(command, Command::Watch { look: Some(_) }) {
            self.is_try = true;
        }
    }

    /// Notes an event that came. `now` is in milliseconds.
    pub fn heard(&mut self, event: &Event, now: f64) -> Vec<Effect> {
        self.facts.event(event);
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
            Event::Attention(update) => self.source.clone_from(&update.source),
            _ => {}
        }
        self.record(event);
        match self.stage.clone() {
            Stage::Opening => self.opening(event),
            Stage::Training(to) => self.training(event, to),
            Stage::GoingOn => match event {
                Event::Ready(_) => self.look_around(now),
                Event::Refused { reason } => self.refuse(reason),
                _ => Vec::new(),
            },
            Stage::Looking { .. } => self.looking(event, now),
            Stage::Guess | Stage::Act => {
                if matches!(event, Event::Ready(_)) {
                    self.have_taken();
                }
                let noticed = self.notice(now);
                if noticed.is_empty() {
                    self.miss(event);
                }
                noticed
            }
            Stage::Done => self.complete(),
            Stage::Refused(_) | Stage::Free => Vec::new(),
        }
    }

    /// Looks at the clock; true if anything changed.
    pub fn tick(&mut self, now: f64) -> (bool, Vec<Effect>) {
        match self.stage {
            Stage::Looking { since, .. } if since > 0.0 && now - since > LONGEST_LOOK => {
                (true, self.begin(now))
            }
            Stage::Looking { .. } => {
                if let Stage::Looking { since, .. } = &mut self.stage
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
