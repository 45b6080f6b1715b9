//! Samples follow the model's distribution.

use std::collections::BTreeMap;

use pollster::block_on;
use strata_models::{EOS, SamplingConfig, Search, SearchRequest, SearchResult, Tokens};

use crate::models::{build, log_probabilities, models, source, sources};

fn sample(at: usize, config: SamplingConfig, source: &Tokens, limit: usize) -> Vec<SearchResult> {
    let (model, device) = build(&models()[at]);
    let request = SearchRequest::new(source, limit);
    let searched = block_on(model.sequence().unwrap().search(
        &Search::Sampling(config),
        &request,
        &device,
    ));
    searched.unwrap().items
}

/// Indices into [`models`]: the vanilla Transformer, and a recurrent model.
const DRAWN_FROM: [usize; 2] = [4, 10];

#[test]
fn pairs_of_tokens_are_as_frequent_as_they_are_probable() {
    for at in DRAWN_FROM {
        let config = SamplingConfig {
            results: 256,
            seed: 3,
            ..SamplingConfig::default()
        };
        let copies = Tokens::pad(&vec![source(1); 32]);
        let mut counts: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for found in sample(at, config, &copies, 2) {
            for hypothesis in found.hypotheses {
                let mut ids = hypothesis.ids;
                if hypothesis.ended {
                    ids.push(EOS);
                }
                *counts.entry(ids).or_default() += 1.0;
            }
        }
        let draws: f64 = counts.values().sum();
        assert_eq!(draws, 32.0 * 256.0);

        let (model, device) = build(&models()[at]);
        // PAD and BOS are left out: they are never written.
        let of = |row: &[f32]| -> Vec<f64> {
            let mass: Vec<f64> = row[EOS as usize..]
                .iter()
                .map(|it| f64::from(*it).exp())
                .collect();
            let whole: f64 = mass.iter().sum();
            mass.iter().map(|it| it / whole).collect()
        };
        let (mut chi_square, mut rare, mut cells) = (0.0, (0.0, 0.0), 0);
        for (first, p) in of(&log_probabilities(&model, &source(1), &[], &device)[0])
            .into_iter()
            .enumerate()
        {
            let first = first as u32 + EOS;
            let mut pairs = vec![(vec![first], p)];
            if first != EOS {
                let second = of(&log_probabilities(&model, &source(1), &[first], &device)[1]);
                let pair = |(id, q): (usize, f64)| (vec![first, id as u32 + EOS], p * q);
                pairs = second.into_iter().enumerate().map(pair).collect();
            }
            for (ids, p) in pairs {
                let (expected, found) = (p * draws, counts.remove(&ids).unwrap_or_default());
                if expected < 5.0 {
                    rare = (rare.0 + expected, rare.1 + found);
                } else {
                    chi_square += (found - expected).powi(2) / expected;
                    cells += 1;
                }
            }
        }
        assert!(counts.is_empty(), "drawn against all odds: {counts:?}");
        assert!(
            (rare.0 - rare.1).abs() < 5.0 * rare.0.sqrt() + 1.0,
            "{rare:?}"
        );
        // Mean of χ² is `cells` − 1, its variance 2 (`cells` − 1); the bound is four standard
        // deviations.
        let degrees = f64::from(cells - 1);
        assert!(cells > 10 && chi_square < degrees + 4.0 * (2.0 * degrees).sqrt());
    }
}

#[test]
fn without_temperature_or_alternatives_it_is_greedy() {
    let all = SamplingConfig {
        results: 2,
        ..SamplingConfig::default()
    };
    let temperature = |temperature| SamplingConfig { temperature, ..all };
    for at in 0..models().len() {
        let (model, device) = build(&models()[at]);
        let sources = sources();
        let request = SearchRequest::new(&sources, 9);
        let greedy = block_on(
            model
                .sequence()
                .unwrap()
                .search(&Search::Greedy, &request, &device),
        )
        .unwrap();
        for config in [
            temperature(0.0),
            temperature(1e-5),
            SamplingConfig { top_k: 1, ..all },
            SamplingConfig { top_p: 0.0, ..all },
        ] {
            let sampled = sample(at, config, &sources, 9);
            for (sampled, greedy) in sampled.iter().zip(&greedy.items) {
                for hypothesis in &sampled.hypotheses {
                    assert_eq!(hypothesis.ids, greedy.hypotheses[0].ids, "{config:?}");
                }
            }
        }
    }
}

#[test]
fn only_tokens_that_are_kept_are_drawn() {
    let config = SamplingConfig {
        temperature: 2.0,
        top_k: 3,
        results: 64,
        ..SamplingConfig::default()
    };
    for at in DRAWN_FROM {
        let (model, device) = build(&models()[at]);
        let mut seen = std::collections::BTreeSet::new();
        for found in sample(at, config, &Tokens::pad(&[source(0)]), 4) {
            for hypothesis in found.hypotheses {
                let rows = log_probabilities(&model, &source(0), &hypothesis.ids, &device);
                for (at, &id) in hypothesis.ids.iter().enumerate() {
                    let own = rows[at][id as usize];
                    let better = rows[at][EOS as usize..].iter().filter(|&&it| it > own);
                    assert!(better.count() < 3);
                }
                seen.insert(hypothesis.ids);
            }
        }
        assert!(seen.len() > 10, "all draws are alike: {seen:?}");
    }
}

#[test]
fn a_seed_draws_the_same_again_and_samples_differ() {
    let config = |seed| SamplingConfig {
        results: 8,
        seed,
        ..SamplingConfig::default()
    };
    let first = sample(4, config(1), &sources(), 9);
    assert_eq!(first, sample(4, config(1), &sources(), 9));
    assert_ne!(first, sample(4, config(2), &sources(), 9));
    let ids = |at: usize| first[0].hypotheses[at].ids.clone();
    assert!((1..8).any(|at| ids(at) != ids(0)));
}
