//! Properties of every search.

use pollster::block_on;
use strata_models::{
    BeamConfig, Constraints, EOS, Hypothesis, Model, PAD, SamplingConfig, Search, SearchRequest,
    SearchResult, Tokens,
};

use crate::models::{
    LENGTHS, build, log_probabilities, models, most_probable, source, sources, uncached,
};

const LIMIT: usize = 9;

/// Searches of every kind, except the one-pass search, which does not read its own tokens.
fn searches() -> [Search; 4] {
    let beam = BeamConfig {
        width: 3,
        results: 3,
        ..BeamConfig::default()
    };
    [
        Search::Greedy,
        Search::Sampling(SamplingConfig {
            results: 2,
            seed: 7,
            ..SamplingConfig::default()
        }),
        Search::Beam(beam),
        Search::Beam(BeamConfig {
            length_penalty: 0.0,
            results: 1,
            ..beam
        }),
    ]
}

fn run(model: &Model, search: Search, request: &SearchRequest<'_>) -> Vec<SearchResult> {
    let device = burn::tensor::Device::flex();
    block_on(model.sequence().unwrap().search(&search, request, &device))
        .unwrap()
        .items
}

/// Asserts that two hypotheses have the same tokens, and the same probabilities up to rounding.
fn same(left: &Hypothesis, right: &Hypothesis, what: &str) {
    assert_eq!(left.ids, right.ids, "{what}");
    assert_eq!(left.ended, right.ended, "{what}");
    let scores = [
        (left.score, right.score),
        (left.normalised, right.normalised),
    ];
    for (left, right) in scores {
        assert!((left - right).abs() < 1e-4, "{left} {right}: {what}");
    }
}

#[test]
fn greedy_search_equals_whole_passes_without_caches() {
    let mut silent = 0;
    for config in models() {
        let (model, device) = build(&config);
        let sources = sources();
        let found = run(&model, Search::Greedy, &SearchRequest::new(&sources, LIMIT));
        let written = |found: &SearchResult| found.hypotheses[0].ids.clone();
        silent += usize::from(found.iter().all(|found| written(found).len() <= 2));
        for (row, found) in found.iter().enumerate() {
            let expected = uncached(&model, &source(row), Vec::new(), LIMIT, &device);
            assert_eq!(written(found), expected, "{config:?}");
        }
    }
    // A model that writes at most two tokens for every source proves little; few random models do
    // so.
    assert!(silent * 5 < models().len(), "{silent} models");
}

#[test]
fn a_beam_of_one_is_greedy() {
    let beam = Search::Beam(BeamConfig {
        width: 1,
        ..BeamConfig::default()
    });
    for config in models() {
        let (model, _) = build(&config);
        let sources = sources();
        let request = SearchRequest::new(&sources, LIMIT);
        let greedy = run(&model, Search::Greedy, &request);
        for (greedy, beam) in greedy.iter().zip(run(&model, beam, &request)) {
            let [greedy, beam] = [&greedy.hypotheses[0], &beam.hypotheses[0]];
            assert_eq!(greedy.ids, beam.ids, "{config:?}");
            assert_eq!(greedy.ended, beam.ended, "{config:?}");
            assert!((greedy.score - beam.score).abs() < 1e-5, "{config:?}");
        }
    }
}

/// Checks that the result is the most probable token at each position, up to EOS, of one pass over
/// a target of padding.
#[test]
fn one_pass_reads_nothing_that_it_wrote() {
    let mut unlike_greedy = 0;
    for config in models() {
        let (model, device) = build(&config);
        let sources = sources();
        let request = SearchRequest::new(&sources, LIMIT);
        let greedy = run(&model, Search::Greedy, &request);
        for (row, found) in run(&model, Search::OnePass, &request).iter().enumerate() {
            let blank = [PAD; LIMIT - 1];
            let rows = log_probabilities(&model, &source(row), &blank, &device);
            let places = rows.iter().map(|row| most_probable(row));
            let expected: Vec<u32> = places.take_while(|&id| id != EOS).collect();
            assert_eq!(found.hypotheses[0].ids, expected, "{config:?}");
            unlike_greedy += usize::from(greedy[row].hypotheses[0].ids != expected);
        }
    }
    assert!(unlike_greedy > models().len(), "{unlike_greedy}");
}

#[test]
fn a_batch_of_different_lengths_and_limits_equals_one_by_one() {
    for (at, config) in models().into_iter().enumerate() {
        let (model, _) = build(&config);
        for search in searches().into_iter().chain([Search::OnePass]) {
            let sources = sources();
            // Two sources have lower limits and leave the batch sooner: rows after the longest one,
            // or on both sides of it.
            let limits = [[LIMIT, 2, 5], [1, LIMIT, 4]][at % 2];
            let together = SearchRequest {
                limits: limits.to_vec(),
                prefixes: vec![vec![], vec![7], vec![5, 6]],
                ..SearchRequest::new(&sources, LIMIT)
            };
            let found = run(&model, search, &together);
            for (row, found) in found.iter().enumerate() {
                let alone = Tokens::pad(&[source(row)]);
                let request = SearchRequest {
                    prefixes: vec![together.prefixes[row].clone()],
                    numbers: vec![row as u64],
                    ..SearchRequest::new(&alone, limits[row])
                };
                let expected = run(&model, search, &request);
                assert_eq!(found.hypotheses.len(), expected[0].hypotheses.len());
                for (found, expected) in found.hypotheses.iter().zip(&expected[0].hypotheses) {
                    same(found, expected, &format!("{search:?} {config:?}"));
                }
            }
        }
    }
}

#[test]
fn scores_are_those_of_a_teacher_forced_pass() {
    for config in models() {
        let (model, device) = build(&config);
        for search in searches() {
            let sources = sources();
            let found = run(&model, search, &SearchRequest::new(&sources, LIMIT));
            for (row, found) in found.iter().enumerate() {
                for hypothesis in &found.hypotheses {
                    let rows = log_probabilities(&model, &source(row), &hypothesis.ids, &device);
                    let mut written = hypothesis.ids.clone();
                    if hypothesis.ended {
                        written.push(EOS);
                    }
                    assert_eq!(written.len(), hypothesis.log_probabilities.len());
                    let mut sum = 0.0;
                    for (at, &id) in written.iter().enumerate() {
                        let expected = rows[at][id as usize];
                        let found = hypothesis.log_probabilities[at];
                        assert!((found - expected).abs() < 1e-4, "{search:?} {config:?}");
                        sum += f64::from(found);
                    }
                    assert!((sum - hypothesis.score).abs() < 1e-9);
                    let normalised = search.normalise(sum, written.len());
                    assert!((normalised - hypothesis.normalised).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn a_forced_prefix_is_scored_and_gone_on_from() {
    let prefixes = [vec![9], vec![5, 6, 7], vec![]];
    for config in models() {
        let (model, device) = build(&config);
        for search in searches() {
            let sources = sources();
            let request = SearchRequest {
                prefixes: prefixes.to_vec(),
                ..SearchRequest::new(&sources, LIMIT)
            };
            for (row, found) in run(&model, search, &request).iter().enumerate() {
                for hypothesis in &found.hypotheses {
                    let written = &hypothesis.ids;
                    assert!(written.starts_with(&prefixes[row]), "{written:?}");
                    let rows = log_probabilities(&model, &source(row), written, &device);
                    for (at, &id) in prefixes[row].iter().enumerate() {
                        let difference = hypothesis.log_probabilities[at] - rows[at][id as usize];
                        assert!(difference.abs() < 1e-4, "{search:?} {config:?}");
                    }
                }
                if search == Search::Greedy {
                    let prefix = prefixes[row].clone();
                    let expected = uncached(&model, &source(row), prefix, LIMIT, &device);
                    assert_eq!(found.hypotheses[0].ids, expected, "{config:?}");
                }
            }
        }
    }
}

#[test]
fn a_prefix_that_ends_or_is_longer_than_the_limit_is_all_that_there_is() {
    let (model, _) = build(&models()[0]);
    for search in searches() {
        let sources = sources();
        let request = SearchRequest {
            prefixes: vec![vec![5, EOS], vec![5, 6, 7, 8], vec![]],
            limits: vec![LIMIT, 3, 0],
            ..SearchRequest::new(&sources, LIMIT)
        };
        let found = run(&model, search, &request);
        for (found, (ids, ended)) in
            found
                .iter()
                .zip([(vec![5], true), (vec![5, 6, 7], false), (vec![], false)])
        {
            let [hypothesis] = &found.hypotheses[..] else {
                panic!("{search:?}: {found:?}")
            };
            assert_eq!((&hypothesis.ids, hypothesis.ended), (&ids, ended));
        }
    }
}

#[test]
fn the_attention_of_every_step_is_that_of_a_teacher_forced_pass() {
    for config in models() {
        let (model, device) = build(&config);
        for search in searches() {
            let sources = sources();
            let request = SearchRequest {
                attention: true,
                ..SearchRequest::new(&sources, LIMIT)
            };
            let searched =
                block_on(model.sequence().unwrap().search(&search, &request, &device)).unwrap();
            for (row, found) in searched.items.iter().enumerate() {
                let Some(hypothesis) = found.hypotheses.last() else {
                    panic!("nothing was found")
                };
                let batch = strata_models::Batch::new(&[(source(row), hypothesis.ids.clone())]);
                let whole = model.sequence().unwrap().forward(&batch, &device).attention;
                let steps = hypothesis.log_probabilities.len();
                for written in searched.attention(found, hypothesis) {
                    let site = whole.iter().find(|site| site.site == written.site).unwrap();
                    assert_eq!(site.weights.levels(), written.levels.len());
                    for (level, found) in written.levels.into_iter().enumerate() {
                        let expected = site.weights.level(level + 1).narrow(2, 0, steps);
                        let [_, _, t, s] = found.dims();
                        assert_eq!(t, steps);
                        let seen = match written.site.place.is_self() {
                            true => steps,
                            false => LENGTHS[row],
                        };
                        let difference =
                            found.narrow(3, 0, seen.min(s)) - expected.narrow(3, 0, seen.min(s));
                        let difference = difference.abs().max().into_scalar::<f32>();
                        assert!(difference < 1e-4, "{difference} {search:?} {config:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn candidates_are_the_most_probable_tokens_of_every_step() {
    let (model, device) = build(&models()[4]);
    for search in searches() {
        let sources = sources();
        let request = SearchRequest {
            candidates: 5,
            ..SearchRequest::new(&sources, LIMIT)
        };
        for (row, found) in run(&model, search, &request).iter().enumerate() {
            for hypothesis in &found.hypotheses {
                let rows = log_probabilities(&model, &source(row), &hypothesis.ids, &device);
                let candidates = found.candidates(hypothesis);
                assert_eq!(candidates.len(), hypothesis.log_probabilities.len());
                for (at, candidates) in candidates.iter().enumerate() {
                    let mut expected: Vec<f32> = rows[at][EOS as usize..].to_vec();
                    expected.sort_by(|a, b| b.total_cmp(a));
                    assert_eq!(candidates.len(), 5);
                    for (candidate, expected) in candidates.iter().zip(expected) {
                        assert!((candidate.log_probability - expected).abs() < 1e-4);
                        let of_id = rows[at][candidate.id as usize];
                        assert!((candidate.log_probability - of_id).abs() < 1e-4);
                    }
                }
            }
        }
    }
}

#[test]
fn past_its_ends_a_text_is_as_long_as_the_limit() {
    for config in models() {
        let (model, _) = build(&config);
        for search in searches() {
            let sources = sources();
            let request = SearchRequest {
                constraints: Constraints {
                    past_ends: true,
                    ..Constraints::default()
                },
                ..SearchRequest::new(&sources, LIMIT)
            };
            for found in run(&model, search, &request) {
                for hypothesis in &found.hypotheses {
                    assert!(!hypothesis.ended);
                    assert_eq!(hypothesis.ids.len(), LIMIT, "{config:?}");
                    assert_eq!(hypothesis.log_probabilities.len(), LIMIT);
                }
            }
        }
    }
}

#[test]
fn what_may_not_be_written_is_not_written_and_the_rest_keeps_its_probability() {
    let mut other = 0;
    for config in models() {
        let (model, device) = build(&config);
        for search in searches() {
            let sources = sources();
            let request = SearchRequest {
                constraints: Constraints {
                    minimum_length: 4,
                    no_repeat_ngram: 2,
                    forbidden: vec![7],
                    past_ends: false,
                },
                prefixes: vec![vec![], vec![7, 7, 7], vec![5]],
                ..SearchRequest::new(&sources, LIMIT)
            };
            for (row, found) in run(&model, search, &request).iter().enumerate() {
                let prefix = &request.prefixes[row];
                for hypothesis in &found.hypotheses {
                    let ids = &hypothesis.ids;
                    assert!(ids.len() >= 4, "{ids:?}");
                    assert!(ids.starts_with(prefix) && !ids[prefix.len()..].contains(&7));
                    let pairs: Vec<&[u32]> = ids.windows(2).collect();
                    for (at, pair) in pairs.iter().enumerate().skip(prefix.len().max(1)) {
                        assert!(!pairs[..at].contains(pair), "{pair:?} twice in {ids:?}");
                    }
                    let expected = log_probabilities(&model, &source(row), ids, &device);
                    for (at, (&id, &p)) in ids.iter().zip(&hypothesis.log_probabilities).enumerate()
                    {
                        assert!((expected[at][id as usize] - p).abs() < 1e-4, "{config:?}");
                        other += usize::from(most_probable(&expected[at]) != id);
                    }
                }
            }
        }
    }
    // The constraints changed the written tokens.
    assert!(other > 100, "{other}");
}
