//! The link that a teacher makes for a class: to copy, to try, and as a code for cameras.

use crate::page::lesson::labels::label;
use crate::page::lesson::rules::{PANELS, Rules, ShowPolicy};
use crate::page::lesson::words::line;
use crate::page::shell::location::whole;
use crate::page::shell::permalink::to_clipboard;
use qrcodegen::{QrCode, QrCodeEcc};
use strata_lessons::Entry;
use wasm_bindgen_futures::spawn_local;
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
    let own_seeds = change(|rules, _, is_own| rules.own_seed = is_own, String::new());
    let says = |english| label(language, english);
    html! {
        <section class="panel" id="class-link">
            <h2>{ says("A link for a class") }</h2>
            <fieldset><legend>{ says("Lessons (leave empty for all)") }</legend>{ for entries.iter().map(lesson) }</fieldset>
            <label class="line">{ says("“Show me” is offered ") }
                { show_choice(&rules, language) }
            </label>
            { check(html! { says("Steps may be skipped") }, !rules.is_strict, strict) }
            { check(html! { <>{ says("Each learner gets another seed") }<small>{ says("so that a class sees what is chance; recorded models are of the lesson’s seed, so looking at a trained model may take longer") }</small></> }, rules.own_seed, own_seeds) }
            <fieldset><legend>{ says("Hidden panels; what a step needs is shown") }</legend>
                { for PANELS.into_iter().zip(TITLES).map(panel) }</fieldset>
            <Made address={whole(&rules.list(language))} language={language.clone()} />
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct MadeProperties {
    address: String,
    language: String,
}

/// The link: a field, buttons, and a code that a phone's camera reads.
#[component]
fn Made(properties: &MadeProperties) -> Html {
    let MadeProperties { address, language } = properties;
    let told = use_state_eq(|| "");
    let says = |english| label(language, english);
    {
        let told = told.clone();
        use_effect_with(address.clone(), move |_| told.set(""));
    }
    let copy = {
        let (told, address) = (told.clone(), address.clone());
        Callback::from(move |_: MouseEvent| {
            let (told, address) = (told.clone(), address.clone());
            spawn_local(async move {
                told.set(if to_clipboard(&address).await {
                    "Copied."
                } else {
                    "The browser did not let the page copy: mark the link and copy it."
                });
            });
        })
    };
    html! {
        <div class="made-link">
            <div>
                <label>{ says("The link") }
                    <input id="class-address" type="text" readonly=true value={address.clone()} />
                </label>
                <p class="lesson-buttons">
                    <button type="button" id="class-copy" onclick={copy}>{ says("Copy the link") }</button>
                    <a href={address.clone()} target="_blank" rel="noopener">{ says("See what the class will see") }</a>
                    <span role="status">{ says(*told) }</span>
                </p>
            </div>
            { code(address, says("The link as a code for a phone's camera")) }
        </div>
    }
}

/// Draws a QR code of a text; draws nothing if the text is too long for a code.
fn code(text: &str, name: &'static str) -> Html {
    /// Modules around a code that stay empty (ISO/IEC 18004).
    const QUIET: i32 = 4;
    let Ok(code) = QrCode::encode_text(text, QrCodeEcc::Medium) else {
        return Html::default();
    };
    let size = code.size();
    let dark = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    let dark = dark.filter(|(x, y)| code.get_module(*x, *y));
    let path: String = dark.map(|(x, y)| format!("M{x} {y}h1v1h-1z")).collect();
    let side = size + 2 * QUIET;
    html! {
        <svg id="class-code" role="img" aria-label={name} viewBox={format!("{} {} {side} {side}", -QUIET, -QUIET)}>
            <rect x={(-QUIET).to_string()} y={(-QUIET).to_string()} width={side.to_string()} height={side.to_string()} fill="#fff" />
            <path d={path} fill="#000" />
        </svg>
    }
}

/// Renders the choice when steps are shown.
fn show_choice(rules: &UseStateHandle<Rules>, language: &str) -> Html {
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
        html! { <option value={*value} selected={rules.show == *show}>{ label(language, title) }</option> }
    };
    html! {
        <select id="class-show" onchange={choose}>{ for ShowPolicy::ALL.iter().zip(SHOW_TITLES).map(option) }</select>
    }
}
