//! The summary of a lesson, to print or to hand in: `?summary=alignment`, with `&print=teacher` for
//! the answers as well. `step`: one step of the summary.

mod step;

use crate::keeping::Keeper;
use crate::language::use_language;
use crate::page::lesson::address::{ENGLISH, LessonAddress, is_name, pairs};
use crate::page::lesson::files;
use crate::page::lesson::hand_in_code::HandInCode;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::Progress;
use crate::page::lesson::region;
use crate::page::lesson::rules::Rules;
use crate::page::lesson::words::{blocks, language_of, line};
use crate::page::shell::language_choice::LanguageChoice;
use crate::page::shell::location;
use crate::page::shell::theme::{self, ThemeButton};
use crate::page::shell::unread::{RequestedPage, complaints};
use crate::served_file::Missing;
use form_urlencoded::Serializer;
use js_sys::{Date, Object};
use std::rc::Rc;
use step::step;
use strata_lessons::{Compiled, plain};
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;
use yew::prelude::*;

/// Value of `print` that adds the answers.
const TEACHER: &str = "teacher";

/// Renders the summary into `root`, in place of the page.
pub fn run(root: Element, lesson: String) {
    root.set_class_name("all-lessons");
    let properties = SummaryProperties { lesson };
    yew::Renderer::<Summary>::with_root_and_props(root, properties).render();
}

/// Returns the lesson whose summary an address asks for.
pub fn asked_for(query: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let (_, lesson) = pairs.find(|(key, _)| key == "summary")?;
    Some(lesson.into_owned())
}

/// Returns the query of a lesson's summary, from `?` on.
pub fn address(lesson: &str, language: &str, rules: &Rules) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("summary", lesson);
    if language != ENGLISH {
        query.append_pair("lang", language);
    }
    rules.write(&mut query);
    if !rules.lessons.is_empty() {
        query.append_pair("lessons", &rules.lessons.join(","));
    }
    format!("?{}", query.finish())
}

#[derive(Properties, PartialEq)]
struct SummaryProperties {
    lesson: String,
}

/// A lesson and the learner's progress, once both have been read.
type Found = Result<(Rc<Compiled>, Rc<Progress>), Missing>;

#[component]
fn Summary(properties: &SummaryProperties) -> Html {
    let name = &properties.lesson;
    let language = use_language().to_owned();
    let found = use_state(|| None::<Found>);
    {
        let found = found.clone();
        use_effect_with((name.clone(), language.clone()), move |(name, language)| {
            theme::restore();
            let (name, language) = (name.clone(), language.clone());
            spawn_local(async move {
                let lesson = match files::lesson(&name, &language).await {
                    Ok(lesson) => Rc::new(lesson),
                    Err(missing) => return found.set(Some(Err(missing))),
                };
                set_title(&plain(&lesson.words.title));
                let keeper = Keeper::new(Callback::noop(), Callback::noop());
                keeper.read_progress(Callback::from(move |all: Vec<(String, String)>| {
                    let own = all.iter().find(|(lesson, _)| *lesson == name);
                    let own = own.and_then(|(_, text)| Progress::parsed(text));
                    let progress = Rc::new(own.unwrap_or_default());
                    found.set(Some(Ok((lesson.clone(), progress))));
                }));
            });
        });
    }
    let says = |english| label(&language, english);
    let body = match &*found {
        None => html! { <p class="lesson-list-note">{ says("The summary is on its way.") }</p> },
        Some(Err(Missing::Unknown)) => {
            let name: String = name.chars().take(40).collect();
            html! { <p class="lesson-list-note" role="alert">{ filled(&language, "There is no lesson “{}”.", &[&name]) }</p> }
        }
        Some(Err(Missing::Unreachable)) => html! {
            <p class="lesson-list-note" role="alert">
                { says("The lesson could not be fetched: reload the page when there is a network.") }</p>
        },
        Some(Ok((lesson, progress))) => html! {
            <>
                <section class="panel no-print"><HandInCode lesson={lesson.clone()} progress={progress.clone()} language={language.clone()} /></section>
                { article(lesson, progress, is_for_teacher()) }
            </>
        },
    };
    html! {
        <>
            <header class="top">
                <div class="brand"><h1>{ says("Summary") }</h1>
                    <p>{ says("Your guesses, the measured values, and a link that reproduces each.") }</p></div>
                <LanguageChoice />
                <ThemeButton />
            </header>
            <main class="summary" lang={language_of(&language)}>
                { ways(name, &language) }
                { body }
            </main>
        </>
    }
}

/// True if the address asks for the answers.
fn is_for_teacher() -> bool {
    let pairs = pairs();
    pairs
        .iter()
        .any(|(key, value)| key == "print" && value == TEACHER)
}

/// Renders links to the lesson and the list, and the button that prints.
fn ways(lesson: &str, language: &str) -> Html {
    let says = |english| label(language, english);
    let rules = Rules::read(&pairs());
    let print = Callback::from(|_: MouseEvent| {
        if let Some(window) = web_sys::window() {
            // A browser that cannot print does nothing.
            let _ = window.print();
        }
    });
    html! {
        <nav class="panel" aria-label={says("Summary")}>
            if is_name(lesson) {
                <a id="summary-lesson" href={format!("./{}", LessonAddress::here(lesson, language).query())}>{ says("Back to the lesson") }</a>
            }
            <a href={format!("./{}", rules.list(language))}>{ says("All lessons") }</a>
            <button type="button" id="summary-print" onclick={print}>{ says("Print") }</button>
            { for complaints(RequestedPage::Summary, &pairs()).into_iter().map(|complaint| html! { <p role="alert">{ complaint }</p> }) }
        </nav>
    }
}

/// Renders the summary as a sheet of paper.
fn article(lesson: &Compiled, progress: &Progress, is_for_teacher: bool) -> Html {
    let language = &lesson.language;
    let steps = &lesson.lesson.steps;
    let address = location::whole(&LessonAddress::of(&lesson.name, language).query());
    html! {
        <article class="panel" lang={language_of(language)}>
            <h2>{ line(&lesson.words.title, language, &|_| None) }</h2>
            <label class="summary-name"><span>{ label(language, "Your name (it stays on this machine)") }</span>
                <input id="summary-name" type="text" autocomplete="off" /></label>
            <p id="summary-facts"><span translate="no">{ today(language) }</span>{ " · " }
                { region::steps_done(progress, steps.len(), language) }{ " " }<a href={address.clone()} translate="no">{ address }</a></p>
            { blocks(&lesson.words.goal, language, &|_| None) }
            <ol class="summary-steps">
                { for (0..steps.len()).map(|number| step(lesson, progress, number, is_for_teacher)) }
            </ol>
        </article>
    }
}

/// Returns today's date in the form of the language.
fn today(language: &str) -> String {
    let options = Object::new();
    for (key, value) in [("year", "numeric"), ("month", "long"), ("day", "numeric")] {
        // Setting a property of a plain object never fails.
        let _ = js_sys::Reflect::set(&options, &key.into(), &value.into());
    }
    let date = Date::new_0().to_locale_date_string(language, &options);
    String::from(date)
}

/// Sets the document's title, which browsers print above the sheet.
fn set_title(lesson: &str) {
    if let Some(document) = web_sys::window().and_then(|window| window.document()) {
        document.set_title(&format!("{lesson} — Strata"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_lesson_and_keeps_the_rules_of_a_class() {
        let rules = Rules::read(&[("show".to_owned(), "0".to_owned())]);
        let query = address("levels", "de", &rules);
        assert_eq!(query, "?summary=levels&lang=de&show=0");
        assert_eq!(asked_for(&query).as_deref(), Some("levels"));
        assert_eq!(asked_for("?lesson=levels"), None);
    }
}
