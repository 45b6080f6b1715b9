//! Facts about a session, folded from its commands and events.
//!
//! Both the page and the program that plays lessons report every command that they send and every
//! event that comes back. Facts from outside the session (a guess, a compared run) have methods of
//! their own.

mod answer;
mod map;
mod run;
mod view;
mod view_history;

use std::collections::{BTreeMap, BTreeSet};

use strata_session::protocol::{Command, Event, Output, Request};
use strata_settings::diff;

use crate::{Measure, Moment, RunOf, Value};
use answer::Answers;
pub use run::Run;
use view_history::ViewHistory;

/// Facts about a session, other runs, and the learner's actions.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    now: Present,
    /// Previous run, if the present run began during this step.
    before: Option<Box<Present>>,
    /// True if the next [`Event::Ready`] belongs to another run.
    begins: bool,
    /// Other runs of the lesson, recorded or live.
    runs: BTreeMap<String, Run>,
    answers: Answers,
    benched: BTreeMap<String, f64>,
    compared: BTreeSet<String>,
    guess: Option<Value>,
    noticed: Option<u64>,
}

/// Run, and the views of the run.
#[derive(Clone, Debug, Default)]
struct Present {
    run: Run,
    views: ViewHistory,
}

impl Facts {
    /// Creates the facts at the beginning of a step: the other runs of the lesson alone.
    pub fn at_step_of(runs: BTreeMap<String, Run>) -> Self {
        Self {
            runs,
            ..Self::default()
        }
    }

    /// Returns for each row of the map in view the token of the row, the token of the column with
    /// the largest weight, and that weight; empty if no map is in view.
    pub fn strongest(&self) -> Vec<(String, String, f64)> {
        let map = self.now.views.map(None);
        map.map(|map| map.strongest()).unwrap_or_default()
    }

    /// Records a command that is sent to the session.
    pub fn command(&mut self, command: &Command) {
        self.begins |= command.begins_another_run();
        if let Command::Run(Request::Translate(request)) = command {
            self.answers.ask(request.clone());
        }
    }

    /// Records an event that came from the session.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Ready(ready) => {
                if std::mem::take(&mut self.begins) {
                    let past = std::mem::take(&mut self.now);
                    if past.run.is_known() {
                        self.before = Some(Box::new(past));
                    }
                    self.answers = Answers::default();
                }
                self.now.run.ready(ready);
            }
            Event::Activity { activity } => self.now.run.activity = Some(*activity),
            Event::Progress { steps } => steps.iter().for_each(|step| self.now.run.step(step)),
            Event::Validated(validation) => self.now.run.validations.push(*validation),
            Event::View(update) => self.now.views.update(update),
            Event::Done(Output::Translation(view)) => self.answers.answered(view),
            Event::Benched(report) => {
                let times = &mut self.benched;
                times.insert(report.workload.clone(), report.ms_per_step);
            }
            Event::Diverged { step, .. } => self.now.run.diverged = Some(*step),
            Event::Refused { .. } => {
                self.begins = false;
                self.answers.refused();
            }
            Event::Telemetry(_)
            | Event::Done(Output::Answer(_) | Output::Poem(_) | Output::PoemBeside(_))
            | Event::Examined(_)
            | Event::Muted { .. }
            | Event::Beside { .. }
            | Event::Saved { .. }
            | Event::Lost { .. } => {}
        }
    }

    /// Restores the curves of the present run from before the run was reloaded.
    pub fn restored(&mut self, past: &Run) {
        self.now.run.restored(past);
    }

    /// Adds or replaces another run of the lesson.
    pub fn know(&mut self, name: &str, run: Run) {
        self.runs.insert(name.to_owned(), run);
    }

    /// Records the learner's guess.
    pub fn guess(&mut self, guess: Value) {
        self.guess = Some(guess);
    }

    /// Records that the present run was compared with the run `name`.
    pub fn compare(&mut self, name: &str) {
        self.compared.insert(name.to_owned());
    }

    /// Records that the step's condition holds; the first time counts.
    pub fn notice(&mut self) {
        self.noticed.get_or_insert(self.now.run.step);
    }

    /// Returns the learner's guess, or `None` before the guess.
    pub fn guessed(&self) -> Option<&Value> {
        self.guess.as_ref()
    }

    /// Returns the present run.
    pub fn run(&self) -> &Run {
        &self.now.run
    }

    /// Returns the last text to translate, with the tokens of its answer.
    pub fn answer(&self) -> Option<(&str, Vec<String>)> {
        self.answers.tokens()
    }

    /// Returns the value of a measure, or `None` if the value is unknown.
    pub fn value(&self, measure: &Measure) -> Option<Value> {
        match measure {
            Measure::Run(of, measure) => match of {
                RunOf::Now => self.now.run.value(*measure, None),
                RunOf::At(step) => self.now.run.value(*measure, Some(*step)),
                RunOf::Before => self.before.as_ref()?.run.value(*measure, None),
                RunOf::Named(name, step) => self.runs.get(name)?.value(*measure, *step),
            },
            Measure::Setting(moment, key) => {
                let experiment = self.of(*moment)?.run.experiment.as_ref()?;
                let table = diff::table(experiment);
                Some(match diff::get(&table, key)? {
                    serde_json::Value::String(word) => Value::Word(word.clone()),
                    serde_json::Value::Bool(is) => (*is).into(),
                    other => Value::Number(other.as_f64()?),
                })
            }
            Measure::Map(of, measure) => {
                let views = || self.of(of.moment).map(|present| &present.views);
                let map = if of.answer {
                    self.answers
                        .map(of.moment, self.now.views.request(), of.level)?
                } else {
                    views()?.map(of.level)?
                };
                map.value(measure)
            }
            Measure::View(moment, measure) => self.of(*moment)?.views.value(measure),
            Measure::Answer(moment, measure) => self.answers.answer(*moment)?.value(measure),
            Measure::Asked(measure) => self.answers.value(*measure),
            Measure::Moved(site) => self.answers.moved(*site).map(Value::Number),
            Measure::Bench(name) => self.benched.get(name).copied().map(Value::Number),
            Measure::Compared(name) => Some(self.compared.contains(name).into()),
            Measure::Guessed => Some(self.guess.is_some().into()),
            Measure::Noticed => Some((self.noticed? as f64).into()),
        }
    }

    fn of(&self, moment: Moment) -> Option<&Present> {
        match moment {
            Moment::Now => Some(&self.now),
            Moment::Before => self.before.as_deref(),
        }
    }
}
