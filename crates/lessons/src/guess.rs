//! Guesses of the learner, and the correct answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Condition, Expression, Facts, Unit, Value, all_hold};

/// Question whose answer is measured, or given in the lesson.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Guess {
    /// Kind of the answer.
    pub kind: GuessKind,
    /// Names of the options of a choice, in the order of their texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Expression with whose value the guess is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Expression>,
    /// Correct answer, if nothing is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// Conditions of the options: the first option whose conditions hold is the answer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, Vec<Condition>>,
}

/// Kind of the answer to be guessed.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum GuessKind {
    /// Choice of one option.
    Choice,
    /// A number.
    Number,
    /// A token of the map.
    Place,
}

impl Guess {
    /// Returns the correct answer, or `None` while the answer is unknown.
    pub fn outcome(&self, facts: &Facts) -> Option<Value> {
        if let Some(answer) = &self.answer {
            return Some(answer.clone());
        }
        if let Some(measured) = &self.measured {
            return measured.value(facts);
        }
        let options = self.options.iter();
        let mut holding = options.filter(|it| {
            let conditions = self.when.get(*it);
            conditions.is_some_and(|conditions| all_hold(conditions, facts))
        });
        holding.next().map(|it| Value::Word(it.clone()))
    }

    /// Returns the unit of the answer.
    pub fn unit(&self) -> Unit {
        match (&self.measured, self.kind) {
            (_, GuessKind::Choice | GuessKind::Place) => Unit::Word,
            (Some(measured), GuessKind::Number) => measured.unit(),
            (None, GuessKind::Number) => Unit::Number,
        }
    }
}
