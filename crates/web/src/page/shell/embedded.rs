//! Single parts of the page, for the frame of an article.

use crate::address::Address;
use crate::link::worker_handle::WorkerHandle;
use crate::page::base::foreign::Languages;
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::follow::{PageHandles, PresentView, load};
use crate::page::run::intent::Intent;
use crate::page::shell::embed::{Embed, EmbedPart};
use crate::page::shell::location::query;
use crate::page::shell::messages::Messages;
use crate::page::shell::theme;
use crate::page::shell::unread::{RequestedPage, complaints};
use crate::page::watch::curves::Loss;
use crate::page::watch::heat_map::HeatMap;
use crate::page::watch::view::Matrix;
use crate::state::{Action, Phase, State};
use std::rc::Rc;
use strata_session::protocol::{Activity, View, ViewData, ViewRequest, ViewUpdate};
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
        // A frame is too small for the whole model, so it shows one site.
        state.watch.request = ViewRequest::default();
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
        use_effect_with((), move |()| {
            theme::restore();
            worker.choose(state.device);
            load(
                &worker,
                (*state.experiment).clone(),
                Some(&ViewRequest::default()),
            );
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
    };
    Frame {
        state,
        act: Callback::from(move |intent| handles.follow(intent, &present)),
        put_away,
    }
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
                if embed.has(EmbedPart::HeatMap) {
                    { heat_map(state.watch.update.as_deref()) }
                }
            </div>
            <div class="embed-bar">
                if embed.has(EmbedPart::Train) {
                    { buttons(&state, &act) }
                }
                if embed.has(EmbedPart::Level) {
                    { level(state.watch.update.as_deref(), &state.watch.request.view, &act) }
                }
                <p id="status" data-state={state.phase.name()} translate="no">
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
    match update.and_then(Matrix::of_update) {
        Some(matrix) => {
            html! { <HeatMap id="attention" matrix={Rc::new(matrix)} /> }
        }
        None => html! { <p class="empty">{ "The attention will be drawn here." }</p> },
    }
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
            <span translate="no">{ words.clone() }</span>
            <input id="level" type="range" min="1" max={levels.to_string()} step="1" value={at.to_string()}
                disabled={levels < 2} aria-valuetext={words} oninput={choose} />
        </label>
    }
}
