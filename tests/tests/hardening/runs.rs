//! Small runs of several kinds, and a session to send commands to.

use burn::tensor::Device;
use pollster::block_on;
use serde_json::{Value, json};
use strata_session::Session;
use strata_session::protocol::{Command, Event};
use strata_tasks::{TaskConfig, TextConfig};
use strata_text::{TokenUnit, UploadedText};
use strata_training::{Experiment, Trainer};

/// A run that a session can be told to continue.
pub struct Run {
    /// The experiment of the run.
    pub experiment: Experiment,
    /// The checkpoint after two steps.
    pub checkpoint: Vec<u8>,
}

/// Name of the file of sentence pairs that runs read.
pub const PAIRS: &str = "pairs of a test.tsv";
/// Name of the file of running text that runs of language models read.
pub const TEXT: &str = "text of a test.txt";

/// Returns pairs that are enough to train a model.
pub fn pairs() -> String {
    (0..24)
        .map(|line| format!("der Hund {line} sieht .\tthe dog {line} sees .\n"))
        .collect()
}

/// Returns a text that is enough to train a model.
pub fn text() -> String {
    "to be or not to be , that is the question .\n\n".repeat(20)
}

/// Returns an experiment of these settings, with defaults for all others.
fn experiment(task: Value, model: Value) -> Experiment {
    let training = json!({ "steps": 40, "batch_size": 4, "validate_every": 20 });
    let experiment = json!({ "task": task, "model": model, "training": training });
    serde_json::from_value(experiment).expect("these are settings")
}

/// Returns a small experiment that needs no text.
pub fn copy() -> Experiment {
    experiment(
        json!({
            "kind": "copy", "symbols": 6, "minimum_length": 2, "maximum_length": 5,
            "examples": 60, "held_out": 6,
        }),
        json!({
            "architecture": "transformer", "width": 8, "heads": 2, "layers": 1, "feed_forward": 8,
        }),
    )
}

/// Returns experiments whose checkpoints contain different things: only words, subwords on both
/// sides, and a state that is carried from step to step.
fn experiments() -> [Experiment; 3] {
    let gru = json!({
        "architecture": "seq2seq", "embedding": 6, "encoder_hidden": 6, "decoder_hidden": 6,
    });
    let files = json!({
        "kind": "files", "source": PAIRS, "level": "bpe", "target_level": "unigram",
        "maximum_vocabulary": 40, "held_out": 4, "minimum_count": 1,
    });
    let lstm = json!({ "architecture": "recurrent_lm", "embedding": 6, "hidden": 6, "layers": 1 });
    let text = json!({ "kind": "text", "source": TEXT, "segment_length": 6 });
    [copy(), experiment(files, gru), experiment(text, lstm)]
}

/// Returns a run of each experiment.
pub fn all() -> Vec<Run> {
    let run = |experiment: Experiment| {
        let mut conversation = Conversation::with(&experiment);
        conversation.expect(Command::Step);
        conversation.expect(Command::Step);
        let checkpoint = conversation.checkpoint();
        Run {
            experiment,
            checkpoint,
        }
    };
    experiments().into_iter().map(run).collect()
}

/// Loads the dictionary of Chinese words, which then stays: tests that count memory call this
/// first.
pub fn read_dictionary() {
    let config = TextConfig {
        level: TokenUnit::Jieba,
        ..TextConfig::default()
    };
    drop(config.dataset(("text", &"字典 中文\n".repeat(20)), None));
}

/// A session, with the commands and events to test it.
pub struct Conversation {
    session: Session,
}

impl Conversation {
    /// Returns a session with an experiment.
    pub fn with(experiment: &Experiment) -> Self {
        let session = Session::new(Device::default(), "CPU (flex)".to_owned(), || 0.0);
        let mut conversation = Self { session };
        conversation.give_texts(&experiment.task);
        conversation.expect(Command::Load {
            experiment: Box::new(experiment.clone()),
        });
        conversation
    }

    /// Gives the session the texts that a task reads; texts of other tasks are forgotten.
    pub fn give_texts(&mut self, task: &TaskConfig) {
        let paths = task.paths();
        let is_read = |name: &str| paths.iter().any(|path| path.to_str() == Some(name));
        let texts = [(PAIRS, pairs()), (TEXT, text())].into_iter();
        let texts: Vec<_> = texts
            .filter(|(name, _)| is_read(name))
            .map(|(name, text)| UploadedText {
                name: name.to_owned(),
                bytes: text.into_bytes(),
            })
            .collect();
        if !texts.is_empty() {
            let task = Box::new(task.clone());
            self.expect(Command::Examine { task, texts });
        }
    }

    /// Sends a command; returns the events.
    pub fn say(&mut self, command: Command) -> Vec<Event> {
        let mut events = Vec::new();
        let emit = &mut |event| events.push(event);
        block_on(self.session.handle(command, emit));
        events
    }

    /// Sends a command that must succeed; returns the events.
    pub fn expect(&mut self, command: Command) -> Vec<Event> {
        let events = self.say(command);
        if let Some(refused) = refusal(&events) {
            panic!("{refused}");
        }
        events
    }

    /// Lets the session take a step, if it trains.
    pub fn advance(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        let emit = &mut |event| events.push(event);
        block_on(self.session.advance(emit));
        events
    }

    /// Returns a checkpoint of the run: two runs that differ in anything have different ones.
    pub fn checkpoint(&self) -> Vec<u8> {
        let trainer: &Trainer = self.session.trainer().expect("a run is loaded");
        block_on(trainer.checkpoint()).expect("the CPU can be read")
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

/// Returns the reason why a command was refused; `None` if it was not.
pub fn refusal(events: &[Event]) -> Option<&str> {
    events.iter().find_map(|event| match event {
        Event::Refused { reason } => Some(reason.as_str()),
        Event::Lost { reason } => panic!("the device is lost: {reason}"),
        _ => None,
    })
}
