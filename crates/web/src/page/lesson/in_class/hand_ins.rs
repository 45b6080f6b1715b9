//! Progress files that a class handed in, as a table for each lesson. The page reads the files and
//! keeps nothing.

use crate::page::lesson::files;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::{Progress, StepRecord};
use crate::page::lesson::records::{read, text};
use crate::page::lesson::values::guessed;
use crate::page::lesson::verdict::Verdict;
use crate::page::lesson::words::line;
use std::collections::BTreeMap;
use std::rc::Rc;
use strata_lessons::{Compiled, Entry, Step, StepWords, Value};
use wasm_bindgen_futures::spawn_local;
use web_sys::{File, HtmlInputElement};
use yew::prelude::*;

/// The most files that are read at once.
const MOST: usize = 500;

/// A file that a learner handed in.
#[derive(Clone, Debug, PartialEq)]
struct HandIn {
    /// Name of the file, without the extension.
    name: String,
    /// Progress in each lesson.
    lessons: BTreeMap<String, Progress>,
}

/// All files that were handed in, with the lessons in these files.
#[derive(Clone, Debug, Default, PartialEq)]
struct Class {
    learners: Vec<HandIn>,
    lessons: Vec<Compiled>,
    /// Sentences on files that could not be read.
    faults: Vec<String>,
}

#[derive(Properties, PartialEq)]
pub struct HandInsProperties {
    pub language: String,
    pub entries: Vec<Entry>,
}

/// A button that reads files, and the tables of what was read.
#[component]
pub fn HandIns(properties: &HandInsProperties) -> Html {
    let HandInsProperties { language, entries } = properties;
    let class = use_state(|| Rc::new(Class::default()));
    let says = |english| label(language, english);
    let choose = {
        let (class, language, entries) = (class.clone(), language.clone(), entries.clone());
        Callback::from(move |event: Event| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            let Some(list) = input.files() else {
                return;
            };
            let files: Vec<File> = (0..list.length()).filter_map(|at| list.get(at)).collect();
            input.set_value("");
            let (class, language, entries) = (class.clone(), language.clone(), entries.clone());
            spawn_local(async move {
                class.set(Rc::new(taken_in(files, &language, &entries).await));
            });
        })
    };
    html! {
        <section class="panel" id="hand-ins">
            <h2>{ says("What was handed in") }</h2>
            <p class="help">{ says("The files are read in this page alone: nothing is sent, and nothing is kept after you leave.") }</p>
            <label class="line">{ says("Files of learners") }
                <input type="file" id="hand-in-files" multiple=true accept=".json" onchange={choose} />
            </label>
            { for class.faults.iter().map(|fault| html! { <p role="alert">{ fault }</p> }) }
            { for class.lessons.iter().map(|lesson| table(lesson, &class.learners)) }
        </section>
    }
}

/// Reads files, and fetches the lessons that they are about.
async fn taken_in(files: Vec<File>, language: &str, entries: &[Entry]) -> Class {
    let mut class = Class::default();
    if files.len() > MOST {
        class.faults.push(filled(
            language,
            "The first {} files are read.",
            &[&MOST.to_string()],
        ));
    }
    for file in files.into_iter().take(MOST) {
        match text(&file).await.and_then(|text| read(&text)) {
            Some(lessons) => class.learners.push(HandIn {
                name: learner(&file.name()),
                lessons: lessons.into_iter().collect(),
            }),
            None => class.faults.push(filled(
                language,
                "{} is not a progress file saved by Strata: ask for the file that “Save what was done to a file” writes.",
                &[&file.name()],
            )),
        }
    }
    class.learners.sort_by(|a, b| a.name.cmp(&b.name));
    let is_about = |entry: &&Entry| {
        let mut learners = class.learners.iter();
        learners.any(|it| it.lessons.contains_key(&entry.name))
    };
    for entry in entries.iter().filter(is_about) {
        match files::lesson(&entry.name, language).await {
            Ok(lesson) => class.lessons.push(lesson),
            Err(_) => class.faults.push(filled(
                language,
                "The lesson {} could not be fetched: choose the files again when there is a network.",
                &[&entry.name],
            )),
        }
    }
    class
}

/// Returns a learner's name: the name of the file, without the extension.
fn learner(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.chars().take(60).collect()
}

/// Renders who guessed what in a lesson.
fn table(lesson: &Compiled, learners: &[HandIn]) -> Html {
    let language = &lesson.language;
    let says = |english| label(language, english);
    let version = lesson.lesson.version;
    let of = |learner: &HandIn| {
        let own = learner.lessons.get(&lesson.name);
        own.filter(|it| it.version == version).cloned()
    };
    let rows: Vec<(&str, Progress)> = learners
        .iter()
        .filter_map(|it| Some((it.name.as_str(), of(it)?)))
        .collect();
    let earlier = learners.iter().filter(|it| {
        let own = it.lessons.get(&lesson.name);
        own.is_some_and(|it| it.version != version)
    });
    let earlier: Vec<&str> = earlier.map(|it| it.name.as_str()).collect();
    let steps: Vec<(&Step, &StepWords)> = lesson
        .lesson
        .steps
        .iter()
        .filter_map(|step| Some((step, lesson.words.steps.get(&step.id)?)))
        .collect();
    let head = |(step, words): &(&Step, &StepWords)| {
        html! { <th scope="col" key={step.id.clone()}>{ line(&words.title, language, &|_| None) }</th> }
    };
    let row = |(name, progress): &(&str, Progress)| {
        html! {
            <tr>
                <th scope="row" translate="no">{ *name }</th>
                { for steps.iter().map(|(step, words)| cell(step, words, progress.steps.get(&step.id), language)) }
            </tr>
        }
    };
    let sum = |(step, words): &(&Step, &StepWords)| {
        let met: Vec<&StepRecord> = rows
            .iter()
            .filter_map(|(_, progress)| progress.steps.get(&step.id))
            .collect();
        html! { <td>{ summed(step, words, &met, language) }</td> }
    };
    html! {
        <section class="hand-in">
            <h3>{ line(&lesson.words.title, language, &|_| None) }</h3>
            if !earlier.is_empty() {
                <p class="help">{ filled(language, "Done in an earlier version of the lesson, and so not shown: {}.", &[&earlier.join(", ")]) }</p>
            }
            if !rows.is_empty() {
                <div class="wide-table" tabindex="0" role="region" aria-label={says("What was handed in")}>
                    <table>
                        <thead><tr><th scope="col">{ says("Learner") }</th>{ for steps.iter().map(head) }</tr></thead>
                        <tbody>{ for rows.iter().map(row) }</tbody>
                        <tfoot><tr><th scope="row">{ says("Together") }</th>{ for steps.iter().map(sum) }</tr></tfoot>
                    </table>
                </div>
            }
        </section>
    }
}

/// Renders the guess of one learner at one step, and the verdict.
fn cell(step: &Step, words: &StepWords, met: Option<&StepRecord>, language: &str) -> Html {
    let Some(met) = met else {
        return html! { <td>{ "–" }</td> };
    };
    let how = label(language, met.how.words());
    let (Some(guess), Some(measured)) = (&met.guess, &met.measured) else {
        return html! { <td><small>{ how }</small></td> };
    };
    let verdict = Verdict::of(guess, measured);
    let kind = match verdict {
        Verdict::Right => "right",
        _ => "wrong",
    };
    html! {
        <td data-verdict={kind}>
            <span aria-hidden="true">{ verdict.mark() }</span><span class="unseen">{ verdict.words(language) }</span>
            { " " }{ guessed(step, words, language, guess) }{ " " }<small>{ how }</small>
        </td>
    }
}

/// Renders how many were right at a step, and the most frequent wrong guess.
fn summed(step: &Step, words: &StepWords, met: &[&StepRecord], language: &str) -> Html {
    let (right, guesses, wrong) = counted(met);
    if guesses == 0 {
        return html! { { filled(language, "{} did this step", &[&met.len().to_string()]) } };
    }
    let right = filled(
        language,
        "{} of {} right",
        &[&right.to_string(), &guesses.to_string()],
    );
    html! {
        <>
            { right }
            if let Some((value, times)) = wrong {
                { "; " }{ label(language, "most often wrong:") }{ " " }{ guessed(step, words, language, value) }
                { format!(" ({times})") }
            }
        </>
    }
}

/// Counts right guesses, all guesses, and the most frequent wrong guess. Of equally
/// frequent ones the first counts; a guess of a number that nobody repeats is no frequent one.
fn counted<'a>(met: &[&'a StepRecord]) -> (usize, usize, Option<(&'a Value, usize)>) {
    let both = |it: &&'a StepRecord| it.guess.as_ref().zip(it.measured.as_ref());
    let both: Vec<_> = met.iter().filter_map(both).collect();
    let is_right =
        |(guess, measured): &(&Value, &Value)| Verdict::of(guess, measured) == Verdict::Right;
    let mut wrong: Vec<(&Value, usize)> = Vec::new();
    for &(guess, _) in both.iter().filter(|it| !is_right(it)) {
        match wrong.iter_mut().find(|(known, _)| *known == guess) {
            Some((_, times)) => *times += 1,
            None => wrong.push((guess, 1)),
        }
    }
    let right = both.iter().filter(|it| is_right(it)).count();
    let most = wrong.iter().map(|(_, times)| *times).max();
    let most = most.filter(|times| *times > 1 || both.len() == 1);
    let most = most.and_then(|most| wrong.iter().find(|(_, times)| *times == most));
    (right, both.len(), most.copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::lesson::progress::Completion;

    fn met(guess: Option<Value>, measured: Value) -> StepRecord {
        StepRecord {
            how: Completion::Did,
            guess,
            measured: Some(measured),
            values: BTreeMap::new(),
            outcome: String::new(),
            seconds: 1.0,
        }
    }

    #[test]
    fn right_guesses_and_the_most_frequent_wrong_one_are_counted() {
        let guesses = ["same", "more", "less", "less", "more", "less"];
        let all = guesses.map(|it| met(Some(it.into()), "more".into()));
        let none = met(None, "more".into());
        let all: Vec<&StepRecord> = all.iter().chain([&none]).collect();
        assert_eq!(counted(&all), (2, 6, Some((&"less".into(), 3))));
        assert_eq!(counted(&[&none]), (0, 0, None));
        // Numbers that differ are no frequent guess.
        let numbers = [0.2, 0.3, 0.5].map(|it| met(Some(it.into()), 0.5.into()));
        let numbers: Vec<&StepRecord> = numbers.iter().collect();
        assert_eq!(counted(&numbers), (1, 3, None));
    }

    #[test]
    fn a_learner_is_called_as_the_file() {
        assert_eq!(learner("anna.json"), "anna");
        assert_eq!(learner("7b no. 12.json"), "7b no. 12");
        assert_eq!(learner("x"), "x");
    }
}
