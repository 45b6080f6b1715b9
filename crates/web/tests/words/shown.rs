//! Literals of the page's sources that users see: a heuristic, with a list of exceptions.

use crate::literals::Literal;
use attributes::ATTRIBUTES;

#[path = "../../src/language/attributes.rs"]
mod attributes;

/// Properties of components that users read or hear.
const PROPERTIES: [&str; 3] = ["empty", "help", "words"];

/// Calls whose texts are for programmers, the browser or files.
const CALLS: [&str; 14] = [
    "expect(",
    "panic!(",
    "env!(",
    "include!(",
    "concat!(",
    "query_selector(",
    "query_selector_all(",
    "closest(",
    "set_attribute(",
    "get_attribute(",
    "remove_attribute(",
    "element_by_id(",
    "match_media(",
    "Event::new(",
];

/// Names that look like texts: kinds of nodes and errors, keys of a keyboard, fonts.
const NAMES: [&str; 37] = [
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Uncaught",
    ": Mechanism",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-",
    "HTML",
    "BODY",
    "HEAD",
    "Enter",
    "Escape",
    "Home",
    "End",
    "Tab",
    "Delete",
    "Backspace",
    "Alt",
    "PageUp",
    "PageDown",
    "Security",
    "NotAllowed",
    "InvalidState",
    "VersionError",
    "QuotaExceeded",
    "NotEnoughSpace",
    "DataClone",
    "NotFound",
    "NotReadable",
    "Abort",
    "Event",
    "Range",
    "Files",
    "too large",
    "maximum size",
    "taken over",
    "Songti SC, Noto Serif CJK SC, Source Han Serif SC, SimSun, serif",
];

/// True for a literal that becomes a text of the page.
pub fn is_shown(literal: &Literal) -> bool {
    let text = literal.text.trim();
    if !has_word(text) || NAMES.contains(&text) || is_code(text) {
        return false;
    }
    if CALLS.iter().any(|it| literal.before.ends_with(it)) {
        return false;
    }
    match attribute(&literal.before) {
        Some(name) => ATTRIBUTES.contains(&name) || PROPERTIES.contains(&name),
        // A single word in small letters is a name, unless it stands in an element.
        None if !text.contains(char::is_whitespace) => {
            text.starts_with(char::is_uppercase) && !text.contains(['_', '/', '=', '#'])
                || literal.before.ends_with(">{") && text.chars().all(char::is_alphabetic)
        }
        None => true,
    }
}

fn has_word(text: &str) -> bool {
    let words = text.split(|it: char| !it.is_ascii_alphabetic());
    words.into_iter().any(|it| it.len() > 1)
}

/// True for paths of drawings, styles, selectors and markup.
fn is_code(text: &str) -> bool {
    let is_path =
        text.starts_with('M') && text[1..].starts_with(|it: char| it == '{' || it.is_ascii_digit());
    let is_style = [
        "--",
        "translate(",
        "transform:",
        "rgb(",
        "linear-gradient(",
        "left:",
    ];
    let is_query = text.starts_with("(prefers-") || text.starts_with("(max-width");
    let is_selector = text.starts_with(['#', '.', '[']) || text.starts_with("main .");
    let is_class = text.starts_with("icon ") || text == "{}-was {}";
    let is_markup = text.starts_with('<');
    is_path
        || is_style.iter().any(|it| text.starts_with(it))
        || is_query
        || is_selector
        || is_class
        || is_markup
}

/// Returns the attribute of an element whose value a literal is.
fn attribute(before: &str) -> Option<&str> {
    let value = before.strip_suffix("format!(").unwrap_or(before);
    let value = value.strip_suffix('{').unwrap_or(value);
    let name = value.strip_suffix('=')?;
    let start = name
        .rfind(|it: char| !it.is_ascii_alphanumeric() && it != '-')
        .map_or(0, |at| at + 1);
    let name = &name[start..];
    (!name.is_empty()).then_some(name)
}
