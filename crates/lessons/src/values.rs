//! Values that the texts of a step name.

use std::collections::{BTreeMap, BTreeSet};

use strata_settings::diff;

use crate::{Action, Claim, Facts, Lesson, Measure, RunOf, Step, Unit, Value};

/// Name by which texts refer to the correct answer of the guess.
pub const MEASURED: &str = "measured";

impl Step {
    /// Returns all known values that the texts may name: the values of the step, of its claims, and
    /// the correct answer of its guess.
    pub fn values(&self, facts: &Facts) -> BTreeMap<String, Value> {
        let own = self.values.iter();
        let own = own.map(|(name, it)| (name.as_str(), it.value(facts)));
        let claims = self.claims.iter();
        let claims = claims.map(|it| (it.name.as_str(), it.measure.value(facts)));
        let guess = self.guess.iter().map(|it| (MEASURED, it.outcome(facts)));
        let mut values = BTreeMap::new();
        for (name, value) in own.chain(claims).chain(guess) {
            if let Some(value) = value {
                values.insert(name.to_owned(), value);
            }
        }
        values
    }

    /// Returns the unit of a value that the texts name.
    pub fn unit(&self, name: &str) -> Unit {
        let claimed = || self.claims.iter().find(|it| it.name == name);
        if let Some(expression) = self.values.get(name) {
            return expression.unit();
        }
        match (claimed(), &self.guess) {
            (Some(claim), _) => claim.measure.unit(),
            (None, Some(guess)) if name == MEASURED => guess.unit(),
            _ => Unit::Number,
        }
    }

    /// Returns the names of all other runs that the step shows or measures.
    pub fn others(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.setup.beside.iter().cloned().collect();
        if let Action::Compare(name) = &self.action {
            names.insert(name.clone());
        }
        let claims: Vec<_> = self.claims.iter().map(Claim::condition).collect();
        let guess = self.guess.iter();
        let when = guess.clone().flat_map(|it| it.when.values().flatten());
        let outcomes = self.outcomes.iter().flat_map(|it| &it.when);
        let conditions = self.until.iter().chain(&claims).chain(when).chain(outcomes);
        let measured = guess.filter_map(|it| it.measured.as_ref());
        let expressions = conditions.map(|it| &it.measure);
        for expression in expressions.chain(self.values.values()).chain(measured) {
            for measure in expression.measures() {
                if let Measure::Run(RunOf::Named(name, _), _) = measure {
                    names.insert(name.clone());
                }
            }
        }
        names
    }
}

impl Lesson {
    /// Returns the value of a setting that texts name, in one of the lesson's experiments.
    pub fn setting(&self, experiment: &str, key: &str) -> Option<Value> {
        let table = diff::table(&self.experiment(experiment)?);
        Some(match diff::get(&table, key)? {
            serde_json::Value::String(word) => Value::Word(word.clone()),
            other => Value::Number(other.as_f64()?),
        })
    }
}
