//! The list of all lessons: a page of its own for `?lessons`, and part of the region if an address
//! names a lesson that does not exist.

use crate::address::quoted;
use crate::keeping::Keeper;
use crate::language::use_language;
use crate::page::lesson::address::{ENGLISH, LessonAddress, pairs};
use crate::page::lesson::files::index;
use crate::page::lesson::in_class;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::Progress;
use crate::page::lesson::records::Records;
use crate::page::lesson::rules::Rules;
use crate::page::lesson::summary;
use crate::page::lesson::words::{blocks, language_of, line};
use crate::page::shell::language_choice::LanguageChoice;
use crate::page::shell::theme::{self, ThemeButton};
use crate::page::shell::unread::{RequestedPage, complaints};
use strata_lessons::Entry;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

/// Renders the list into `root`, in place of the page.
pub fn run(root: Element) {
    root.set_class_name("all-lessons");
    yew::Renderer::<AllLessons>::with_root(root).render();
}

/// True if an address asks for the list. (With `lesson`, the parameter `lessons` names the class's
/// lessons.)
pub fn is_asked_for(query: &str) -> bool {
    let pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let names: Vec<_> = pairs.map(|(key, _)| key).collect();
    let has = |name: &str| names.iter().any(|it| it == name);
    has("lessons") && !has("lesson")
}

/// The page with the list of all lessons.
#[component]
fn AllLessons() -> Html {
    let pairs = pairs();
    let (language, rules) = (use_language().to_owned(), Rules::read(&pairs));
    use_effect_with((), |()| theme::restore());
    html! {
        <>
            <header class="top">
                <div class="brand"><h1>{ label(&language, "Lessons") }</h1><p>{ label(&language, "Each leads through the page: guess, do, see, read.") }</p></div>
                <LanguageChoice />
                <ThemeButton />
            </header>
            <main>
                <nav class="panel" aria-label="Elsewhere">
                    <a href="./">{ label(&language, "The playground") }</a>
                    if rules == Rules::default() {
                        <a id="in-class" href={format!("./{}", in_class::address(&language))}>{ label(&language, "In class: for teachers") }</a>
                    }
                </nav>
                { for complaints(RequestedPage::List, &pairs).into_iter().map(|complaint| html! { <p class="lesson-list-note" role="alert">{ complaint }</p> }) }
                <LessonList {language} is_page=true />
            </main>
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct LessonListProperties {
    pub language: String,
    /// True if the list is a page of its own, with records.
    #[prop_or_default]
    pub is_page: bool,
}

/// Every lesson with its goal, its steps, and the learner's progress.
#[component]
pub fn LessonList(properties: &LessonListProperties) -> Html {
    let language = &properties.language;
    let entries = use_state_eq(|| None::<Result<Vec<Entry>, ()>>);
    let progress = use_state_eq(Vec::<(String, String)>::new);
    let changed_at = use_state_eq(|| 0.0);
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
        use_effect_with(*changed_at, move |_| {
            let keeper = Keeper::new(Callback::noop(), Callback::noop());
            keeper.read_progress(Callback::from(move |all| progress.set(all)));
        });
    }
    let rules = Rules::read(&pairs());
    let (listed, unknown) = match &*entries {
        None => {
            return html! { <p class="lesson-list-note">{ label(language, "The list of lessons is on its way.") }</p> };
        }
        Some(Err(())) => {
            return html! { <p class="lesson-list-note" role="alert">{ label(language, "The list of lessons could not be fetched: reload the page when there is a network.") }</p> };
        }
        Some(Ok(entries)) => (listed(entries, &rules), unknown(entries, &rules)),
    };
    let changed = Callback::from(move |()| changed_at.set(js_sys::Date::now()));
    let progress_in = |name: &str| {
        let found = progress.iter().find(|(lesson, _)| lesson == name);
        found.map(|(_, text)| text.as_str())
    };
    html! {
        <>
            if let Some(unknown) = unknown {
                <p class="lesson-list-note" role="alert">{ unknown }</p>
            }
            <ol class="lesson-list">
                { for listed.iter().map(|entry| item(entry, language, &listed, progress_in(&entry.name), properties.is_page)) }
            </ol>
            if properties.is_page {
                <Records language={language.clone()} all={(*progress).clone()} {changed} />
            }
        </>
    }
}

/// Returns the lessons of the class.
fn listed(entries: &[Entry], rules: &Rules) -> Vec<Entry> {
    let listed = entries.iter().filter(|entry| rules.has(&entry.name));
    listed.cloned().collect()
}

/// Returns a sentence on lessons of the class that do not exist.
fn unknown(entries: &[Entry], rules: &Rules) -> Option<String> {
    let is_there = |name: &String| entries.iter().any(|entry| entry.name == *name);
    let missing = rules.lessons.iter().filter(|name| !is_there(name));
    let missing: Vec<String> = missing.cloned().collect();
    (!missing.is_empty()).then(|| {
        format!(
            "The page's address asks for {}, which is no lesson here.",
            quoted(&missing)
        )
    })
}

fn item(
    entry: &Entry,
    language: &str,
    all: &[Entry],
    progress: Option<&str>,
    is_page: bool,
) -> Html {
    // A lesson that lacks the language is listed in English.
    let own = if entry.languages.iter().any(|it| it == language) {
        language
    } else {
        ENGLISH
    };
    let link = |lesson: &str, step: Option<&str>| {
        let address = LessonAddress {
            step: step.map(str::to_owned),
            ..LessonAddress::here(lesson, language)
        };
        format!("./{}", address.query())
    };
    // Progress in any version of the lesson counts here.
    let read = progress.and_then(Progress::parsed);
    let met = |id: &str| {
        read.as_ref()
            .and_then(|it| it.steps.get(id))
            .map(|it| it.how)
    };
    let is_past = |id: &str| read.as_ref().is_some_and(|it| it.is_past(id));
    let past = entry
        .steps
        .iter()
        .filter(|step| met(&step.id).is_some())
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
                    <small>{ format!(" · {}", label(own, how.words())) }</small>
                }
            </li>
        }
    };
    // Claims would give away what a step asks to guess, so they are shown only after the step.
    let claimed = entry.steps.iter().filter(|it| is_past(&it.id));
    let claims = claimed.filter(|it| !it.claims.is_empty()).map(|it| {
        html! {
            <li><span lang={language_of(own)}>{ line(&it.title, own, &|_| None) }</span>
                <small class="lesson-claims" translate="no">{ it.claims.join("; ") }</small></li>
        }
    });
    let minutes = entry.minutes.to_string();
    let steps = entry.steps.len().to_string();
    html! {
        <li class="panel lesson-card" key={entry.name.clone()} lang={language_of(own)}>
            { picture(&entry.curves) }
            <div>
                <h2><a href={link(&entry.name, None)}>{ line(&entry.title, own, &|_| None) }</a></h2>
                { blocks(&entry.goal, own, &|_| None) }
                <p class="lesson-list-facts">
                    { filled(own, "{} minutes, {} steps", &[&minutes, &steps]) }
                    if past > 0 {
                        { filled(own, ", {} met", &[&past.to_string()]) }
                        <progress value={past.to_string()} max={steps} aria-label={label(own, "Steps that you met")} />
                    }
                    if !needs.is_empty() {
                        { label(own, "; after ") }{ for needs.into_iter().enumerate().map(|(at, it)| html! { <>{ if at > 0 { ", " } else { "" } }{ it }</> }) }
                    }
                </p>
                if past > 0 {
                    <p class="lesson-list-facts"><a href={format!("./{}", summary::address(&entry.name, language, &Rules::read(&pairs())))}>
                        { label(own, "Summary to print or hand in") }</a></p>
                }
                <details open={past > 0}>
                    <summary>{ label(own, "All steps") }</summary>
                    <ol class="lesson-list-steps">{ for entry.steps.iter().map(step) }</ol>
                </details>
                if is_page {
                    <details class="lesson-list-facts">
                        <summary>{ label(own, "For authors: sources and proofs") }</summary>
                        <p translate="no">{ entry.teaches.join(" · ") }</p>
                        if let Some(recorded) = &entry.recorded {
                            <p translate="no">{ format!("Recorded {recorded}") }</p>
                        }
                        <ul>{ for claims }</ul>
                        <p>{ label(own, "Claims are listed once their step is met, for they give away its answer.") }</p>
                    </details>
                }
            </div>
        </li>
    }
}

/// Draws the picture of a lesson: the rising accuracy of recorded runs.
fn picture(curves: &[Vec<u8>]) -> Html {
    let curve = |(at, curve): (usize, &Vec<u8>)| {
        let last = curve.len().saturating_sub(1).max(1) as f64;
        let point = |(at, share): (usize, &u8)| {
            format!(
                "{:.1},{}",
                96.0 * at as f64 / last,
                100 - u32::from(*share) * 96 / 100
            )
        };
        let points: Vec<String> = curve.iter().enumerate().map(point).collect();
        html! { <polyline class={format!("curve-{at}")} points={points.join(" ")} /> }
    };
    html! {
        <svg class="lesson-picture" viewBox="-2 0 100 104" aria-hidden="true">{ for curves.iter().enumerate().map(curve) }</svg>
    }
}
