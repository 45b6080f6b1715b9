//! A few parts of the page, for the frame of an article.

use crate::address::Address;
use crate::embed::{Embed, Part};
use crate::page::app::{Intent, follow, load};
use crate::page::curve::{Curve, Quantity};
use crate::page::format;
use crate::page::heat_map::HeatMap;
use crate::page::icons::{Icon, IconName};
use crate::page::messages::Messages;
use crate::page::query;
use crate::page::theme;
use crate::page::view::Choice;
use crate::state::{Action, Phase, State};
use crate::worker_handle::WorkerHandle;
use std::rc::Rc;
use strata_session::protocol::{Activity, Picture};
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

/// Shows them in place of the page.
pub fn run(root: Element, embed: Embed) {
    root.set_class_name("embed");
    yew::Renderer::<Embedded>::with_root_and_props(root, EmbeddedProperties { embed }).render();
}

#[derive(Properties, PartialEq)]
struct EmbeddedProperties {
    embed: Embed,
}

#[component]
fn Embedded(properties: &EmbeddedProperties) -> Html {
    let embed = &properties.embed;
    let state = use_reducer(|| {
        let mut state = State::new(&Address::read(&query()));
        if let Some(complaint) = &properties.embed.complaint {
            state.tell(complaint.clone());
        }
        state
    });
    let worker = {
        let dispatcher = state.dispatcher();
        use_memo((), move |_| {
            WorkerHandle::new(Callback::from(move |action| dispatcher.dispatch(action)))
        })
    };
    {
        let (worker, state) = (worker.clone(), state.clone());
        use_effect_with((), move |()| {
            theme::restore();
            worker.choose(state.device);
            load(&worker, (*state.experiment).clone());
        });
    }
    let choice = use_state_eq(Choice::default);
    let act = {
        let dispatcher = state.dispatcher();
        Callback::from(move |intent| follow(intent, &worker, &|action| dispatcher.dispatch(action)))
    };
    let put_away = {
        let dispatcher = state.dispatcher();
        Callback::from(move |number| dispatcher.dispatch(Action::PutAway(number)))
    };
    html! {
        <main>
            <h1 class="unseen">{ "Strata: an attention model that trains in this frame" }</h1>
            <div class="embed-parts">
                if embed.has(Part::Curve) {
                    <Curve quantity={Quantity::Loss} history={state.history.clone()} />
                }
                if embed.has(Part::HeatMap) {
                    { heat_map(&choice, state.watched.as_deref()) }
                }
            </div>
            <div class="embed-bar">
                if embed.has(Part::Train) {
                    { buttons(&state, &act) }
                }
                if embed.has(Part::Level) {
                    { level(&choice, state.watched.as_deref()) }
                }
                <p id="status" data-state={state.phase.name()} role="status">
                    { "Step " }
                    <span id="stat-step" data-value={state.step().to_string()}>{ format::count(state.step()) }</span>
                </p>
                <a href={format!("./{}", embed.whole)} target="_blank" rel="noopener">{ "Open in Strata" }</a>
            </div>
            <Messages messages={state.messages.clone()} {put_away} />
        </main>
    }
}

fn heat_map(choice: &UseStateHandle<Choice>, picture: Option<&Picture>) -> Html {
    match picture.and_then(|picture| choice.matrix(picture)) {
        Some(matrix) => {
            html! { <HeatMap id="attention" matrix={Rc::new(matrix)} stretch={false} /> }
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

/// The level as a slider over those that the picture has.
fn level(choice: &UseStateHandle<Choice>, picture: Option<&Picture>) -> Html {
    let site = picture.and_then(|picture| choice.site(picture));
    let numbers = site.map_or_else(|| vec![1], |site| site.level_numbers.clone());
    let at = site.and_then(|site| choice.level(site)).unwrap_or(0);
    let words = format!(
        "Level {} of {}",
        numbers[at],
        site.map_or(1, |site| site.levels)
    );
    let last = numbers.len() - 1;
    let move_to = {
        let choice = choice.clone();
        Callback::from(move |event: InputEvent| {
            let place = event.target_unchecked_into::<HtmlInputElement>().value();
            let level = place.parse().ok().and_then(|at: usize| numbers.get(at));
            choice.set(Choice {
                level: level.copied(),
                ..(*choice).clone()
            });
        })
    };
    html! {
        <label class="level">
            <span>{ words.clone() }</span>
            <input id="level" type="range" min="0" max={last.to_string()} step="1" value={at.to_string()}
                disabled={last == 0} aria-valuetext={words} oninput={move_to} />
        </label>
    }
}
