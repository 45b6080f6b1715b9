//! The keyboard's focus, and the keys that act as a press.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, SvgElement};
use yew::prelude::*;

/// Returns a handler that calls `act` on Enter and the space bar.
pub fn pressed(act: Callback<()>) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            act.emit(());
        }
    })
}

/// Moves the keyboard's focus to the element of this id, and scrolls to that element.
pub fn focus(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(element) = document.and_then(|document| document.get_element_by_id(id)) else {
        return;
    };
    // `focus` on an element that cannot have the focus does nothing.
    let _ = match element.dyn_into::<HtmlElement>() {
        Ok(element) => element.focus(),
        Err(other) => match other.dyn_into::<SvgElement>() {
            Ok(element) => element.focus(),
            Err(_) => Ok(()),
        },
    };
}
