//! Beam search compared with a search of all possible targets.

use pollster::block_on;
use strata_attention::MechanismConfig;
use strata_models::{
    BeamConfig, EOS, Model, ModelConfig, Search, SearchRequest, SearchResult, Seq2SeqConfig,
    Tokens, TransformerConfig, Vocabularies,
};

use crate::models::{build, log_probabilities, models, sources};

/// Tokens that a model can write besides EOS.
const WORDS: std::ops::Range<u32> = 3..5;

fn tiny_models(seed: u64) -> [Model; 2] {
    let vocabularies = Vocabularies {
        source: 6,
        target: WORDS.end as usize,
    };
    let transformer = ModelConfig::Transformer(TransformerConfig {
        width: 8,
        heads: 2,
        layers: 1,
        feed_forward: 8,
        decoder_self: MechanismConfig::of_kind("multilevel").unwrap(),
        ..TransformerConfig::default()
    });
    let recurrent = ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 6,
        encoder_hidden: 6,
        decoder_hidden: 6,
        ..Seq2SeqConfig::default()
    });
    let device = burn::tensor::Device::flex();
    [transformer, recurrent].map(|config| config.init(vocabularies, seed, &device).unwrap())
}

fn search(model: &Model, config: BeamConfig, source: &Tokens, limit: usize) -> SearchResult {
    let request = SearchRequest::new(source, limit);
    let device = burn::tensor::Device::flex();
    let searched = block_on(model.sequence().unwrap().search(
        &Search::Beam(config),
        &request,
        &device,
    ));
    searched.unwrap().items.swap_remove(0)
}

/// Returns all targets of fewer than `limit` tokens with EOS, and all of `limit` tokens without
/// EOS, each with true if it ends, and its log-probability.
fn all_targets(model: &Model, source: &[u32], limit: usize) -> Vec<(Vec<u32>, bool, f64)> {
    let mut all = Vec::new();
    let mut open = vec![(Vec::new(), 0.0)];
    for written in 0..limit {
        let mut longer = Vec::new();
        for (target, score) in open {
            let rows = log_probabilities(model, source, &target, &burn::tensor::Device::flex());
            let score_with = |id: u32| score + f64::from(rows[written][id as usize]);
            all.push((target.clone(), true, score_with(EOS)));
            for id in WORDS {
                longer.push(([&target[..], &[id]].concat(), score_with(id)));
            }
        }
        open = longer;
    }
    all.extend(
        open.into_iter()
            .map(|(target, score)| (target, false, score)),
    );
    all
}

#[test]
fn a_wide_beam_finds_the_best_of_all_targets_in_their_order() {
    let source = [3, 5, 4];
    for (seed, limit) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 5), (6, 5)] {
        for model in tiny_models(seed) {
            let all = all_targets(&model, &source, limit);
            for length_penalty in [0.0, 0.6, 1.0, 2.5] {
                for results in [1, 4, 100] {
                    let config = BeamConfig {
                        width: 100,
                        length_penalty,
                        results,
                    };
                    let normalise = |(ids, ended, score): &(Vec<u32>, bool, f64)| {
                        let length = ids.len() + usize::from(*ended);
                        Search::Beam(config).normalise(*score, length)
                    };
                    let mut expected = all.clone();
                    expected.sort_by(|a, b| {
                        (b.1.cmp(&a.1)).then(normalise(b).total_cmp(&normalise(a)))
                    });
                    expected.truncate(results);
                    let found = search(&model, config, &Tokens::pad(&[source]), limit);
                    assert_eq!(found.hypotheses.len(), expected.len());
                    for (found, expected) in found.hypotheses.iter().zip(&expected) {
                        let what = format!("{config:?}, limit {limit}, seed {seed}");
                        assert_eq!(found.ids, expected.0, "{what}");
                        assert_eq!(found.ended, expected.1, "{what}");
                        assert!(
                            (found.normalised - normalise(expected)).abs() < 1e-4,
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_length_penalty_is_that_of_its_paper() {
    let with = |length_penalty| {
        let config = BeamConfig {
            length_penalty,
            ..BeamConfig::default()
        };
        Search::Beam(config).normalise(-6.0, 7)
    };
    assert_eq!(with(0.0), -6.0);
    assert!((with(1.0) + 3.0).abs() < 1e-12);
    assert!((with(0.5) + 6.0 / 2f64.sqrt()).abs() < 1e-12);
}

#[test]
fn the_tree_holds_all_that_was_kept() {
    let width = 4;
    for config in models() {
        let (model, _) = build(&config);
        let beam = BeamConfig {
            width,
            results: width,
            ..BeamConfig::default()
        };
        let found = search(&model, beam, &Tokens::pad(&[sources().row(0)]), 8);
        let mut ended = 0;
        for (step, nodes) in found.tree.iter().enumerate() {
            assert!(nodes.len() <= width - ended, "an end gives its place up");
            assert!(nodes.is_sorted_by(|a, b| a.score >= b.score));
            for node in nodes {
                let own = f64::from(node.log_probability);
                let before = match step {
                    0 => 0.0,
                    _ => {
                        let parent = &found.tree[step - 1][node.parent];
                        assert_ne!(parent.id, EOS, "what has ended goes on");
                        parent.score
                    }
                };
                assert!((before + own - node.score).abs() < 1e-9);
            }
            ended += nodes.iter().filter(|node| node.id == EOS).count();
        }
        for hypothesis in &found.hypotheses {
            let ids = found.tree.iter().zip(&hypothesis.path);
            let ids: Vec<u32> = ids.map(|(nodes, &at)| nodes[at].id).collect();
            assert_eq!(ids.len(), hypothesis.log_probabilities.len());
            assert!(ids.starts_with(&hypothesis.ids));
            assert_eq!(hypothesis.ended, ids.last() == Some(&EOS));
        }
    }
}
