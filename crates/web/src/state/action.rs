//! Changes of the state: everything that can happen to the page.

use super::{AttentionFiles, Beside, Change, OpenedAttention, Opening, Phase, State};
use crate::address::Device;
use crate::by_pointer::ByPointer;
use crate::presets::Preset;
use crate::texts::Texts;
use std::rc::Rc;
use strata_session::protocol::{Event, Part, Request, ViewRequest};
use strata_training::Experiment;
use yew::Reducible;

/// A change of the state: everything that can happen to the page.
#[derive(Debug)]
pub enum Action {
    /// Takes in events of the worker.
    Events(Vec<Event>),
    /// Starts loading an experiment, with the preset of the experiment, if any.
    Load(Option<Preset>, Box<Experiment>),
    /// Starts loading a run from a checkpoint.
    Open(Box<Opening>),
    /// Records the user's own texts that the next run reads.
    Texts(Texts),
    /// Changes the kept runs or the list of kept runs.
    Keeping(Box<Change>),
    /// Starts muting these parts of the model.
    Mute(Vec<Part>),
    /// Starts moving the run to another device.
    Move(Device),
    /// Records that the run stays on this device.
    Stay(Device),
    /// Requests another view of a held-out example.
    ViewRequest(ViewRequest),
    /// True to request views of held-out examples, false to request none.
    Watching(bool),
    /// Starts comparing with another model, or stops comparing (`None`).
    Beside(Option<Box<Beside>>),
    /// Shows an attention file in the place of the model, or beside the one that is shown.
    OpenAttention(ByPointer<OpenedAttention>),
    /// Shows the model again.
    CloseAttention,
    /// Starts waiting for the result of a request to the model.
    Run(Request),
    /// Opens the panel for own texts, to be given a file of poems.
    BringPoems,
    /// Starts waiting for a report on the user's own texts.
    Examine,
    /// Records that no worker is left, with the reason.
    Lost(String),
    /// Shows a sentence to the user.
    Tell(String),
    /// Shows a complaint about the user's own texts, in the place of earlier complaints.
    Complain(String),
    /// Removes the message of this number, which a user closed.
    PutAway(u64),
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut state = Rc::unwrap_or_clone(self);
        match action {
            Action::Events(events) => events.into_iter().for_each(|event| state.event(event)),
            Action::Load(preset, experiment) => state.load(preset, *experiment),
            Action::Open(opening) => {
                state.attention = None;
                state.keeping.open(*opening);
                state.phase = Phase::Loading;
            }
            Action::Texts(texts) => state.keeping.texts = texts,
            Action::Keeping(change) => {
                state.end_comparison_with_removed(&change);
                state.keeping.change(*change);
            }
            Action::Beside(beside) => state.lay_beside(beside.map(|it| *it)),
            Action::Move(device) => {
                state.device = device;
                state.phase = Phase::Moving;
            }
            Action::Stay(device) => state.device = device,
            Action::ViewRequest(request) => {
                (state.watch.request, state.watch.is_on) = (request, true);
            }
            Action::Watching(is_on) => state.watch.is_on = is_on,
            Action::OpenAttention(file) => {
                state.attention = Some(AttentionFiles::open(state.attention.take(), file));
            }
            Action::CloseAttention => state.attention = None,
            Action::Run(request) => {
                let has_beside = state.beside.is_some();
                state.pipeline.start(request, has_beside);
            }
            Action::BringPoems => state.pipeline.poetry.bring_count += 1,
            Action::Mute(parts) => state.asked = ByPointer::new(parts),
            Action::Examine => {
                state.forget_complaints();
                state.examining = true;
            }
            Action::Lost(reason) => state.event(Event::Lost { reason }),
            Action::Tell(text) => state.tell(text),
            Action::Complain(text) => state.complain(text),
            Action::PutAway(number) => state.messages.retain(|message| message.number != number),
        }
        Rc::new(state)
    }
}

/// Returns the index of the held-out example to show once `new` is loaded in the place of `old`: the
/// present one if both have the same data, so that a changed model is seen on the same sentence.
pub fn example_on_load(example: usize, old: &Experiment, new: &Experiment) -> usize {
    let has_same_data = old.task == new.task && old.seed == new.seed;
    // Other data may have fewer examples.
    if has_same_data { example } else { 0 }
}

impl State {
    /// Starts loading an experiment.
    fn load(&mut self, preset: Option<Preset>, experiment: Experiment) {
        self.preset = preset;
        self.attention = None;
        // Another task has other examples: the last view would show tokens of data that are gone.
        if self.experiment.task != experiment.task {
            self.watch.update = None;
        }
        let example = self.watch.request.example;
        self.watch.request.example = example_on_load(example, &self.experiment, &experiment);
        self.experiment = ByPointer::new(experiment);
        self.phase = Phase::Loading;
    }

    /// Ends the comparison if its run is removed: the model beside is read from the kept run.
    fn end_comparison_with_removed(&mut self, change: &Change) {
        let run = self.beside.as_ref().and_then(|beside| beside.run.as_ref());
        let is_removed = run.is_some_and(|run| match change {
            Change::Deleted(id, _) => *id == run.id,
            Change::RemovedAll => true,
            _ => false,
        });
        if is_removed {
            self.lay_beside(None);
        }
    }
}
