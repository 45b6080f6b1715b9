//! Computed styles: the place of a mark, the size of a cell.
//!
//! The page's security policy allows no `style` attributes. An element has its style in
//! `data-style`, and after drawing it is set through the object model, which is allowed.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Sets the styles of an element and all inside it after each drawing of the component.
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
    // A style that is set is computed anew, even if it is the same.
    let (last, text) = (JsValue::from_str("strataStyle"), JsValue::from_str(&wanted));
    if Reflect::get(element, &last).is_ok_and(|last| last == text) {
        return;
    }
    if let Some(html) = element.dyn_ref::<HtmlElement>() {
        html.style().set_css_text(&wanted);
        // An element that takes no property is styled again next time.
        let _ = Reflect::set(element, &last, &text);
    }
}
