//! The link that a teacher makes for a class.

use crate::page::lesson::rules::{PANELS, Rules, ShowPolicy};
use crate::page::lesson::words::line;
use crate::page::shell::location::whole;
use strata_lessons::Entry;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Titles of the panels that can be hidden, in the order of [`PANELS`].
const TITLES: [&str; PANELS.len()] = ["Translate", "Data", "Settings", "Runs"];

/// Titles of the policies by which steps are shown, in the order of [`ShowPolicy::ALL`].
const SHOW_TITLES: [&str; 4] = [
    "with the hint, after a minute or two wrong tries",
    "always",
    "after two wrong tries",
    "never",
];

#[derive(Properties, PartialEq)]
pub struct ClassLinkProperties {
    pub language: String,
    pub entries: Vec<Entry>,
}

/// Choices of a teacher, and the link that contains them.
#[component]
pub fn ClassLink(properties: &ClassLinkProperties) -> Html {
    let ClassLinkProperties { language, entries } = properties;
    let rules = use_state_eq(Rules::default);
    let change = |change: fn(&mut Rules, &str, bool), name: String| {
        let rules = rules.clone();
        Callback::from(move |event: Event| {
            let is_checked = event.target_unchecked_into::<HtmlInputElement>().checked();
            let mut changed = (*rules).clone();
            change(&mut changed, &name, is_checked);
            rules.set(changed);
        })
    };
    let check = |label: Html, checked: bool, onchange: Callback<Event>| {
        html! { <label class="check"><input type="checkbox" {checked} {onchange} /><span>{ label }</span></label> }
    };
    let lesson = |entry: &Entry| {
        let choose = change(
            |rules, name, is_chosen| {
                rules.lessons.retain(|it| it != name);
                rules.lessons.extend(is_chosen.then(|| name.to_owned()));
            },
            entry.name.clone(),
        );
        let is_chosen = rules.lessons.contains(&entry.name);
        check(line(&entry.title, language, &|_| None), is_chosen, choose)
    };
    let panel = |(name, title): (&'static str, &'static str)| {
        let hide = change(
            |rules, name, is_hidden| {
                let panel = PANELS.into_iter().filter(|it| *it == name);
                rules.hidden.retain(|it| *it != name);
                rules.hidden.extend(panel.filter(|_| is_hidden));
            },
            name.to_owned(),
        );
        check(html! { title }, rules.hidden.contains(&name), hide)
    };
    let strict = change(
        |rules, _, is_free| rules.is_strict = !is_free,
        String::new(),
    );
    html! {
        <details class="panel" id="class-link">
            <summary><h2>{ "A link for a class" }</h2></summary>
            <fieldset><legend>{ "Lessons (leave empty for all)" }</legend>{ for entries.iter().map(lesson) }</fieldset>
            <label class="line">{ "“Show me” is offered " }
                { show_choice(&rules) }
            </label>
            { check(html! { "Steps may be skipped" }, !rules.is_strict, strict) }
            <fieldset><legend>{ "Hidden panels; what a step needs is shown" }</legend>
                { for PANELS.into_iter().zip(TITLES).map(panel) }</fieldset>
            <p class="help">{ "What was done of a lesson is a page to print or to hand in; with " }<code>{ "&print=teacher" }</code>
                { " in its address it has the answers." }</p>
            <label>{ "The link" }
                <input id="class-address" type="text" readonly=true value={whole(&rules.list(language))} />
            </label>
        </details>
    }
}

/// Renders the choice when steps are shown.
fn show_choice(rules: &UseStateHandle<Rules>) -> Html {
    let choose = {
        let rules = rules.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlSelectElement>().value();
            let show = ShowPolicy::ALL.iter().find(|(_, it)| *it == value);
            rules.set(Rules {
                show: show.map_or_else(ShowPolicy::default, |(show, _)| *show),
                ..(*rules).clone()
            });
        })
    };
    let option = |((show, value), title): (&(ShowPolicy, &'static str), &'static str)| {
        html! { <option value={*value} selected={rules.show == *show}>{ title }</option> }
    };
    html! {
        <select id="class-show" onchange={choose}>{ for ShowPolicy::ALL.iter().zip(SHOW_TITLES).map(option) }</select>
    }
}
