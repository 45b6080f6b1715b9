//! Decides whether two stacks fit side by side.

use gloo::events::EventListener;
use web_sys::Element;
use yew::prelude::*;

/// Font size for which the drawing is made, in units of the drawing: for a user with larger letters
/// the whole drawing grows.
pub const LETTER_HEIGHT: f64 = 16.0;
/// Width of two stacks, in multiples of the font size.
const TWO_STACKS: f64 = 30.0;

/// True if the element is wide enough for two stacks; updated whenever the window changes.
#[hook]
pub fn use_is_wide(container: &NodeRef) -> bool {
    // Before the element can be measured: no element is wider than its window.
    let is_wide = use_state_eq(|| {
        let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
        width.is_none_or(|width| width / letter_height() >= TWO_STACKS)
    });
    {
        let (container, is_wide) = (container.clone(), is_wide.setter());
        use_effect_with((), move |()| {
            let measure = move || {
                if let Some(container) = container.cast::<Element>() {
                    let letters = f64::from(container.client_width()) / letter_height();
                    is_wide.set(letters >= TWO_STACKS);
                }
            };
            measure();
            let window = web_sys::window();
            let listener =
                window.map(|window| EventListener::new(&window, "resize", move |_| measure()));
            move || drop(listener)
        });
    }
    *is_wide
}

/// Returns the font size of the page in the user's browser, in pixels.
fn letter_height() -> f64 {
    let style = web_sys::window().and_then(|window| {
        let root = window.document()?.document_element()?;
        window.get_computed_style(&root).ok().flatten()
    });
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    let size = size.and_then(|size| size.trim_end_matches("px").parse().ok());
    size.filter(|size| *size > 0.0).unwrap_or(LETTER_HEIGHT)
}
