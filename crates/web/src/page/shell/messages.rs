//! Messages for the user, each shown until the user closes it.

use crate::page::base::icons::{Icon, IconName};
use crate::state::Message;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MessagesProperties {
    pub messages: Vec<Message>,
    /// Called with the number of the message that a user closes.
    pub put_away: Callback<u64>,
}

/// The messages. Screen readers say failures at once, and others after what they are saying.
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
    let those = |are_grave: bool| {
        let messages = properties.messages.iter();
        messages
            .filter(move |it| it.is_grave == are_grave)
            .map(message)
    };
    html! {
        <div id="messages">
            <div role="alert">{ for those(true) }</div>
            <div role="status">{ for those(false) }</div>
        </div>
    }
}
