//! The list of all lessons: a page of its own for `?lessons`, and part of the region where an
//! address names no lesson that there is.

use crate::keeping::Keeper;
use crate::page::lesson::files::index;
use crate::page::lesson::place::{ENGLISH, Place, language};
use crate::page::lesson::progress::Progress;
use crate::page::lesson::words::{blocks, language_of, line};
use crate::page::location::query;
use crate::page::theme::{self, ThemeButton};
use std::rc::Rc;
use strata_lessons::Entry;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

/// Languages by their codes, in their own words.
const LANGUAGES: [(&str, &str); 2] = [(ENGLISH, "English"), ("de", "Deutsch")];

/// Shows the list in the place of the page.
pub fn run(root: Element) {
    root.set_class_name("all-lessons");
    yew::Renderer::<AllLessons>::with_root(root).render();
}

/// True if an address asks for the list.
pub fn is_asked_for(query: &str) -> bool {
    let pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let mut names = pairs.map(|(key, _)| key);
    names.any(|it| it == "lessons")
}

/// The page of all lessons.
#[component]
fn AllLessons() -> Html {
    let pairs = query();
    let pairs = form_urlencoded::parse(pairs.trim_start_matches('?').as_bytes());
    let language = language(&pairs.into_owned().collect::<Vec<_>>());
    use_effect_with((), |()| theme::restore());
    html! {
        <>
            <header class="top">
                <div class="brand"><h1>{ "Lessons" }</h1><p>{ "Each leads through the page: guess, do, see, read." }</p></div>
                <ThemeButton />
            </header>
            <main>
                <nav class="panel" aria-label="Elsewhere">
                    <a href="./">{ "The playground" }</a>
                    { for LANGUAGES.iter().filter(|(code, _)| *code != language).map(|(code, name)| html! {
                        <a href={format!("./?lessons&lang={code}")} lang={*code} hreflang={*code}>{ *name }</a>
                    }) }
                </nav>
                <LessonList {language} />
            </main>
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct LessonListProperties {
    pub language: String,
}

/// Every lesson with its goal, its steps, and what was done of it.
#[component]
pub fn LessonList(properties: &LessonListProperties) -> Html {
    let language = &properties.language;
    let entries = use_state_eq(|| None::<Result<Vec<Entry>, ()>>);
    let progress = use_state_eq(Vec::<(String, String)>::new);
    {
        let entries = entries.clone();
        use_effect_with(language.clone(), move |language| {
            let language = language.clone();
            spawn_local(async move {
                entries.set(Some(index(&language).await.map_err(|_| ())));
            });
        });
    }
    {
        let progress = progress.clone();
        use_effect_with((), move |()| {
            let keeper = Keeper::new(Callback::noop(), Callback::noop());
            keeper.read_progress(Callback::from(move |all| progress.set(all)));
        });
    }
    let entries: Rc<[Entry]> = match &*entries {
        None => {
            return html! { <p class="lesson-list-note">{ "The list of lessons is on its way." }</p> };
        }
        Some(Err(())) => {
            return html! { <p class="lesson-list-note" role="alert">{ "The list of lessons could not be fetched: reload the page when there is a network." }</p> };
        }
        Some(Ok(entries)) => entries.as_slice().into(),
    };
    let met = |name: &str| {
        let found = progress.iter().find(|(lesson, _)| lesson == name);
        found.map(|(_, text)| text.as_str())
    };
    html! {
        <ol class="lesson-list">
            { for entries.iter().map(|entry| item(entry, language, &entries, met(&entry.name))) }
        </ol>
    }
}

fn item(entry: &Entry, language: &str, all: &[Entry], progress: Option<&str>) -> Html {
    // An entry whose lesson lacks the language has the words of English.
    let own = match entry.languages.iter().any(|it| it == language) {
        true => language,
        false => ENGLISH,
    };
    let link = |lesson: &str, step: Option<&str>| {
        let place = Place {
            step: step.map(str::to_owned),
            ..Place::of(lesson, language)
        };
        format!("./{}", place.query())
    };
    // Whatever its version: what was done was done.
    let read = progress.and_then(Progress::parsed);
    let met = |id: &str| {
        read.as_ref()
            .and_then(|it| it.steps.get(id))
            .map(|it| it.how)
    };
    let past = entry
        .steps
        .iter()
        .filter(|it| met(&it.id).is_some())
        .count();
    let needs = entry
        .needs
        .iter()
        .filter_map(|name| all.iter().find(|it| it.name == *name));
    let needs: Vec<Html> = needs
        .map(|it| html! { <a href={link(&it.name, None)}>{ line(&it.title, own, &|_| None) }</a> })
        .collect();
    let step = |it: &strata_lessons::IndexStep| {
        html! {
            <li><a href={link(&entry.name, Some(&it.id))}>{ line(&it.title, own, &|_| None) }</a>
                if let Some(how) = met(&it.id) {
                    <small>{ format!(" · {}", how.words()) }</small>
                }
            </li>
        }
    };
    html! {
        <li class="panel" key={entry.name.clone()} lang={language_of(own)}>
            <h2><a href={link(&entry.name, None)}>{ line(&entry.title, own, &|_| None) }</a></h2>
            { blocks(&entry.goal, own, &|_| None) }
            <p class="lesson-list-facts" lang="en">
                { format!("{} minutes, {} steps", entry.minutes, entry.steps.len()) }
                if past > 0 {
                    { format!(", {past} met") }
                }
                if !needs.is_empty() {
                    { "; after " }{ for needs.into_iter().enumerate().map(|(at, it)| html! { <>{ if at > 0 { ", " } else { "" } }{ it }</> }) }
                }
                if !entry.teaches.is_empty() {
                    <span translate="no">{ format!(" · {}", entry.teaches.join(" · ")) }</span>
                }
            </p>
            <ol class="lesson-list-steps">{ for entry.steps.iter().map(step) }</ol>
        </li>
    }
}
