//! Hand-ins of a class: files and codes, a table and a picture for each lesson, and a check of the
//! runs. The page reads the files and keeps nothing.

use super::checking::{Checker, Checks};
use super::jobs::{Finding, Place, jobs_of};
use super::picture::Picture;
use super::reading::{Class, taken_in};
use super::table::table;
use crate::by_pointer::ByPointer;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::words::line;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use strata_lessons::{Entry, number};
use strata_session::receipt::{TOLERANCE, Verdict};
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct HandInsProperties {
    pub language: String,
    pub entries: Vec<Entry>,
}

/// Fields for files and codes, and what was read.
#[component]
pub fn HandIns(properties: &HandInsProperties) -> Html {
    let HandInsProperties { language, entries } = properties;
    let class = use_state_eq(|| ByPointer::new(Class::default()));
    let checks = use_state_eq(Checks::default);
    let checker = {
        let checks = checks.setter();
        use_memo((), move |()| {
            Checker::new(Callback::from(move |it| checks.set(it)))
        })
    };
    let (files, codes) = (use_mut_ref(Vec::<File>::new), use_mut_ref(String::new));
    // Number of the last reading: an earlier one may end later.
    let reading = use_memo((), |()| Cell::new(0_u32));
    let says = |english| label(language, english);
    let read = {
        let (class, checker) = (class.setter(), checker.clone());
        let (files, codes) = (files.clone(), codes.clone());
        let (language, entries) = (language.clone(), entries.clone());
        Callback::from(move |()| {
            checker.forget();
            let number = reading.get() + 1;
            reading.set(number);
            let (files, codes) = (files.borrow().clone(), codes.borrow().clone());
            let (class, reading) = (class.clone(), reading.clone());
            let (language, entries) = (language.clone(), entries.clone());
            let checker = checker.clone();
            spawn_local(async move {
                let found = taken_in(files, &codes, &language, &entries).await;
                if reading.get() == number {
                    // A check that began meanwhile is one of the class before.
                    checker.forget();
                    class.set(ByPointer::new(found));
                }
            });
        })
    };
    let choose = {
        let (read, files) = (read.clone(), files.clone());
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let Some(list) = input.files() else {
                return;
            };
            *files.borrow_mut() = (0..list.length()).filter_map(|at| list.get(at)).collect();
            read.emit(());
        })
    };
    // Without this, choosing the same file again would be no change.
    let forget = Callback::from(|event: MouseEvent| {
        event
            .target_unchecked_into::<HtmlInputElement>()
            .set_value("");
    });
    let field = use_node_ref();
    let take_codes = {
        let (read, codes, field) = (read.clone(), codes.clone(), field.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(field) = field.cast::<HtmlTextAreaElement>() {
                *codes.borrow_mut() = field.value();
                read.emit(());
            }
        })
    };
    let refuted: BTreeSet<Place> = checks
        .findings
        .iter()
        .filter(|(_, finding)| finding.is_refuted())
        .map(|(place, _)| place.clone())
        .collect();
    let lessons = class.lessons.iter().enumerate().map(|(at, lesson)| {
        html! {
            <section class="hand-in" key={lesson.name.clone()}>
                <h3>{ line(&lesson.words.title, language, &|_| None) }</h3>
                <Picture class={(*class).clone()} lesson={at} refuted={refuted.clone()} />
                { table(lesson, &class, &checks) }
            </section>
        }
    });
    html! {
        <section class="panel" id="hand-ins">
            <h2>{ says("What was handed in") }</h2>
            <p class="help">{ says("Files and codes are read in this page alone: nothing is sent, and nothing is kept after you leave.") }</p>
            <div class="class-inputs">
                <label>{ says("Files of learners") }
                    <input type="file" id="hand-in-files" multiple=true accept=".json" onclick={forget} onchange={choose} />
                </label>
                <div>
                    <label for="hand-in-codes">{ says("Codes of learners, one a line, each behind a name or number") }</label>
                    <textarea id="hand-in-codes" ref={field} rows="3" spellcheck="false" autocomplete="off" placeholder="Anna 5Y2KD-…" />
                    <button type="button" id="read-codes" onclick={take_codes}>{ says("Read the codes") }</button>
                </div>
            </div>
            { for class.faults.iter().map(|fault| html! { <p role="alert" class="class-fault">{ fault }</p> }) }
            { check(&class, &checks, &checker, language) }
            { for lessons }
        </section>
    }
}

/// Renders the button that checks all runs, the progress of the check, and the result.
fn check(class: &ByPointer<Class>, checks: &Checks, checker: &Rc<Checker>, language: &str) -> Html {
    let (receipts, runs) = jobs_of(class);
    if receipts == 0 {
        return Html::default();
    }
    let says = |english| label(language, english);
    let begin = {
        let (checker, class) = (checker.clone(), class.clone());
        Callback::from(move |_: MouseEvent| checker.begin(&class))
    };
    let stop = {
        let checker = checker.clone();
        Callback::from(move |_: MouseEvent| checker.stop())
    };
    let share = |share: f64| number::share(share);
    let explained = filled(
        language,
        "Each run is trained again here from its address and seed. “The same”: every bit of the parameters agrees. “Near”: losses agree as far as those of two processors do, up to step {} within {} of the first loss, then within {}. “Not so”: they do not. Guesses are not checked.",
        &[
            &TOLERANCE.first.to_string(),
            &share(TOLERANCE.near_first),
            &share(TOLERANCE.near_later),
        ],
    );
    let controls = match checks.progress {
        Some([done, all, step, last]) => {
            let count = number::count;
            let words = filled(
                language,
                "Run {} of {}: step {} of {}.",
                &[
                    &count((done + 1).min(all)),
                    &count(all),
                    &count(step),
                    &count(last),
                ],
            );
            let share = (done as f64 + step as f64 / last.max(1) as f64) / all.max(1) as f64;
            html! {
                <>
                    <progress value={share.to_string()} max="1" aria-hidden="true" />
                    <span id="check-progress">{ words }</span>
                    <button type="button" id="stop-check" onclick={stop}>{ says("Stop") }</button>
                </>
            }
        }
        None => {
            let counts = [receipts, runs].map(|it| it.to_string());
            let words = match (receipts, runs) {
                (1, _) => says("Check one run").to_owned(),
                (_, 1) => filled(language, "Check {} hand-ins of one run", &[&counts[0]]),
                _ => filled(
                    language,
                    "Check {} hand-ins ({} different runs)",
                    &[&counts[0], &counts[1]],
                ),
            };
            html! { <button type="button" id="check-runs" class="primary" onclick={begin}>{ words }</button> }
        }
    };
    html! {
        <div id="class-check">
            <p class="help">{ explained }</p>
            <div class="lesson-buttons">{ controls }</div>
            <p role="status" id="check-result">{ summary(checks, language) }</p>
        </div>
    }
}

/// Counts the verdicts of the check in words; nothing while the check goes on.
fn summary(checks: &Checks, language: &str) -> Option<String> {
    if checks.findings.is_empty() || checks.progress.is_some() {
        return None;
    }
    let count = |is: fn(&Finding) -> bool| checks.findings.values().filter(|it| is(it)).count();
    let same = count(|it| matches!(it, Finding::Checked(Verdict::Same)));
    let near = count(|it| matches!(it, Finding::Checked(Verdict::Near(_))));
    let not_so = count(Finding::is_refuted);
    let all = checks.findings.len();
    let others = all - same - near - not_so;
    let counts = [all, same, near, not_so, others].map(|it| it.to_string());
    let counts: Vec<&str> = counts.iter().map(String::as_str).collect();
    let sentence = "{} checked: {} the same, {} near, {} not so, {} cannot be checked.";
    Some(filled(language, sentence, &counts))
}
