//! A view without anything to show.

use yew::prelude::*;

/// Says in place of a picture that there is nothing to see.
pub fn empty(words: &'static str) -> Html {
    html! { <p class="empty" data-rows="0" data-columns="0">{ words }</p> }
}
