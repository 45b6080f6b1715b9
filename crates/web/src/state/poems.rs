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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::presets::Preset;
    use crate::state::{Action, Opening};
    use std::rc::Rc;
    use strata_session::protocol::{Event, LineView};
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
        // A plan alone takes the poem of the plan before away; so does another model.
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
    fn a_model_that_was_opened_writes_in_the_place_of_the_run_under_its_title() {
        let state = State::new(&Address::read(""), "page".to_owned());
        let opening = Opening {
            name: Some("ham-5".to_owned()),
            ..Opening::default()
        };
        let state = after(state, Action::Open(Box::new(opening)));
        let experiment = Preset::Poems.experiment();
        let poet = PoetView {
            experiment: Box::new(experiment.clone()),
            step: 3,
            parameters: 7,
            reason: "its poems are not here".to_owned(),
        };
        let state = told(state, Event::Poet(poet));
        assert_eq!(state.present_poet(), (&experiment, "ham-5".to_owned()));
        assert_eq!(state.present_model().0, &*state.applied);
        // A model that is refused leaves no model beside on its way.
        let state = told(
            after(state, beside()),
            Event::Refused {
                reason: String::new(),
            },
        );
        assert_eq!(state.beside, None);
    }
}
