//! Comparison of a learner's guess with the measured value.

use crate::page::lesson::labels::{filled, label};
use strata_lessons::{Value, with_decimal_mark};

/// Largest part of the measured value by which a guess may be off and still be right.
const NEAR: f64 = 0.1;

/// Result of comparing a guess with the measured value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Equal, or near enough.
    Right,
    /// Another word.
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
    /// Compares a guess with the measured value.
    pub fn of(guess: &Value, measured: &Value) -> Self {
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

    /// Returns a mark for the verdict.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Right => "✓",
            Self::Wrong | Self::Off => "✗",
            Self::High(_) => "↑",
            Self::Low(_) => "↓",
        }
    }

    /// Writes the verdict in words.
    pub fn words(self, language: &str) -> String {
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
    let text = match ratio {
        ..9.95 => format!("{ratio:.1}"),
        ..1e6 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    };
    with_decimal_mark(text, language)
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
        crate::language::speak_in_test("de");
        assert_eq!(Verdict::Low(2.5).words("de"), "2,5-mal zu niedrig");
        assert_eq!(Verdict::Low(34.8).words("en"), "35 times too low");
    }
}
