//! Intents, one for each thing that a user can do in the page. Components say them; nothing is done
//! here.

use crate::address::Device;
use crate::keeping::RunCommand;
use crate::presets::Preset;
use crate::state::{Asked, Question};
use crate::texts::Texts;
use std::rc::Rc;
use strata_session::protocol::{Part, PoemWish, ViewRequest};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

/// Intent of a user.
///
/// Everything that can be done in the page is one of these, and whatever follows is an
/// [`Action`](crate::state::Action) on the page's [`State`](crate::state::State): a guided lesson
/// sets the page up by giving intents to `follow`, and watches the actions that `follow` hands on
/// for what is done.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Train.
    Train,
    /// Stop after this step.
    Pause,
    /// Take one step.
    Step,
    /// Go back to step 0, with the same initial parameters.
    Reset,
    /// Go back to step 0, with a new seed.
    NewSeed,
    /// Load the experiment of a preset.
    Preset(Preset),
    /// Load an experiment of the user's own.
    Apply(Box<Experiment>),
    /// Load the present experiment on other data, and train it at once.
    TrainOn(Box<Experiment>),
    /// Load the present experiment on other data, without training it yet.
    Prepare(Box<Experiment>),
    /// Go on with the present run under this experiment.
    GoOn(Box<Experiment>),
    /// Discard the changed settings.
    Discard,
    /// Move to another device.
    Device(Device),
    /// Show a view of a held-out example.
    ViewRequest(ViewRequest),
    /// Show a view, if true, or none.
    Watching(bool),
    /// Mute these parts of the model, and no others.
    Mute(Vec<Part>),
    /// Compare the outputs of a kept run, by its id, with those of the present one; `None`: of none.
    Beside(Option<String>),
    /// Compare the outputs of a model from a file, by its name and bytes, with those of the present one.
    BesideFile(String, Rc<[u8]>),
    /// Translate a sentence, or write on.
    Translate(Box<Question>),
    /// Ask a reader a question about a passage.
    Ask(Box<Asked>),
    /// Plan a poem, and write it.
    WritePoem(Box<PoemWish>),
    /// Examine the user's own texts, which are given with their sources.
    Examine(Box<TaskConfig>, Texts),
    /// Carry out a command on the kept runs.
    RunCommand(RunCommand),
    /// Compare a run's curves no longer.
    Uncompare(String),
    /// Show the curves of a lesson's run, by its name, beside the present ones.
    LayBeside(String),
    /// Time the steps of these workloads, apart from any run.
    Bench(Vec<String>),
    /// Save the model to a file of this name.
    SaveFile(String),
    /// Load a model from a file: the name of its run, and its bytes.
    LoadFile(String, Rc<[u8]>),
    /// Show a sentence to the user.
    Tell(String),
    /// Show a sentence on the user's own texts, until they are read in another way.
    Complain(String),
}
