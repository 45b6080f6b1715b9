//! Settings of every mechanism: names, words and ranges.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use strata_describe::Domain;

use super::*;

/// Checks the mechanism's settings after changing one of them.
fn check(mechanism: MechanismConfig, setting: &str, value: Value) -> Result<(), ConfigError> {
    let mut json = serde_json::to_value(mechanism).unwrap();
    json[setting] = value;
    let mechanism: MechanismConfig = serde_json::from_value(json).unwrap();
    mechanism.check(Site::EncoderSelf, Widths::all(4))
}

#[test]
fn a_mechanism_has_one_name() {
    for mechanism in MechanismConfig::all() {
        let name = mechanism.name();
        assert_eq!(serde_json::to_value(mechanism).unwrap()["kind"], name);
        assert_eq!(MechanismConfig::of_kind(name), Some(mechanism));
    }
    assert_eq!(MechanismConfig::of_kind("Vanilla"), None);
}

#[test]
fn the_check_allows_the_described_range_and_no_more() {
    for mechanism in MechanismConfig::all() {
        for setting in mechanism.description().settings {
            let (domain, name) = (setting.domain, setting.words.name);
            let checked = |value: Value| check(mechanism, name, value);
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
                Domain::Choice { .. }
                | Domain::Text
                | Domain::Path { .. }
                | Domain::WholeRange { .. } => {}
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
            all.extend(setting.domain.options());
        }
        for words in all {
            for text in [words.title, words.help, words.source] {
                assert!(!text.is_empty(), "{words:?}");
            }
            assert!(words.help.ends_with('.'), "{words:?}");
        }
    }
}
