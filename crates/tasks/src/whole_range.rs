//! A whole number, or several in a row.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strata_describe::{Bounded, Number};

/// A whole number, written `3`, or the numbers from one to another, both included, written
/// `"2..5"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WholeRange {
    first: u64,
    last: u64,
}

impl WholeRange {
    /// Creates the range of one number.
    pub const fn one(number: u64) -> Self {
        Self {
            first: number,
            last: number,
        }
    }

    /// Creates the range from `first` to `last`, both included; `None` unless the range begins at 1
    /// or above and does not fall.
    pub const fn new(first: u64, last: u64) -> Option<Self> {
        if first == 0 || first > last {
            return None;
        }
        Some(Self { first, last })
    }

    /// Smallest number.
    pub const fn first(self) -> u64 {
        self.first
    }

    /// Largest number.
    pub const fn last(self) -> u64 {
        self.last
    }

    /// True if the range is a single number.
    pub const fn is_one(self) -> bool {
        self.first == self.last
    }

    fn parse(text: &str) -> Option<Self> {
        let whole = |text: &str| text.trim().parse().ok();
        match text.split_once("..") {
            Some((first, last)) => Self::new(whole(first)?, whole(last)?),
            None => whole(text).map(Self::one),
        }
    }
}

impl Bounded for WholeRange {
    /// Returns the largest number: the smallest is at least 1.
    fn number(&self) -> Option<Number> {
        Some(Number::Whole(self.last))
    }
}

impl fmt::Display for WholeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_one() {
            self.first.fmt(f)
        } else {
            write!(f, "{}..{}", self.first, self.last)
        }
    }
}

impl Serialize for WholeRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_one() {
            serializer.serialize_u64(self.first)
        } else {
            serializer.collect_str(self)
        }
    }
}

impl<'de> Deserialize<'de> for WholeRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrRange;
        impl Visitor<'_> for NumberOrRange {
            type Value = WholeRange;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a whole number, or a range that rises such as \"2..5\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<WholeRange, E> {
                Ok(WholeRange::one(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<WholeRange, E> {
                let unsigned = u64::try_from(number)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
                self.visit_u64(unsigned)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WholeRange, E> {
                WholeRange::parse(text)
                    .ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(NumberOrRange)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, from_value, json, to_value};

    use super::*;

    #[test]
    fn a_number_stays_a_number_and_a_range_a_text() {
        for (read, written) in [
            (json!(3), json!(3)),
            (json!("3"), json!(3)),
            (json!("2..5"), json!("2..5")),
            (json!(" 2 .. 5 "), json!("2..5")),
            (json!("4..4"), json!(4)),
        ] {
            let range: WholeRange = from_value(read.clone()).unwrap();
            assert_eq!(to_value(range).unwrap(), written, "{read}");
        }
    }

    #[test]
    fn what_falls_or_begins_at_0_is_refused() {
        let refused = |value: Value| from_value::<WholeRange>(value).unwrap_err().to_string();
        for text in [
            "5..2", "0..3", "..", "2..", "..5", "2..5..7", "-1..3", "two", "",
        ] {
            let error = refused(json!(text));
            assert!(error.contains("such as \"2..5\""), "{text}: {error}");
        }
        for value in [json!(-1), json!(2.5), json!(null), json!([2, 5])] {
            refused(value);
        }
    }
}
