//! Actions of a learner in a step, and how the player notices them.

use super::{Effect, Player, Stage, TRIES};
use crate::page::lesson::progress::{Completion, Progress, StepRecord};
use crate::page::run::intent::Intent;
use strata_lessons::{Action, MEASURED, Value, all_hold, model_name};
use strata_session::protocol::{Activity, Command, Event, Output};
use strata_training::Experiment;

impl Player {
    /// Takes the learner's guess.
    pub fn take_guess(&mut self, guess: Value, now: f64) -> Vec<Effect> {
        self.facts.guess(guess.clone());
        self.guess = Some(guess);
        if self.stage == Stage::Guess {
            (self.stage, self.began) = (Stage::Act, now);
        }
        let mut effects = vec![Effect::Tell("guess")];
        effects.extend(self.check(now));
        effects
    }

    /// Goes on to the step's action without a guess.
    pub fn skip_guess(&mut self, now: f64) {
        if self.stage == Stage::Guess {
            (self.stage, self.began) = (Stage::Act, now);
        }
    }

    /// Records that a run was drawn beside the present one.
    pub fn laid_beside(&mut self, name: &str, now: f64) -> Vec<Effect> {
        self.facts.compare(name);
        self.check(now)
    }

    /// Checks the step's condition; if it is met, the step is done.
    pub(super) fn check(&mut self, now: f64) -> Vec<Effect> {
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
        let mut effects = vec![Effect::StoreProgress, Effect::Tell("done")];
        if self.run.trains() {
            effects.push(Effect::Save);
        }
        effects
    }

    /// Records a receipt of the step's run, after each checkpoint of the run.
    pub(super) fn take_receipt(&mut self, event: &Event) -> Vec<Effect> {
        if !matches!(event, Event::Saved { .. }) {
            return Vec::new();
        }
        let id = self.present().map(|it| it.id.clone());
        let met = id.and_then(|id| self.progress.steps.get_mut(&id));
        let (Some(met), Some(receipt)) = (met, self.run.receipt()) else {
            return Vec::new();
        };
        met.receipt = Some(Box::new(receipt));
        vec![Effect::StoreProgress]
    }

    /// Records the outcome of the step in the progress.
    fn remember(&mut self) {
        let Some(step) = self.present() else {
            return;
        };
        let id = step.id.clone();
        let values = step.values(&self.facts);
        let met = StepRecord {
            how: if self.is_shown {
                Completion::Shown
            } else {
                Completion::Did
            },
            guess: self.guess.clone(),
            measured: values.get(MEASURED).cloned(),
            outcome: step.outcome(&self.facts).to_owned(),
            values: values.clone(),
            seconds: self.seconds.round(),
            receipt: self.run.receipt().map(Box::new),
        };
        self.after = values;
        self.progress.record(&id, met);
    }

    /// Adds values that came after the step was done, such as a later validation.
    pub(super) fn complete(&mut self) -> Vec<Effect> {
        let known = self.present().map(|step| step.values(&self.facts).len());
        if known.is_none_or(|known| known <= self.after.len()) {
            return Vec::new();
        }
        self.remember();
        vec![Effect::StoreProgress]
    }

    /// Counts wrong tries, and notices that training is late.
    pub(super) fn count_try(&mut self, event: &Event) {
        let Some(step) = self.present() else {
            return;
        };
        let trains = step.action.trains();
        let late = step.late.as_ref().map(|it| it.step);
        match event {
            Event::Done(Output::Translation(_)) if self.stage == Stage::Act => self.tries += 1,
            Event::View(_) if self.is_try && !trains => {
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

    /// Skips the step.
    pub fn skip(&mut self) -> Vec<Effect> {
        if let Some(step) = self.present() {
            let id = step.id.clone();
            let record = StepRecord::of(Completion::Skipped);
            self.progress.record(&id, record);
        }
        self.open(self.at + 1)
    }

    /// Forgets all progress in the lesson, and opens the first step.
    pub fn start_again(&mut self) -> Vec<Effect> {
        self.progress = Progress {
            version: self.progress.version,
            seed: self.progress.seed,
            ..Progress::default()
        };
        self.open(0)
    }

    /// Returns the step's action as intents, to be followed one after the other.
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

    /// Returns the intent by which a user gives a command; `None` if there is none.
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
            Command::Watch { view } => Intent::ViewRequest(view?),
            Command::Mute { parts } => Intent::Mute(parts),
            Command::Run(request) => Intent::Run(request),
            Command::Bench { name, .. } => Intent::Bench(vec![name]),
            // No action of a lesson asks for these.
            Command::Restore { .. }
            | Command::Open { .. }
            | Command::GoOn { .. }
            | Command::Beside { .. }
            | Command::Examine { .. }
            | Command::Validate
            | Command::Save => return None,
        })
    }

    /// True if the step asks for a guess and for no action.
    pub fn asks_for_guess_only(&self) -> bool {
        self.present()
            .is_some_and(|step| step.action == Action::Guess)
    }

    /// Shows the answer of a step that asks only for a guess.
    pub fn reveal(&mut self, now: f64) -> Vec<Effect> {
        self.is_shown = true;
        self.facts.guess(Value::Number(0.0));
        self.check(now)
    }

    /// Returns the name of the recorded model at the end of the step's run, if the model is served.
    pub fn recorded(&self) -> Option<String> {
        if self.progress.seed.is_some() {
            return None;
        }
        let name = &self.present()?.setup.experiment;
        let steps = self.experiments.get(name)?.training.steps;
        let model = model_name(&self.lesson.name, name, steps);
        self.models.contains(&model).then_some(model)
    }

    /// Takes the recorded model at the end of the step's run in the place of the learner's own.
    pub fn take_recorded(&mut self) -> Vec<Effect> {
        let (Some(model), Some(step)) = (self.recorded(), self.present()) else {
            return Vec::new();
        };
        let name = step.setup.experiment.clone();
        self.is_shown = true;
        let otherwise = Intent::Tell("The recorded model could not be fetched.".to_owned());
        vec![self.fetch(model, &name, otherwise)]
    }

    /// Takes the curves of the recorded model that the learner asked for into the facts.
    pub(super) fn add_recorded_curves(&mut self) {
        let (Some(_), Some(step)) = (self.awaited.take(), self.present()) else {
            return;
        };
        if let Some(past) = self.known().get(&step.setup.experiment) {
            self.facts.restored(past);
        }
    }

    /// Returns the run's experiment with this many more steps.
    pub fn with_more(&self, steps: u64) -> Option<Experiment> {
        let mut experiment = self.ready.as_ref()?.experiment.clone();
        let end = experiment.training.steps.max(self.step);
        experiment.training.steps = end.saturating_add(steps);
        Some(experiment)
    }
}
