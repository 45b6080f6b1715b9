//! The console: buttons of training, status, and the note below.

use super::PageProperties;
use crate::page::form::settings::Changes;
use crate::page::run::able::Able;
use crate::page::run::controls::Controls;
use crate::page::shell::permalink::Share;
use crate::page::shell::place::Place;
use crate::page::watch::beside::{Note, beside};
use crate::page::watch::status::status;
use crate::state::State;
use yew::prelude::*;

/// Returns the place that the user looks at, with the last sentence given to the model.
fn place(state: &State) -> Place {
    let asked = state.pipeline.translation.request.as_ref();
    Place {
        request: state.watch.request.clone(),
        text: asked.map(|asked| asked.text.clone()).unwrap_or_default(),
    }
}

/// The panel at the top, from which a run is trained.
#[component]
pub fn Console(properties: &PageProperties) -> Html {
    let page = &properties.page;
    let state = &page.state;
    let changes = Changes {
        draft: &page.draft,
        pending: &page.pending,
    };
    html! {
        <div class="panel console">
            <Controls preset={state.preset} device={state.device} phase={state.phase} end={page.end}
                seed={state.experiment.seed} is_loading={state.ready.is_none()} lacks={page.lacks.clone()} act={page.act.clone()} />
            { status(state) }
            <div class="console-foot">
                // In place of the note, so that the map below stays where it is.
                <Able run={state.keeping.id.clone()} is_asked={state.preset.is_some() && !page.lesson.is_open()} phase={state.phase}
                    steps={(state.step(), state.experiment.training.steps)} validation={state.validation} act={page.act.clone()} />
                { beside(&Note::of(state, &page.pending), changes.apply(state.step()), &page.act) }
                <Share experiment={state.experiment.clone()} device={state.device} others={(*page.other_names).clone()} place={place(state)} />
            </div>
        </div>
    }
}
