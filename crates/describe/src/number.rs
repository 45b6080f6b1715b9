//! Numbers that are given to settings.

use std::fmt;

use crate::Setting;

/// A number that a configuration gives to a setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole one.
    Whole(u64),
    /// Any other.
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

/// A number outside the range of its setting. Each crate says it in a sentence of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    /// The setting.
    pub setting: &'static Setting,
    /// Its value.
    pub value: Number,
}
