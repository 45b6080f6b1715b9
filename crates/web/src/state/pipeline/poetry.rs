//! The last poem, by the present model and by the model beside.

use crate::by_pointer::ByPointer;
use crate::sentence::sentence;
use strata_session::protocol::{PoemRequest, PoemView, Writers};

/// Poems of the present model and of the model beside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoetryState {
    /// The last poem, or the plan of the last poem.
    pub output: Option<ByPointer<PoemView>>,
    /// True while the page waits for a poem.
    pub is_waiting: bool,
    /// The poem of the model beside, or a sentence that says why there is none.
    pub beside: Option<Result<ByPointer<PoemView>, String>>,
    /// True while the page waits for the poem of the model beside.
    pub beside_is_waiting: bool,
    /// Number of times that a user asked for a model of poems; each time the panel for own texts
    /// opens.
    pub bring_count: u32,
}

impl PoetryState {
    /// Starts waiting for a poem; `has_beside`: a model lies beside the present one.
    pub(super) fn start(&mut self, request: &PoemRequest, has_beside: bool) {
        // A plan is made by the present model alone.
        let writers = if request.plans_only {
            Writers::Present
        } else {
            request.writers
        };
        self.is_waiting |= writers != Writers::Beside;
        self.beside_is_waiting |= writers != Writers::Present && has_beside;
    }

    /// Takes in the present model's poem, or a plan without lines.
    pub(super) fn finish(&mut self, poem: PoemView) {
        if poem.lines.is_empty() {
            // A new plan: the poem of the model beside belongs to the plan before.
            self.beside = None;
        }
        self.output = Some(ByPointer::new(poem));
        self.is_waiting = false;
    }

    /// Takes in the poem of the model beside, or the reason why there is none.
    pub(super) fn finish_beside(&mut self, poem: Result<PoemView, String>) {
        let poem = poem.map(ByPointer::new);
        self.beside = Some(poem.map_err(|reason| sentence(&reason)));
        self.beside_is_waiting = false;
    }

    /// Stops waiting for poems.
    pub(super) fn stop_waiting(&mut self) {
        (self.is_waiting, self.beside_is_waiting) = (false, false);
    }

    /// Forgets the poems of the run before.
    pub(super) fn forget_output(&mut self) {
        (self.output, self.beside) = (None, None);
    }

    /// Forgets the poem of the model beside, which another model replaces.
    pub(in crate::state) fn forget_beside(&mut self) {
        (self.beside, self.beside_is_waiting) = (None, false);
    }
}

#[cfg(test)]
mod tests {
    use crate::address::Address;
    use crate::presets::Preset;
    use crate::state::{Action, Beside, Opening, State};
    use std::rc::Rc;
    use strata_session::protocol::{
        Event, LacksView, LineView, Output, PoemRequest, PoemView, Ready, Request, Writers,
    };
    use yew::Reducible;

    fn after(state: State, action: Action) -> State {
        Rc::unwrap_or_clone(Rc::new(state).reduce(action))
    }

    fn told(state: State, event: Event) -> State {
        after(state, Action::Events(vec![event]))
    }

    fn write(writers: Writers) -> Action {
        let request = PoemRequest {
            writers,
            ..PoemRequest::default()
        };
        Action::Run(Request::Poem(Box::new(request)))
    }

    /// Returns whether the page waits for a poem of the present model and of the model beside.
    fn waits(state: &State) -> (bool, bool) {
        let poetry = &state.pipeline.poetry;
        (poetry.is_waiting, poetry.beside_is_waiting)
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
        let alone = after(state, write(Writers::All));
        assert_eq!(waits(&alone), (true, false));
        let state = after(after(alone, beside()), write(Writers::All));
        assert_eq!(waits(&state), (true, true));
        let state = told(state, Event::Done(Output::Poem(poem(4))));
        assert_eq!(waits(&state), (false, true));
        let written = Err("the model does not know 江".to_owned());
        let state = told(state, Event::Done(Output::PoemBeside(written)));
        let sentence = "The model does not know 江.".to_owned();
        assert_eq!(state.pipeline.poetry.beside, Some(Err(sentence)));
        assert!(!state.pipeline.poetry.beside_is_waiting);

        let written = Ok(poem(4));
        let state = told(state, Event::Done(Output::PoemBeside(written)));
        assert!(matches!(state.pipeline.poetry.beside, Some(Ok(_))));
        // A plan without lines removes the poems of the plan before; so does another model.
        let planned = told(state.clone(), Event::Done(Output::Poem(poem(0))));
        assert_eq!(planned.pipeline.poetry.beside, None);
        assert_eq!(after(state.clone(), beside()).pipeline.poetry.beside, None);
        let gone = Event::Beside {
            step: None,
            experiment: None,
        };
        let state = told(after(state, write(Writers::Beside)), gone);
        assert_eq!(
            (state.beside, state.pipeline.poetry.beside_is_waiting),
            (None, false)
        );
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
