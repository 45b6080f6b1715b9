//! Lessons in the page: they set the page up as a user could, and notice what a user does.
//!
//! - here: the lesson of the page, its keys, and the offer of a first lesson
//! - `player`: a lesson that is under way, and its reactions to commands and events; `preparation`:
//!   the runs that a step begins with; `progress`: the steps that a learner has done
//! - `controller`: connects the lesson with worker, keeper and state
//! - `region`: the region beside the experiment; `guess`, `words`, `values`, `verdict`: parts of the
//!   region;
//!   `pointing`: highlights controls
//! - `list`: all lessons, with `records`, progress as a file; `address`: an address of a lesson;
//!   `files`: files that are fetched
//! - `in_class`: a page for teachers: a plan, a link for a class (`class_link`), and what was handed in
//! - `summary`: progress in a lesson, to print or to hand in
//! - `hand_in_code`: what a learner hands in, a file or a `code`
//! - `parent`: the page around a frame; `rules`: what a teacher decided for a class
//! - `labels`: the region's own words in other languages
//! - `curves`: a lesson's run as it is drawn

mod address;
mod class_link;
mod code;
mod controller;
mod curves;
mod files;
mod guess;
mod hand_in_code;
pub mod in_class;
mod labels;
pub mod list;
mod offer;
mod parent;
mod player;
mod pointing;
mod preparation;
mod progress;
mod records;
mod region;
pub mod rules;
pub mod summary;
mod values;
mod verdict;
mod words;

pub use address::{LessonAddress, is_name, is_origin, without_lessons};
pub use controller::{LessonController, OwnRun};
pub use offer::Offer;
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
pub fn use_lesson_controller() -> (LessonController, u64) {
    let revision = use_state_eq(|| 0);
    let controller = {
        let revision = revision.setter();
        use_memo((), move |()| {
            LessonController::new(Callback::from(move |number| revision.set(number)))
        })
    };
    ((*controller).clone(), *revision)
}

/// Passes kept runs, keys, the clock and messages of the surrounding page on to the lesson.
#[hook]
pub fn use_lesson_events(controller: &LessonController, state: &State) {
    let kept = (
        state.keeping.runs.clone(),
        state.keeping.unavailable.is_some(),
    );
    {
        let controller = controller.clone();
        use_effect_with(kept, move |(runs, is_unavailable)| {
            if runs.is_some() || *is_unavailable {
                controller.set_kept_runs(runs.clone());
            }
        });
    }
    let is_open = controller.is_open();
    {
        let controller = controller.clone();
        use_effect_with(is_open, move |is_open| {
            let parts = is_open.then(|| {
                let ticking = controller.clone();
                (
                    Interval::new(TICK, move || ticking.tick()),
                    listen(&controller),
                )
            });
            move || drop(parts)
        });
    }
    use_effect_with(controller.rules().hidden, |hidden| hide(hidden));
    let origin = controller.address().and_then(|address| address.notify);
    let last_height = use_mut_ref(|| 0);
    // The surrounding page is told the height, which changes with what is shown.
    use_effect(move || {
        let document = web_sys::window().and_then(|window| window.document());
        let root = document.and_then(|document| document.document_element());
        if let (Some(origin), Some(root)) = (origin, root) {
            let height = root.scroll_height();
            if last_height.replace(height) != height {
                parent::tell_height(&origin, height);
            }
        }
    });
}

/// Tells the style sheet which panels to hide.
fn hide(panels: &[&str]) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(root) = document.and_then(|document| document.document_element()) {
        // The attribute's name is valid, so setting it cannot fail.
        let _ = match panels {
            [] => root.remove_attribute("data-hidden"),
            panels => root.set_attribute("data-hidden", &panels.join(" ")),
        };
    }
}

/// Listens to keys, and to messages of the page around a frame.
fn listen(controller: &LessonController) -> Option<[EventListener; 2]> {
    let window = web_sys::window()?;
    let keys = controller.clone();
    let options = EventListenerOptions::enable_prevent_default();
    let keys_pressed = EventListener::new_with_options(&window, "keydown", options, move |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            press(&keys, event);
        }
    });
    let around = controller.clone();
    let messages = EventListener::new(&window, "message", move |event| {
        let origin = around.address().and_then(|address| address.notify);
        if let (Some(event), Some(origin)) = (event.dyn_ref::<MessageEvent>(), origin)
            && let Some(request) = parent::request(event, &origin)
        {
            around.on_request(request);
        }
    });
    Some([keys_pressed, messages])
}

/// Handles keys: F6 moves the focus to the lesson; Alt with an arrow key opens the next or previous
/// step, if the focus is in the lesson or nowhere. Elsewhere Alt with an arrow belongs to the
/// browser.
fn press(controller: &LessonController, event: &KeyboardEvent) {
    if event.key() == "F6" && !event.ctrl_key() && !event.shift_key() && !event.alt_key() {
        event.prevent_default();
        focus(HEADING);
        return;
    }
    if !event.alt_key() || event.ctrl_key() || event.meta_key() || event.shift_key() {
        return;
    }
    let document = web_sys::window().and_then(|window| window.document());
    let active = document.and_then(|document| document.active_element());
    let is_here = |it: &Element| {
        it.tag_name() == "BODY" || it.closest("#lesson").is_ok_and(|found| found.is_some())
    };
    if active.is_some_and(|element| !is_here(&element)) {
        return;
    }
    let Some((at, count)) = controller.with(|player| (player.at, player.count())) else {
        return;
    };
    match event.key().as_str() {
        "ArrowLeft" if at > 0 => controller.open_asked(at - 1),
        "ArrowRight" if at < count => controller.open_asked(at + 1),
        "ArrowLeft" | "ArrowRight" => {}
        _ => return,
    }
    event.prevent_default();
}
