//! Pointing at a control or a picture: it is outlined and scrolled to where it can be seen.

use wasm_bindgen::JsCast;
use web_sys::{
    Document, Element, HtmlDetailsElement, HtmlElement, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

/// Attribute of what is pointed at.
const POINTED: &str = "data-pointed";
/// The picture, which is there whatever the tab.
const PICTURE: &str = "seeing";

/// Names of what lessons point at, by their ids.
const NAMES: [(&str, &str); 22] = [
    ("train", "Train"),
    ("step", "Step"),
    ("pause", "Pause"),
    ("reset", "Reset"),
    ("seeing", "the picture"),
    ("translate-input", "the field for your text"),
    ("translation", "the answer"),
    ("attention-level", "Level"),
    ("attention-head", "Head"),
    ("attention-site", "Site"),
    ("descent-row", "Token"),
    ("search-kind", "Search"),
    ("settings", "Settings"),
    ("curves-title", "the curves"),
    ("lesson-measure", "Measure"),
    ("tab-network", "Network"),
    ("tab-site", "One in full"),
    ("tab-overview", "All heads"),
    ("tab-shares", "Level shares"),
    ("tab-descent", "Descent"),
    ("tab-probabilities", "Probabilities"),
    ("tab-norms", "Norms"),
];

/// Name of a control for “Go to …”.
pub fn name(id: &str) -> &'static str {
    let found = NAMES.iter().find(|(known, _)| *known == id);
    match found {
        Some((_, name)) => name,
        None if id.starts_with("compare-") => "Compare",
        None => "the place",
    }
}

/// Outlines what has this id, and nothing else.
pub fn outline(id: Option<&str>) {
    let Some(document) = document() else {
        return;
    };
    let target = id.and_then(|id| find(&document, id));
    if let Ok(all) = document.query_selector_all(&format!("[{POINTED}]")) {
        let all = (0..all.length()).filter_map(|it| all.get(it)?.dyn_into::<Element>().ok());
        for element in all.filter(|it| target.as_ref() != Some(it)) {
            let _ = element.remove_attribute(POINTED);
        }
    }
    if let Some(target) = target {
        // The name of the attribute is never refused.
        let _ = target.set_attribute(POINTED, "");
    }
}

/// Scrolls to what has this id, if it is not to be seen, and opens what hides it.
pub fn show(id: &str) {
    if let Some(target) = document().and_then(|document| find(&document, id)) {
        reveal(&target);
    }
}

/// Moves the keyboard's focus to what has this id.
pub fn go_to(id: &str) {
    let target = document().and_then(|document| find(&document, id));
    let Some(target) = target.and_then(|it| it.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    reveal(&target);
    if let Some(summary) = target.query_selector(":scope > summary").ok().flatten()
        && let Ok(summary) = summary.dyn_into::<HtmlElement>()
    {
        let _ = summary.focus();
        return;
    }
    if target.tab_index() < 0 {
        // A picture or an answer has the focus only when it is sent there.
        let _ = target.set_attribute("tabindex", "-1");
    }
    let _ = target.focus();
}

fn reveal(target: &Element) {
    let mut around = Some(target.clone());
    while let Some(element) = around {
        if let Some(details) = element.dyn_ref::<HtmlDetailsElement>() {
            details.set_open(true);
        }
        around = element.parent_element();
    }
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    target.scroll_into_view_with_scroll_into_view_options(&options);
}

/// What has this id, or else the picture.
fn find(document: &Document, id: &str) -> Option<Element> {
    let found = document.get_element_by_id(id);
    found.or_else(|| document.get_element_by_id(PICTURE))
}

fn document() -> Option<Document> {
    web_sys::window().and_then(|window| window.document())
}
