//! The held-out example: number, source, output and reference.

use super::tabs;
use crate::page::base::foreign::{self, Languages};
use crate::page::base::format;
use crate::page::base::icons::{Icon, IconName};
use crate::page::run::intent::Intent;
use strata_session::protocol::{ViewRequest, ViewUpdate};
use yew::prelude::*;

/// Returns the number of the held-out example, with buttons to the previous and the next.
pub fn turn(request: &ViewRequest, examples: usize, act: &Callback<Intent>) -> Html {
    let example = request.example;
    let last = examples.saturating_sub(1);
    let turn = |words: &'static str, id: &'static str, icon, to: usize| {
        let request = ViewRequest {
            example: to,
            ..request.clone()
        };
        let turn = act.reform(move |_: MouseEvent| Intent::ViewRequest(request.clone()));
        html! {
            <button type="button" class="quiet icon-only" {id} onclick={turn} aria-label={words} title={words}>
                <Icon name={icon} />
            </button>
        }
    };
    let before = if example == 0 { last } else { example - 1 };
    let after = if example >= last { 0 } else { example + 1 };
    html! {
        <div class="turn">
            { turn("The example before", "example-before", IconName::Left, before) }
            <span><span class="held-out">{ "held-out example " }</span><b id="example" translate="no">{ format::count(example as u64 + 1) }</b>
                { " of " }<b translate="no">{ format::count(examples as u64) }</b></span>
            { turn("The next example", "example-after", IconName::Right, after) }
        </div>
    }
}

/// Returns source, output and reference of the example.
pub fn sentences(update: Option<&ViewUpdate>, Languages { source, target }: Languages) -> Html {
    let line = |name: &'static str, text: String, lang: Option<&'static str>, class: Classes| {
        html! {
            <><dt>{ name }</dt><dd class={classes!("tokens", class)} tabindex="0" dir="auto" translate="no" {lang}>{ text }</dd></>
        }
    };
    let text = |of: fn(&ViewUpdate) -> String| update.map_or_else(String::new, of);
    let right = update.is_some_and(|update| update.is_right);
    let is_asked = update.is_some_and(tabs::reads);
    let names = if is_asked {
        ["Question", "Model", "Right answer"]
    } else {
        ["Source", "Model", "Reference"]
    };
    html! {
        <>
        <dl class={classes!("sentences", is_asked.then_some("asked"))}>
            { line(names[0], text(|it| it.source.join(" ")), source, classes!()) }
            { line(names[1], text(|it| foreign::or_nothing(&it.text).to_owned()), target, classes!("written", right.then_some("right"))) }
            // A sentence that a user typed has no reference.
            if update.is_none_or(|update| !update.reference.is_empty()) {
                { line(names[2], text(|it| it.reference.clone()), target, classes!()) }
            }
        </dl>
        if let Some(update) = update.filter(|update| !update.unknown.is_empty()) {
            <p class="note" id="watched-unknown">{ foreign::unknown(&update.unknown) }</p>
        }
        </>
    }
}
