//! Every setting is described, and every described range is kept.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use strata_describe::Domain;
use strata_settings::description::{every_variant, groups, join};
use strata_training::Experiment;

/// Collects the keys of all fields of an experiment, including `null` and texts.
fn fields(json: &Json, path: &str, found: &mut BTreeSet<String>) {
    for (name, value) in json.as_object().unwrap() {
        let key = join(path, name);
        if value.is_object() {
            fields(value, &key, found);
        } else {
            found.insert(key);
        }
    }
}

fn pointer(key: &str) -> String {
    format!("/{}", key.replace('.', "/"))
}

#[test]
fn every_field_is_described_and_every_described_field_exists() {
    for experiment in every_variant() {
        let mut expected = BTreeSet::new();
        fields(
            &serde_json::to_value(&experiment).unwrap(),
            "",
            &mut expected,
        );
        let mut described = BTreeSet::new();
        for group in groups(&experiment) {
            for entry in group.settings.iter().chain(&group.tag) {
                assert!(described.insert(entry.key.clone()), "{} twice", entry.key);
                let words = entry.setting.words;
                assert!(words.help.ends_with('.'), "{}", entry.key);
                assert!(!words.title.is_empty(), "{}", entry.key);
            }
            assert_eq!(group.tag.is_some(), group.variant.is_some());
        }
        assert_eq!(described, expected);
    }
}

/// Changes a value of the experiment and checks the result.
fn checked(experiment: &Experiment, key: &str, value: Json) -> Result<(), String> {
    let mut json = serde_json::to_value(experiment).unwrap();
    *json.pointer_mut(&pointer(key)).unwrap() = value;
    let changed: Experiment = serde_json::from_value(json).map_err(|error| error.to_string())?;
    // Not every variant fits every other, so only the part with the setting is checked.
    match key.split('.').next() {
        Some("task") => changed.task.validate().map_err(|error| error.to_string()),
        Some("model") => changed.model.check().map_err(|error| error.to_string()),
        _ => changed.training.check().map_err(|error| error.to_string()),
    }
}

#[test]
fn ranges_are_kept() {
    for experiment in every_variant() {
        for entry in groups(&experiment).iter().flat_map(|it| &it.settings) {
            let key = &entry.key;
            let refused = |value: Json| {
                let error = checked(&experiment, key, value.clone());
                let error = error.expect_err(&format!("{key} = {value} is taken"));
                // Even with other faults (a missing file), the setting is named first.
                let names = error.contains(entry.name());
                assert!(names || error.contains("source"), "{key}: {error}");
            };
            match entry.setting.domain {
                // Every number is a seed.
                _ if key == "seed" => {}
                Domain::Whole {
                    minimum, maximum, ..
                } => {
                    if let Some(less) = minimum.checked_sub(1) {
                        refused(json!(less));
                    }
                    refused(json!(maximum + 1));
                }
                Domain::WholeRange {
                    minimum, maximum, ..
                } => {
                    refused(json!(minimum - 1));
                    refused(json!(maximum + 1));
                    refused(json!(format!("{minimum}..{}", maximum + 1)));
                    // For a field of a variant, the message about a text does not name the setting.
                    for text in ["0..1", "3..2", "..", "2..", "a..b", "2..3..4", ""] {
                        assert!(checked(&experiment, key, json!(text)).is_err(), "{text}");
                    }
                }
                Domain::Real {
                    minimum, maximum, ..
                } => {
                    refused(json!(minimum - 0.5));
                    refused(json!(maximum + 0.5));
                }
                Domain::Choice { options, .. } => {
                    assert!(checked(&experiment, key, json!("?")).is_err());
                    for option in options {
                        let json = json!(option.name);
                        let found = checked(&experiment, key, json).err().unwrap_or_default();
                        assert!(!found.contains("unknown variant"), "{key}: {found}");
                    }
                }
                // For a field of a variant, serde's message does not name the setting.
                Domain::YesNo { .. } => assert!(checked(&experiment, key, json!(3)).is_err()),
                Domain::Text | Domain::Path { .. } => {}
            }
        }
    }
}

#[test]
fn training_takes_the_ends_of_its_ranges() {
    let experiment = Experiment::default();
    for entry in groups(&experiment).iter().flat_map(|it| &it.settings) {
        if !entry.key.starts_with("training.") {
            continue;
        }
        let taken = |value: Json| checked(&experiment, &entry.key, value).unwrap();
        match entry.setting.domain {
            Domain::Whole {
                minimum, maximum, ..
            } => {
                taken(json!(minimum));
                taken(json!(maximum));
            }
            Domain::Real {
                minimum, maximum, ..
            } => {
                taken(json!(minimum));
                taken(json!(maximum));
            }
            _ => {}
        }
    }
}
