//! A session that is told what a lesson tells it, and the facts that come of it.

use std::cell::Cell;
use std::collections::BTreeMap;

use burn::tensor::Device;
use pollster::block_on;
use strata_lessons::{Action, Facts, Lesson, Run, Step, Value, all_hold};
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event};

/// Milliseconds that a step takes as far as the session knows: every step is told of by itself, and
/// a picture comes every five.
const STEP: f64 = 50.0;

/// Name of the device on which lessons are played, as it is recorded.
pub const DEVICE: &str = "CPU (flex)";

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// A session and what is known of it.
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

    /// Hands a command on. A refusal is an error.
    pub fn say(&mut self, command: Command) -> Result<(), String> {
        self.facts.command(&command);
        let mut events = Vec::new();
        block_on(
            self.session
                .handle(command, &mut |event| events.push(event)),
        );
        self.hear(&events)
    }

    /// Takes a training step, and says whether there are more.
    pub fn advance(&mut self) -> Result<bool, String> {
        TIME.with(|time| time.set(time.get() + STEP));
        let mut events = Vec::new();
        let activity = block_on(self.session.advance(&mut |event| events.push(event)));
        self.hear(&events)?;
        Ok(activity == Activity::Training)
    }

    /// The present run as a file.
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

    /// Makes the state that a step begins with: of a fresh run, or of one that is given with its
    /// past. `runs` are the other runs of the lesson.
    pub fn set_up(
        &mut self,
        lesson: &Lesson,
        step: &Step,
        from: Option<&(Vec<u8>, Run)>,
        runs: BTreeMap<String, Run>,
    ) -> Result<(), String> {
        // Nothing is looked at of the run before.
        if self.facts.run().step > 0 || self.session.trainer().is_some() {
            self.say(Command::Watch { look: None })?;
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

    /// Does what a step asks for, up to the beginning of training.
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

    /// True if the step's condition holds, which is noted.
    pub fn notices(&mut self, step: &Step) -> bool {
        let holds = all_hold(&step.until, &self.facts);
        if holds {
            self.facts.notice();
        }
        holds
    }
}
