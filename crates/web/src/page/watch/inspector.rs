//! View of a held-out example while the model learns. The worker computes only the view that is
//! shown.
//!
//! - here: the panel and the content of its tabs; `example`: the held-out example; `files`: the view
//!   as files
//! - `network`: the whole model as a drawing
//! - `site`: one matrix, as a heat-map, as `lines` and in `words`; `overview`: all matrices as
//!   thumbnails
//! - `shares`: weights of the levels; `descent`: the path of a row down a pyramid
//! - `arrows`: places on a circle, and the path that attention follows
//! - `beside`: two runs at one sentence
//! - `cell`: the computation of one weight
//! - `rollout`: the tokens that a token comes from
//! - `probabilities`, `norms`: of the tokens, of the layers; `empty`: a sentence in place of a
//!   picture
//! - `caption`: sentences below a picture that is saved
//! - `muting`: parts that are muted; `forcing`: rows that are given weights; `timeline`: winding
//!   back; `telemetry`: how attention changed, and where it jumped

mod arrows;
mod beside;
mod caption;
mod cell;
mod descent;
mod empty;
mod example;
mod files;
mod forcing;
mod lines;
mod muting;
mod network;
mod norms;
mod overview;
mod probabilities;
mod rollout;
mod shares;
mod site;
pub mod tabs;
mod telemetry;
mod timeline;
mod words;

pub use arrows::{Circle, last_map};
pub use caption::{after, head_in_words};
pub use lines::lines;
pub use muting::{Muting, levels as levels_slider};
pub use rollout::{Labels, sources};
pub use site::{display_controls, matrix_view};

use crate::by_pointer::ByPointer;
use crate::page::ask::passage::Passage;
use crate::page::base::foreign::use_languages;
use crate::page::pipeline::{asked_arrows, ui_of};
use crate::page::run::intent::Intent;
use crate::page::run::others::Others;
use crate::page::run::run_title::{RunTitle, use_run_title};
use crate::page::watch::recorded::Recorded;
use crate::page::watch::view::Matrix;
use crate::state::level_weights::SharesHistory;
use crate::state::telemetry::TelemetryHistory;
use crate::state::{FIRST_VIEW, Past};
use empty::empty;
use example::{sentences, turn};
use files::exports;
use std::rc::Rc;
use strata_session::protocol::{Part, Ready, Validation, View, ViewData, ViewRequest, ViewUpdate};
use strata_tasks::Pipeline;
use telemetry::Telemetry;
use timeline::Timeline;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct InspectorProperties {
    /// The last view that the worker sent.
    pub update: Option<ByPointer<ViewUpdate>>,
    /// The view that is asked for.
    pub request: ViewRequest,
    /// True if the worker is asked for any view.
    pub is_open: bool,
    pub examples: usize,
    pub shares: ByPointer<SharesHistory>,
    /// Earlier views of the requested kind.
    pub past: ByPointer<Past>,
    /// Statistics of the attention weights at the validations so far.
    pub telemetry: ByPointer<TelemetryHistory>,
    pub ready: Option<ByPointer<Ready>>,
    pub muted: ByPointer<Vec<Part>>,
    /// Parts of the model that the user has asked to mute last.
    pub asked: ByPointer<Vec<Part>>,
    /// The validation with the muted parts left out.
    pub without: Option<Validation>,
    /// The last validation of the run.
    pub validation: Option<Validation>,
    /// Models that the present one can be compared with.
    pub others: Others,
    /// True for a first visit to an untrained model: a recorded run is played.
    pub is_first_visit: bool,
    pub act: Callback<Intent>,
}

/// The example, the model's output for it, and the view in the chosen tab.
#[component]
pub fn Inspector(properties: &InspectorProperties) -> Html {
    let InspectorProperties {
        request, past, act, ..
    } = properties;
    let languages = use_languages();
    let run = use_run_title();
    let moment = use_moment(past);
    // The charts of shares show their own past, so the timeline does not apply to them.
    let winds = !matches!(request.view, View::Shares);
    let earlier = moment.filter(|_| winds);
    let earlier = earlier.and_then(|step| past.get(past.place(step)));
    let update = earlier.map_or(properties.update.as_ref(), |(_, update)| Some(update));
    let tab = tabs::of(&request.view);
    // A view of another tab may still come after the request has changed: it is not shown.
    let shown = update.filter(|update| tabs::of(&update.request.view) == tab);
    let update = update.map(|update| &**update);
    let to_view = {
        let example = request.example;
        act.reform(move |view| Intent::ViewRequest(ViewRequest { example, view }))
    };
    let experiment = properties.ready.as_ref().map(|ready| &ready.experiment);
    let asked = experiment.and_then(asked_arrows);
    let first = experiment.and_then(|it| ui_of(&it.task).first_view(it));
    // Another model may have nothing to show in the chosen tab: then the first tab is chosen.
    let is_lacking = update.is_some() && !tabs::has(&request.view, update, experiment);
    {
        let (to_view, first) = (to_view.clone(), first.clone());
        use_effect_with(is_lacking, move |is_lacking| {
            if *is_lacking {
                to_view.emit(first.unwrap_or(FIRST_VIEW.view));
            }
        });
    }
    let to_tab = use_first_view(properties, first, &to_view);
    let sentences = sentences(update, languages);
    let last_map = use_last_map(shown);
    let to_moment = {
        let moment = moment.clone();
        Callback::from(move |step| moment.set(step))
    };
    let is_drawn = matches!(request.view, View::Network { .. }) && shown.is_some();
    html! {
        <section class="panel watch" aria-labelledby="watch-title">
            { header(properties, shown, &run) }
            { muting::line(&muting(properties), properties.validation.as_ref(), asked.as_deref()) }
            { tabs::tabs(&request.view, update, experiment, !properties.others.is_empty(), &to_tab) }
            if !is_drawn && update.is_some() {
                { sentences.clone() }
            }
            <div id="seeing" role="tabpanel" aria-labelledby={format!("tab-{tab}")}
                class="seeing" data-view={tab} data-step={shown.map(|update| update.step.to_string())}>
                { body(properties, shown, &to_view, sentences, last_map.as_ref()) }
            </div>
            if winds {
                <Timeline past={past.clone()} moment={*moment} to_moment={to_moment.clone()} />
            }
            <Telemetry telemetry={properties.telemetry.clone()} winds={winds && past.count() > 1} {to_moment} />
        </section>
    }
}

/// Returns the last view that showed a map: a weight's computation appears below the map in which
/// the weight was pressed.
#[hook]
fn use_last_map(shown: Option<&ByPointer<ViewUpdate>>) -> Option<ByPointer<ViewUpdate>> {
    let last = use_mut_ref(|| None::<ByPointer<ViewUpdate>>);
    let has_map = |it: &&ByPointer<ViewUpdate>| Matrix::of_update(it).is_some();
    if let Some(update) = shown.filter(has_map) {
        last.replace(Some(update.clone()));
    }
    last.borrow().clone()
}

/// Returns the step to which the timeline is wound back; `None` for the present. When the kind of
/// view changes, the past begins anew and the timeline goes back to the present.
#[hook]
fn use_moment(past: &Past) -> UseStateHandle<Option<u64>> {
    let moment = use_state_eq(|| None::<u64>);
    {
        let moment = moment.clone();
        use_effect_with(past.count() < 2, move |is_new| {
            if *is_new {
                moment.set(None);
            }
        });
    }
    moment
}

/// Opens the view that comes first for the run, as a reader's answer, if the user has not chosen
/// another view. Returns the callback of the tabs, since a tab that is pressed while this run is
/// shown, or before it is, is the user's choice even if the tab is the one that was open.
#[hook]
fn use_first_view(
    properties: &InspectorProperties,
    first: Option<View>,
    to_view: &Callback<View>,
) -> Callback<View> {
    let ready = properties.ready.as_ref();
    let pipeline = ready.map(|ready| ready.experiment.task.pipeline());
    let is_open = properties.is_open;
    let is_first = properties.request.view == FIRST_VIEW.view;
    // What was shown when a tab was pressed.
    let pressed = use_mut_ref(|| None::<(Option<Pipeline>, Option<View>)>);
    {
        let (to_view, pressed) = (to_view.clone(), pressed.clone());
        use_effect_with((pipeline, first.clone()), move |shown| {
            let is_chosen = match &*pressed.borrow() {
                Some(it @ (before, _)) => before.is_none() || it == shown,
                None => false,
            };
            let (pipeline, first) = shown;
            if pipeline.is_some() {
                pressed.replace(None);
            }
            if let Some(view) = first.clone().filter(|_| is_first && is_open && !is_chosen) {
                to_view.emit(view);
            }
        });
    }
    to_view.reform(move |view| {
        pressed.replace(Some((pipeline, first.clone())));
        view
    })
}

/// Renders the title, the choice of the example, the switch of the view, and the menu of files.
fn header(
    properties: &InspectorProperties,
    shown: Option<&ByPointer<ViewUpdate>>,
    run: &RunTitle,
) -> Html {
    let InspectorProperties {
        request,
        is_open,
        examples,
        act,
        ..
    } = properties;
    let toggle = {
        let is_open = *is_open;
        act.reform(move |_: MouseEvent| Intent::Watching(!is_open))
    };
    html! {
        <header>
            <h2 id="watch-title">{ "Inside the model" }</h2>
            if *examples > 0 {
                { turn(request, *examples, act) }
            }
            <div class="watch-actions">
                <button type="button" class="quiet" id="watching" aria-pressed={is_open.to_string()} onclick={toggle}
                    title="While nothing is shown, nothing is read, and training is a little faster">
                    { if *is_open { "View on" } else { "View off" } }
                </button>
                { shown.map(|update| exports(update, properties, run)) }
            </div>
        </header>
    }
}

fn muting(properties: &InspectorProperties) -> Muting {
    let ready = properties.ready.as_ref();
    Muting {
        parts: ready.map_or(Vec::new(), |ready| ready.parts.clone()),
        levels: ready.map_or(Vec::new(), |ready| ready.levels.clone()),
        muted: (*properties.muted).clone(),
        asked: (*properties.asked).clone(),
        without: properties.without,
        act: properties.act.clone(),
    }
}

/// Returns the sentence in place of a view.
fn without_view(properties: &InspectorProperties) -> &'static str {
    let ready = properties.ready.as_ref();
    match ready.filter(|ready| ready.lacks.is_some()) {
        _ if !properties.is_open => {
            "The view is off, and nothing is read: press “View off” to turn it on."
        }
        Some(ready) => ui_of(&ready.experiment.task).without_view(),
        None => "What the model makes of a held-out example will be drawn here.",
    }
}

/// Returns the content of the chosen tab.
fn body(
    properties: &InspectorProperties,
    shown: Option<&ByPointer<ViewUpdate>>,
    to_view: &Callback<View>,
    sentences: Html,
    last_map: Option<&ByPointer<ViewUpdate>>,
) -> Html {
    let is_first = matches!(properties.request.view, View::Network { .. });
    let plays_film = properties.is_first_visit && is_first;
    let Some(update) = shown else {
        return match plays_film {
            // As the drawing will stand, so that little moves when the drawing comes.
            true => html! {
                <div class="network coming">
                    <div class="lens"><Recorded titled=true /></div>
                    { empty(without_view(properties)) }
                </div>
            },
            false => empty(without_view(properties)),
        };
    };
    let to_view = to_view.clone();
    match &update.data {
        ViewData::Sites(_) if matches!(update.request.view, View::Overview) => {
            html! { <overview::Overview update={update.clone()} {to_view} /> }
        }
        ViewData::Sites(_) => {
            let muting = muting(properties);
            html! { <site::Site update={update.clone()} view={properties.request.view.clone()} {to_view} {muting} /> }
        }
        ViewData::Shares(_) => html! { <shares::Shares shares={properties.shares.clone()} /> },
        ViewData::Descent(Some(descent)) => {
            let (muting, descent) = (muting(properties), Rc::new(descent.clone()));
            html! { <descent::Descent update={update.clone()} {descent} {to_view} {muting} /> }
        }
        ViewData::Descent(None) => empty("The way down the pyramid will be drawn here."),
        ViewData::Probabilities(tokens) => probabilities::probabilities(update, tokens),
        ViewData::Cell(Some(of)) => cell::cell(update, of, &to_view, muting(properties), last_map),
        ViewData::Cell(None) => empty("This model has no attention to show."),
        ViewData::Answer(answer) => {
            let right = Some(update.reference.clone()).filter(|it| !it.is_empty());
            html! { <Passage id="watched" answer={answer.clone()} right={right.map(AttrValue::from)} /> }
        }
        ViewData::Norms(norms) => norms::norms(norms),
        ViewData::Beside(of) => {
            let (of, others) = (Rc::new(of.clone()), properties.others.clone());
            let (view, act) = (properties.request.view.clone(), properties.act.clone());
            html! { <beside::TwoRuns update={update.clone()} {of} {others} {view} {to_view} {act} /> }
        }
        ViewData::Rollout(of) => rollout::rollout(update, of, &to_view),
        ViewData::Arrows(Some(of)) => {
            let (of, view, muting) = (
                Rc::new(of.clone()),
                properties.request.view.clone(),
                muting(properties),
            );
            html! { <arrows::Arrows update={update.clone()} {of} {view} {to_view} {muting} /> }
        }
        ViewData::Arrows(None) => empty("The arrows of the task will be drawn here."),
        ViewData::Network(_) => match properties.ready.clone() {
            Some(ready) => {
                let muting = muting(properties);
                html! { <network::Network update={update.clone()} {ready} {to_view} {muting} {sentences} film={if plays_film { html! { <Recorded /> } } else { Html::default() }} /> }
            }
            None => empty("The model will be drawn here."),
        },
    }
}
