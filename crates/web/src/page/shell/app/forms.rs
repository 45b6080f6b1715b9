//! The panels below: the user's own data, settings, kept runs and devices.

use super::use_page::Page;
use crate::page::form::data::Data;
use crate::page::form::settings::{Measured, Pending, Room, Settings};
use crate::page::run::devices::Devices;
use crate::page::run::runs::{Runs, RunsProperties};
use yew::prelude::*;

/// Renders the panels.
pub fn forms(page: &Page) -> Html {
    let (state, act) = (&page.state, &page.act);
    let awaited = state
        .lacks()
        .map_or(Vec::new(), |lacks| lacks.files.clone());
    // The panel of settings names the run's step only if the run goes on with the changes.
    // Otherwise it need only know whether there is a run to lose, and is not drawn again with every
    // step.
    let step = match *page.pending {
        Pending::GoesOn => state.step(),
        _ => state.step().min(1),
    };
    let storage = state.keeping.storage;
    let room = Room::of(
        state.keeping.unavailable.is_some(),
        storage.usage,
        storage.quota,
    );
    let measured = state.speed.step_milliseconds().and_then(Measured::roughly);
    html! {
        <>
            <Data experiment={state.experiment.clone()} {awaited} examined={state.examined.clone()}
                examining={state.examining} complains={state.complains()} bring_poems={state.pipeline.poetry.bring_count} act={act.clone()} />
            <Settings draft={page.draft.clone()} pending={(*page.pending).clone()} {step} ready={state.ready.clone()} {measured}
                {room} act={act.clone()} />
            <Runs ..RunsProperties::of(state, act.clone()) />
            <Devices device={state.device} phase={state.phase} ready={state.ready.clone()}
                experiment={state.experiment.clone()} act={act.clone()} />
        </>
    }
}
