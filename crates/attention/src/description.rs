//! Descriptions of a mechanism for users: its controls on the page, its help on the command
//! line, and the ranges that its check refuses to leave. All of it is said once, beside the
//! mechanism's configuration.

use std::fmt;

use crate::ConfigError;

/// A mechanism, a setting or an option in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Words {
    /// Name in a configuration.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// One line on what it does.
    pub help: &'static str,
    /// Formula; empty where the help says it.
    pub formula: &'static str,
    /// The paper, with its section where it has one.
    pub source: &'static str,
}

impl Words {
    /// Name, title, help, formula and source.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        help: &'static str,
        formula: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            name,
            title,
            help,
            formula,
            source,
        }
    }
}

/// A mechanism in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MechanismDescription {
    /// The mechanism itself; its name is that of the configuration's `kind`.
    pub words: Words,
    /// Settings, in the order in which to show them.
    pub settings: &'static [SettingDescription],
}

/// A setting of a mechanism in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SettingDescription {
    /// The setting itself.
    pub words: Words,
    /// Values.
    pub values: Values,
}

/// The values that a setting can take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// A whole number in a range.
    Whole {
        /// The smallest value allowed.
        minimum: usize,
        /// The largest value allowed.
        maximum: usize,
        /// The value where none is given.
        default: usize,
        /// Word that can stand in place of a number.
        special: Option<Words>,
    },
    /// Any number in a range.
    Real {
        /// The smallest value allowed.
        minimum: f64,
        /// The largest value allowed.
        maximum: f64,
        /// The value where none is given.
        default: f64,
    },
    /// One of some options.
    Choice {
        /// Options, in the order in which to show them.
        options: &'static [Words],
        /// The name of the option where none is given.
        default: &'static str,
    },
    /// Yes or no.
    YesNo {
        /// The value where none is given.
        default: bool,
    },
}

impl Words {
    /// Help, formula and source in one sentence.
    pub fn line(&self) -> String {
        let mut line = self.help.trim_end_matches('.').to_owned();
        if !self.formula.is_empty() {
            line += &format!(": {}", self.formula);
        }
        if !self.source.is_empty() {
            line += &format!(" ({})", self.source);
        }
        line + "."
    }
}

impl fmt::Display for Values {
    /// Range in words: `1 to 100`, or the names of the options.
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
            Self::Real {
                minimum, maximum, ..
            } => write!(f, "{minimum} to {maximum}"),
            Self::Choice { options, .. } => {
                let names: Vec<&str> = options.iter().map(|option| option.name).collect();
                f.write_str(&names.join(", "))
            }
            Self::YesNo { .. } => f.write_str("true or false"),
        }
    }
}

/// A number that a configuration gives to a setting.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// A whole one.
    Whole(usize),
    /// Any other.
    Real(f64),
}

impl From<usize> for Number {
    fn from(value: usize) -> Self {
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

impl Values {
    /// True if a number lies in the range.
    pub fn allow(&self, number: Number) -> bool {
        match (self, number) {
            (
                Self::Whole {
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

impl MechanismDescription {
    /// Refuses numbers outside the ranges of their settings. A special value is no number and is
    /// left out.
    ///
    /// # Errors
    /// Names the setting, and says what it may be.
    pub fn check(&self, numbers: &[(&str, Number)]) -> Result<(), ConfigError> {
        for (name, number) in numbers {
            let setting = self.settings.iter().find(|it| it.words.name == *name);
            if let Some(setting) = setting
                && !setting.values.allow(*number)
            {
                return Err(ConfigError::new(format!(
                    "`{name}` of `{}` is {number}, which is out of range: choose {}",
                    self.words.name, setting.values
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::{MechanismConfig, Site, Widths};

    /// The mechanism with one setting changed, if serde takes the value.
    fn with(
        mechanism: MechanismConfig,
        setting: &str,
        value: impl Into<Value>,
    ) -> Result<MechanismConfig, serde_json::Error> {
        let mut json = serde_json::to_value(mechanism).unwrap();
        json[setting] = value.into();
        serde_json::from_value(json)
    }

    fn check(mechanism: MechanismConfig) -> Result<(), ConfigError> {
        mechanism.check(Site::EncoderSelf, Widths::all(4))
    }

    #[test]
    fn every_field_is_described_and_every_described_field_exists() {
        for mechanism in MechanismConfig::all() {
            let json = serde_json::to_value(mechanism).unwrap();
            let described = mechanism.description();
            let fields: BTreeSet<&str> = json.as_object().unwrap().keys().map(|it| &**it).collect();
            let mut names: Vec<&str> = described.settings.iter().map(|it| it.words.name).collect();
            names.push("kind");
            assert_eq!(names.len(), fields.len(), "{names:?}");
            assert_eq!(BTreeSet::from_iter(names), fields);
            assert_eq!(json["kind"], described.words.name);
            let name = described.words.name;
            assert_eq!(MechanismConfig::of_kind(name), Some(mechanism));
        }
        assert_eq!(MechanismConfig::of_kind("Vanilla"), None);
    }

    #[test]
    fn described_defaults_are_the_defaults() {
        for mechanism in MechanismConfig::all() {
            let json = serde_json::to_value(mechanism).unwrap();
            for setting in mechanism.description().settings {
                let default = match setting.values {
                    Values::Whole { default, .. } => json!(default),
                    Values::Real { default, .. } => json!(default),
                    Values::Choice { default, .. } => json!(default),
                    Values::YesNo { default } => json!(default),
                };
                assert_eq!(json[setting.words.name], default, "{setting:?}");
            }
        }
    }

    #[test]
    fn the_options_are_those_that_serde_takes() {
        for mechanism in MechanismConfig::all() {
            for setting in mechanism.description().settings {
                let Values::Choice { options, .. } = setting.values else {
                    continue;
                };
                let name = setting.words.name;
                let described: BTreeSet<&str> = options.iter().map(|option| option.name).collect();
                assert_eq!(described.len(), options.len(), "{name} has an option twice");
                for option in &described {
                    check(with(mechanism, name, *option).unwrap()).unwrap();
                }
                // "unknown variant `?`, expected one of `dot`, `scaled_dot`, …"
                let refusal = with(mechanism, name, "?").unwrap_err().to_string();
                let (_, expected) = refusal.split_once("expected").unwrap();
                let taken: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
                assert_eq!(taken, described);
            }
        }
    }

    #[test]
    fn the_check_allows_the_described_range_and_no_more() {
        for mechanism in MechanismConfig::all() {
            for setting in mechanism.description().settings {
                let (values, name) = (setting.values, setting.words.name);
                let checked = |value: Value| check(with(mechanism, name, value).unwrap());
                let refused = |value: Value| {
                    let sentence = checked(value.clone()).unwrap_err().to_string();
                    for part in [name, &value.to_string(), &values.to_string()] {
                        assert!(sentence.contains(part), "no {part} in: {sentence}");
                    }
                };
                match values {
                    Values::Whole {
                        minimum,
                        maximum,
                        special,
                        ..
                    } => {
                        checked(minimum.into()).unwrap();
                        checked(maximum.into()).unwrap();
                        if let Some(less) = minimum.checked_sub(1) {
                            refused(less.into());
                        }
                        refused((maximum + 1).into());
                        if let Some(special) = special {
                            checked(special.name.into()).unwrap();
                        }
                    }
                    Values::Real {
                        minimum, maximum, ..
                    } => {
                        checked(minimum.into()).unwrap();
                        checked(maximum.into()).unwrap();
                        refused((minimum - 0.5).into());
                        refused((maximum + 0.5).into());
                    }
                    Values::Choice { .. } => {}
                    Values::YesNo { default } => checked((!default).into()).unwrap(),
                }
            }
        }
    }

    #[test]
    fn words_are_whole() {
        for mechanism in MechanismConfig::all() {
            let description = mechanism.description();
            let mut all = vec![description.words];
            for setting in description.settings {
                all.push(setting.words);
                match setting.values {
                    Values::Choice { options, .. } => all.extend(options),
                    Values::Whole { special, .. } => all.extend(special),
                    Values::Real { .. } | Values::YesNo { .. } => {}
                }
            }
            for words in all {
                for text in [words.title, words.help, words.source] {
                    assert!(!text.is_empty(), "{words:?}");
                }
                assert!(words.help.ends_with('.'), "{words:?}");
            }
        }
    }

    #[test]
    fn a_line_joins_what_there_is() {
        let words = Words {
            name: "dot",
            title: "Dot",
            help: "A product.",
            formula: "hᵀg",
            source: "Luong et al. 2015, 3.1",
        };
        assert_eq!(words.line(), "A product: hᵀg (Luong et al. 2015, 3.1).");
        let formula = "";
        assert_eq!(
            Words { formula, ..words }.line(),
            "A product (Luong et al. 2015, 3.1)."
        );
    }

    #[test]
    fn numbers_that_are_not_whole_and_special_values_have_their_ranges() {
        let words = |name| Words {
            name,
            ..MechanismConfig::default().description().words
        };
        let values = [
            Values::Real {
                minimum: 0.0,
                maximum: 1.5,
                default: 0.0,
            },
            Values::Whole {
                minimum: 1,
                maximum: 8,
                default: 1,
                special: Some(words("all")),
            },
        ];
        assert!(values[0].allow(1.5.into()) && !values[0].allow(f64::NAN.into()));
        assert_eq!(values[0].to_string(), "0 to 1.5");
        assert!(values[1].allow(8.into()) && !values[1].allow(9.into()));
        assert_eq!(values[1].to_string(), "1 to 8, or all");
    }
}
