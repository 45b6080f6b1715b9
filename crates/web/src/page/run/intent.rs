//! Intents: everything that a user can do in the page. Components emit intents, and `follow`
//! carries them out.

use crate::address::Device;
use crate::by_pointer::ByPointer;
use crate::keeping::RunCommand;
use crate::presets::Preset;
use crate::state::OpenedAttention;
use crate::texts::Texts;
use std::rc::Rc;
use strata_session::protocol::{Part, Request, ViewRequest};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

/// Intent of a user.
///
/// Everything that a user can do is an intent, and its consequences are
/// [`Action`](crate::state::Action)s on the page's [`State`](crate::state::State). A lesson sets
/// the page up by passing intents to `follow`, and watches the actions that `follow` dispatches to
/// notice what a user has done.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Train until paused, or until the run ends.
    Train,
    /// Pause after the step under way.
    Pause,
    /// Take one step.
    Step,
    /// Go back to step 0, with the same initial parameters.
    Reset,
    /// Go back to step 0, with a new seed.
    NewSeed,
    /// Load the experiment of a preset.
    Preset(Preset),
    /// Load an experiment with the user's own settings.
    Apply(Box<Experiment>),
    /// Load the present experiment with other data, and train it at once.
    TrainOn(Box<Experiment>),
    /// Load the present experiment with other data, without training it yet.
    Prepare(Box<Experiment>),
    /// Continue the present run under this experiment.
    GoOn(Box<Experiment>),
    /// Discard changed settings that are not applied.
    Discard,
    /// Move to another device.
    Device(Device),
    /// Show a view of a held-out example.
    ViewRequest(ViewRequest),
    /// True to show views of held-out examples, false to show none.
    Watching(bool),
    /// Mute exactly these parts of the model.
    Mute(Vec<Part>),
    /// Compare with the kept run of this id; `None` ends the comparison.
    Beside(Option<String>),
    /// Compare with a model from a file, given by its name and bytes.
    BesideFile(String, Rc<[u8]>),
    /// Show an attention file in place of the model, or beside the open attention file.
    OpenAttention(ByPointer<OpenedAttention>),
    /// Show the model again.
    CloseAttention,
    /// Have the model translate a sentence, answer a question, or write a poem.
    Run(Request),
    /// Examine the user's own texts as data of this task.
    Examine(Box<TaskConfig>, Texts),
    /// Carry out a command on the kept runs.
    RunCommand(RunCommand),
    /// Stop showing the curves of the run of this id.
    Uncompare(String),
    /// Show the curves of a lesson's run of this name beside the present ones.
    LayBeside(String),
    /// Time the steps of these workloads, apart from any run.
    Bench(Vec<String>),
    /// Save the model to a file of this name.
    SaveFile(String),
    /// Load a model from a file, given by the name for its run, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// Show a sentence to the user.
    Tell(String),
    /// Show a complaint about the user's own texts, until they are read in another way.
    Complain(String),
}
