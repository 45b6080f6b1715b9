//! Refuses numbers outside the ranges that a mechanism's description has.

use strata_describe::{Description, Number, check};

use crate::ConfigError;

/// Refuses numbers outside the ranges of their settings. A special value is no number and is left
/// out.
///
/// # Errors
/// Names the setting, and says what it may be.
pub fn check_ranges(
    description: &Description,
    numbers: &[(&str, Number)],
) -> Result<(), ConfigError> {
    check(description.settings, numbers).map_err(|found| {
        let (words, of) = (found.setting.words, description.words);
        ConfigError::new(format!(
            "`{}` of `{}` is {}, which is out of range: choose {}",
            words.name, of.name, found.value, found.setting.domain
        ))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use serde_json::{Value, json};
    use strata_describe::Domain;

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
                let default = match setting.domain {
                    Domain::Whole { default, .. } => json!(default),
                    Domain::Real { default, .. } => json!(default),
                    Domain::Choice { default, .. } => json!(default),
                    Domain::YesNo { default } => json!(default),
                    Domain::Path { .. } => Value::Null,
                };
                assert_eq!(json[setting.words.name], default, "{setting:?}");
            }
        }
    }

    #[test]
    fn the_options_are_those_that_serde_takes() {
        for mechanism in MechanismConfig::all() {
            for setting in mechanism.description().settings {
                let Domain::Choice { options, .. } = setting.domain else {
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
                let (domain, name) = (setting.domain, setting.words.name);
                let checked = |value: Value| check(with(mechanism, name, value).unwrap());
                let refused = |value: Value| {
                    let sentence = checked(value.clone()).unwrap_err().to_string();
                    for part in [name, &value.to_string(), &domain.to_string()] {
                        assert!(sentence.contains(part), "no {part} in: {sentence}");
                    }
                };
                match domain {
                    Domain::Whole {
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
                    Domain::Real {
                        minimum, maximum, ..
                    } => {
                        checked(minimum.into()).unwrap();
                        checked(maximum.into()).unwrap();
                        refused((minimum - 0.5).into());
                        refused((maximum + 0.5).into());
                    }
                    Domain::Choice { .. } | Domain::Path { .. } => {}
                    Domain::YesNo { default } => checked((!default).into()).unwrap(),
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
                match setting.domain {
                    Domain::Choice { options, .. } => all.extend(options),
                    Domain::Whole { special, .. } => all.extend(special),
                    Domain::Real { .. } | Domain::YesNo { .. } | Domain::Path { .. } => {}
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
}
