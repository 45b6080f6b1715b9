//! Sentences for the person, until they are put away.

use crate::page::icons::{Icon, IconName};
use crate::state::Message;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MessagesProperties {
    pub messages: Vec<Message>,
    /// Given the number of the message.
    pub put_away: Callback<u64>,
}

/// The messages, read aloud by screen readers as they come.
#[component]
pub fn Messages(properties: &MessagesProperties) -> Html {
    let message = |message: &Message| {
        let number = message.number;
        let put_away = properties.put_away.reform(move |_: MouseEvent| number);
        html! {
            <p key={number} class="message">
                <span>{ &message.text }</span>
                <button type="button" class="quiet icon-only" onclick={put_away} aria-label="Put this message away">
                    <Icon name={IconName::Close} />
                </button>
            </p>
        }
    };
    html! {
        <div id="messages" role="status" aria-live="polite">
            { for properties.messages.iter().map(message) }
        </div>
    }
}
