//! Papers as links to where they can be read.

use strata_settings::papers;
use yew::prelude::*;

/// A source, with a link for each of its papers whose address is known.
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
