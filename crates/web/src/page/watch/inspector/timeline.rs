//! Winding back: a slider over the views so far, and a button that plays them.

use crate::by_pointer::ByPointer;
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::state::Past;
use gloo::timers::callback::Interval;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Milliseconds that each view is shown while the views are played.
const MILLISECONDS: u32 = 90;

#[derive(Properties, PartialEq)]
pub struct TimelineProperties {
    pub past: ByPointer<Past>,
    /// Step of the view that is shown; `None` shows each view as it comes.
    pub moment: Option<u64>,
    pub to_moment: Callback<Option<u64>>,
}

/// The slider, with a button that plays; nothing if there is no earlier view.
#[component]
pub fn Timeline(properties: &TimelineProperties) -> Html {
    let TimelineProperties {
        past,
        moment,
        to_moment,
    } = properties;
    let playing = use_state_eq(|| false);
    let last = past.count().saturating_sub(1);
    let place = moment.map_or(last, |step| past.place(step));
    let go = {
        let (past, to_moment) = (past.clone(), to_moment.clone());
        move |place: usize| {
            // The last place is the present, which goes on: no step is fixed.
            let step = past.get(place).map(|(step, _)| step);
            to_moment.emit(step.filter(|_| place + 1 < past.count()));
        }
    };
    use_playing(&playing, place, last, go.clone());
    if last == 0 {
        return Html::default();
    }
    let play = {
        let (go, playing) = (go.clone(), playing.clone());
        Callback::from(move |_: MouseEvent| {
            if !*playing && place >= last {
                go(0);
            }
            playing.set(!*playing);
        })
    };
    let wind = {
        let (go, playing) = (go.clone(), playing.clone());
        Callback::from(move |event: InputEvent| {
            let input = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
            if let Some(place) = input.and_then(|input| input.value().parse().ok()) {
                playing.set(false);
                go(place);
            }
        })
    };
    let step = past.get(place).map_or(0, |(step, _)| step);
    let words = match moment {
        Some(_) => format!("as it was at step {}", format::count(step)),
        None => "now".to_owned(),
    };
    let (title, icon) = if *playing {
        ("Stop", IconName::Pause)
    } else {
        ("Play how it came to be", IconName::Play)
    };
    html! {
        <div class="timeline" data-moments={past.count().to_string()}>
            <button type="button" class="quiet icon-only" id="play-past" onclick={play} aria-label={title} {title}>
                <Icon name={icon} />
            </button>
            <input type="range" id="moment" min="0" max={last.to_string()} value={place.to_string()} oninput={wind}
                aria-label="Wind back" aria-valuetext={words.clone()} />
            // The slider says the words itself (`aria-valuetext`).
            <output for="moment" translate="no" data-words="" aria-live="off">{ words }</output>
        </div>
    }
}

/// Goes on from place to place while the timeline plays, and stops at the last.
#[hook]
fn use_playing(
    playing: &UseStateHandle<bool>,
    place: usize,
    last: usize,
    go: impl Fn(usize) + 'static,
) {
    let is_playing = **playing;
    let playing = playing.setter();
    use_effect_with((is_playing, place, last), move |(plays, place, last)| {
        // A new timer each time, because the next view depends on the present one.
        let (place, last) = (*place, *last);
        let timer = plays.then(|| {
            Interval::new(MILLISECONDS, move || {
                go(place + 1);
                if place + 1 >= last {
                    playing.set(false);
                }
            })
        });
        move || drop(timer)
    });
}
