//! Smoothing of n-gram orders without a match (Chen and Cherry 2014), which would make the whole
//! score 0.

use std::fmt;

use crate::MetricError;

/// Method of smoothing precisions that are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Smoothing {
    /// No smoothing: an order without a match makes the score 0.
    None,
    /// The first order without a match counts as half a match, the next as a quarter, and so on
    /// (NIST; method 3).
    #[default]
    Exponential,
    /// An order without a match counts as this number of matches (method 1).
    Floor(f64),
    /// Every order above 1 gets this many additional n-grams and matches (Lin and Och 2004; method
    /// 2).
    AddK(f64),
}

impl Smoothing {
    /// Parses sacreBLEU's name of a method, with the value that some methods take.
    ///
    /// # Errors
    /// If no method has this name, the method takes no value, or the value is negative or not
    /// finite.
    pub fn named(name: &str, value: Option<f64>) -> Result<Self, MetricError> {
        if let Some(value) = value.filter(|value| !value.is_finite() || *value < 0.0) {
            return Err(MetricError::SmoothingValue { value });
        }
        match (name, value) {
            ("none", None) => Ok(Self::None),
            ("exp", None) => Ok(Self::Exponential),
            ("floor", value) => Ok(Self::Floor(value.unwrap_or(0.1))),
            ("add-k", value) => Ok(Self::AddK(value.unwrap_or(1.0))),
            ("none" | "exp", Some(_)) => Err(MetricError::SmoothingWithoutValue {
                name: name.to_owned(),
            }),
            _ => Err(MetricError::Smoothing {
                name: name.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Smoothing {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::None => formatter.write_str("none"),
            Self::Exponential => formatter.write_str("exp"),
            Self::Floor(value) => write!(formatter, "floor[{value:.2}]"),
            Self::AddK(value) => write!(formatter, "add-k[{value:.2}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn values_go_with_the_methods_that_take_one() {
        assert_eq!(Smoothing::named("floor", None), Ok(Smoothing::Floor(0.1)));
        assert_eq!(
            Smoothing::named("add-k", Some(2.0)),
            Ok(Smoothing::AddK(2.0))
        );
        assert_eq!(Smoothing::named("exp", None), Ok(Smoothing::default()));
        for (name, value, part) in [
            ("exp", Some(1.0), "`exp` takes no value"),
            ("floor", Some(-1.0), "-1"),
            ("floor", Some(f64::NAN), "NaN"),
            ("laplace", None, "`laplace`"),
        ] {
            let error = Smoothing::named(name, value).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
