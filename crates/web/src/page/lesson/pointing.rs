//! Highlights a control or a picture: outlines it, and scrolls to it.

use crate::page::base::focus::focus;
use crate::page::lesson::words::tab_title;
use wasm_bindgen::JsCast;
use web_sys::{
    Document, Element, HtmlDetailsElement, HtmlElement, HtmlInputElement, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

/// Attribute of the highlighted element.
const POINTED: &str = "data-pointed";
/// Pixels that stay free above an element to which the lesson scrolls, for the heading.
const MARGIN: f64 = 52.0;
/// Id of the heat-map, in views that have one.
const MAP: &str = "attention";
/// Selector of the heat-map with labels.
const WHOLE_MAP: &str = "#attention .matrix";
/// Pixels that stay free above and below a panel to which the page scrolls.
const BELOW: f64 = 12.0;
/// Id of the field for sentences.
const FIELD: &str = "translate-input";
/// Id of the experiment, beside the lesson.
const EXPERIMENT: &str = "main";
/// Id of the panel of all settings.
const SETTINGS: &str = "settings";
/// Selector of a panel of the experiment.
const PANEL: &str = "main .panel";
/// Id of the panel that every view is in, whatever its tab.
const PICTURE: &str = "seeing";

/// Ids of elements that lessons highlight, with the elements' names.
const NAMES: [(&str, &str); 16] = [
    ("train", "Train"),
    ("step", "Step"),
    ("pause", "Pause"),
    ("reset", "Reset"),
    ("seeing", "the picture"),
    ("translate-input", "the field for your text"),
    ("translation", "the answer"),
    ("translation-tokens", "the words of the answer"),
    ("attention-level", "Level"),
    ("attention-head", "Head"),
    ("attention-site", "Site"),
    ("descent-row", "Token"),
    ("search-kind", "Search"),
    ("settings", "Settings"),
    ("curves-title", "the curves"),
    ("lesson-measure", "Measure"),
];

/// Returns the name of a control for “Go to …”.
pub fn name(id: &str) -> &'static str {
    let found = NAMES.iter().find(|(known, _)| *known == id);
    match found {
        Some((_, name)) => name,
        None if id.starts_with("compare-") => "Compare",
        None if id.starts_with("tab-") => tab_title(&id["tab-".len()..]).unwrap_or("the place"),
        None if is_setting(id) => "the setting",
        None => "the place",
    }
}

/// Outlines the element of this id, and no other.
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
        // The attribute's name is valid, so setting it cannot fail.
        let _ = target.set_attribute(POINTED, "");
    }
}

/// Scrolls to the element of this id unless it is visible, and opens all disclosures around it.
pub fn show(id: &str) {
    if let Some(target) = document().and_then(|document| find(&document, id)) {
        reveal(&target);
    }
}

/// Moves the keyboard's focus to the element of this id.
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
        // Pictures and answers are not reached by Tab, so the focus needs `tabindex`.
        let _ = target.set_attribute("tabindex", "-1");
    }
    let _ = target.focus();
}

/// Types a text into the field for sentences, and moves the focus there.
pub fn fill_in(text: &str) {
    let Some(document) = document() else {
        return;
    };
    let field = find(&document, FIELD).and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
    let (Some(field), Ok(event)) = (field, document.create_event("Event")) else {
        return;
    };
    field.set_value(text);
    // The page learns what is in the field from this event alone.
    event.init_event_with_bubbles("input", true);
    // Nothing cancels the event.
    let _ = field.dispatch_event(&event);
    go_to(FIELD);
}

/// True if no element has the keyboard's focus.
pub fn has_lost_focus() -> bool {
    let active = document().and_then(|it| it.active_element());
    active.is_none_or(|it| it.tag_name() == "BODY")
}

/// Moves the focus to the first of these elements that exists.
pub fn focus_first(ids: &[&str]) {
    let there = |id: &&&str| document().is_some_and(|it| it.get_element_by_id(id).is_some());
    if let Some(id) = ids.iter().find(there) {
        focus(id);
    }
}

/// Scrolls to what a step is about: on a phone to its map, elsewhere to the panel of the control
/// `target`, or to the beginning of the experiment if the control is in no panel. If the lesson
/// lies above the experiment, nothing is scrolled: the lesson is read first.
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
    // The panel of all settings says nothing until a setting is asked for.
    let target = target.filter(|id| !is_setting(id) && *id != SETTINGS);
    let target = target.and_then(|id| find(&document, id));
    let panel = target.and_then(|it| it.closest(PANEL).ok().flatten());
    let map = document.query_selector(WHOLE_MAP).ok().flatten();
    match (panel, map) {
        // Of the buttons the lesson speaks for the sake of the map, and a panel may be higher than
        // the window: the map comes whole, with as much of the rest above it as there is room for.
        (Some(panel), Some(map)) if is_before(&panel, &map) => bring_whole(&panel, &map),
        (Some(panel), _) => bring(&panel),
        (None, Some(map)) => bring_whole(&map, &map),
        (None, None) => show(EXPERIMENT),
    }
}

/// True if a panel contains the map, or is the one with the buttons of training, above the map.
fn is_before(panel: &Element, map: &Element) -> bool {
    panel.contains(Some(map)) || panel.class_list().contains("console")
}

/// Scrolls so that the whole map is seen, and what is above it from the beginning of `from` on, if
/// the window has room for both.
fn bring_whole(from: &Element, map: &Element) {
    let (from, map) = (
        from.get_bounding_client_rect(),
        map.get_bounding_client_rect(),
    );
    let free = free_height();
    let (top, bottom) = (from.top() - BELOW, map.bottom() + BELOW);
    let by = if bottom - top <= free {
        // Both fit: no farther than needed.
        (bottom - free).max(0.0).min(top).max(top.min(0.0))
    } else {
        (bottom - free).min(map.top() - BELOW)
    };
    if let Some(window) = web_sys::window() {
        window.scroll_by_with_x_and_y(0.0, by);
    }
}

/// True if the lesson is on the left of the experiment.
fn is_beside(document: &Document) -> bool {
    let lesson = document.get_element_by_id("lesson");
    let experiment = document.query_selector(EXPERIMENT).ok().flatten();
    let places = lesson.zip(experiment);
    places.is_some_and(|(lesson, experiment)| {
        let end = lesson.get_bounding_client_rect().right();
        end <= experiment.get_bounding_client_rect().left()
    })
}

/// Scrolls no farther than needed to show the whole element, but never past its beginning.
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

/// Scrolls the lesson to one of its parts, or to its beginning; the page stays where it is.
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
        // The effect of a control appears below it, except in the curves, where it appears above.
        let block = match target.closest(".curves").ok().flatten() {
            Some(_) if place.top() > 0.0 => ScrollLogicalPosition::End,
            _ => ScrollLogicalPosition::Start,
        };
        options.set_block(block);
        target.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Returns the height of the window above a lesson that covers the window's lower edge.
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

/// Returns the element of this id, or else the panel where the element would be.
fn find(document: &Document, id: &str) -> Option<Element> {
    let found = document.get_element_by_id(id);
    let panel = if is_setting(id) { SETTINGS } else { PICTURE };
    found.or_else(|| document.get_element_by_id(panel))
}

/// True for the id of a setting's field.
fn is_setting(id: &str) -> bool {
    let groups = ["model-", "task-", "training-", "experiment-"];
    groups.iter().any(|group| id.starts_with(group))
}

fn document() -> Option<Document> {
    web_sys::window().and_then(|window| window.document())
}
