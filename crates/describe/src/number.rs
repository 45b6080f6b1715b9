//! Numbers in configurations.

use std::fmt;

use crate::Setting;

/// A number that a configuration gives to a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number, 0 or above.
    Whole(u64),
    /// A number that is negative or has a fraction.
    Real(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
        }
    }
}

/// Error for a number outside the range of its setting. Each crate formats its own message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    /// Setting whose range was left.
    pub setting: &'static Setting,
    /// Number that was given.
    pub value: Number,
}
