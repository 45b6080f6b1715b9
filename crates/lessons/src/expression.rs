//! Expressions: measures and numbers, joined by `+ - * / ^`, parentheses and a few functions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::unknown;
use crate::measure::Measure;
use crate::{Facts, Unit, Value};

/// Expression that is evaluated on the facts: `held.accuracy`, `abs(loss - ln(vocabulary))`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    text: String,
    tree: Tree,
}

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Number(f64),
    Measure(Measure),
    Negative(Box<Tree>),
    Two(char, Box<Tree>, Box<Tree>),
    Function(Function, Vec<Tree>),
}

#[derive(strum::EnumString, strum::VariantNames, Clone, Copy, Debug, PartialEq)]
#[strum(serialize_all = "snake_case")]
enum Function {
    Abs,
    Exp,
    Ln,
    Sqrt,
    Min,
    Max,
}

impl Expression {
    /// Returns the value, or `None` if a measure in the expression is unknown, or a word is part of
    /// a computation.
    pub fn value(&self, facts: &Facts) -> Option<Value> {
        self.tree.value(facts)
    }

    /// Returns the value as a number; `None` if the value is unknown or a word.
    pub fn number(&self, facts: &Facts) -> Option<f64> {
        self.value(facts)?.number()
    }

    /// Returns every measure in the expression.
    pub fn measures(&self) -> Vec<&Measure> {
        let mut found = Vec::new();
        self.tree.collect(&mut found);
        found
    }

    /// Returns the unit of the value. A sum or difference has the unit of its terms if all terms
    /// have the same unit.
    pub fn unit(&self) -> Unit {
        self.tree.unit()
    }
}

impl Tree {
    fn value(&self, facts: &Facts) -> Option<Value> {
        let number = |tree: &Self| tree.value(facts)?.number();
        Some(match self {
            Self::Number(number) => (*number).into(),
            Self::Measure(measure) => facts.value(measure)?,
            Self::Negative(tree) => (-number(tree)?).into(),
            Self::Two(sign, left, right) => {
                let (left, right) = (number(left)?, number(right)?);
                match sign {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    '/' => left / right,
                    _ => left.powf(right),
                }
                .into()
            }
            Self::Function(function, arguments) => {
                let arguments: Option<Vec<f64>> = arguments.iter().map(number).collect();
                function.of(&arguments?).into()
            }
        })
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Measure>) {
        match self {
            Self::Number(_) => {}
            Self::Measure(measure) => found.push(measure),
            Self::Negative(tree) => tree.collect(found),
            Self::Two(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
            Self::Function(_, arguments) => arguments.iter().for_each(|it| it.collect(found)),
        }
    }

    fn unit(&self) -> Unit {
        match self {
            Self::Measure(measure) => measure.unit(),
            Self::Negative(tree) => tree.unit(),
            Self::Two('+' | '-', left, right) if left.unit() == right.unit() => left.unit(),
            Self::Function(Function::Abs | Function::Min | Function::Max, arguments) => {
                arguments.first().map_or(Unit::Number, Self::unit)
            }
            _ => Unit::Number,
        }
    }
}

impl Function {
    fn arity(self) -> usize {
        match self {
            Self::Min | Self::Max => 2,
            _ => 1,
        }
    }

    fn of(self, arguments: &[f64]) -> f64 {
        match (self, arguments) {
            (Self::Abs, [x]) => x.abs(),
            (Self::Exp, [x]) => x.exp(),
            (Self::Ln, [x]) => x.ln(),
            (Self::Sqrt, [x]) => x.sqrt(),
            (Self::Min, [x, y]) => x.min(*y),
            (Self::Max, [x, y]) => x.max(*y),
            _ => f64::NAN,
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> Self {
        expression.text
    }
}

impl TryFrom<String> for Expression {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Expression {
    type Err = String;

    /// Parses an expression.
    ///
    /// # Errors
    /// A sentence on the first part that cannot be read.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut reader = Reader { rest: text.trim() };
        let tree = reader.sum()?;
        if !reader.rest.is_empty() {
            return Err(format!(
                "`{text}` cannot be read from `{}` on; join measures by + - * / or ^",
                reader.rest
            ));
        }
        Ok(Self {
            text: text.trim().to_owned(),
            tree,
        })
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn take(&mut self, signs: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let sign = self.rest.chars().next().filter(|it| signs.contains(it))?;
        self.rest = self.rest[sign.len_utf8()..].trim_start();
        Some(sign)
    }

    fn sum(&mut self) -> Result<Tree, String> {
        let mut tree = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            tree = Tree::Two(sign, tree.into(), self.product()?.into());
        }
        Ok(tree)
    }

    fn product(&mut self) -> Result<Tree, String> {
        let mut tree = self.power()?;
        while let Some(sign) = self.take(&['*', '/']) {
            tree = Tree::Two(sign, tree.into(), self.power()?.into());
        }
        Ok(tree)
    }

    fn power(&mut self) -> Result<Tree, String> {
        if self.take(&['-']).is_some() {
            return Ok(Tree::Negative(self.power()?.into()));
        }
        let base = self.atom()?;
        match self.take(&['^']) {
            Some(sign) => Ok(Tree::Two(sign, base.into(), self.power()?.into())),
            None => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<Tree, String> {
        if self.take(&['(']).is_some() {
            let tree = self.sum()?;
            self.close()?;
            return Ok(tree);
        }
        if self.rest.starts_with(|it: char| it.is_ascii_digit()) {
            let end = self
                .rest
                .find(|it: char| !it.is_ascii_digit() && !"._".contains(it));
            let number = self.cut(end.unwrap_or(self.rest.len()));
            let plain = number.replace('_', "");
            let number = plain
                .parse()
                .map_err(|_| format!("`{number}` is not a number"))?;
            return Ok(Tree::Number(number));
        }
        let name = self
            .rest
            .find(|it: char| !it.is_ascii_lowercase())
            .unwrap_or(self.rest.len());
        if let Ok(function) = self.rest[..name].parse::<Function>()
            && self.rest[name..].starts_with('(')
        {
            self.cut(name);
            return self.function(function);
        }
        Ok(Tree::Measure(self.path()?.parse()?))
    }

    fn function(&mut self, function: Function) -> Result<Tree, String> {
        self.take(&['(']);
        let mut arguments = vec![self.sum()?];
        while self.take(&[',']).is_some() {
            arguments.push(self.sum()?);
        }
        self.close()?;
        if arguments.len() == function.arity() {
            Ok(Tree::Function(function, arguments))
        } else {
            Err(format!(
                "{function:?} takes {} arguments, not {}",
                function.arity(),
                arguments.len()
            )
            .to_lowercase())
        }
    }

    fn close(&mut self) -> Result<(), String> {
        match self.take(&[')']) {
            Some(_) => Ok(()),
            None => Err(format!(
                "a parenthesis is not closed before `{}`",
                self.rest
            )),
        }
    }

    /// Reads the name of a measure: names with dots between them, some with arguments in
    /// parentheses. The arguments are parsed elsewhere.
    fn path(&mut self) -> Result<&'a str, String> {
        let mut depth = 0usize;
        let ends = |letter: char| match letter {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth > 0 => {
                depth -= 1;
                false
            }
            letter => depth == 0 && !(letter.is_ascii_alphanumeric() || "_.".contains(letter)),
        };
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        match end {
            0 => {
                let known = <Function as strum::VariantNames>::VARIANTS.iter().copied();
                Err(match self.rest {
                    "" => "the expression ends too early".to_owned(),
                    rest => unknown("measure or function", rest, known),
                })
            }
            end => Ok(self.cut(end)),
        }
    }

    fn cut(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn number(text: &str) -> f64 {
        let expression: Expression = text.parse().unwrap();
        expression.number(&Facts::default()).unwrap()
    }

    #[test]
    fn signs_bind_as_in_mathematics() {
        assert_eq!(number("1 + 2 * 3"), 7.0);
        assert_eq!(number("(1 + 2) * 3"), 9.0);
        assert_eq!(number("2 - 3 - 4"), -5.0);
        assert_eq!(number("8 / 4 / 2"), 1.0);
        assert_eq!(number("2 ^ 3 ^ 2"), 512.0);
        assert_eq!(number("-2 ^ 2"), -4.0);
        assert_eq!(number("9_216 - 216"), 9000.0);
        assert_eq!(number("max(1, abs(0 - 3)) + sqrt(4)"), 5.0);
        assert!((number("exp(ln(5))") - 5.0).abs() < 1e-12);
    }

    #[test]
    fn measures_are_found_wherever_they_stand() {
        let text = "abs(run(wide, 500).held.accuracy - 1) / level(1).own(3) ^ 2";
        let expression: Expression = text.parse().unwrap();
        let found: Vec<String> = expression
            .measures()
            .iter()
            .map(|it| it.to_string())
            .collect();
        assert_eq!(found, ["run(wide, 500).held.accuracy", "level(1).own(3)"]);
        assert_eq!(expression.value(&Facts::default()), None);
    }

    #[test]
    fn faults_are_told_with_what_was_meant() {
        for (text, expected) in [
            ("held.acuracy", "did you mean `held.accuracy`?"),
            ("1 +", "ends too early"),
            ("(1 + 2", "not closed"),
            ("1 2", "cannot be read from `2` on"),
            ("max(1)", "takes 2 arguments, not 1"),
            ("nearly_diagonal", "did you mean `near_diagonal`?"),
            ("1.2.3", "is not a number"),
        ] {
            let error = text.parse::<Expression>().unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
