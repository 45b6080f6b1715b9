//! The present run and a kept one at the same sentence: their maps, the difference, and both
//! outputs.

use super::site::heads_of;
use crate::by_pointer::ByPointer;
use crate::page::base::foreign::{Languages, or_nothing, use_languages};
use crate::page::base::format;
use crate::page::form::fields::Select;
use crate::page::run::intent::Intent;
use crate::page::run::others::Others;
use crate::page::watch::heat_map::{HeatMap, Scale};
use crate::page::watch::view::{Matrix, of_site, site_option};
use std::rc::Rc;
use strata_session::protocol::{BesideView, FoundTranslationView, View, ViewData, ViewUpdate};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TwoRunsProperties {
    pub update: ByPointer<ViewUpdate>,
    pub of: Rc<BesideView>,
    pub others: Others,
    /// The requested view.
    pub view: View,
    pub to_view: Callback<View>,
    pub act: Callback<Intent>,
}

/// Choice of run and sentence, the outputs and the maps.
#[component]
pub fn TwoRuns(properties: &TwoRunsProperties) -> Html {
    let TwoRunsProperties {
        update, of, others, ..
    } = properties;
    let maps = use_memo(update.clone(), |update| match &update.data {
        ViewData::Beside(of) => matrices(update, of),
        _ => None,
    });
    let Languages { target: lang, .. } = use_languages();
    // Text in the box, until the user asks for its translation.
    let typing = use_state_eq(String::new);
    {
        let typing = typing.clone();
        let asked = match &properties.view {
            View::Beside { text, .. } => text.clone(),
            _ => None,
        };
        use_effect_with(asked, move |asked| {
            typing.set(asked.clone().unwrap_or_default())
        });
    }
    let steps = [Some(update.step), of.step];
    let name = |at: usize| {
        let step = steps[at].map_or(String::new(), |it| format!(" · step {}", format::count(it)));
        let run = if at == 0 { "This run" } else { "Beside" };
        match others.names[at].as_str() {
            "" => format!("{run}{step}"),
            name => format!("{run}: {name}{step}"),
        }
    };
    let map = |at: usize, title: String, id: &'static str| {
        let matrix = (*maps).as_ref().map(|all| all[at].clone());
        let scale = match at {
            2 => Scale::Differences,
            _ => Scale::Weights,
        };
        matrix.map(|matrix| {
            html! {
                <section aria-label={title.clone()}>
                    <h3>{ title }</h3>
                    <HeatMap {id} {matrix} {scale} />
                </section>
            }
        })
    };
    html! {
        <div class="two-runs" id="two-runs" data-beside={of.step.map(|it| it.to_string())}>
            { controls(properties, &typing) }
            if others.chosen.is_none() {
                <p class="note" id="beside-none">{ "Choose a kept run: both then read the same sentence, and you see where they differ." }</p>
            }
            { for of.lacks.iter().map(|it| html! { <p class="note lacks">{ it }</p> }) }
            { outputs(of, &[name(0), name(1)], lang) }
            if maps.is_some() {
                <p class="note">{ "Both maps are of the same words: where each run looks before it writes the word of a row. Their difference is orange where this run looks more, blue where it looks less." }</p>
            }
            <div class="maps">
                { map(0, name(0), "beside-own") }
                { map(1, name(1), "beside-other") }
                { map(2, "Difference".to_owned(), "beside-difference") }
            </div>
        </div>
    }
}

/// Returns the maps of both runs and their difference; `None` if they do not match.
fn matrices(update: &ViewUpdate, of: &BesideView) -> Option<[Rc<Matrix>; 3]> {
    let [own, other] = &of.maps[..] else {
        return None;
    };
    let matrix = |site| of_site(&update.source, &update.target, site);
    let (own, mut other) = (matrix(own)?, matrix(other)?);
    if own.weights.len() != other.weights.len() {
        return None;
    }
    // The other map may be of another layer; its rows and columns stand for the same words.
    other.rows.clone_from(&own.rows);
    other.columns.clone_from(&own.columns);
    let pairs = own.weights.iter().zip(&other.weights);
    let difference = Matrix {
        weights: pairs.map(|(own, other)| own - other).collect(),
        positions: Vec::new(),
        ..own.clone()
    };
    Some([own, other, difference].map(Rc::new))
}

fn controls(properties: &TwoRunsProperties, typing: &UseStateHandle<String>) -> Html {
    let TwoRunsProperties {
        update,
        of,
        others,
        view,
        to_view,
        act,
    } = properties;
    let View::Beside {
        site, head, text, ..
    } = view.clone()
    else {
        return Html::default();
    };
    let (runs, choose) = (others.options(), others.choice(act));
    let shown = of.maps.first().map(|it| it.site).or(site);
    let outline = update.sites.iter().find(|site| Some(site.site) == shown);
    let asked = |site, head, text| View::Beside {
        site,
        head,
        level: None,
        text,
    };
    let to_site = {
        let text = text.clone();
        to_view.reform(move |name: String| asked(name.parse().ok(), None, text.clone()))
    };
    let to_head =
        to_view.reform(move |value: String| asked(shown, value.parse().ok(), text.clone()));
    let typed = to_view.reform(move |event: Event| {
        let typed = Some(value_of(&event).trim().to_owned());
        asked(site, head, typed.filter(|it| !it.is_empty()))
    });
    let oninput = {
        let typing = typing.clone();
        Callback::from(move |event: InputEvent| typing.set(value_of(&event)))
    };
    let sites = update.sites.iter().map(|it| site_option(it.site));
    html! {
        <div class="attention-controls">
            <Select id="beside-run" label="Beside" options={runs} value={others.chosen.clone().unwrap_or_default()} onchange={choose} />
            if let Some(outline) = outline {
                <Select id="beside-site" label="Site" options={sites.collect::<Vec<(AttrValue, AttrValue)>>()}
                    value={outline.site.to_string()} onchange={to_site} />
                if outline.heads > 1 {
                    <Select id="beside-head" label="Head" options={heads_of(outline)} onchange={to_head}
                        value={head.map_or("mean".to_owned(), |head| head.to_string())} />
                }
            }
            <div class="field">
                <label for="beside-text">{ "Sentence" }</label>
                <input id="beside-text" type="text" autocomplete="off" spellcheck="false" maxlength="400" dir="auto"
                    value={(**typing).clone()} {oninput} onchange={typed} placeholder="the held-out example" />
            </div>
        </div>
    }
}

fn value_of(event: &Event) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}

/// Renders the outputs of both runs, and marks the first token where they differ.
fn outputs(of: &BesideView, names: &[String; 2], lang: Option<&'static str>) -> Html {
    let differs = match &of.outputs[..] {
        [own, other] => first_difference(&own.tokens, &other.tokens),
        _ => None,
    };
    let token = |output: &FoundTranslationView, place: usize| {
        let written = output.tokens.get(place)?;
        let probability = output.log_probabilities.get(place);
        Some((written.clone(), probability.map(|it| it.exp())))
    };
    let chip = |output: &FoundTranslationView, place: usize| {
        let (written, probability) = token(output, place)?;
        let is_first = differs == Some(place);
        Some(html! {
            <li key={place} class={classes!("chip", is_first.then_some("differs"))}>
                <span dir="auto">{ written }</span>
                <small>{ probability.map(|it| format!("{it:.2}")) }</small>
            </li>
        })
    };
    let list = |(at, output): (usize, &FoundTranslationView)| {
        html! {
            <section class="output" aria-label={names[at].clone()}>
                <h3>{ &names[at] }</h3>
                <ol class="chips" id={["beside-writes-own", "beside-writes-other"][at]} translate="no" {lang}>
                    if output.tokens.is_empty() {
                        <li>{ or_nothing("") }</li>
                    }
                    { for (0..output.tokens.len()).filter_map(|place| chip(output, place)) }
                </ol>
            </section>
        }
    };
    let said = |output: &FoundTranslationView, place: usize| match token(output, place) {
        Some((written, Some(probability))) => format!("“{written}” ({probability:.2})"),
        Some((written, None)) => format!("“{written}”"),
        None => "nothing more".to_owned(),
    };
    let sentence = match (&of.outputs[..], differs) {
        ([own, other], Some(place)) => Some(format!(
            "They first differ at word {}: this run writes {}, the one beside {}.",
            place + 1,
            said(own, place),
            said(other, place)
        )),
        ([_, _], None) => Some("Both write the same.".to_owned()),
        _ => None,
    };
    html! {
        <>
            if let Some(sentence) = sentence {
                <p id="beside-differs" data-place={differs.map(|it| (it + 1).to_string())}>{ sentence }</p>
            }
            { for of.outputs.iter().take(2).enumerate().map(list) }
        </>
    }
}

/// Returns the first place where the tokens of two outputs differ; `None` if the outputs are the
/// same.
fn first_difference(own: &[String], other: &[String]) -> Option<usize> {
    let longer = own.len().max(other.len());
    (0..longer).find(|&place| own.get(place) != other.get(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_first_differ_where_one_has_another_token_or_none() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let first = |own: &str, other: &str| first_difference(&words(own), &words(other));
        assert_eq!(first("a b </s>", "a b </s>"), None);
        assert_eq!(first("a b </s>", "a c </s>"), Some(1));
        assert_eq!(first("a b", "a b </s>"), Some(2));
        assert_eq!(first("b", "a b"), Some(0));
    }
}
