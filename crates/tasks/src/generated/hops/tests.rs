#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use serde_json::Value;
use strata_text::Segmenter;

use super::*;
use crate::TaskConfig;

fn small() -> HopsConfig {
    HopsConfig {
        examples: 2000,
        held_out: 200,
        ..HopsConfig::default()
    }
}

fn load(config: &HopsConfig, seed: u64) -> Dataset {
    let task = TaskConfig::Hops(config.clone());
    task.load(seed, &Uploads::default()).unwrap()
}

fn range(first: u64, last: u64) -> WholeRange {
    WholeRange::new(first, last).unwrap()
}

/// Sources and targets as places, without the number of hops.
fn places(config: &HopsConfig, example: &Example) -> [Vec<u32>; 2] {
    let asked = usize::from(config.ask);
    [&example.source, &example.target].map(|side| side[asked..].iter().map(|id| id - 4).collect())
}

/// Cases `hops_1` to `hops_5` of an independent program.
#[test]
fn golden_cases_hold() {
    // Tests run in the folder of their package, wherever they were compiled.
    let file = "../../tests/golden/levels.json";
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let cases = golden["cases"].as_array().unwrap().iter();
    let cases: Vec<&Value> = cases
        .filter(|case| case["name"].as_str().unwrap().starts_with("hops_"))
        .collect();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let numbers = |value: &Value| serde_json::from_value::<Vec<u32>>(value.clone()).unwrap();
        let permutation = Permutation {
            pointers: numbers(&case["inputs"]["pointers"]),
        };
        let hops = case["inputs"]["hops"].as_u64().unwrap();
        assert_eq!(permutation.power(hops), numbers(&case["output"]), "{case}");
    }
}

#[test]
fn the_target_is_the_source_followed_hop_by_hop() {
    for hops in [1, 2, 5, 12] {
        let config = HopsConfig {
            hops: WholeRange::one(hops),
            ..small()
        };
        let data = load(&config, 3);
        assert_eq!(
            (data.training().len(), data.validation().len()),
            (2000, 200)
        );
        assert_eq!(data.source_vocabulary.len(), 4 + 12);
        for example in data.training().iter().chain(data.validation()) {
            let [pointers, found] = places(&config, example);
            assert_eq!(pointers.iter().collect::<HashSet<_>>().len(), 12);
            for (place, &target) in found.iter().enumerate() {
                let mut at = place;
                for _ in 0..hops {
                    at = pointers[at] as usize;
                }
                assert_eq!(target as usize, at);
            }
        }
    }
}

#[test]
fn names_are_letters_in_order() {
    let config = HopsConfig {
        places: 64,
        ask: true,
        ..small()
    };
    let vocabulary = config.vocabulary();
    assert_eq!(vocabulary.len(), 4 + 64 + 64);
    let tokens = vocabulary.tokens();
    assert_eq!((&*tokens[4], &*tokens[29], &*tokens[30]), ("a", "z", "a1"));
    assert_eq!((&*tokens[68], &*tokens[131]), ("+1", "+64"));
    // What a user types is cut into the same tokens.
    let text = tokens[4..].join(" ");
    assert_eq!(Segmenter::of_words().split(&text), tokens[4..]);
}

#[test]
fn no_held_out_permutation_is_learned_from_at_any_number_of_hops_or_seed() {
    let loaded = [
        load(&small(), 1),
        load(
            &HopsConfig {
                hops: range(2, 9),
                ..small()
            },
            2,
        ),
        load(
            &HopsConfig {
                cycles: Cycles::Any,
                ..small()
            },
            3,
        ),
    ];
    let sources = |examples: fn(&Dataset) -> &[Example]| -> Vec<&Vec<u32>> {
        let all = loaded.iter().flat_map(examples);
        all.map(|example| &example.source).collect()
    };
    let learned: HashSet<_> = sources(Dataset::training).into_iter().collect();
    assert!(
        sources(Dataset::validation)
            .iter()
            .all(|it| !learned.contains(it))
    );
    for data in &loaded {
        let distinct: HashSet<_> = data.validation().iter().map(|it| &it.source).collect();
        assert_eq!(distinct.len(), 200);
    }
}

#[test]
fn another_number_of_hops_changes_no_permutation() {
    let sources = |hops| -> Vec<Vec<u32>> {
        let data = load(&HopsConfig { hops, ..small() }, 5);
        let both = data.training().iter().chain(data.validation());
        both.map(|example| example.source.clone()).collect()
    };
    let one = sources(WholeRange::one(2));
    assert_eq!(one, sources(WholeRange::one(9)));
    assert_eq!(one, sources(range(3, 5)));
}

#[test]
fn a_range_is_drawn_evenly_and_each_batch_has_one_number() {
    let config = HopsConfig {
        hops: range(2, 5),
        ..small()
    };
    let data = load(&config, 1);
    let groups = &data.examples.sequences().unwrap().groups;
    assert_eq!(groups.len(), 2000);
    for hops in 2..=5 {
        let count = groups.iter().filter(|&&it| it == hops).count();
        assert!((400..600).contains(&count), "{count} of {hops}");
    }
    for (example, &hops) in data.training().iter().zip(groups) {
        let [pointers, target] = places(&config, example);
        assert_eq!(Permutation { pointers }.power(u64::from(hops)), target);
    }
    assert_eq!(data.facts.remarks.len(), 1, "{:?}", data.facts.remarks);
    // The range is told to nobody if it is one number, or asked for.
    assert!(
        load(&small(), 1)
            .examples
            .sequences()
            .unwrap()
            .groups
            .is_empty()
    );
}

#[test]
fn what_is_asked_for_stands_first_on_both_sides() {
    let config = HopsConfig {
        ask: true,
        hops: range(1, 12),
        ..small()
    };
    let data = load(&config, 1);
    assert!(data.examples.sequences().unwrap().groups.is_empty());
    assert!(data.facts.remarks.is_empty());
    let mut asked: HashSet<u64> = HashSet::new();
    for example in data.training() {
        assert_eq!(example.source.len(), 13);
        assert_eq!(example.source[0], example.target[0]);
        let number = data.source_vocabulary.token(example.source[0]);
        let hops = number.strip_prefix('+').unwrap().parse().unwrap();
        asked.insert(hops);
        let [pointers, target] = places(&config, example);
        assert_eq!(Permutation { pointers }.power(hops), target);
    }
    assert_eq!(asked, (1..=12).collect::<HashSet<u64>>());
}

#[test]
fn what_cannot_be_is_refused_with_a_sentence() {
    let refused = |config: HopsConfig| {
        let task = TaskConfig::Hops(config);
        task.validate().unwrap_err().to_string()
    };
    let error = refused(HopsConfig {
        hops: range(2, 13),
        ..small()
    });
    assert!(
        error.contains("`task.hops` is 2..13") && error.contains("12"),
        "{error}"
    );
    let error = refused(HopsConfig {
        places: 5,
        ..small()
    });
    assert!(
        error.contains("at most") && error.contains("200"),
        "{error}"
    );
    let error = refused(HopsConfig {
        hops: WholeRange::one(65),
        ..small()
    });
    assert!(error.contains("`task.hops` is 65"), "{error}");
    // As many as the sentence says can be held out.
    let [available, _] = available(5, Cycles::One).unwrap();
    let config = HopsConfig {
        places: 5,
        held_out: available,
        examples: 100,
        ..HopsConfig::default()
    };
    let data = load(&config, 1);
    assert_eq!(data.validation().len(), available);
}

/// The expected permutation was written down once: a seed must give the same one on every platform.
#[test]
fn permutations_are_pinned() {
    let data = load(&small(), 7);
    let written = |ids: &[u32]| -> String {
        ids.iter()
            .map(|&id| data.source_vocabulary.token(id))
            .collect()
    };
    let first = &data.validation()[0];
    assert_eq!(
        [written(&first.source), written(&first.target)],
        ["fekgilbjcdah", "liabchedkgfj"]
    );
}
