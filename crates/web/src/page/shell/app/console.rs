//! The console: buttons of training, status, and the note below.

use super::PageProperties;
use crate::page::form::settings::Changes;
use crate::page::run::controls::Controls;
use crate::page::shell::permalink::Share;
use crate::page::watch::beside::{Note, beside};
use crate::page::watch::status::status;
use yew::prelude::*;

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
                { beside(&Note::of(state, &page.pending), changes.apply(state.step()), &page.act) }
                <Share experiment={state.experiment.clone()} device={state.device} others={(*page.other_names).clone()} />
            </div>
        </div>
    }
}
