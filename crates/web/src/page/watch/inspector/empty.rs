//! A view that has nothing to show.

use yew::prelude::*;

/// Renders a sentence in place of a picture.
pub fn empty(words: &'static str) -> Html {
    html! { <p class="empty" data-rows="0" data-columns="0">{ words }</p> }
}
