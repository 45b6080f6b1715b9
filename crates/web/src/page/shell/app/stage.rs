//! The stage: the inside of the model, and the curves.

use super::PageProperties;
use super::use_page::Page;
use crate::page::run::others::Others;
use crate::page::watch::attention_file::AttentionFile;
use crate::page::watch::curves::Curves;
use crate::page::watch::inspector::Inspector;
use crate::presets::Preset;
use crate::state::overlay::{self, Overlay};
use crate::state::{Phase, State};
use std::rc::Rc;
use strata_session::protocol::Activity;
use yew::prelude::*;

/// The views of the model and the curves of learning.
#[component]
pub fn Stage(properties: &PageProperties) -> Html {
    let page = &properties.page;
    let (state, act) = (&page.state, &page.act);
    let others = use_overlays(state, page.lesson.is_open());
    let examples = state
        .ready
        .as_ref()
        .map_or(0, |ready| ready.validation_examples);
    html! {
        <div class="stage">
            if let Some(files) = &state.attention {
                <AttentionFile files={files.clone()} act={act.clone()} />
            } else {
                <Inspector update={state.watch.update.clone()} request={state.watch.request.clone()} is_open={state.watch.is_on} {examples}
                    shares={state.watch.shares.clone()} past={state.watch.past.clone()} telemetry={state.watch.telemetry.clone()} ready={state.ready.clone()} muted={state.muted.clone()} asked={state.asked.clone()}
                    without={state.without} validation={state.validation} others={Others::of(state)}
                    is_first_visit={is_first_visit(page)} act={act.clone()} />
            }
            <Curves history={state.history.clone()} experiment={state.experiment.clone()} others={(*others).clone()}
                offered={offered(state)} act={act.clone()} />
        </div>
    }
}

/// True while a visitor who has trained nothing yet looks at the untrained model of the first preset.
fn is_first_visit(page: &Page) -> bool {
    let state = &page.state;
    let has_runs = state
        .keeping
        .runs
        .as_ref()
        .is_some_and(|runs| !runs.is_empty());
    let is_idle = state.step() == 0 && state.phase != Phase::Active(Activity::Training);
    let is_copy = state.preset == Some(Preset::DEFAULT) && state.earlier.is_empty();
    is_copy && is_idle && !has_runs && !page.lesson.is_open()
}

/// Returns the runs whose curves are drawn beside the present run's curves.
#[hook]
fn use_overlays(state: &State, is_lesson: bool) -> Rc<Vec<Overlay>> {
    let compared = (
        state.experiment.clone(),
        state.earlier.clone(),
        state.keeping.compared.clone(),
        is_lesson,
    );
    use_memo(compared, |(experiment, earlier, kept, is_lesson)| {
        // In a lesson, the lesson decides which runs are drawn beside the present one.
        let earlier = if *is_lesson { &[][..] } else { earlier };
        let mut others = overlay::named(experiment, earlier);
        others.extend(kept.iter().map(|run| Overlay {
            name: run.name.clone(),
            history: run.history.clone(),
            // The user, or the lesson, chose the run.
            is_of_other_task: false,
        }));
        others
    })
}

/// Returns ids and names of a lesson's runs that can be drawn beside the present one.
fn offered(state: &State) -> Vec<(String, String)> {
    let keeping = &state.keeping;
    let is_drawn = |id: &str| keeping.compared.iter().any(|run| run.id == id);
    let offered = keeping.offered.iter().filter(|run| !is_drawn(&run.id));
    offered
        .map(|run| (run.id.clone(), run.name.clone()))
        .collect()
}
