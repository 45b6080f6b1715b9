//! The panel in which a user gives the trained model work: a sentence, a text, a question or a poem.

use super::PageProperties;
use crate::page::ask::asking::Asking;
use crate::page::ask::poems::{Poems, PoemsProperties};
use crate::page::ask::translate::Translate;
use crate::state::State;
use strata_tasks::Pipeline;
use yew::prelude::*;

/// The panel of the run's pipeline.
#[component]
pub fn PipelinePanel(properties: &PageProperties) -> Html {
    let page = &properties.page;
    let (state, act) = (&page.state, page.act.clone());
    match shown(state) {
        Pipeline::Translation | Pipeline::TextGeneration => html! {
            <Translate ready={state.ready.clone()} translation={state.pipeline.translation.clone()} {act} />
        },
        Pipeline::QuestionAnswering => html! {
            <Asking ready={state.ready.clone()} asking={state.pipeline.question_answering.clone()} {act} />
        },
        Pipeline::Poetry => html! { <Poems ..PoemsProperties::of(state, act) /> },
    }
}

/// Returns the pipeline whose panel is shown. Poems can be planned while their model still loads;
/// other panels appear, and the panel of poems goes, when the run is prepared.
fn shown(state: &State) -> Pipeline {
    let [coming, prepared] = [&state.experiment, &state.applied].map(|it| it.task.pipeline());
    match (coming, prepared) {
        (Pipeline::Poetry, _) => Pipeline::Poetry,
        (_, Pipeline::Poetry) => Pipeline::Translation,
        (_, prepared) => prepared,
    }
}
