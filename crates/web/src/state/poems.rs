//! Changes of the state when poems are written.

use super::{Beside, Phase, State, name_of};
use crate::by_pointer::ByPointer;
use crate::sentence::sentence;
use strata_session::protocol::{PoemView, PoetView, Writers};
use strata_training::Experiment;

impl State {
    /// Notes that a poem is asked for.
    pub(super) fn compose(&mut self, writers: Writers) {
        self.composing |= writers != Writers::Beside;
        self.composing_beside |= writers != Writers::Present && self.beside.is_some();
    }

    /// Notes that nothing more is written.
    pub(super) fn stop_composing(&mut self) {
        (self.composing, self.composing_beside) = (false, false);
    }

    /// Takes the present model's poem.
    pub(super) fn take_poem(&mut self, poem: PoemView) {
        if poem.lines.is_empty() {
            // The other poem is of the plan before.
            self.poem_beside = None;
        }
        self.poem = Some(ByPointer::new(poem));
        self.composing = false;
    }

    /// Takes the poem of the model beside, or the reason why there is none.
    pub(super) fn take_poem_beside(&mut self, written: Result<PoemView, String>) {
        let written = written.map(ByPointer::new);
        self.poem_beside = Some(written.map_err(|reason| sentence(&reason)));
        self.composing_beside = false;
    }

    /// Takes a model that writes poems in the place of the run's.
    pub(super) fn take_poet(&mut self, poet: PoetView) {
        let opening = self.keeping.give_up();
        self.phase = Phase::Active(self.activity);
        self.tell(format!(
            "This model writes poems below. It cannot be trained on here: {}",
            poet.reason
        ));
        let title = opening.and_then(|it| it.name.clone());
        let title = title.unwrap_or_else(|| name_of(&poet.experiment));
        self.poet = Some((ByPointer::new(poet), title));
        (self.poem, self.poem_beside) = (None, None);
    }

    /// Lays another model beside the present one, or none.
    pub(super) fn lay_beside(&mut self, beside: Option<Beside>) {
        self.beside = beside;
        (self.poem_beside, self.composing_beside) = (None, false);
    }

    /// The experiment of the model that writes poems, and its title.
    pub fn present_poet(&self) -> (&Experiment, String) {
        match &self.poet {
            Some((poet, title)) => (&poet.experiment, title.clone()),
            None => self.present_model(),
        }
    }

    /// The run's experiment, and its title.
    pub fn present_model(&self) -> (&Experiment, String) {
        let name = self.keeping.name.clone();
        (
            &self.applied,
            name.unwrap_or_else(|| name_of(&self.applied)),
        )
    }
}
