//! Refuses numbers outside the ranges of their settings.

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

impl From<usize> for Number {
    fn from(value: usize) -> Self {
        Self::Whole(value as u64)
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self::Whole(value)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
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
    pub setting: Setting,
    /// Its value.
    pub value: Number,
}

/// Refuses the first of `numbers` outside the range of the setting that it names. A special value
/// is no number and is left out.
///
/// # Errors
/// The setting, and the number.
pub fn check(settings: &[Setting], numbers: &[(&str, Number)]) -> Result<(), OutOfRange> {
    for (name, value) in numbers {
        let setting = settings.iter().find(|it| it.words.name == *name);
        if let Some(setting) = setting
            && !setting.domain.allows(*value)
        {
            return Err(OutOfRange {
                setting: *setting,
                value: *value,
            });
        }
    }
    Ok(())
}
