//! Single parts of the page, for the frame of an article.

use crate::address::Address;
use crate::link::worker_handle::WorkerHandle;
use crate::page::base::foreign::Languages;
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::base::motion::prefers_stillness;
use crate::page::pipeline::FIRST_ARROWS;
use crate::page::run::follow::{PageHandles, PresentView, load};
use crate::page::run::intent::Intent;
use crate::page::shell::embed::{Embed, EmbedPart};
use crate::page::shell::location::query;
use crate::page::shell::messages::Messages;
use crate::page::shell::theme;
use crate::page::shell::unread::{RequestedPage, complaints};
use crate::page::watch::curves::Loss;
use crate::page::watch::heat_map::HeatMap;
use crate::page::watch::inspector::{Circle, Muting, last_map, levels_slider};
use crate::page::watch::view::Matrix;
use crate::state::{Action, Phase, State};
use std::rc::Rc;
use strata_session::protocol::{Activity, Command, View, ViewData, ViewRequest, ViewUpdate};
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

/// Renders these parts into `root`, in place of the page.
pub fn run(root: Element, embed: Embed) {
    root.set_class_name("embed");
    yew::Renderer::<Embedded>::with_root_and_props(root, EmbeddedProperties { embed }).render();
}

#[derive(Properties, PartialEq)]
struct EmbeddedProperties {
    embed: Embed,
}

/// State and callbacks of a frame.
struct Frame {
    state: UseReducerHandle<State>,
    act: Callback<Intent>,
    put_away: Callback<u64>,
}

/// Begins with the experiment of the frame's address.
#[hook]
fn use_frame(embed: &Embed) -> Frame {
    let state = use_reducer(|| {
        let mut address = Address::read(&query());
        address.without_files();
        let unread = complaints(RequestedPage::Frame, &address.others);
        address.complaints.extend(unread);
        address.complaints.extend(embed.complaint.clone());
        let mut state = State::new(&address, String::new());
        state.watch.request = first_request(embed);
        state
    });
    let worker = {
        let dispatcher = state.dispatcher();
        use_memo((), move |_| {
            let act = Callback::from(move |action| dispatcher.dispatch(action));
            WorkerHandle::new(act, |_| {})
        })
    };
    {
        let (worker, state) = (worker.clone(), state.clone());
        let (request, plays) = (first_request(embed), embed.has(EmbedPart::Map));
        use_effect_with((), move |()| {
            theme::restore();
            worker.choose(state.device);
            load(&worker, (*state.experiment).clone(), Some(request));
            if plays && !prefers_stillness() {
                worker.then(Command::Train);
            }
        });
    }
    let handles = PageHandles {
        worker: (*worker).clone(),
        keeper: None,
        dispatcher: state.dispatcher(),
    };
    let put_away = {
        let dispatcher = state.dispatcher();
        Callback::from(move |number| dispatcher.dispatch(Action::PutAway(number)))
    };
    let present = PresentView {
        request: state.watch.request.clone(),
        is_watched: true,
        experiment: Some(state.experiment.clone()),
    };
    Frame {
        state,
        act: Callback::from(move |intent| handles.follow(intent, &present)),
        put_away,
    }
}

/// Returns the view to begin with: a frame is too small for the whole model, so it shows one site or
/// the arrows of the task.
fn first_request(embed: &Embed) -> ViewRequest {
    let view = if embed.has(EmbedPart::Arrows) {
        FIRST_ARROWS
    } else {
        View::default()
    };
    ViewRequest { example: 0, view }
}

#[component]
fn Embedded(properties: &EmbeddedProperties) -> Html {
    let embed = &properties.embed;
    let Frame {
        state,
        act,
        put_away,
    } = use_frame(embed);
    let languages = Languages::of(&state.experiment.task);
    html! {
        <ContextProvider<Languages> context={languages}>
        <main>
            <h1 class="unseen">{ "Strata: an attention model that trains in this frame" }</h1>
            <div class="embed-parts">
                if embed.has(EmbedPart::Curve) {
                    <Loss history={state.history.clone()} />
                }
                if embed.has(EmbedPart::HeatMap) || embed.has(EmbedPart::Map) {
                    { heat_map(state.watch.update.as_deref()) }
                }
                if embed.has(EmbedPart::Arrows) {
                    { arrows(state.watch.update.as_deref(), &state.watch.request.view, &act) }
                }
            </div>
            <div class="embed-bar">
                if embed.has(EmbedPart::Train) {
                    { buttons(&state, &act) }
                } else if embed.has(EmbedPart::Map) {
                    { play(state.phase, &act) }
                }
                if embed.has(EmbedPart::Level) {
                    if embed.has(EmbedPart::Arrows) {
                        { levels(&state, &act) }
                    } else {
                        { level(state.watch.update.as_deref(), &state.watch.request.view, &act) }
                    }
                }
                <p id="status" data-state={state.phase.name()} translate="no" data-words="">
                    { "Step " }
                    <span id="stat-step" data-value={state.step().to_string()}>{ format::count(state.step()) }</span>
                </p>
                <a href={format!("./{}", embed.whole)} target="_blank" rel="noopener">{ "Open in Strata" }</a>
            </div>
            <Messages messages={state.messages.clone()} {put_away} />
        </main>
        </ContextProvider<Languages>>
    }
}

fn heat_map(update: Option<&ViewUpdate>) -> Html {
    let matrix = |update: &ViewUpdate| match &update.data {
        ViewData::Arrows(of) => of.as_ref().map(last_map),
        _ => Matrix::of_update(update),
    };
    match update.and_then(matrix) {
        Some(matrix) => {
            html! { <HeatMap id="attention" matrix={Rc::new(matrix)} /> }
        }
        None => html! { <p class="empty">{ "The attention will be drawn here." }</p> },
    }
}

/// Renders the arrows of the task; a press on a place asks for the path from there.
fn arrows(update: Option<&ViewUpdate>, view: &View, act: &Callback<Intent>) -> Html {
    let to_view = act.reform(|view| Intent::ViewRequest(ViewRequest { example: 0, view }));
    match update.map(|update| &update.data) {
        Some(ViewData::Arrows(Some(of))) => {
            html! { <Circle of={Rc::new(of.clone())} view={view.clone()} {to_view} /> }
        }
        Some(ViewData::Arrows(None)) => html! {
            <p class="empty">{ "This task has no arrows: write preset=arrows into the frame’s address." }</p>
        },
        _ => html! { <p class="empty">{ "The arrows of the task will be drawn here." }</p> },
    }
}

/// Slider for the number of levels with which the site of the arrows computes.
fn levels(state: &State, act: &Callback<Intent>) -> Html {
    let site = state
        .watch
        .update
        .as_ref()
        .and_then(|update| match &update.data {
            ViewData::Arrows(of) => of.as_ref().map(|of| of.maps.site),
            _ => None,
        });
    let (Some(site), Some(ready)) = (site, &state.ready) else {
        return Html::default();
    };
    let muting = Muting {
        parts: ready.parts.clone(),
        levels: ready.levels.clone(),
        muted: (*state.muted).clone(),
        asked: (*state.asked).clone(),
        without: state.without,
        act: act.clone(),
    };
    levels_slider(&muting, site)
}

fn buttons(state: &State, act: &Callback<Intent>) -> Html {
    let training = state.phase == Phase::Active(Activity::Training);
    let (id, words, icon, intent) = if training {
        ("pause", "Pause", IconName::Pause, Intent::Pause)
    } else {
        ("train", "Train", IconName::Play, Intent::Train)
    };
    let possible = matches!(state.phase, Phase::Active(it) if it != Activity::Finished);
    let press = {
        let act = act.clone();
        Callback::from(move |_: MouseEvent| {
            if possible {
                act.emit(intent.clone());
            }
        })
    };
    let reset = act.reform(|_: MouseEvent| Intent::Reset);
    html! {
        <>
            <button type="button" {id} class="primary" onclick={press} aria-disabled={(!possible).to_string()}>
                <Icon name={icon} /><span>{ words }</span>
            </button>
            <button type="button" id="reset" class="icon-only" onclick={reset} aria-label="Reset" title="Reset">
                <Icon name={IconName::Reset} />
            </button>
        </>
    }
}

/// Button that stops the moving map, and plays it on or, at the end of the run, again.
fn play(phase: Phase, act: &Callback<Intent>) -> Html {
    let (id, words, icon, intents) = match phase {
        Phase::Active(Activity::Training) => {
            ("pause", "Pause", IconName::Pause, &[Intent::Pause][..])
        }
        Phase::Active(Activity::Finished) => (
            "train",
            "Play again",
            IconName::Play,
            &[Intent::Reset, Intent::Train][..],
        ),
        _ => ("train", "Play", IconName::Play, &[Intent::Train][..]),
    };
    let (act, intents) = (act.clone(), intents.to_vec());
    let press = Callback::from(move |_: MouseEvent| {
        intents.iter().for_each(|intent| act.emit(intent.clone()));
    });
    html! {
        <button type="button" {id} class="quiet icon-only" onclick={press} aria-label={words} title={words}>
            <Icon name={icon} />
        </button>
    }
}

/// Slider for the level. The slider stays where the user put it until the picture of that level has
/// come.
fn level(update: Option<&ViewUpdate>, wanted: &View, act: &Callback<Intent>) -> Html {
    let site = update.and_then(|update| match &update.data {
        ViewData::Sites(sites) => sites.first(),
        _ => None,
    });
    let levels = site.map_or(1, |site| site.levels);
    let shown = site.and_then(|site| site.level_numbers.first().copied());
    let at = match wanted {
        View::Site { level, .. } => level.or(shown),
        _ => shown,
    };
    let at = at.unwrap_or(1);
    let words = format!("Level {at} of {levels}");
    let site = site.map(|site| site.site);
    let choose = act.reform(move |event: InputEvent| {
        let place = event.target_unchecked_into::<HtmlInputElement>().value();
        Intent::ViewRequest(ViewRequest {
            example: 0,
            view: View::Site {
                site,
                head: None,
                level: place.parse().ok(),
            },
        })
    });
    html! {
        <label class="level">
            <span translate="no" data-words="">{ words.clone() }</span>
            <input id="level" type="range" min="1" max={levels.to_string()} step="1" value={at.to_string()}
                disabled={levels < 2} aria-valuetext={words} oninput={choose} />
        </label>
    }
}
