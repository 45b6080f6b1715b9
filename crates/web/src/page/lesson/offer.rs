//! The offer of a first lesson: one quiet line on a first visit.

use crate::page::lesson::address::ENGLISH;
use crate::page::lesson::files::index;
use wasm_bindgen_futures::spawn_local;
use web_sys::Storage;
use yew::prelude::*;

/// Key under which the browser stores that the user wants no lesson.
const KEY: &str = "strata.lessons";
/// Value of that key.
const NO: &str = "no";

#[derive(Properties, PartialEq)]
pub struct OfferProperties {
    /// True if the page has kept runs, that is, if the user has been here before.
    pub is_known: bool,
    /// Called with the name of the lesson.
    pub begin: Callback<String>,
}

/// The line with the offer, or nothing.
#[component]
pub fn Offer(properties: &OfferProperties) -> Html {
    let is_refused = use_state_eq(was_refused);
    if *is_refused || properties.is_known {
        return Html::default();
    }
    let begin = {
        let begin = properties.begin.clone();
        Callback::from(move |_: MouseEvent| {
            let begin = begin.clone();
            spawn_local(async move {
                let lessons = index(ENGLISH).await.unwrap_or_default();
                if let Some(first) = lessons.first() {
                    begin.emit(first.name.clone());
                }
            });
        })
    };
    let refuse = {
        let is_refused = is_refused.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(storage) = storage() {
                // Where storage is forbidden, the offer is back at the next visit.
                let _ = storage.set_item(KEY, NO);
            }
            is_refused.set(true);
        })
    };
    html! {
        <p id="lesson-offer">
            <span>{ "New to attention?" }</span>
            <button type="button" class="link" id="lesson-begin" onclick={begin}>{ "First lesson" }</button>
            <button type="button" class="link" id="lesson-refuse" onclick={refuse}>{ "No, thanks" }</button>
        </p>
    }
}

fn was_refused() -> bool {
    let kept = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    kept.as_deref() == Some(NO)
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}
