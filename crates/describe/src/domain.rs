//! The values that a setting can take.

use std::fmt;

use crate::{Number, Words};

/// The values that a setting can take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A whole number in a range.
    Whole {
        /// Smallest allowed value.
        minimum: u64,
        /// Largest allowed value.
        maximum: u64,
        /// Default value of the setting.
        default: u64,
        /// Word that a configuration may give in place of a number, such as `all`.
        special: Option<Words>,
    },
    /// A whole number in a range, or several in a row, written `a..b` with both ends included.
    WholeRange {
        /// Smallest allowed value.
        minimum: u64,
        /// Largest allowed value.
        maximum: u64,
        /// Default value of the setting.
        default: u64,
    },
    /// Any number in a range.
    Real {
        /// Smallest allowed value.
        minimum: f64,
        /// Largest allowed value.
        maximum: f64,
        /// Default value of the setting.
        default: f64,
    },
    /// A choice among named options.
    Choice {
        /// Options, in the order in which they are shown.
        options: &'static [Words],
        /// Name of the default option.
        default: &'static str,
    },
    /// Yes or no.
    YesNo {
        /// Default position of the switch.
        default: bool,
    },
    /// Any text, which may be empty.
    Text,
    /// The path of a file.
    Path {
        /// True if a configuration must give the path.
        required: bool,
    },
}

impl Domain {
    /// Returns the default value as text; `none` for a path.
    pub fn default(&self) -> String {
        match self {
            Self::Whole { default, .. } | Self::WholeRange { default, .. } => default.to_string(),
            Self::Real { default, .. } => default.to_string(),
            Self::Choice { default, .. } => (*default).to_owned(),
            Self::YesNo { default } => default.to_string(),
            Self::Text => String::new(),
            Self::Path { .. } => "none".to_owned(),
        }
    }

    /// Returns the values that are chosen by name: the options of a choice, or the word that can
    /// stand in place of a whole number.
    pub fn options(&self) -> &[Words] {
        match self {
            Self::Choice { options, .. } => options,
            Self::Whole {
                special: Some(special),
                ..
            } => std::slice::from_ref(special),
            _ => &[],
        }
    }

    /// True if `number` lies in the range.
    pub fn allows(&self, number: Number) -> bool {
        match (self, number) {
            (
                Self::Whole {
                    minimum, maximum, ..
                }
                | Self::WholeRange {
                    minimum, maximum, ..
                },
                Number::Whole(number),
            ) => (minimum..=maximum).contains(&&number),
            (
                Self::Real {
                    minimum, maximum, ..
                },
                Number::Real(number),
            ) => (minimum..=maximum).contains(&&number),
            _ => false,
        }
    }
}

impl fmt::Display for Domain {
    /// Writes the range in words, such as `1 to 100`, or the names of the options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole {
                minimum,
                maximum,
                special,
                ..
            } => {
                write!(f, "{minimum} to {maximum}")?;
                special.map_or(Ok(()), |special| write!(f, ", or {}", special.name))
            }
            Self::WholeRange {
                minimum, maximum, ..
            } => write!(
                f,
                "{minimum} to {maximum}, or a range in it such as {minimum}..{maximum}"
            ),
            Self::Real {
                minimum, maximum, ..
            } => write!(f, "{} to {}", short(*minimum), short(*maximum)),
            Self::Choice { options, .. } => {
                let names: Vec<&str> = options.iter().map(|option| option.name).collect();
                f.write_str(&names.join(", "))
            }
            Self::YesNo { .. } => f.write_str("true or false"),
            Self::Text => f.write_str("a text"),
            Self::Path { .. } => f.write_str("the path of a file"),
        }
    }
}

/// Formats a number, with an exponent where that is shorter.
fn short(number: f64) -> String {
    let (plain, exponent) = (number.to_string(), format!("{number:e}"));
    if exponent.len() + 3 < plain.len() {
        exponent
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn real(minimum: f64, maximum: f64) -> Domain {
        Domain::Real {
            minimum,
            maximum,
            default: 0.0,
        }
    }

    const ALL_OR_FEW: Domain = Domain::Whole {
        minimum: 1,
        maximum: 8,
        default: 1,
        special: Some(Words::named("all")),
    };

    #[test]
    fn a_range_is_closed_and_nan_is_outside() {
        let unit = real(0.0, 1.5);
        assert!(unit.allows(Number::Real(1.5)) && unit.allows(Number::Real(0.0)));
        assert!(!unit.allows(Number::Real(-0.1)) && !unit.allows(Number::Real(f64::NAN)));
        let few = |number| ALL_OR_FEW.allows(Number::Whole(number));
        assert_eq!([0, 1, 8, 9].map(few), [false, true, true, false]);
    }

    #[test]
    fn ranges_are_short_to_read() {
        assert_eq!(ALL_OR_FEW.to_string(), "1 to 8, or all");
        let few = Domain::WholeRange {
            minimum: 1,
            maximum: 8,
            default: 2,
        };
        assert_eq!(few.to_string(), "1 to 8, or a range in it such as 1..8");
        assert_eq!(real(1e-30, 1.0).to_string(), "1e-30 to 1");
        assert_eq!(real(0.0, 0.99).to_string(), "0 to 0.99");
    }
}
