//! Lessons in the page: they set the page up as a user could, and notice what a user does.
//!
//! - here: the lesson of the page, its keys, and the offer of a first lesson
//! - `player`: a lesson that is under way, and its reactions to commands and events; `preparation`:
//!   the runs that a step begins with; `progress`: the steps that a learner has done
//! - `desk`: connects the lesson with worker, keeper and state
//! - `region`: the region beside the experiment; `guess`, `words`, `values`: parts of the region;
//!   `pointing`: highlights controls
//! - `list`: all lessons, with `class_link` and `records`, progress as a file; `place`: an address
//!   of a lesson; `files`: files that are fetched
//! - `summary`: progress in a lesson, to print or to hand in
//! - `parent`: the page around a frame; `rules`: what a teacher decided for a class
//! - `labels`: the region's own words in other languages
//! - `curves`: a lesson's run as it is drawn

mod class_link;
mod curves;
mod desk;
mod files;
mod guess;
mod labels;
pub mod list;
mod offer;
mod parent;
mod place;
mod player;
mod pointing;
mod preparation;
mod progress;
mod records;
mod region;
pub mod rules;
pub mod summary;
mod values;
mod words;

pub use desk::{Desk, Own};
pub use list::is_language;
pub use offer::Offer;
pub use place::{Place, is_name, is_origin, without_lessons};
pub use region::Region;

use crate::page::base::focus::focus;
use crate::state::State;
use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Interval;
use region::HEADING;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MessageEvent};
use yew::prelude::*;

/// Milliseconds between two ticks of the lesson's clock.
const TICK: u32 = 1_000;

/// Returns the lesson of the page, and a number that grows whenever the lesson changes.
#[hook]
pub fn use_desk() -> (Desk, u64) {
    let revision = use_state_eq(|| 0);
    let desk = {
        let revision = revision.setter();
        use_memo((), move |()| {
            Desk::new(Callback::from(move |number| revision.set(number)))
        })
    };
    ((*desk).clone(), *revision)
}

/// Passes kept runs, keys, the clock and messages of the surrounding page on to the lesson.
#[hook]
pub fn use_lesson(desk: &Desk, state: &State) {
    let kept = (
        state.keeping.runs.clone(),
        state.keeping.unavailable.is_some(),
    );
    {
        let desk = desk.clone();
        use_effect_with(kept, move |(runs, is_unavailable)| {
            if runs.is_some() || *is_unavailable {
                desk.know_kept(runs.clone());
            }
        });
    }
    let is_open = desk.is_open();
    {
        let desk = desk.clone();
        use_effect_with(is_open, move |is_open| {
            let parts = is_open.then(|| {
                let ticking = desk.clone();
                (Interval::new(TICK, move || ticking.tick()), listen(&desk))
            });
            move || drop(parts)
        });
    }
    use_effect_with(desk.rules().hidden, |hidden| hide(hidden));
    let origin = desk.place().and_then(|it| it.notify);
    let told = use_mut_ref(|| 0);
    // The surrounding page is told the height, which changes with what is shown.
    use_effect(move || {
        let document = web_sys::window().and_then(|it| it.document());
        let root = document.and_then(|it| it.document_element());
        if let (Some(origin), Some(root)) = (origin, root) {
            let height = root.scroll_height();
            if told.replace(height) != height {
                parent::tell_height(&origin, height);
            }
        }
    });
}

/// Tells the style sheet which panels to hide.
fn hide(panels: &[&str]) {
    let document = web_sys::window().and_then(|it| it.document());
    if let Some(root) = document.and_then(|it| it.document_element()) {
        // The attribute's name is valid, so setting it cannot fail.
        let _ = match panels {
            [] => root.remove_attribute("data-hidden"),
            panels => root.set_attribute("data-hidden", &panels.join(" ")),
        };
    }
}

/// Listens to keys, and to messages of the page around a frame.
fn listen(desk: &Desk) -> Option<[EventListener; 2]> {
    let window = web_sys::window()?;
    let keys = desk.clone();
    let options = EventListenerOptions::enable_prevent_default();
    let pressed = EventListener::new_with_options(&window, "keydown", options, move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            press(&keys, event);
        }
    });
    let around = desk.clone();
    let told = EventListener::new(&window, "message", move |event| {
        let origin = around.place().and_then(|it| it.notify);
        if let (Some(event), Some(origin)) = (event.dyn_ref::<MessageEvent>(), origin)
            && let Some(request) = parent::request(event, &origin)
        {
            around.obey(request);
        }
    });
    Some([pressed, told])
}

/// Handles keys: F6 moves the focus to the lesson; Alt with an arrow key opens the next or previous
/// step, if the focus is in the lesson or nowhere. Elsewhere Alt with an arrow belongs to the
/// browser.
fn press(desk: &Desk, event: &KeyboardEvent) {
    if event.key() == "F6" && !event.ctrl_key() && !event.shift_key() && !event.alt_key() {
        event.prevent_default();
        focus(HEADING);
        return;
    }
    if !event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() {
        return;
    }
    let document = web_sys::window().and_then(|it| it.document());
    let active = document.and_then(|it| it.active_element());
    let is_here = |it: &Element| {
        it.tag_name() == "BODY" || it.closest("#lesson").is_ok_and(|found| found.is_some())
    };
    if active.is_some_and(|it| !is_here(&it)) {
        return;
    }
    let Some((at, count)) = desk.with(|it| (it.at, it.count())) else {
        return;
    };
    match event.key().as_str() {
        "ArrowLeft" if at > 0 => desk.open_asked(at - 1),
        "ArrowRight" if at < count => desk.open_asked(at + 1),
        "ArrowLeft" | "ArrowRight" => {}
        _ => return,
    }
    event.prevent_default();
}
