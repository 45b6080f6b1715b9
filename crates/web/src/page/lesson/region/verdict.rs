//! The card that holds a guess against what was measured, on one scale.

use crate::page::lesson::labels::label;
use crate::page::lesson::player::Player;
use crate::page::lesson::values::guessed;
use crate::page::lesson::verdict::Verdict;
use strata_lessons::{GuessKind, Step, StepWords, Unit};
use yew::prelude::*;

/// Renders the card once the step is done.
pub(super) fn verdict(player: &Player, step: &Step, words: &StepWords) -> Html {
    let language = player.lesson.language.as_str();
    let (Some(guess), Some(measured)) = (&step.guess, player.measured()) else {
        return Html::default();
    };
    let how = label(
        language,
        match guess.answer {
            Some(_) => "The answer",
            None => "Measured here",
        },
    );
    let found = guessed(step, words, language, measured);
    let Some(value) = &player.guess else {
        return html! {
            <div class="lesson-verdict" data-verdict="none">
                <p class="lesson-measured">{ how }{ ": " }<b class="value">{ found }</b></p>
            </div>
        };
    };
    let verdict = Verdict::of(value, measured);
    let kind = match verdict {
        Verdict::Right => "right",
        _ => "wrong",
    };
    let numbers = value.number().zip(measured.number());
    let bars = numbers.filter(|_| guess.kind == GuessKind::Number);
    let of = |number: f64| {
        // Shares have a scale of their own.
        let end = match (guess.unit(), bars) {
            (Unit::Share, _) => 1.0,
            (_, Some((guess, measured))) => guess.abs().max(measured.abs()),
            (_, None) => 1.0,
        };
        let part = if end > 0.0 { number.abs() / end } else { 0.0 };
        let width = format!("{:.1}", 100.0 * part.clamp(0.0, 1.0));
        html! {
            <svg class="lesson-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect {width} height="4" /></svg>
        }
    };
    html! {
        <div class="lesson-verdict" data-verdict={kind}>
            <p class="lesson-verdict-words"><span aria-hidden="true">{ verdict.mark() }</span>{ " " }{ verdict.words(language) }</p>
            <p class="lesson-guessed">{ label(language, "Your guess: ") }<b class="value">{ guessed(step, words, language, value) }</b></p>
            if let Some((guess, _)) = bars {
                { of(guess) }
            }
            <p class="lesson-measured">{ how }{ ": " }<b class="value">{ found }</b></p>
            if let Some((_, measured)) = bars {
                { of(measured) }
            }
        </div>
    }
}
