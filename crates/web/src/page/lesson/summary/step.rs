//! A step in the summary: its texts, the guess beside the measured value, curves, and addresses.

use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::curves::history;
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::{Completion, Progress, StepRecord};
use crate::page::lesson::values::{guessed, value};
use crate::page::lesson::words::{blocks, line, text};
use crate::page::shell::location;
use crate::page::watch::curves::accuracies;
use crate::page::watch::drawing::OnPage;
use std::collections::BTreeMap;
use strata_lessons::{Block, Compiled, MEASURED, Step, StepWords, written};
use yew::prelude::*;

/// Renders a step with its outcome.
pub(super) fn step(
    lesson: &Compiled,
    progress: &Progress,
    number: usize,
    is_for_teacher: bool,
) -> Html {
    let step = &lesson.lesson.steps[number];
    let Some(words) = lesson.words.steps.get(&step.id) else {
        return Html::default();
    };
    let language = &lesson.language;
    let says = |english| label(language, english);
    let met = progress.steps.get(&step.id);
    let values = met.map(|it| &it.values);
    let before = |name: &str| value(lesson, step, values.as_slice(), name);
    let section = |name: &str| {
        let found = words.sections.get(name);
        found.map_or_else(Html::default, |it| text(it, language, &before))
    };
    let options = (!words.options.is_empty()).then(|| Block::List(words.options.clone()));
    html! {
        <li id={format!("summary-{}", step.id)}>
            <h3>{ line(&words.title, language, &|_| None) }<small>{ format!(" · {}", how(met, language)) }</small></h3>
            { text(&words.intro, language, &before) }
            if step.guess.is_some() {
                { section("guess") }
                if let Some(options) = options {
                    { blocks(&[options], language, &before) }
                }
            }
            { section("do") }
            if let Some(met) = met.filter(|it| it.how != Completion::Skipped) {
                <dl class="summary-results">
                    if step.guess.is_some() {
                        <dt>{ says("Your guess") }</dt>
                        <dd class="summary-guess">{ match &met.guess {
                            Some(guess) => guessed(step, words, language, guess),
                            None => html! { <>{ says("no guess") }</> },
                        } }</dd>
                        if let Some(measured) = &met.measured {
                            <dt>{ says(if step.guess.as_ref().is_some_and(|it| it.answer.is_some()) { "The answer" } else { "Measured" }) }</dt>
                            <dd class="summary-measured">{ guessed(step, words, language, measured) }</dd>
                        }
                    }
                    { numbers(step, met, language) }
                </dl>
                { curves(lesson, progress, step) }
            }
            if is_for_teacher {
                { answer(lesson, step, words, met) }
            }
            { addresses(lesson, step) }
        </li>
    }
}

/// Writes how the learner got past the step, and the time that it took.
fn how(met: Option<&StepRecord>, language: &str) -> String {
    let Some(met) = met else {
        return label(language, "not done yet").to_owned();
    };
    let words = label(language, met.how.words());
    match met.seconds {
        seconds if seconds > 0.0 => {
            let taken = filled(language, "in {} s", &[&format!("{seconds:.0}")]);
            format!("{words} {taken}")
        }
        _ => words.to_owned(),
    }
}

/// Renders the other values that were measured.
fn numbers(step: &Step, met: &StepRecord, language: &str) -> Html {
    let others = met.values.iter().filter(|(name, _)| *name != MEASURED);
    let others: Vec<String> = others
        .map(|(name, value)| format!("{name} {}", written(value, step.unit(name), language)))
        .collect();
    if others.is_empty() {
        return Html::default();
    }
    html! {
        <>
            <dt>{ label(language, "Numbers") }</dt>
            <dd class="summary-numbers" translate="no">{ others.join(" · ") }</dd>
        </>
    }
}

/// Draws the accuracy of the step's run, if it was trained here, and of the runs that it is
/// compared with.
fn curves(lesson: &Compiled, progress: &Progress, step: &Step) -> Html {
    let recorded = lesson.recorded.as_ref().map(|it| &it.runs);
    let run = |name: &str| {
        let own = progress.runs.get(name);
        own.or_else(|| recorded.and_then(|it| it.get(name)))
    };
    let own = progress.runs.get(&step.setup.experiment);
    let (true, Some(own)) = (step.action.trains() || !step.others().is_empty(), own) else {
        return Html::default();
    };
    let mut runs = vec![(label(&lesson.language, "your run").to_owned(), history(own))];
    for name in step.others() {
        runs.extend(run(&name).map(|it| (name, history(it))));
    }
    html! { <figure>{ accuracies(runs).view() }</figure> }
}

/// Renders the right answer with its explanation, from the measured or else from the recorded
/// values.
fn answer(lesson: &Compiled, step: &Step, words: &StepWords, met: Option<&StepRecord>) -> Html {
    let language = &lesson.language;
    let recorded = lesson.recorded.as_ref();
    let recorded = recorded.and_then(|it| it.steps.get(&step.id));
    let met = met.filter(|it| it.how != Completion::Skipped);
    let none = BTreeMap::new();
    let values = met.map_or(&none, |it| &it.values);
    let after = |name: &str| value(lesson, step, &[values], name);
    let right = values.get(MEASURED);
    let right = right.or_else(|| recorded.and_then(|it| it.values.get(MEASURED)));
    let outcome = met
        .map(|it| it.outcome.as_str())
        .filter(|it| !it.is_empty());
    let outcome = outcome.or_else(|| recorded.map(|it| it.outcome.as_str()));
    // What was recorded with an earlier version may name a text that is gone.
    let outcome = outcome.filter(|it| step.texts().contains(it));
    let first = || step.texts().first().copied().unwrap_or("after");
    let said = words.sections.get(outcome.unwrap_or_else(first));
    html! {
        <section class="summary-answer">
            <h4>{ label(language, "Answer") }
                if let Some(right) = right.filter(|_| step.guess.is_some()) {
                    { ": " }<b>{ guessed(step, words, language, right) }</b>
                }
            </h4>
            if let Some(said) = said {
                { text(said, language, &after) }
            }
        </section>
    }
}

/// Renders the addresses of the step and of its experiment.
fn addresses(lesson: &Compiled, step: &Step) -> Html {
    let language = &lesson.language;
    let address = LessonAddress {
        step: Some(step.id.clone()),
        ..LessonAddress::here(&lesson.name, language)
    };
    let experiment = lesson.lesson.experiments.get(&step.setup.experiment);
    let link = |words: &'static str, query: &str, class: &'static str| {
        let address = location::whole(query);
        html! { <>{ label(language, words) }{ ": " }<a {class} href={address.clone()} translate="no">{ address }</a></> }
    };
    html! {
        <p class="summary-addresses">
            { link("The step again", &address.query(), "summary-step") }<br />
            if let Some(experiment) = experiment {
                { link("Its experiment", &format!("?v=1&{experiment}"), "summary-experiment") }
            }
        </p>
    }
}
