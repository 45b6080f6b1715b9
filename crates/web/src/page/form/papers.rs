//! Papers as links to their texts.

use strata_settings::papers;
use yew::prelude::*;

/// Renders a source; papers whose addresses are known become links.
pub fn source(text: &str) -> Html {
    let papers = text.split("; ").enumerate().map(|(index, paper)| {
        let before = if index > 0 { "; " } else { "" };
        match papers::address(paper) {
            Some(address) => html! {
                <>{ before }<a href={address} target="_blank" rel="noreferrer">{ paper }</a></>
            },
            None => html! { <>{ before }{ paper }</> },
        }
    });
    html! { <cite>{ for papers }</cite> }
}
