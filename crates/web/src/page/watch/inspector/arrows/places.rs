//! The circle with its places as buttons of one choice: a press or the arrow keys choose a place.

use super::circle::{button, draw};
use super::path::Path;
use super::words;
use crate::page::base::focus::{focus, pressed};
use crate::page::watch::drawing::view;
use std::rc::Rc;
use strata_session::protocol::ArrowsView;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PlacesProperties {
    pub of: Rc<ArrowsView>,
    pub path: Rc<Path>,
    pub to_place: Callback<usize>,
}

/// The drawing, with a button on each place.
#[component]
pub fn Places(properties: &PlacesProperties) -> Html {
    let PlacesProperties { of, path, to_place } = properties;
    let drawing = draw(of, path);
    let places = of.names.len();
    let walk = {
        let (to_place, at) = (to_place.clone(), path.place);
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = step(places, at, &event.key()) {
                event.prevent_default();
                to_place.emit(next);
                focus(&id(next));
            }
        })
    };
    let button = |place: usize| {
        let ((x, y), reach) = button(place, places);
        let choose = to_place.reform(move |()| place);
        let is_chosen = place == path.place;
        let label = words::place(of, &Path::of(of, place));
        html! {
            <g id={id(place)} key={place} class="place" role="radio" aria-checked={is_chosen.to_string()} aria-label={label.clone()}
                tabindex={if is_chosen { "0" } else { "-1" }} onclick={choose.reform(|_: MouseEvent| ())} onkeydown={pressed(choose)}>
                <title>{ label }</title>
                <circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r={format!("{reach:.1}")} />
            </g>
        }
    };
    html! {
        <div class="arrows-circle">
        <svg class="drawing" viewBox={format!("0 0 {:.0} {:.0}", drawing.width, drawing.height)}
            width={format!("{:.0}", drawing.width)} role="radiogroup" translate="no" aria-label="Place where the path begins" onkeydown={walk}>
            <g aria-hidden="true">{ for drawing.shapes.iter().map(|shape| view(shape, None)) }</g>
            { for (0..places).map(button) }
        </svg>
        </div>
    }
}

/// Returns the id of a place in the document.
fn id(place: usize) -> String {
    format!("place-{place}")
}

/// Returns the place to which a key leads, round the circle.
pub fn step(places: usize, at: usize, key: &str) -> Option<usize> {
    let last = places.checked_sub(1)?;
    Some(match key {
        "ArrowRight" | "ArrowDown" => (at + 1) % places,
        "ArrowLeft" | "ArrowUp" => (at + last) % places,
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}
