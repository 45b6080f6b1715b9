//! The page's language. Components write English; for every other language one file of words in
//! `www/words` says what stands in the page instead.
//!
//! - here: all languages, and the language that the page speaks
//! - `attributes`: attributes with texts of the page
//! - `words`: the words of one language
//! - `speaker`: keeps the texts of the document in the page's language

mod attributes;
mod speaker;
mod words;

use crate::served_file::json;
use gloo::events::EventListener;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use wasm_bindgen_futures::spawn_local;
use web_sys::{CustomEvent, Storage};
use words::Words;
use yew::prelude::*;

/// Code of the language in which components write.
pub const ENGLISH: &str = "en";
/// Languages other than English: code, and the name that the language has in itself.
const OTHERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/languages.rs"));
/// Name under which the browser keeps the reader's choice, and a tab the language of its address.
const KEY: &str = "strata-language";
/// Event that tells of another language.
const CHANGED: &str = "strata-language";

thread_local! {
    static PRESENT: Cell<&'static str> = const { Cell::new(ENGLISH) };
    static WORDS: RefCell<&'static Words> = RefCell::new(leaked(HashMap::new()));
}

/// Returns codes and own names of all languages.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    std::iter::once((ENGLISH, "English")).chain(OTHERS.iter().copied())
}

/// Returns the code of a language of the page, if `code` names one: `de-AT` is `de`.
pub fn named(code: &str) -> Option<&'static str> {
    let code = code.to_lowercase();
    let code = code.split('-').next().unwrap_or_default();
    all().map(|(known, _)| known).find(|known| *known == code)
}

/// Returns the code of the page's language.
pub fn present() -> &'static str {
    PRESENT.get()
}

/// Says a text of the page in the page's language, for texts that stand in words of that language
/// or are compared with what a user types.
pub fn said(english: &str) -> String {
    WORDS.with_borrow(|words| words.say(english).text)
}

/// Returns the words for an English text with gaps, or the English if there are none.
pub fn words_for(english: &'static str) -> &'static str {
    WORDS
        .with_borrow(|words| words.known(english))
        .unwrap_or(english)
}

/// Returns the language for a reader: that of the address, else the chosen one, else the first of the
/// browser's that there is.
fn wanted(query: &str) -> &'static str {
    let mut pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let asked = pairs.find(|(key, _)| key == "lang");
    let asked = asked.and_then(|(_, code)| named(&code));
    if let (Some(code), Some(tab)) = (asked, tab_storage()) {
        // The page writes addresses without a language: a reload asks the tab.
        let _ = tab.set_item(KEY, code);
    }
    let stored = || {
        let tab = tab_storage().and_then(|it| it.get_item(KEY).ok().flatten());
        tab.or_else(|| storage()?.get_item(KEY).ok().flatten())
    };
    let browsers = || web_sys::window()?.navigator().language();
    asked
        .or_else(|| named(&stored()?))
        .or_else(|| named(&browsers()?))
        .unwrap_or(ENGLISH)
}

/// Calls `go` in the language for the reader of this address, or in English if the words cannot be
/// fetched.
pub fn begin(query: &str, go: impl FnOnce() + 'static) {
    match wanted(query) {
        ENGLISH => go(),
        code => spawn_local(async move {
            speak(code).await;
            go();
        }),
    }
}

/// Changes the page's language, and remembers the reader's choice.
pub fn choose(code: &'static str) {
    for storage in [storage(), tab_storage()].into_iter().flatten() {
        // A browser may forbid storage: then the choice holds for this visit.
        let _ = storage.set_item(KEY, code);
    }
    spawn_local(async move {
        speak(code).await;
        if let (Some(window), Ok(event)) = (web_sys::window(), CustomEvent::new(CHANGED)) {
            // An event of a valid name can be sent.
            let _ = window.dispatch_event(&event);
        }
    });
}

/// Fetches the words of a language, and speaks them; the language stays if the words do not come.
async fn speak(code: &'static str) {
    let words = if code == ENGLISH {
        HashMap::new()
    } else {
        match json(&format!("./words/{code}.json")).await {
            Ok(words) => words,
            Err(_) => return,
        }
    };
    PRESENT.set(code);
    let words = leaked(words);
    WORDS.set(words);
    speaker::speak(code, words);
}

/// Returns the page's language, and draws the component again when the language changes.
#[hook]
pub fn use_language() -> &'static str {
    let language = use_state_eq(present);
    {
        let language = language.setter();
        use_effect_with((), move |()| {
            // The language may have changed between the drawing and here.
            language.set(present());
            let listener = web_sys::window().map(|window| {
                EventListener::new(&window, CHANGED, move |_| language.set(present()))
            });
            move || drop(listener)
        });
    }
    *language
}

/// Returns words that stay as long as the page, which speaks few languages.
fn leaked(words: HashMap<String, String>) -> &'static Words {
    Box::leak(Box::new(Words::new(words)))
}

/// Returns the storage of this tab; `None` if the browser forbids storage.
fn tab_storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// Returns the browser's storage; `None` if the browser forbids storage.
fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

/// Speaks a language in a test, from its file.
///
/// # Panics
/// If there is no such file.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub fn speak_in_test(code: &'static str) {
    // Tests run in the folder of their package, wherever they were compiled.
    let file = format!("../../www/words/{code}.json");
    let words = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    PRESENT.set(code);
    WORDS.set(leaked(words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_named_by_their_first_part() {
        assert_eq!(named("de"), Some("de"));
        assert_eq!(named("DE-at"), Some("de"));
        assert_eq!(named("en-GB"), Some(ENGLISH));
        assert_eq!(named("xx"), None);
        assert_eq!(
            all().find(|(code, _)| *code == "de").map(|it| it.1),
            Some("Deutsch")
        );
    }
}
