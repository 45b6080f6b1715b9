//! Values that a lesson's texts name, and guesses, as text.

use crate::page::lesson::words::line;
use std::collections::BTreeMap;
use strata_lessons::{Compiled, GuessKind, Step, StepWords, Unit, Value, written};
use yew::prelude::*;

/// The most letters of a word that is shown.
const LONGEST: usize = 60;
/// A number from which on the digits are not written out.
const HUGE: f64 = 1e15;

/// Writes the value of a name in a step's texts: a setting of the experiment, or the measured value
/// (from the first of `measured` that has it), or else the recorded value. `None` if there is none.
pub fn value(
    lesson: &Compiled,
    step: &Step,
    measured: &[&BTreeMap<String, Value>],
    name: &str,
) -> Option<String> {
    let language = &lesson.language;
    if name.contains('.') {
        let setting = lesson.lesson.setting(&step.setup.experiment, name)?;
        let unit = match setting {
            Value::Word(_) => Unit::Word,
            Value::Number(_) => Unit::Number,
        };
        return Some(written(&setting, unit, language));
    }
    let live = measured.iter().find_map(|it| it.get(name));
    let recorded = lesson.recorded.as_ref();
    let recorded = recorded.and_then(|it| it.steps.get(&step.id)?.values.get(name));
    Some(written(live.or(recorded)?, step.unit(name), language))
}

/// Renders a guess or its answer in words.
pub fn guessed(step: &Step, words: &StepWords, language: &str, value: &Value) -> Html {
    let Some(guess) = &step.guess else {
        return Html::default();
    };
    match (guess.kind, value) {
        (GuessKind::Choice, Value::Word(chosen)) => {
            let place = guess.options.iter().position(|option| option == chosen);
            match place.and_then(|place| words.options.get(place)) {
                Some(option) => {
                    html! { <span lang={language.to_owned()}>{ line(option, language, &|_| None) }</span> }
                }
                None => html! { <>{ short(chosen) }</> },
            }
        }
        (_, Value::Word(token)) => html! { <code translate="no">{ short(token) }</code> },
        (_, Value::Number(number)) if number.abs() >= HUGE => {
            html! { <span translate="no">{ format!("{number:.1e}") }</span> }
        }
        (_, number) => {
            html! { <span translate="no">{ written(number, guess.unit(), language) }</span> }
        }
    }
}

/// Shortens a word that may come from somebody else's file.
fn short(word: &str) -> String {
    word.chars().take(LONGEST).collect()
}
