//! Intents, one for each thing that a user can do in the page. Components say them; nothing is done
//! here.

use crate::address::Device;
use crate::keeping::RunCommand;
use crate::presets::Preset;
use crate::texts::Texts;
use std::rc::Rc;
use strata_models::Search;
use strata_session::protocol::{Part, ViewRequest};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

/// Intent of a user.
///
/// Everything that can be done in the page is one of these, and whatever follows is an
/// [`Action`](crate::state::Action) on the page's [`State`](crate::state::State): a guided lesson sets
/// the page up by giving intents to `follow`, and watches for what is done in the actions that it hands
/// on.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Train on.
    Train,
    /// Stop after this step.
    Pause,
    /// One step.
    Step,
    /// Back to step 0, with the same initial parameters.
    Reset,
    /// Back to step 0, with others.
    NewSeed,
    /// Another experiment.
    Preset(Preset),
    /// An experiment of one's own, from step 0.
    Apply(Box<Experiment>),
    /// The present experiment on other data, trained at once.
    TrainOn(Box<Experiment>),
    /// The same, from step 0 when it is wanted.
    Prepare(Box<Experiment>),
    /// The present run goes on as this experiment has it.
    GoOn(Box<Experiment>),
    /// Changed settings are given up.
    Discard,
    /// Another device.
    Device(Device),
    /// To look at something of a held-out example.
    ViewRequest(ViewRequest),
    /// To look at anything, or at nothing.
    Watching(bool),
    /// To take these parts of the model away, and no others.
    Mute(Vec<Part>),
    /// A sentence to translate.
    Translate(Box<Question>),
    /// Texts of one's own to be looked at, and where they are.
    Examine(Box<TaskConfig>, Texts),
    /// Something with the kept runs.
    RunCommand(RunCommand),
    /// A run's curves are no longer compared.
    Uncompare(String),
    /// The model as a file of this name.
    SaveFile(String),
    /// A model from a file: what to call it, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// A sentence for the user to read.
    Tell(String),
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
