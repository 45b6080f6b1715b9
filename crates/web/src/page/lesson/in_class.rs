//! The page for a teacher, `?class`: how to teach with the lessons, a link for a class, and a table
//! of what the class handed in.
//!
//! - `plan`: advice, and the lessons in order; `packages`: packages to take along
//! - `hand_ins`: what was handed in, by `reading` files and codes, as a `table` and a `picture`;
//!   `checking`: repeats the runs of `jobs`; `seeds`: a class as seeds of one experiment

mod checking;
mod hand_ins;
mod jobs;
mod packages;
mod picture;
mod plan;
mod reading;
mod seeds;
mod table;

use crate::language::use_language;
use crate::page::lesson::address::{ENGLISH, pairs};
use crate::page::lesson::class_link::ClassLink;
use crate::page::lesson::files::index;
use crate::page::lesson::labels::label;
use crate::page::lesson::rules::Rules;
use crate::page::lesson::words::language_of;
use crate::page::shell::language_choice::LanguageChoice;
use crate::page::shell::theme::{self, ThemeButton};
use crate::page::shell::unread::{RequestedPage, complaints};
use form_urlencoded::Serializer;
use hand_ins::HandIns;
use packages::Packages;
use plan::{advice, plan};
use strata_lessons::Entry;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

/// Renders the page into `root`.
pub fn run(root: Element) {
    root.set_class_name("all-lessons");
    yew::Renderer::<InClass>::with_root(root).render();
}

/// True if an address asks for this page.
pub fn is_asked_for(query: &str) -> bool {
    let mut pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    pairs.any(|(key, _)| key == "class")
}

/// Returns the query of this page in a language, from `?` on.
pub fn address(language: &str) -> String {
    let mut query = Serializer::new(String::new());
    query.append_key_only("class");
    if language != ENGLISH {
        query.append_pair("lang", language);
    }
    format!("?{}", query.finish())
}

#[component]
fn InClass() -> Html {
    let pairs = pairs();
    let language = use_language().to_owned();
    let entries = use_state_eq(|| None::<Result<Vec<Entry>, ()>>);
    {
        let entries = entries.clone();
        use_effect_with(language.clone(), move |language| {
            theme::restore();
            let language = language.clone();
            spawn_local(async move {
                entries.set(Some(index(&language).await.map_err(|_| ())));
            });
        });
    }
    let says = |english| label(&language, english);
    let body = match &*entries {
        None => {
            html! { <p class="lesson-list-note">{ says("The list of lessons is on its way.") }</p> }
        }
        Some(Err(())) => html! {
            <p class="lesson-list-note" role="alert">
                { says("The list of lessons could not be fetched: reload the page when there is a network.") }</p>
        },
        Some(Ok(entries)) => html! {
            <>
                { plan(entries, &language) }
                <ClassLink language={language.clone()} entries={entries.clone()} />
                <HandIns language={language.clone()} entries={entries.clone()} />
            </>
        },
    };
    html! {
        <>
            <header class="top">
                <div class="brand"><h1>{ says("In class") }</h1>
                    <p>{ says("What to teach in which order, a link for everyone, and what came of it.") }</p></div>
                <LanguageChoice />
                <ThemeButton />
            </header>
            <main class="in-class" lang={language_of(&language)}>
                <nav class="panel" aria-label={says("Elsewhere")}>
                    <a href="./">{ says("The playground") }</a>
                    <a href={format!("./{}", Rules::default().list(&language))}>{ says("All lessons") }</a>
                </nav>
                { for complaints(RequestedPage::Class, &pairs).into_iter().map(|complaint| html! {
                    <p class="lesson-list-note" role="alert">{ complaint }</p>
                }) }
                { advice(&language) }
                { body }
                <Packages language={language.clone()} />
            </main>
        </>
    }
}
