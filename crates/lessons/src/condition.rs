//! Conditions: bounds on the value of an expression.

use serde::{Deserialize, Serialize};

use crate::{AskedMeasure, Expression, Facts, Measure, Value};

/// Bounds on a value; without a bound, the value must be neither 0 nor missing.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Expression whose value is compared with the bounds.
    pub measure: Expression,
    /// The least value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// The greatest value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The only value that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Value>,
    /// The only value that does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_not: Option<Value>,
    /// Largest difference from `is` that holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
}

impl Condition {
    /// True if the value is known and meets every bound; false for NaN.
    pub fn holds(&self, facts: &Facts) -> bool {
        self.measure
            .value(facts)
            .is_some_and(|value| self.accepts(&value))
    }

    /// True if `value` meets every bound; false for NaN.
    pub fn accepts(&self, value: &Value) -> bool {
        let within = self.within.unwrap_or(0.0);
        let number = value.number();
        if number.is_some_and(f64::is_nan) {
            return false;
        }
        let unbounded = self.at_least.is_none()
            && self.at_most.is_none()
            && self.is.is_none()
            && self.is_not.is_none();
        if unbounded {
            return !value.is(&Value::Number(0.0), 0.0);
        }
        self.at_least
            .is_none_or(|least| number.is_some_and(|it| it >= least))
            && self
                .at_most
                .is_none_or(|most| number.is_some_and(|it| it <= most))
            && self
                .is
                .as_ref()
                .is_none_or(|it| self.is_same(it, value, within))
            && self
                .is_not
                .as_ref()
                .is_none_or(|it| !self.is_same(it, value, within))
    }

    /// True if both values are the same; a text that a person typed may differ in case, punctuation
    /// and spaces.
    fn is_same(&self, wanted: &Value, value: &Value, within: f64) -> bool {
        let is_typed = self.measure.measures() == [&Measure::Asked(AskedMeasure::Text)];
        match (wanted, value) {
            (Value::Word(wanted), Value::Word(text)) if is_typed => said(wanted) == said(text),
            _ => wanted.is(value, within),
        }
    }

    /// Writes the condition for a sentence: `held.accuracy ≥ 0.9`.
    pub fn written(&self) -> String {
        let quoted = |value: &Value| match value {
            Value::Number(number) => number.to_string(),
            Value::Word(word) => format!("“{word}”"),
        };
        let within = self.within.map(|it| format!(" ± {it}")).unwrap_or_default();
        let bounds: Vec<String> = [
            self.at_least.map(|it| format!("≥ {it}")),
            self.at_most.map(|it| format!("≤ {it}")),
            self.is
                .as_ref()
                .map(|it| format!("= {}{within}", quoted(it))),
            self.is_not.as_ref().map(|it| format!("≠ {}", quoted(it))),
        ]
        .into_iter()
        .flatten()
        .collect();
        if bounds.is_empty() {
            self.measure.to_string()
        } else {
            format!("{} {}", self.measure, bounds.join(", "))
        }
    }
}

/// Returns the words of a typed text, in small letters and without punctuation. Single letters stand
/// together, however they are spaced.
fn said(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|it: char| !it.is_alphanumeric());
    let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
    let are_letters = words.iter().all(|it| it.chars().count() == 1);
    words.join(if are_letters { "" } else { " " })
}

/// True if every condition holds.
pub fn all_hold(conditions: &[Condition], facts: &Facts) -> bool {
    conditions.iter().all(|condition| condition.holds(facts))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn condition(text: &str) -> Condition {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn every_bound_counts_and_nan_meets_none() {
        let between = condition("measure = 'loss'\nat_least = 1\nat_most = 2");
        for (value, expected) in [(0.9, false), (1.0, true), (2.0, true), (f64::NAN, false)] {
            assert_eq!(between.accepts(&value.into()), expected, "{value}");
        }
        let near = condition("measure = 'loss'\nis = 1\nwithin = 0.1");
        assert!(near.accepts(&0.95.into()) && !near.accepts(&0.85.into()));
        let word = condition("measure = 'line'\nis = 'down'");
        assert!(word.accepts(&"down".into()) && !word.accepts(&"up".into()));
        assert!(!word.accepts(&0.0.into()));
    }

    #[test]
    fn what_a_person_types_may_differ_in_case_punctuation_and_spaces() {
        let asked = condition("measure = 'asked.text'\nis = 'der mann kann den arzt anrufen .'");
        for typed in [
            "der mann kann den arzt anrufen .",
            "Der Mann kann den Arzt anrufen.",
            " der mann  kann den arzt anrufen",
        ] {
            assert!(asked.accepts(&typed.into()), "{typed}");
        }
        for typed in ["der mann kann den arzt", "der arzt kann den mann anrufen ."] {
            assert!(!asked.accepts(&typed.into()), "{typed}");
        }
        let letters = condition("measure = 'asked.text'\nis = 'h i'");
        assert!(letters.accepts(&"hi".into()) && !letters.accepts(&"h o".into()));
        // What a model writes is held against the very words.
        let answer = condition("measure = 'answer.text'\nis = 'he sees'");
        assert!(answer.accepts(&"he sees".into()) && !answer.accepts(&"He sees.".into()));
    }

    #[test]
    fn what_has_no_bound_must_not_be_0() {
        let finished = condition("measure = 'finished'");
        assert!(finished.accepts(&true.into()) && !finished.accepts(&false.into()));
        assert_eq!(finished.written(), "finished");
    }
}
