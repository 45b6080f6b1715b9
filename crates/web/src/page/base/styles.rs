//! Computed styles: the place of a mark, the size of a cell.
//!
//! The page's content security policy forbids `style` attributes. Elements carry their style in
//! `data-style`; after drawing, the style is set through the CSS object model, which the policy
//! allows.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Sets the styles of an element and of all elements inside it after each drawing of the component.
#[hook]
pub fn use_styles(container: &NodeRef) {
    let container = container.clone();
    use_effect(move || {
        if let Some(container) = container.cast::<Element>() {
            apply(&container);
        }
    });
}

fn apply(container: &Element) {
    style(container);
    let Ok(inside) = container.query_selector_all("[data-style]") else {
        return;
    };
    for index in 0..inside.length() {
        if let Some(element) = inside.get(index).and_then(|node| node.dyn_into().ok()) {
            style(&element);
        }
    }
}

fn style(element: &Element) {
    let Some(wanted) = element.get_attribute("data-style") else {
        return;
    };
    // Setting a style, even the same, makes the browser compute layout anew: unchanged ones are
    // skipped.
    let (last, text) = (JsValue::from_str("strataStyle"), JsValue::from_str(&wanted));
    if Reflect::get(element, &last).is_ok_and(|last| last == text) {
        return;
    }
    if let Some(html) = element.dyn_ref::<HtmlElement>() {
        html.style().set_css_text(&wanted);
        // If the property cannot be stored, the element is only styled once more next time.
        let _ = Reflect::set(element, &last, &text);
    }
}
