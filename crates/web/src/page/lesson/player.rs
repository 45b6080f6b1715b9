//! A lesson that is under way: what its present step sets up, what was noticed, what is said. Pure:
//! the page carries out the [`Effect`]s.

use crate::by_pointer::ByPointer;
use crate::keeping::RunCommand;
use crate::page::intent::Intent;
use crate::page::lesson::curves::history;
use crate::page::lesson::preparation::{Wanted, wanted};
use crate::page::lesson::progress::{How, Met, Progress};
use crate::page::settings;
use crate::state::{Compared, KeptRun, Question, overlay};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use strata_lessons::{
    Action, Compiled, Facts, LookKind, MEASURED, Run, Step, StepWords, Unit, Value, all_hold,
    plain, written,
};
use strata_session::protocol::{
    Activity, Command, Event, Part, Ready, Validation, View, ViewRequest,
};
use strata_settings::diff::differences;
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
    /// A lesson of which so much was done.
    pub fn new(lesson: Compiled, progress: Progress) -> Self {
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

    /// True while a run is prepared that the step only compares with.
    pub fn prepares_other(&self) -> bool {
        self.waiting.front().is_some_and(|it| !it.is_own)
    }

    /// All that is shown of it and may change with an event.
    pub fn face(&self) -> Face {
        let step = match self.stage {
            Stage::Training(_) => self.step,
            _ => 0,
        };
        Face {
            stage: self.stage.clone(),
            marks: [self.is_hinted, self.is_late],
            step,
            values: self.after.len(),
            activity: self.activity,
            places: self.source.len(),
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

    /// The request that the present set-up looks at.
    pub fn look(&self) -> ViewRequest {
        let setup = self.present().map(|it| it.setup.look.request());
        setup.unwrap_or_default()
    }

    /// Takes note of the kept runs.
    pub fn know_kept(&mut self, kept: Option<ByPointer<Vec<KeptRun>>>) {
        self.kept = kept;
    }

    /// Opens a step, and sets it up.
    pub fn open(&mut self, at: usize) -> Vec<Effect> {
        self.at = at.min(self.count());
        self.stage = Stage::Opening;
        (self.guess, self.is_hinted, self.is_late) = (None, false, false);
        (self.is_shown, self.is_try, self.tries) = (false, false, 0);
        self.before.clear();
        self.after.clear();
        let Some(step) = self.present() else {
            self.stage = Stage::Free;
            return vec![Effect::Tell("step")];
        };
        let known = self.known();
        match wanted(step, &self.experiments, &known) {
            Some(wanted) => self.waiting = wanted,
            None => {
                self.stage = Stage::Refused("its experiment cannot be read".to_owned());
                return Vec::new();
            }
        }
        let mut effects = vec![Effect::Tell("step")];
        if !self.progress.steps.is_empty() {
            // What is only looked at erases nothing.
            effects.push(Effect::Keep);
        }
        effects.extend(self.start(known));
        effects
    }

    /// Curves of other runs: those that were trained here, else recorded ones.
    fn known(&self) -> BTreeMap<String, Run> {
        let recorded = self.lesson.recorded.as_ref();
        let mut known = recorded.map_or_else(BTreeMap::new, |it| it.runs.clone());
        known.extend(self.progress.runs.clone());
        known
    }

    /// Begins with the run that is wanted first.
    fn start(&mut self, known: BTreeMap<String, Run>) -> Vec<Effect> {
        let past = std::mem::replace(&mut self.facts, Facts::at_step_of(known));
        let Some(first) = self.waiting.front().cloned() else {
            return Vec::new();
        };
        self.stage = Stage::Opening;
        self.is_restored = false;
        let experiment = first.as_trained();
        let stands = self.ready.as_ref();
        let stands = stands.filter(|it| it.experiment == experiment && self.step == first.step);
        if let Some(ready) = stands.filter(|_| first.step > 0 && self.muted.is_empty()) {
            // The run is here, as the step before left it.
            let ready = Ready {
                step: first.step,
                ..ready.clone()
            };
            self.facts.event(&Event::Ready(ready));
            self.facts.restored(past.run());
            self.facts.event(&Event::Activity {
                activity: self.activity,
            });
            return self.reached();
        }
        self.ready = None;
        let kept = self.kept.as_deref().map_or(&[][..], Vec::as_slice);
        let intent = match first.kept(kept) {
            Some(run) => {
                self.is_restored = true;
                self.validation = run.validation;
                Intent::RunCommand(RunCommand::Branch(run.id.clone()))
            }
            None => Intent::Apply(Box::new(experiment)),
        };
        vec![Effect::Say(intent)]
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

    fn opening(&mut self, event: &Event) -> Vec<Effect> {
        let Some(first) = self.waiting.front() else {
            return Vec::new();
        };
        match event {
            Event::Ready(ready) if ready.experiment == first.as_trained() => {
                let to = first.step;
                self.muted.clone_from(&ready.muted);
                if self.is_restored {
                    match (self.progress.runs.get(&first.name), self.validation) {
                        (Some(past), _) => self.facts.restored(past),
                        (None, Some(last)) => self.facts.event(&Event::Validated(last)),
                        (None, None) => {}
                    }
                }
                let mut effects = vec![Effect::Name(self.run_name())];
                if ready.step >= to {
                    effects.extend(self.reached());
                } else {
                    self.stage = Stage::Training(to);
                    effects.push(Effect::Say(Intent::Train));
                }
                effects
            }
            Event::Refused { reason } => self.refuse(reason),
            _ => Vec::new(),
        }
    }

    fn training(&mut self, event: &Event, to: u64) -> Vec<Effect> {
        match event {
            Event::Activity {
                activity: Activity::Finished,
            } if self.step >= to => self.reached(),
            Event::Diverged { reason, .. } | Event::Refused { reason } => self.refuse(reason),
            _ => Vec::new(),
        }
    }

    /// The run that was wanted first is where it was wanted.
    fn reached(&mut self) -> Vec<Effect> {
        let Some(reached) = self.waiting.pop_front() else {
            return Vec::new();
        };
        if !reached.is_own {
            self.progress
                .runs
                .insert(reached.name, self.facts.run().thinned());
            let known = self.known();
            let mut effects = vec![Effect::Keep];
            effects.extend(self.start(known));
            return effects;
        }
        if reached.as_trained() != reached.experiment {
            self.stage = Stage::GoingOn;
            let experiment = Box::new(reached.experiment);
            return vec![Effect::Say(Intent::GoOn(experiment))];
        }
        self.look_around(0.0)
    }

    /// Asks for the view and the answer of the set-up, and lays runs beside.
    fn look_around(&mut self, now: f64) -> Vec<Effect> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let setup = step.setup.clone();
        let mut effects = vec![Effect::Offer(self.offered())];
        let beside = setup.beside.iter();
        effects.extend(beside.map(|it| Effect::Say(Intent::LayBeside(it.clone()))));
        effects.push(Effect::Say(Intent::ViewRequest(setup.look.request())));
        let asks = setup.sentence.is_some();
        if let Some(text) = setup.sentence {
            effects.push(Effect::Say(Intent::Translate(Box::new(Question {
                text,
                prefix: setup.prefix,
                search: setup.search,
            }))));
        }
        self.stage = Stage::Looking {
            view: false,
            answer: !asks,
            since: now,
        };
        effects
    }

    /// Runs that can be laid beside the present one, named by what differs.
    fn offered(&self) -> Vec<Compared> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let known = self.known();
        let own = self.experiments.get(&step.setup.experiment);
        let others = step.others().into_iter().filter_map(|name| {
            let history = history(known.get(&name)?);
            let other = self.experiments.get(&name)?;
            Some(Compared {
                name: own.map_or_else(|| name.clone(), |own| overlay::name(own, other)),
                id: name,
                is_of_lesson: true,
                history: ByPointer::new(history),
            })
        });
        others.collect()
    }

    fn looking(&mut self, event: &Event, now: f64) -> Vec<Effect> {
        let wanted = self.look();
        let Stage::Looking {
            view,
            answer,
            since,
        } = &mut self.stage
        else {
            return Vec::new();
        };
        match event {
            Event::Attention(update) => {
                // A model without attention is shown as a drawing instead.
                let is_instead = matches!(update.look.view, View::Network { .. });
                *view |=
                    update.look == wanted || (is_instead && update.look.example == wanted.example);
            }
            Event::Translated(_) => *answer = true,
            Event::Refused { .. } => (*view, *answer) = (true, true),
            _ => {}
        }
        if *since == 0.0 {
            *since = now;
        }
        let is_there = *view && *answer;
        let is_long = now - *since > LONGEST_LOOK;
        match is_there || is_long {
            true => self.begin(now),
            false => Vec::new(),
        }
    }

    /// The set-up is complete: the learner may begin.
    fn begin(&mut self, now: f64) -> Vec<Effect> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let is_asked = step.guess.is_some();
        self.before = step.values(&self.facts);
        self.began = now;
        self.stage = if is_asked { Stage::Guess } else { Stage::Act };
        vec![Effect::Tell("ready")]
    }

    /// Takes the learner's guess.
    pub fn take_guess(&mut self, guess: Value, now: f64) -> Vec<Effect> {
        self.facts.guess(guess.clone());
        self.guess = Some(guess);
        if self.stage == Stage::Guess {
            (self.stage, self.began) = (Stage::Act, now);
        }
        let mut effects = vec![Effect::Tell("guess")];
        effects.extend(self.notice(now));
        effects
    }

    /// Goes on to the action without a guess.
    pub fn go_without_guess(&mut self, now: f64) {
        if self.stage == Stage::Guess {
            (self.stage, self.began) = (Stage::Act, now);
        }
    }

    /// Notes that a run was laid beside the present one.
    pub fn laid_beside(&mut self, name: &str, now: f64) -> Vec<Effect> {
        self.facts.compare(name);
        self.notice(now)
    }

    /// Looks whether the condition holds.
    fn notice(&mut self, now: f64) -> Vec<Effect> {
        if !matches!(self.stage, Stage::Guess | Stage::Act) {
            return Vec::new();
        }
        let Some(step) = self.present() else {
            return Vec::new();
        };
        if !all_hold(&step.until, &self.facts) {
            return Vec::new();
        }
        self.facts.notice();
        self.stage = Stage::Done;
        self.is_late = false;
        self.seconds = ((now - self.began) / 1000.0).max(0.0);
        self.remember();
        vec![Effect::Keep, Effect::Tell("done")]
    }

    /// Writes down what came of the step.
    fn remember(&mut self) {
        let Some(step) = self.present() else {
            return;
        };
        let id = step.id.clone();
        let values = step.values(&self.facts);
        let met = Met {
            how: if self.is_shown { How::Shown } else { How::Did },
            guess: self.guess.clone(),
            measured: values.get(MEASURED).cloned(),
            outcome: step.outcome(&self.facts).to_owned(),
            values: values.clone(),
            seconds: self.seconds.round(),
        };
        self.after = values;
        self.progress.meet(&id, met);
    }

    /// Fills in values that came later than what was noticed.
    fn complete(&mut self) -> Vec<Effect> {
        let known = self.present().map(|step| step.values(&self.facts).len());
        if known.is_none_or(|known| known <= self.after.len()) {
            return Vec::new();
        }
        self.remember();
        vec![Effect::Keep]
    }

    /// Counts what was tried in vain, and notices that training is late.
    fn miss(&mut self, event: &Event) {
        let Some(step) = self.present() else {
            return;
        };
        let trains = step.action.trains();
        let late = step.late.as_ref().map(|it| it.step);
        match event {
            Event::Translated(_) if self.stage == Stage::Act => self.tries += 1,
            Event::Attention(_) if self.is_try && !trains => {
                self.is_try = false;
                self.tries += 1;
            }
            Event::Activity { .. } | Event::Diverged { .. }
                if self.activity != Activity::Training =>
            {
                let is_at = late.is_some_and(|late| self.step >= late);
                let is_over = matches!(self.activity, Activity::Finished | Activity::Diverged);
                self.is_late = trains && (is_at || is_over);
            }
            _ => {}
        }
        self.is_hinted |= self.tries >= TRIES;
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

    /// Skips the step.
    pub fn skip(&mut self) -> Vec<Effect> {
        if let Some(step) = self.present() {
            let id = step.id.clone();
            self.progress.meet(
                &id,
                Met {
                    how: How::Skipped,
                    guess: None,
                    measured: None,
                    values: BTreeMap::new(),
                    outcome: String::new(),
                    seconds: 0.0,
                },
            );
        }
        self.open(self.at + 1)
    }

    /// Forgets what was done, and begins with the first step.
    pub fn start_again(&mut self) -> Vec<Effect> {
        self.progress = Progress {
            version: self.progress.version,
            ..Progress::default()
        };
        self.open(0)
    }

    /// The action that a learner is asked for, as intents to be carried out one after the other.
    pub fn demonstration(&mut self) -> Vec<Intent> {
        self.is_shown = true;
        let Some(step) = self.present() else {
            return Vec::new();
        };
        match &step.action {
            Action::Compare(name) => vec![Intent::LayBeside(name.clone())],
            action => {
                let commands = action.commands(&self.lesson.lesson, &self.facts);
                let intents = commands.into_iter().flatten();
                intents.filter_map(|it| self.intent(it)).collect()
            }
        }
    }

    /// The intent by which a user gives a command.
    fn intent(&self, command: Command) -> Option<Intent> {
        Some(match command {
            Command::Train => Intent::Train,
            Command::Pause => Intent::Pause,
            Command::Step => Intent::Step,
            Command::Reset => Intent::Reset,
            Command::NewSeed { seed } => {
                let experiment = self.ready.as_ref()?.experiment.clone();
                Intent::Apply(Box::new(Experiment { seed, ..experiment }))
            }
            Command::Load { experiment } => Intent::Apply(experiment),
            Command::Watch { look } => Intent::ViewRequest(look?),
            Command::Translate {
                text,
                prefix,
                search,
                ..
            } => Intent::Translate(Box::new(Question {
                text,
                prefix,
                search,
            })),
            Command::Bench { name, .. } => Intent::Bench(vec![name]),
            _ => return None,
        })
    }

    /// Shows the answer of a step in which nothing but a guess is asked for.
    pub fn reveal(&mut self, now: f64) -> Vec<Effect> {
        self.is_shown = true;
        self.facts.guess(Value::Number(0.0));
        self.notice(now)
    }

    /// The run with this many more steps.
    pub fn with_more(&self, steps: u64) -> Option<Experiment> {
        let mut experiment = self.ready.as_ref()?.experiment.clone();
        let end = experiment.training.steps.max(self.step);
        experiment.training.steps = end.saturating_add(steps);
        Some(experiment)
    }

    fn refuse(&mut self, reason: &str) -> Vec<Effect> {
        self.stage = Stage::Refused(reason.to_owned());
        Vec::new()
    }

    /// Keeps the curves of a run that was trained to its end.
    fn record(&mut self, event: &Event) {
        let is_end = matches!(event, Event::Activity { .. } | Event::Validated(_));
        let Some(ready) = self.ready.as_ref().filter(|_| is_end) else {
            return;
        };
        let steps = ready.experiment.training.steps;
        let run = self.facts.run();
        if run.step < steps || run.validations.is_empty() || run.training.is_empty() {
            return;
        }
        let mut names = self.experiments.iter();
        let name = names.find(|(_, it)| **it == ready.experiment);
        if let Some((name, _)) = name {
            self.progress.runs.insert(name.clone(), run.thinned());
        }
    }

    /// Name under which a run of the lesson is kept.
    fn run_name(&self) -> String {
        format!("Lesson: {}", plain(&self.lesson.words.title))
    }

    /// Outcome of the present step, now or before.
    pub fn met(&self) -> Option<&Met> {
        self.progress.steps.get(&self.present()?.id)
    }

    /// A value that the words name, as it is written: before the action, or after it.
    pub fn text(&self, name: &str, is_after: bool) -> Option<String> {
        let step = self.present()?;
        let language = &self.lesson.language;
        if name.contains('.') {
            let setting = self.lesson.lesson.setting(&step.setup.experiment, name)?;
            let unit = match setting {
                Value::Word(_) => Unit::Word,
                Value::Number(_) => Unit::Number,
            };
            return Some(written(&setting, unit, language));
        }
        let live = match is_after {
            true => self.after.get(name).or_else(|| self.before.get(name)),
            false => self.before.get(name).or_else(|| self.after.get(name)),
        };
        let recorded = self.lesson.recorded.as_ref();
        let recorded = recorded.and_then(|it| it.steps.get(&step.id)?.values.get(name));
        let value = live.or(recorded)?;
        Some(written(value, step.unit(name), language))
    }

    /// The correct answer of the guess, as soon as the step is done.
    pub fn measured(&self) -> Option<&Value> {
        self.after
            .get(MEASURED)
            .filter(|_| self.stage == Stage::Done)
    }

    /// Name of the words that are said now that the step is done.
    pub fn outcome(&self) -> Option<&str> {
        (self.stage == Stage::Done).then(|| self.met().map(|it| it.outcome.as_str()))?
    }

    /// Tokens that a guess of a place chooses from.
    pub fn places(&self) -> Vec<String> {
        match self.present().map(|it| &it.action) {
            Some(Action::Translate(text)) => text.split_whitespace().map(str::to_owned).collect(),
            _ => self.source.clone(),
        }
    }

    /// Id of the control that the action is done with.
    pub fn target(&self) -> Option<String> {
        let step = self.present()?;
        let own = step
            .setup
            .point
            .as_deref()
            .map(|it| it.trim_start_matches('#'));
        let looked = &step.setup.look;
        Some(match &step.action {
            Action::Compare(name) => format!("compare-{name}"),
            Action::Look(look) if look.view != looked.view => {
                format!("tab-{}", tab(look.view))
            }
            Action::Experiment(name) => {
                let base = self.experiments.get(&step.setup.experiment)?;
                let changed = differences(base, self.experiments.get(name)?);
                // The first of several leads to the others.
                match changed.first() {
                    Some(setting) => settings::id(&setting.dotted()),
                    None => own?.to_owned(),
                }
            }
            Action::Guess => return None,
            Action::Bench(_) => "lesson-measure".to_owned(),
            _ => own?.to_owned(),
        })
    }
}

/// Name of the tab of a view.
fn tab(look: LookKind) -> &'static str {
    match look {
        LookKind::Site => "site",
        LookKind::Overview => "overview",
        LookKind::Shares => "shares",
        LookKind::Descent => "descent",
        LookKind::Probabilities => "probabilities",
        LookKind::Network => "network",
        LookKind::Norms => "norms",
    }
}

#[cfg(test)]
mod tests;
