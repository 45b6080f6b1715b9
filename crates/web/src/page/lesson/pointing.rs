//! Pointing at a control or a picture: it is outlined and scrolled to where it can be seen.

use crate::page::base::focus::focus;
use wasm_bindgen::JsCast;
use web_sys::{
    Document, Element, HtmlDetailsElement, HtmlElement, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

/// Attribute of what is pointed at.
const POINTED: &str = "data-pointed";
/// Pixels that stay free above a part that is scrolled to: the heading stays.
const MARGIN: f64 = 52.0;
/// The map of weights, in views that have one.
const MAP: &str = "attention";
/// Pixels that stay free below it.
const BELOW: f64 = 12.0;
/// The experiment, beside the lesson.
const EXPERIMENT: &str = "main";
/// The panel of all settings.
const SETTINGS: &str = "settings";
/// A panel of the experiment.
const PANEL: &str = "main .panel";
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
        None if is_setting(id) => "the setting",
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

/// True if nothing has the keyboard's focus.
pub fn has_lost_focus() -> bool {
    let active = document().and_then(|it| it.active_element());
    active.is_none_or(|it| it.tag_name() == "BODY")
}

/// Gives the focus to the first of these that there is.
pub fn focus_first(ids: &[&str]) {
    let there = |id: &&&str| document().is_some_and(|it| it.get_element_by_id(id).is_some());
    if let Some(id) = ids.iter().find(there) {
        focus(id);
    }
}

/// Scrolls to what a step is about: on a phone to its map, elsewhere to the panel of the control that it
/// asks for, as much of it as there is room for; to the beginning of the experiment, if that is in none.
/// Nowhere, if the lesson lies above the experiment: it is read first.
pub fn show_panel(target: Option<&str>) {
    let Some(document) = document() else {
        return;
    };
    let window = web_sys::window();
    let narrow = window.and_then(|it| it.match_media("(max-width: 40rem)").ok());
    if narrow.flatten().is_some_and(|it| it.matches()) {
        let map = document.get_element_by_id(MAP);
        show(map.map_or(PICTURE, |_| MAP));
        return;
    }
    if !is_beside(&document) {
        return;
    }
    // The panel of all settings says nothing before one is asked for.
    let target = target.filter(|id| !is_setting(id) && *id != SETTINGS);
    let target = target.and_then(|id| find(&document, id));
    let panel = target.and_then(|it| it.closest(PANEL).ok().flatten());
    match panel {
        Some(panel) => bring(&panel),
        None => show(EXPERIMENT),
    }
}

/// True if the lesson stands beside the experiment.
fn is_beside(document: &Document) -> bool {
    let lesson = document.get_element_by_id("lesson");
    let experiment = document.query_selector(EXPERIMENT).ok().flatten();
    let places = lesson.zip(experiment);
    places.is_some_and(|(lesson, experiment)| {
        let end = lesson.get_bounding_client_rect().right();
        end <= experiment.get_bounding_client_rect().left()
    })
}

/// Scrolls no farther than needed for all of an element, but never past its beginning.
fn bring(element: &Element) {
    let place = element.get_bounding_client_rect();
    let top = place.top() - BELOW;
    let missing = place.bottom() + BELOW - free_height();
    let by = match top {
        ..0.0 => top,
        _ => missing.min(top).max(0.0),
    };
    if let Some(window) = web_sys::window() {
        window.scroll_by_with_x_and_y(0.0, by);
    }
}

/// Scrolls the lesson itself to a part of it, or to its beginning, and leaves the page where it is.
pub fn scroll_lesson(part: Option<&str>) {
    let region = document().and_then(|document| document.get_element_by_id("lesson"));
    let Some(region) = region else {
        return;
    };
    let part = part.and_then(|part| region.query_selector(part).ok().flatten());
    let Some(part) = part else {
        region.set_scroll_top(0);
        return;
    };
    let (part, whole) = (
        part.get_bounding_client_rect(),
        region.get_bounding_client_rect(),
    );
    if part.bottom() > whole.bottom() {
        let from = part.top() - whole.top() - MARGIN;
        let least = part.bottom() - whole.bottom() + BELOW;
        let by = from.min(least).max(0.0);
        region.set_scroll_top(region.scroll_top() + by as i32);
    }
}

fn reveal(target: &Element) {
    let mut around = Some(target.clone());
    while let Some(element) = around {
        if let Some(details) = element.dyn_ref::<HtmlDetailsElement>() {
            details.set_open(true);
        }
        around = element.parent_element();
    }
    let place = target.get_bounding_client_rect();
    let is_seen = place.top() >= 0.0 && place.bottom() <= free_height();
    if !is_seen {
        let options = ScrollIntoViewOptions::new();
        // What comes of it is below, but for what is compared: that shows in the curves above.
        let block = match target.closest(".curves").ok().flatten() {
            Some(_) if place.top() > 0.0 => ScrollLogicalPosition::End,
            _ => ScrollLogicalPosition::Start,
        };
        options.set_block(block);
        target.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Height of the window above a lesson that lies at its lower edge.
fn free_height() -> f64 {
    let window = web_sys::window();
    let height = window.and_then(|it| it.inner_height().ok()?.as_f64());
    let height = height.unwrap_or(f64::INFINITY);
    let region = document().and_then(|document| document.get_element_by_id("lesson"));
    let place = region.map(|it| it.get_bounding_client_rect());
    match place {
        Some(place) if place.top() > 0.3 * height && place.bottom() >= height - 1.0 => place.top(),
        _ => height,
    }
}

/// Element of this id, or else the panel where it would be.
fn find(document: &Document, id: &str) -> Option<Element> {
    let found = document.get_element_by_id(id);
    let panel = if is_setting(id) { SETTINGS } else { PICTURE };
    found.or_else(|| document.get_element_by_id(panel))
}

/// True for the field of a setting.
fn is_setting(id: &str) -> bool {
    let groups = ["model-", "task-", "training-", "experiment-"];
    groups.iter().any(|group| id.starts_with(group))
}

fn document() -> Option<Document> {
    web_sys::window().and_then(|window| window.document())
}
