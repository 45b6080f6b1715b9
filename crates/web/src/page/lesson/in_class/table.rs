//! A table of what was handed in for a lesson: a row for each learner, a column for each step.

use super::checking::Checks;
use super::jobs::{Finding, Reason};
use super::reading::{Class, listed};
use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::progress::{Completion, Progress, StepRecord};
use crate::page::lesson::values::guessed;
use crate::page::lesson::verdict::Verdict;
use crate::page::lesson::words::line;
use strata_lessons::{Compiled, Step, StepWords, Value, number, plain};
use strata_session::receipt::{Quantity, Verdict as RunVerdict};
use yew::prelude::*;

/// Renders who guessed what in a lesson, and which runs are what they are said to be.
pub(super) fn table(lesson: &Compiled, class: &Class, checks: &Checks) -> Html {
    let language = &lesson.language;
    let says = |english| label(language, english);
    let version = lesson.lesson.version;
    let learners = class.learners.iter().enumerate();
    let own = learners.filter_map(|(at, it)| Some((at, &it.name, it.lessons.get(&lesson.name)?)));
    let (rows, earlier): (Vec<_>, Vec<_>) = own.partition(|it| it.2.version == version);
    let earlier: Vec<String> = earlier.into_iter().map(|it| it.1.clone()).collect();
    let steps: Vec<(&Step, &StepWords)> = lesson
        .lesson
        .steps
        .iter()
        .filter_map(|step| Some((step, lesson.words.steps.get(&step.id)?)))
        .collect();
    let head = |(step, words): &(&Step, &StepWords)| {
        html! { <th scope="col" key={step.id.clone()}>{ line(&words.title, language, &|_| None) }</th> }
    };
    let row = |(at, name, progress): &(usize, &String, &Progress)| {
        let cell = |(step, words): &(&Step, &StepWords)| {
            let place = (*at, lesson.name.clone(), step.id.clone());
            let found = checks.findings.get(&place);
            cell(step, words, progress.steps.get(&step.id), found, language)
        };
        html! {
            <tr>
                <th scope="row" translate="no">{ (*name).clone() }</th>
                { for steps.iter().map(cell) }
            </tr>
        }
    };
    let sum = |(step, words): &(&Step, &StepWords)| {
        let met = rows.iter().filter_map(|it| it.2.steps.get(&step.id));
        let met: Vec<&StepRecord> = met.collect();
        html! { <td>{ summed(step, words, &met, language) }</td> }
    };
    html! {
        <>
            if !earlier.is_empty() {
                <p class="help">{ filled(language, "Done in another version of the lesson, and so neither shown nor checked: {}.", &[&listed(&earlier)]) }</p>
            }
            if !rows.is_empty() {
                <div class="wide-table" tabindex="0" role="region" aria-label={says("What was handed in")}>
                    <table>
                        <thead><tr><th scope="col">{ says("Learner") }</th>{ for steps.iter().map(head) }</tr></thead>
                        <tbody>{ for rows.iter().map(row) }</tbody>
                        <tfoot><tr><th scope="row">{ says("Together") }</th>{ for steps.iter().map(sum) }</tr></tfoot>
                    </table>
                </div>
                { told(lesson, class, checks) }
            }
        </>
    }
}

/// Renders the guess of one learner at one step, the verdict, and what was found of the run.
fn cell(
    step: &Step,
    words: &StepWords,
    met: Option<&StepRecord>,
    found: Option<&Finding>,
    language: &str,
) -> Html {
    let Some(met) = met else {
        return html! { <td>{ "–" }</td> };
    };
    let how = label(language, met.how.words());
    let run = match &met.receipt {
        Some(receipt) => {
            let (kind, verdict) = name_of(found, language);
            let taken = number::count(receipt.step);
            let words = match receipt.step {
                0 => verdict.to_owned(),
                _ => filled(language, "step {}: {}", &[&taken, verdict]),
            };
            html! { <small class="run-check" data-run={kind}>{ words }</small> }
        }
        // Who leaves the receipt out must be seen, too.
        None if step.action.trains() && met.how == Completion::Did => html! {
            <small class="run-check" data-run="missing">{ label(language, "no receipt of a run") }</small>
        },
        None => Html::default(),
    };
    let (Some(guess), Some(measured)) = (&met.guess, &met.measured) else {
        return html! { <td><small>{ how }</small>{ run }</td> };
    };
    let verdict = Verdict::of(guess, measured);
    let kind = match verdict {
        Verdict::Right => "right",
        _ => "wrong",
    };
    html! {
        <td data-verdict={kind}>
            <span aria-hidden="true">{ verdict.mark() }</span><span class="unseen">{ verdict.words(language) }</span>
            { " " }{ guessed(step, words, language, guess) }{ " " }<small>{ how }</small>{ run }
        </td>
    }
}

/// Returns the name of what was found of a run, for the style sheet and for people.
fn name_of(found: Option<&Finding>, language: &str) -> (&'static str, &'static str) {
    let (kind, words) = match found {
        None => ("open", "not checked yet"),
        Some(Finding::Checked(RunVerdict::Same)) => ("same", "the same"),
        Some(Finding::Checked(RunVerdict::Near(_))) => ("near", "near"),
        Some(Finding::Checked(RunVerdict::Differs(_) | RunVerdict::Unknown)) => ("false", "not so"),
        Some(Finding::Checked(RunVerdict::Unchecked) | Finding::NotChecked(_)) => {
            ("unchecked", "cannot be checked")
        }
    };
    (kind, label(language, words))
}

/// Tells of each run that is not what it is said to be, or cannot be checked.
fn told(lesson: &Compiled, class: &Class, checks: &Checks) -> Html {
    let language = &lesson.language;
    let own = checks
        .findings
        .iter()
        .filter(|(place, _)| place.1 == lesson.name);
    let sentence = |((learner, _, step), finding): (&(usize, String, String), &Finding)| {
        let reason = reason(finding, language)?;
        let words = lesson.words.steps.get(step)?;
        let name = &class.learners.get(*learner)?.name;
        Some(filled(
            language,
            "{}, “{}”: {}",
            &[name, &plain(&words.title), &reason],
        ))
    };
    let sentences: Vec<String> = own.filter_map(sentence).collect();
    if sentences.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="class-told">{ for sentences.into_iter().map(|it| html! { <li>{ it }</li> }) }</ul>
    }
}

/// Returns why a run is not what it is said to be, or cannot be checked; `None` for a good one.
fn reason(finding: &Finding, language: &str) -> Option<String> {
    let says = |english| label(language, english).to_owned();
    Some(match finding {
        Finding::Checked(RunVerdict::Same | RunVerdict::Near(_)) => return None,
        Finding::Checked(RunVerdict::Differs(it)) => {
            let value = |value: f64| exact(value, language);
            let sentence = match it.quantity {
                Quantity::Training => {
                    "the training loss after step {} is {} in what was handed in, and {} here."
                }
                Quantity::Validation => {
                    "the loss on new examples after step {} is {} in what was handed in, and {} here."
                }
                Quantity::Accuracy => {
                    "the accuracy on new examples after step {} is {} in what was handed in, and {} here."
                }
            };
            let step = number::count(it.step);
            filled(
                language,
                sentence,
                &[&step, &value(it.claimed), &value(it.repeated)],
            )
        }
        Finding::Checked(RunVerdict::Unknown) => {
            says("the parameters are others, and there is no loss to compare.")
        }
        Finding::NotChecked(Reason::Unreadable) => says("the receipt of the run cannot be read."),
        Finding::NotChecked(Reason::OtherExperiment) => {
            says("the run is of an experiment that is not in the lesson.")
        }
        Finding::NotChecked(Reason::TooLong) => {
            says("the run has far more steps than that of the lesson.")
        }
        Finding::NotChecked(Reason::Failed(reason)) => filled(
            language,
            "the run could not be repeated: {}.",
            &[reason.trim_end_matches('.')],
        ),
        Finding::Checked(RunVerdict::Unchecked) => says("the run could not be repeated."),
    })
}

/// Writes a number with four digits after the point: two values that are told apart must not be
/// written alike.
fn exact(value: f64, language: &str) -> String {
    let text = if value.abs() < 1e6 || value.is_nan() {
        format!("{value:.4}")
    } else {
        format!("{value:.4e}")
    };
    match language {
        "de" => text.replace('.', ","),
        _ => text,
    }
}

/// Renders how many were right at a step, and the most frequent wrong guess.
fn summed(step: &Step, words: &StepWords, met: &[&StepRecord], language: &str) -> Html {
    if met.is_empty() {
        return html! { "–" };
    }
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
    use std::collections::BTreeMap;

    fn met(guess: Option<Value>, measured: Value) -> StepRecord {
        StepRecord {
            how: Completion::Did,
            guess,
            measured: Some(measured),
            values: BTreeMap::new(),
            outcome: String::new(),
            seconds: 1.0,
            receipt: None,
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
    fn values_that_differ_are_written_differently() {
        assert_eq!(exact(0.50012, "en"), "0.5001");
        assert_eq!(exact(0.5, "de"), "0,5000");
        assert_eq!(exact(1e308, "en"), "1.0000e308");
        assert_eq!(exact(f64::NAN, "en"), "NaN");
    }
}
