//! A session that gets the commands of a lesson, and the facts that follow from its events.

use std::cell::Cell;
use std::collections::BTreeMap;

use burn::tensor::Device;
use pollster::block_on;
use strata_lessons::{Action, Facts, Lesson, Run, Step, Value, all_hold};
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event};

/// Milliseconds that a step takes by the session's clock, so that every step is reported by itself,
/// and a picture comes every five steps.
const STEP: f64 = 50.0;

/// Name of the device on which lessons are played, as it is recorded.
pub const DEVICE: &str = "CPU (flex)";

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// A session, and the facts known about it.
pub struct Player {
    session: Session,
    pub facts: Facts,
}

impl Player {
    pub fn new() -> Self {
        let clock = || TIME.with(Cell::get);
        Self {
            session: Session::new(Device::flex(), DEVICE.to_owned(), clock),
            facts: Facts::default(),
        }
    }

    /// Sends a command to the session; a refusal is an error.
    pub fn say(&mut self, command: Command) -> Result<(), String> {
        self.facts.command(&command);
        let mut events = Vec::new();
        block_on(
            self.session
                .handle(command, &mut |event| events.push(event)),
        );
        self.hear(&events)
    }

    /// Takes a training step; returns true if more steps follow.
    pub fn advance(&mut self) -> Result<bool, String> {
        TIME.with(|time| time.set(time.get() + STEP));
        let mut events = Vec::new();
        let activity = block_on(self.session.advance(&mut |event| events.push(event)));
        self.hear(&events)?;
        Ok(activity == Activity::Training)
    }

    /// Returns the present run as a file.
    pub fn save(&mut self) -> Result<Vec<u8>, String> {
        let mut saved = Err("nothing was saved".to_owned());
        block_on(
            self.session
                .handle(Command::Save, &mut |event| match event {
                    Event::Saved { checkpoint, .. } => saved = Ok(checkpoint),
                    Event::Refused { reason } => saved = Err(reason),
                    _ => {}
                }),
        );
        saved
    }

    fn hear(&mut self, events: &[Event]) -> Result<(), String> {
        for event in events {
            self.facts.event(event);
            if let Event::Refused { reason } | Event::Lost { reason } = event {
                return Err(reason.clone());
            }
        }
        Ok(())
    }

    /// Makes the state with which a step begins, from a fresh run or from a given one with its
    /// curves. `runs` are the other runs of the lesson.
    pub fn set_up(
        &mut self,
        lesson: &Lesson,
        step: &Step,
        from: Option<&(Vec<u8>, Run)>,
        runs: BTreeMap<String, Run>,
    ) -> Result<(), String> {
        // No view of the run before is requested any longer.
        if self.facts.run().step > 0 || self.session.trainer().is_some() {
            self.say(Command::Watch { view: None })?;
        }
        self.facts = Facts::at_step_of(runs);
        let setup = &step.setup;
        let experiment = lesson.experiment(&setup.experiment);
        let experiment = experiment.ok_or_else(|| format!("no `{}`", setup.experiment))?;
        match from {
            None => self.say(Command::Load {
                experiment: Box::new(experiment),
            })?,
            Some((checkpoint, past)) => {
                let checkpoint = checkpoint.clone();
                self.say(Command::Restore { checkpoint })?;
                self.facts.restored(past);
            }
        }
        setup.commands().into_iter().try_for_each(|it| self.say(it))
    }

    /// Carries out the action of a step, up to the beginning of training.
    pub fn act(&mut self, lesson: &Lesson, action: &Action) -> Result<(), String> {
        let commands = action.commands(lesson, &self.facts);
        let commands = commands.ok_or("the action is about an answer, but there is none")?;
        commands.into_iter().try_for_each(|it| self.say(it))?;
        match action {
            Action::Guess => self.facts.guess(Value::Number(0.0)),
            Action::Compare(name) => self.facts.compare(name),
            _ => {}
        }
        Ok(())
    }

    /// True if the step's condition holds, which is then recorded.
    pub fn notices(&mut self, step: &Step) -> bool {
        let holds = all_hold(&step.until, &self.facts);
        if holds {
            self.facts.notice();
        }
        holds
    }
}
