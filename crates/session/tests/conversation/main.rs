//! Whole conversations with a session: commands in, events out.

mod arrows;
mod beside;
mod cell;
mod giving;
mod hostile_files;
mod muting;
mod network;
mod opening;
mod picturing;
mod poems;
mod reading;
mod receipts;
mod refusing;
mod running;
mod shares;
mod tagging;
mod view;

use std::cell::Cell;

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{ModelConfig, Search, TransformerConfig};
use strata_session::Session;
use strata_session::protocol::{
    Activity, Command, Event, Output, Ready, Request, StepReport, TranslateRequest,
    TranslationView, View, ViewRequest, ViewUpdate,
};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_training::Experiment;

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// Clock that advances by a millisecond whenever it is read.
fn clock() -> f64 {
    TIME.with(|time| {
        time.set(time.get() + 1.0);
        time.get()
    })
}

fn experiment() -> Experiment {
    let mut experiment = Experiment {
        task: TaskConfig::Copy(CopyConfig {
            symbols: 6,
            minimum_length: 2,
            maximum_length: 5,
            examples: 200,
            held_out: 20,
        }),
        model: ModelConfig::Transformer(TransformerConfig {
            width: 16,
            heads: 2,
            layers: 1,
            feed_forward: 32,
            ..TransformerConfig::default()
        }),
        ..Experiment::default()
    };
    experiment.training.steps = 30;
    experiment.training.batch_size = 8;
    experiment.training.validate_every = 10;
    experiment
}

struct Conversation {
    session: Session,
}

impl Conversation {
    fn new() -> Self {
        Self::with_clock(clock)
    }

    fn with_clock(clock: fn() -> f64) -> Self {
        Self {
            session: Session::new(Device::default(), "CPU (flex)".into(), clock),
        }
    }

    fn loaded() -> Self {
        let mut conversation = Self::new();
        conversation.load(experiment());
        conversation
    }

    fn say(&mut self, command: Command) -> Vec<Event> {
        let mut events = Vec::new();
        let emit = &mut |event| events.push(event);
        block_on(self.session.handle(command, emit));
        events
    }

    fn load(&mut self, experiment: Experiment) -> Vec<Event> {
        let experiment = Box::new(experiment);
        self.say(Command::Load { experiment })
    }

    /// Calls the session's loop up to `steps` times.
    fn advance(&mut self, steps: usize) -> Vec<Event> {
        let mut events = Vec::new();
        for _ in 0..steps {
            let emit = &mut |event| events.push(event);
            if block_on(self.session.advance(emit)) != Activity::Training {
                break;
            }
        }
        events
    }

    /// Trains for `count` steps, pauses, and returns the reports of the steps.
    fn train(&mut self, count: usize) -> Vec<StepReport> {
        let mut events = self.say(Command::Train);
        events.extend(self.advance(count));
        events.extend(self.say(Command::Pause));
        steps(&events)
    }

    fn refusal(&mut self, command: Command) -> String {
        let mut events = self.say(command);
        match (events.pop(), events.is_empty()) {
            (Some(Event::Refused { reason }), true) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn save(&mut self) -> Vec<u8> {
        match self.say(Command::Save).pop() {
            Some(Event::Saved { checkpoint, .. }) => checkpoint,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the command to translate as the page sends it.
fn translate(text: &str) -> Command {
    Command::Run(Request::Translate(TranslateRequest {
        text: text.to_owned(),
        prefix: Vec::new(),
        search: Search::Greedy,
        details: false,
    }))
}

fn steps(events: &[Event]) -> Vec<StepReport> {
    let of_progress = |event: &Event| match event {
        Event::Progress { steps } => steps.clone(),
        _ => Vec::new(),
    };
    events.iter().flat_map(of_progress).collect()
}

/// Returns the results of steps without their times.
fn losses(steps: &[StepReport]) -> Vec<(u64, u64, u64)> {
    let of_step =
        |step: &StepReport| (step.step, step.loss.to_bits(), step.gradient_norm.to_bits());
    steps.iter().map(of_step).collect()
}

fn ready(events: &[Event]) -> &Ready {
    let ready = events.iter().find_map(|event| match event {
        Event::Ready(ready) => Some(ready),
        _ => None,
    });
    ready.expect("a session that is ready")
}

fn activity(events: &[Event]) -> Option<Activity> {
    events.iter().rev().find_map(|event| match event {
        Event::Activity { activity } => Some(*activity),
        _ => None,
    })
}

fn watch(example: usize, view: View) -> Command {
    Command::Watch {
        view: Some(ViewRequest { example, view }),
    }
}

fn translation(events: &[Event]) -> &TranslationView {
    let translation = events.iter().find_map(|event| match event {
        Event::Done(Output::Translation(view)) => Some(view),
        _ => None,
    });
    translation.expect("a translation")
}

/// Returns all views of the watched example.
fn views(events: &[Event]) -> Vec<&ViewUpdate> {
    let shown = events.iter().filter_map(|event| match event {
        Event::View(update) => Some(update),
        _ => None,
    });
    shown.collect()
}
