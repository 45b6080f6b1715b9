//! The card that holds a guess against what was measured, on one scale.

use crate::page::lesson::labels::{filled, label};
use crate::page::lesson::player::Player;
use crate::page::lesson::values::guessed;
use strata_lessons::{GuessKind, Step, StepWords, Unit, Value};
use yew::prelude::*;

/// Largest part of the measured value by which a guess may be off and still be right.
const NEAR: f64 = 0.1;

/// How a guess compares with the measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Right,
    Wrong,
    /// Too high, this many times.
    High(f64),
    /// Too low, this many times.
    Low(f64),
    /// Off by this much, where no ratio says anything: the measured value or the guess is 0, or the
    /// signs differ.
    Off,
}

impl Verdict {
    fn of(guess: &Value, measured: &Value) -> Self {
        let (Some(guess), Some(measured)) = (guess.number(), measured.number()) else {
            let is_right = guess == measured;
            return if is_right { Self::Right } else { Self::Wrong };
        };
        if (guess - measured).abs() <= NEAR * measured.abs() {
            Self::Right
        } else if guess * measured <= 0.0 {
            Self::Off
        } else if guess.abs() > measured.abs() {
            Self::High(guess / measured)
        } else {
            Self::Low(measured / guess)
        }
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Right => "✓",
            Self::Wrong | Self::Off => "✗",
            Self::High(_) => "↑",
            Self::Low(_) => "↓",
        }
    }

    fn words(self, language: &str) -> String {
        let times = |ratio: f64| times(ratio, language);
        match self {
            Self::Right => label(language, "Right").to_owned(),
            Self::Wrong => label(language, "Not this time").to_owned(),
            Self::Off => label(language, "Off the mark").to_owned(),
            Self::High(ratio) => filled(language, "{} times too high", &[&times(ratio)]),
            Self::Low(ratio) => filled(language, "{} times too low", &[&times(ratio)]),
        }
    }
}

/// Writes a ratio with one digit after the point, or as a whole number from 10.
fn times(ratio: f64, language: &str) -> String {
    let text = if ratio < 9.95 {
        format!("{ratio:.1}")
    } else {
        format!("{ratio:.0}")
    };
    match language {
        "de" => text.replace('.', ","),
        _ => text,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_is_right_or_off_by_a_ratio() {
        for (guess, measured, expected) in [
            (0.04, 0.04036, Verdict::Right),
            (0.1, 0.04, Verdict::High(2.5)),
            (9216.0, 18528.0, Verdict::Low(18528.0 / 9216.0)),
            (0.0, 0.5, Verdict::Off),
            (0.5, 0.0, Verdict::Off),
            (0.0, 0.0, Verdict::Right),
            (-1.0, 2.0, Verdict::Off),
        ] {
            let verdict = Verdict::of(&guess.into(), &measured.into());
            assert_eq!(verdict, expected, "{guess} against {measured}");
        }
        assert_eq!(Verdict::of(&"yes".into(), &"yes".into()), Verdict::Right);
        assert_eq!(Verdict::of(&"yes".into(), &"no".into()), Verdict::Wrong);
        assert_eq!(Verdict::High(2.5).words("en"), "2.5 times too high");
        assert_eq!(Verdict::Low(2.5).words("de"), "2,5-mal zu niedrig");
        assert_eq!(Verdict::Low(34.8).words("en"), "35 times too low");
    }
}
