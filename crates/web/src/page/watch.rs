//! The held-out example that is watched while the model learns.

use crate::page::app::Intent;
use crate::page::attention::Attention;
use crate::page::format;
use crate::page::icons::{Icon, IconName};
use crate::shared::Shared;
use strata_session::protocol::Picture;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WatchProperties {
    pub picture: Option<Shared<Picture>>,
    pub example: usize,
    pub examples: usize,
    pub act: Callback<Intent>,
}

/// The example, what the model makes of it, and its attention.
#[component]
pub fn Watch(properties: &WatchProperties) -> Html {
    let WatchProperties {
        picture,
        example,
        examples,
        act,
    } = properties;
    let last = examples.saturating_sub(1);
    let turn = |words: &'static str, id: &'static str, icon, to: usize| {
        let turn = act.reform(move |_: MouseEvent| Intent::Watch(to));
        html! {
            <button type="button" class="quiet icon-only" {id} onclick={turn} aria-label={words} title={words}>
                <Icon name={icon} />
            </button>
        }
    };
    let before = if *example == 0 { last } else { example - 1 };
    let after = if *example >= last { 0 } else { example + 1 };
    html! {
        <section class="panel watch" aria-labelledby="watch-title">
            <header>
                <h2 id="watch-title">{ "Attention" }</h2>
                <div class="turn">
                    { turn("The example before", "example-before", IconName::Left, before) }
                    <span>{ "held-out example " }<b id="example">{ format::count(*example as u64 + 1) }</b>
                        { format!(" of {}", format::count(*examples as u64)) }</span>
                    { turn("The next example", "example-after", IconName::Right, after) }
                </div>
            </header>
            { sentences(picture.as_deref()) }
            <Attention id="attention" picture={picture.clone()}
                empty="The attention of a held-out example will be drawn here." />
        </section>
    }
}

/// Source, output and reference, each on a line of its own that never breaks.
fn sentences(picture: Option<&Picture>) -> Html {
    let line = |name: &'static str, text: String, class: Option<&'static str>| {
        html! { <><dt>{ name }</dt><dd class={classes!("tokens", class)} tabindex="0">{ text }</dd></> }
    };
    let reference = picture.and_then(|it| it.reference.clone());
    let right = picture.is_some_and(|it| it.reference.as_ref() == Some(&it.text));
    html! {
        <dl class="sentences">
            { line("Source", picture.map_or_else(String::new, |it| it.source.join(" ")), None) }
            { line("Model", picture.map_or_else(String::new, |it| it.text.clone()), right.then_some("right")) }
            { line("Reference", reference.unwrap_or_default(), None) }
        </dl>
    }
}
