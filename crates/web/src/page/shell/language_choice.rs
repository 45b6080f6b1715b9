//! The choice of the page's language.

use crate::language::{self, use_language};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// List of the languages, each by the name that it has in itself; nothing if there is only one.
#[component]
pub fn LanguageChoice() -> Html {
    let present = use_language();
    let choose = Callback::from(|event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        if let Some(code) = language::named(&select.value()) {
            language::choose(code);
        }
    });
    if language::all().count() < 2 {
        return Html::default();
    }
    let option = |(code, name): (&'static str, &'static str)| {
        html! { <option value={code} lang={code} selected={code == present}>{ name }</option> }
    };
    html! {
        <select id="language" class="quiet" aria-label="Language" onchange={choose}>{ for language::all().map(option) }</select>
    }
}
