//! Advice for a teacher, and the lessons in order: minutes, aim, questions and answers.

use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::rules::Rules;
use crate::page::lesson::summary;
use crate::page::lesson::words::{blocks, line};
use strata_lessons::Entry;
use yew::prelude::*;

/// Advice, in three parts of the time.
const ADVICE: [(&str, &[&str]); 3] = [
    (
        "Before",
        &[
            "Everything runs in the browser of each learner. There are no accounts, no server computes, and nothing that learners do leaves their devices.",
            "Make a link below that has your lessons alone, and let everyone open it once while there is a network. From then on the page works without one.",
            "On a phone the lesson covers the lower half of the screen; its arrow folds it. A phone trains slowly: for steps that train, let two share a computer.",
        ],
    ),
    (
        "During",
        &[
            "Each step goes: guess, do, see, read. Let everyone guess before anyone presses a button. The page keeps the guess beside what was measured.",
            "Ask for reasons before the measurement. Questions and answers of each lesson are in the last column below.",
            "All devices begin with the same seed, so their numbers agree up to rounding. To see what is chance, choose “Each learner gets another seed” for the link: the picture at the end of this page then shows how far runs of one experiment lie apart.",
        ],
    ),
    (
        "After",
        &[
            "In the list of lessons, “Save what was done to a file” writes the file strata-lessons.json. Learners name the file as you agreed and hand it in. On devices without files, “Hand in” at the end of each lesson shows a code to copy, send or read out.",
            "Give all files and codes to this page: a table shows who guessed what at which step, and which wrong guess was the most frequent.",
            "Files and codes have a receipt of each run that a step has trained. This page can train these runs again and say which are what they are said to be, and it draws all of them as seeds of one experiment.",
        ],
    ),
];

/// Renders the advice.
pub(super) fn advice(language: &str) -> Html {
    let part = |(title, sentences): &(&'static str, &'static [&'static str])| {
        html! {
            <section>
                <h2>{ label(language, title) }</h2>
                <ul>{ for sentences.iter().map(|it| html! { <li>{ label(language, it) }</li> }) }</ul>
            </section>
        }
    };
    html! { <div class="panel class-advice">{ for ADVICE.iter().map(part) }</div> }
}

/// Renders the lessons as a table.
pub(super) fn plan(entries: &[Entry], language: &str) -> Html {
    let says = |english| label(language, english);
    let whole: u32 = entries.iter().map(|it| it.minutes).sum();
    let row = |(place, entry): (usize, &Entry)| {
        let lesson = LessonAddress::here(&entry.name, language);
        let answers = summary::address(&entry.name, language, &Rules::default());
        let needs = entry.needs.iter();
        let needs = needs.filter_map(|name| entries.iter().position(|it| it.name == *name));
        let needs: Vec<String> = needs.map(|place| (place + 1).to_string()).collect();
        html! {
            <tr key={entry.name.clone()}>
                <th scope="row">{ format!("{}. ", place + 1) }<a href={format!("./{}", lesson.query())}>{ line(&entry.title, language, &|_| None) }</a>
                    if !needs.is_empty() {
                        <small>{ filled(language, "after {}", &[&needs.join(", ")]) }</small>
                    }
                </th>
                <td>{ entry.minutes }</td>
                <td>{ blocks(&entry.goal, language, &|_| None) }</td>
                <td><a href={format!("./{answers}&print=teacher")}>{ filled(language, "{} questions and answers", &[&entry.steps.len().to_string()]) }</a></td>
            </tr>
        }
    };
    html! {
        <section class="panel">
            <h2>{ says("Lessons in order") }</h2>
            <div class="wide-table" tabindex="0" role="region" aria-label={says("Lessons in order")}>
                <table id="class-plan">
                    <thead><tr>
                        <th scope="col">{ says("Lesson") }</th><th scope="col">{ says("Minutes") }</th>
                        <th scope="col">{ says("Aim") }</th><th scope="col">{ says("To ask") }</th>
                    </tr></thead>
                    <tbody>{ for entries.iter().enumerate().map(row) }</tbody>
                </table>
            </div>
            <p class="help">{ filled(language, "{} minutes in all. A number after a title is the place of the lesson that comes first.", &[&whole.to_string()]) }</p>
        </section>
    }
}
