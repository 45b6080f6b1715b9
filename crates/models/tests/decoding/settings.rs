//! The settings of a search: their ranges are kept.

use serde_json::Value;
use strata_describe::Domain;
use strata_models::{BeamConfig, Search};

fn with(search: Search, setting: &str, value: Value) -> Search {
    let mut json = serde_json::to_value(search).unwrap();
    json[setting] = value;
    serde_json::from_value(json).unwrap()
}

#[test]
fn a_search_has_one_name() {
    for search in Search::all() {
        let name = search.name();
        assert_eq!(serde_json::to_value(search).unwrap()["kind"], name);
        assert_eq!(Search::of_kind(name), Some(search));
    }
    assert_eq!(Search::of_kind("Beam"), None);
}

#[test]
fn the_described_ranges_are_kept() {
    for search in Search::all() {
        for setting in search.description().settings {
            let name = setting.words.name;
            let (inside, outside): (Vec<Value>, Vec<Value>) = match setting.domain {
                Domain::Whole {
                    minimum, maximum, ..
                } => (
                    vec![minimum.into(), maximum.into()],
                    std::iter::once(maximum + 1)
                        .chain(minimum.checked_sub(1))
                        .map(Value::from)
                        .collect(),
                ),
                Domain::Real {
                    minimum, maximum, ..
                } => (
                    vec![minimum.into(), maximum.into()],
                    vec![(minimum - 0.5).into(), (maximum + 0.5).into()],
                ),
                _ => continue,
            };
            for value in inside {
                // A beam may not return more hypotheses than its width: widen it, so that only the
                // tested value is invalid.
                let roomy = match search {
                    Search::Beam(config) if name == "results" => Search::Beam(BeamConfig {
                        width: 256,
                        ..config
                    }),
                    other => other,
                };
                with(roomy, name, value).check().unwrap();
            }
            for value in outside {
                let sentence = with(search, name, value.clone()).check().unwrap_err();
                let sentence = sentence.to_string();
                for part in [name, &value.to_string(), &setting.domain.to_string()] {
                    assert!(sentence.contains(part), "no {part} in: {sentence}");
                }
            }
        }
    }
}

#[test]
fn a_beam_has_no_more_results_than_hypotheses() {
    let config = BeamConfig {
        width: 2,
        results: 3,
        ..BeamConfig::default()
    };
    let sentence = Search::Beam(config).check().unwrap_err().to_string();
    assert!(sentence.contains("3 results"), "{sentence}");
}
