//! A translation token by token, with the alternatives of each token.

use crate::page::ask::translate::playback::Playback;
use crate::page::base::bar::{bar, told_bar};
use crate::page::base::foreign::{foreign, use_languages};
use crate::page::base::format::percent;
use crate::page::base::icons::{Icon, IconName};
use crate::page::watch::view::Matrix;
use strata_session::protocol::{CandidateView, FoundTranslationView};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StepsProperties {
    pub translation: FoundTranslationView,
    pub playback: Playback,
    /// Number of tokens at the beginning that the user typed.
    pub typed: usize,
    /// Attention weights, a row per token.
    pub matrix: Option<Matrix>,
    pub change: Callback<Playback>,
    /// Called with the tokens with which the target should begin.
    pub go_on: Callback<Vec<String>>,
}

/// The tokens so far, and the alternatives of one of them.
#[component]
pub fn Steps(properties: &StepsProperties) -> Html {
    let StepsProperties {
        translation,
        playback,
        change,
        ..
    } = properties;
    let length = translation.tokens.len();
    let playback = *playback;
    let languages = use_languages();
    let key = {
        let change = change.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = playback.key(&event.key(), length) {
                event.prevent_default();
                change.emit(next);
            }
        })
    };
    let token = |(at, token): (usize, &String)| {
        let look = change.reform(move |_: MouseEvent| Playback {
            at,
            plays: false,
            ..playback
        });
        let here = at == playback.at;
        let later = (at >= playback.grown).then_some("later");
        let probability = probability(translation.log_probabilities.get(at));
        html! {
            <li key={at} class={classes!(later)}>
                <button type="button" class={classes!("token", (at < properties.typed).then_some("typed"))} onclick={look}
                    aria-pressed={here.to_string()} tabindex={if here { "0" } else { "-1" }} disabled={later.is_some()}>
                    <span dir="auto">{ token }</span>
                    <small>{ probability }</small>
                </button>
            </li>
        }
    };
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with(playback.at, move |_| keep_focus(&list));
    }
    html! {
        <div class="steps" data-grown={playback.grown.to_string()} data-at={playback.at.to_string()} data-length={length.to_string()}>
            <div class="step-controls" role="group" aria-label="Walk along the translation">
                { control("step-back", "The token before", IconName::Left, playback.key("ArrowLeft", length), change) }
                { play(playback, length, change) }
                { control("step-on", "The next token", IconName::Right, playback.key("ArrowRight", length), change) }
                <span>{ "token " }<b translate="no">{ (playback.at + 1).min(length) }</b>{ " of " }<b translate="no">{ length }</b></span>
            </div>
            <ol id="translation-tokens" class="tokens" ref={list} onkeydown={key} translate="no" lang={languages.target} aria-label="Tokens of the translation, with their probabilities">
                { for translation.tokens.iter().enumerate().map(token) }
            </ol>
            { candidates(properties, languages.target) }
            { looked_at(properties, languages.source) }
        </div>
    }
}

/// If a token has the focus, moves the focus to the token whose step is shown.
fn keep_focus(list: &NodeRef) {
    let Some(list) = list.cast::<web_sys::Element>() else {
        return;
    };
    let focused = list.query_selector("button:focus").ok().flatten();
    let here = list.query_selector("[tabindex='0']").ok().flatten();
    if let (Some(_), Some(here)) = (
        focused,
        here.and_then(|it| it.dyn_into::<HtmlElement>().ok()),
    ) {
        // `focus` fails only for an element that cannot have the focus.
        let _ = here.focus();
    }
}

fn control(
    id: &'static str,
    words: &'static str,
    icon: IconName,
    next: Option<Playback>,
    change: &Callback<Playback>,
) -> Html {
    let change = change.clone();
    let press =
        Callback::from(move |_: MouseEvent| next.into_iter().for_each(|it| change.emit(it)));
    html! {
        <button type="button" class="quiet icon-only" {id} onclick={press} aria-label={words} title={words}>
            <Icon name={icon} />
        </button>
    }
}

fn play(playback: Playback, length: usize, change: &Callback<Playback>) -> Html {
    let (words, icon) = if playback.plays {
        ("Stop here", IconName::Pause)
    } else {
        ("Watch it grow", IconName::Play)
    };
    let next = match playback.plays {
        true => Playback {
            plays: false,
            ..playback
        },
        // Once all tokens have appeared, the playback begins anew.
        false if playback.grown >= length => Playback::begin(length, 0, true),
        false => Playback {
            plays: true,
            ..playback
        },
    };
    control("step-play", words, icon, Some(next), change)
}

/// Renders the candidates for this token; the search can go on from one of them.
fn candidates(properties: &StepsProperties, lang: Option<&'static str>) -> Html {
    let StepsProperties {
        translation,
        playback,
        typed,
        go_on,
        ..
    } = properties;
    let at = playback.at;
    let written = translation.tokens.get(at).cloned().unwrap_or_default();
    let fixed = at < *typed;
    let row = |candidate: &CandidateView| {
        let chosen = candidate.token == written;
        let begins = &translation.tokens[(*typed).min(at)..at];
        let prefix = [begins, std::slice::from_ref(&candidate.token)].concat();
        let go = go_on.reform(move |_: MouseEvent| prefix.clone());
        let share = f64::from(candidate.log_probability).exp();
        html! {
            <li key={candidate.token.clone()}>
                <button type="button" class="candidate" onclick={go} disabled={fixed} aria-pressed={chosen.to_string()}>
                    <span class="tokens" dir="auto">{ &candidate.token }</span>
                    { bar(share) }
                    <span class="share">{ percent(share) }</span>
                </button>
            </li>
        }
    };
    let rows = translation
        .candidates
        .get(at)
        .map_or(&[][..], Vec::as_slice);
    html! {
        <div class="candidates">
            <h3>{ if fixed { "What the model expected here" } else { "What could stand here: choose another, and it goes on from there" } }</h3>
            <ul id="candidates" translate="no" {lang}>{ for rows.iter().map(row) }</ul>
        </div>
    }
}

/// Renders the source tokens that this token attends to, with their weights.
fn looked_at(properties: &StepsProperties, lang: Option<&'static str>) -> Html {
    let at = properties.playback.at;
    let Some(matrix) = properties.matrix.as_ref().filter(|it| at < it.rows.len()) else {
        return html! {};
    };
    let column = |(column, token): (usize, &String)| {
        let weight = matrix.weight(at, column);
        html! {
            <li key={column}>
                <span class="tokens" dir="auto">{ token }</span>
                { told_bar(f64::from(weight), format!("{token}: {weight:.2}")) }
            </li>
        }
    };
    html! {
        <div class="looked-at">
            <h3>{ "Where “" }{ foreign(&matrix.rows[at]) }{ "” looked" }</h3>
            <ul translate="no" {lang}>{ for matrix.columns.iter().enumerate().map(column) }</ul>
        </div>
    }
}

fn probability(log_probability: Option<&f32>) -> String {
    log_probability.map_or(String::new(), |it| percent(f64::from(*it).exp()))
}
