//! Changes of the state when poems are written.

use super::{Beside, State, name_of};
use crate::by_pointer::ByPointer;
use crate::sentence::sentence;
use strata_session::protocol::{PoemView, Writers};
use strata_training::Experiment;

impl State {
    /// Starts waiting for a poem of these models.
    pub(super) fn compose(&mut self, writers: Writers) {
        self.composing |= writers != Writers::Beside;
        self.composing_beside |= writers != Writers::Present && self.beside.is_some();
    }

    /// Stops waiting for poems.
    pub(super) fn stop_composing(&mut self) {
        (self.composing, self.composing_beside) = (false, false);
    }

    /// Takes in the present model's poem, or its plan without lines.
    pub(super) fn take_poem(&mut self, poem: PoemView) {
        if poem.lines.is_empty() {
            // A new plan: the poem of the model beside belongs to the plan before.
            self.poem_beside = None;
        }
        self.poem = Some(ByPointer::new(poem));
        self.composing = false;
    }

    /// Takes in the poem of the model beside, or the reason why there is none.
    pub(super) fn take_poem_beside(&mut self, written: Result<PoemView, String>) {
        let written = written.map(ByPointer::new);
        self.poem_beside = Some(written.map_err(|reason| sentence(&reason)));
        self.composing_beside = false;
    }

    /// Starts comparing with another model, or stops comparing (`None`).
    pub(super) fn lay_beside(&mut self, beside: Option<Beside>) {
        self.beside = beside;
        (self.poem_beside, self.composing_beside) = (None, false);
    }

    /// Returns the title of a model that was opened without its data: users know such a model by
    /// its file.
    pub fn opened(&self) -> Option<String> {
        self.lacks().map(|_| self.present_model().1)
    }

    /// Returns the run's experiment, and its title.
    pub fn present_model(&self) -> (&Experiment, String) {
        let name = self.keeping.name.clone();
        (
            &self.applied,
            name.unwrap_or_else(|| name_of(&self.applied)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::presets::Preset;
    use crate::state::{Action, Opening};
    use std::rc::Rc;
    use strata_session::protocol::{Event, LacksView, LineView, Ready};
    use yew::Reducible;

    fn after(state: State, action: Action) -> State {
        Rc::unwrap_or_clone(Rc::new(state).reduce(action))
    }

    fn told(state: State, event: Event) -> State {
        after(state, Action::Events(vec![event]))
    }

    fn poem(lines: usize) -> PoemView {
        let line = LineView {
            text: "春江花月夜".to_owned(),
            ..LineView::default()
        };
        PoemView {
            lines: vec![line; lines],
            ..PoemView::default()
        }
    }

    fn beside() -> Action {
        Action::Beside(Some(Box::new(Beside::of_file("deep".to_owned()))))
    }

    #[test]
    fn poems_of_two_models_are_of_one_plan() {
        let state = State::new(&Address::read(""), "page".to_owned());
        let alone = after(state, Action::WritePoem(Writers::All));
        assert_eq!((alone.composing, alone.composing_beside), (true, false));
        let state = after(after(alone, beside()), Action::WritePoem(Writers::All));
        assert_eq!((state.composing, state.composing_beside), (true, true));
        let state = told(state, Event::Poem(poem(4)));
        assert_eq!((state.composing, state.composing_beside), (false, true));
        let written = Err("the model does not know 江".to_owned());
        let state = told(state, Event::PoemBeside { written });
        let sentence = "The model does not know 江.".to_owned();
        assert_eq!(state.poem_beside, Some(Err(sentence)));
        assert!(!state.composing_beside);

        let written = Ok(poem(4));
        let state = told(state, Event::PoemBeside { written });
        assert!(matches!(state.poem_beside, Some(Ok(_))));
        // A plan without lines removes the poems of the plan before; so does another model.
        let planned = told(state.clone(), Event::Poem(poem(0)));
        assert_eq!(planned.poem_beside, None);
        assert_eq!(after(state.clone(), beside()).poem_beside, None);
        let gone = Event::Beside {
            step: None,
            experiment: None,
        };
        let state = told(after(state, Action::WritePoem(Writers::Beside)), gone);
        assert_eq!((state.beside, state.composing_beside), (None, false));
    }

    #[test]
    fn a_model_that_was_opened_without_its_data_has_the_title_of_its_file_and_asks_for_them() {
        let state = State::new(&Address::read(""), "page".to_owned());
        let opening = Opening {
            name: Some("ham-5".to_owned()),
            ..Opening::default()
        };
        let state = after(state, Action::Open(Box::new(opening)));
        let experiment = Preset::Poems.experiment();
        let ready = Ready {
            experiment: experiment.clone(),
            step: 3,
            lacks: Some(LacksView {
                files: vec!["tang.tsv".to_owned()],
                reason: "to train on, give tang.tsv".to_owned(),
            }),
            ..Ready::default()
        };
        let state = told(state, Event::Ready(ready));
        assert_eq!(state.present_model(), (&experiment, "ham-5".to_owned()));
        assert_eq!(state.opened(), Some("ham-5".to_owned()));
        let message = state.messages.last().map(|it| it.text.as_str());
        assert_eq!(
            message,
            Some(
                "To train on, give tang.tsv under “Your own data”. Until then it writes poems below, and \
                 can be looked at and saved."
            )
        );
        // If the worker refuses the model, no comparison is under way.
        let state = told(
            after(state, beside()),
            Event::Refused {
                reason: String::new(),
            },
        );
        assert_eq!(state.beside, None);
    }
}
