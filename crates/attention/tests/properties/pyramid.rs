//! The context of a pyramid is a convex combination of its nodes, found by opening the nodes of
//! largest weight.

use burn::tensor::{Device, Tensor};
use proptest::prelude::*;
use strata_attention::{
    AttentionInput, AttentionOutput, AttentionWeights, Beam, Descent, Mechanism, MechanismConfig,
    Muted, Node, PyramidConfig, Site, SummaryKind, Vanilla,
};

use crate::case::{Case, cases};
use crate::mechanisms::pyramids;
use crate::{check, close, numbers};

const SITES: [Site; 2] = [Site::EncoderSelf, Site::Cross];

/// Draws a pyramid with any settings at any site where pyramids are allowed.
fn trials() -> impl Strategy<Value = (Case, PyramidConfig)> {
    (cases(&SITES), pyramids()).prop_map(|(case, config)| (with(&case, config), config))
}

fn with(case: &Case, config: PyramidConfig) -> Case {
    Case {
        config: MechanismConfig::Pyramid(config),
        ..case.clone()
    }
}

/// Returns mechanism, context, descent and keys; keys are also the values.
fn run(case: &Case) -> (Mechanism, Tensor<4>, Descent, Tensor<4>) {
    run_without(case, &[])
}

/// Like [`run`], with these nodes muted.
fn run_without(case: &Case, nodes: &[Node]) -> (Mechanism, Tensor<4>, Descent, Tensor<4>) {
    let device = Device::flex();
    let mut mechanism = case.mechanism(&device);
    mechanism.mute(&Muted {
        nodes: nodes.to_vec(),
        ..Muted::default()
    });
    let input = case.input(&device);
    let keys = input.keys.clone();
    let AttentionOutput {
        context, weights, ..
    } = mechanism.forward(input);
    match weights {
        AttentionWeights::Descent { descent, .. } => (mechanism, context, descent, keys),
        _ => unreachable!("a pyramid gives a descent"),
    }
}

/// 1 for every query of an item with a real key, else 0: `[B, H, T, 1]`.
fn has_key(case: &Case) -> Tensor<4> {
    let shape = [case.batch(), case.heads, case.queries, 1];
    let items: Vec<f32> = case
        .lengths
        .iter()
        .flat_map(|&length| vec![f32::from(length > 0); shape[1] * shape[2]])
        .collect();
    let items = burn::tensor::TensorData::new(items, shape);
    Tensor::from_data(items, &Device::flex())
}

#[test]
fn the_context_is_a_convex_combination_of_nodes() {
    check(500, trials(), |(case, _)| {
        let (_, context, descent, _) = run(&case);
        let (mut sum, mut combined) = (has_key(&case) * 0.0, context.zeros_like());
        for level in 0..descent.levels() {
            let shares = descent.shares(level);
            assert!(numbers(shares.clone()).iter().all(|&share| share >= 0.0));
            let absent = (descent.present(level) - 1.0) * shares.clone();
            assert!(numbers(absent).iter().all(|&share| share == 0.0));
            sum = sum + shares.clone().sum_dim(3);
            combined = combined + shares.matmul(descent.nodes(level));
        }
        close(sum, has_key(&case), "all shares");
        close(combined, context, "Σ shares · nodes");
    });
}

#[test]
fn the_weights_over_the_keys_are_shares_and_make_the_context_where_they_are_defined() {
    check(500, trials(), |(case, config)| {
        let (mechanism, context, descent, keys) = run(&case);
        let output = mechanism.forward(case.input(&Device::flex()));
        let weights = output.weights.last();
        assert!(numbers(weights.clone()).iter().all(|&share| share >= 0.0));
        close(
            weights.clone().sum_dim(3),
            has_key(&case),
            "all weights of the context",
        );
        let defined = config.summary == SummaryKind::Act || config.levels == 1;
        assert!(descent.leaves().is_some() || !defined);
        if descent.leaves().is_some() {
            close(weights.matmul(keys), context, "weights · keys");
        }
    });
}

#[test]
fn only_the_beam_is_opened_and_only_below_what_was_opened() {
    check(500, trials(), |(case, config)| {
        let (_, _, descent, _) = run(&case);
        let Beam::Nodes(beam) = config.beam else {
            return;
        };
        for level in 1..descent.levels() {
            let opened = numbers(descent.opened(level));
            let places = descent.nodes(level).dims()[2];
            for row in opened.chunks(places) {
                let count = row.iter().filter(|&&weight| weight > 0.0).count();
                assert!(count <= beam, "{count} opened on level {level}: {row:?}");
            }
            // Only members of opened nodes are reached on the level below.
            let members = descent.membership(level).greater_elem(0.0).float();
            let below_opened = descent
                .opened(level)
                .greater_elem(0.0)
                .float()
                .matmul(members);
            let reached = numbers(descent.reached(level - 1));
            for (reached, below) in reached.iter().zip(numbers(below_opened)) {
                assert!(*reached == 0.0 || below > 0.0, "level {}", level - 1);
            }
            close(
                descent.reached(level - 1).sum_dim(3),
                descent.opened(level).sum_dim(3),
                "the weight of the opened goes to their children",
            );
        }
    });
}

#[test]
fn a_beam_wide_enough_is_the_full_soft_pyramid() {
    check(300, trials(), |(case, config)| {
        let all = |beam| run(&with(&case, PyramidConfig { beam, ..config })).1;
        close(all(Beam::Nodes(200)), all(Beam::All), "context");
    });
}

#[test]
fn one_level_is_vanilla() {
    check(200, trials(), |(case, config)| {
        let case = with(
            &case,
            PyramidConfig {
                levels: 1,
                ..config
            },
        );
        let (mechanism, context, _, keys) = run(&case);
        let Mechanism::Pyramid(pyramid) = mechanism else {
            unreachable!("a pyramid was built")
        };
        let vanilla = Mechanism::Vanilla(Vanilla::new(pyramid.scores[0].clone()));
        let plain = vanilla.forward(AttentionInput {
            values: keys,
            ..case.input(&Device::flex())
        });
        close(context, plain.context, "context");
    });
}

#[test]
fn a_muted_node_is_never_reached_and_the_others_of_its_parent_share_its_weight() {
    check(400, trials(), |(case, _)| {
        let (_, before, whole, _) = run(&case);
        let levels = whole.levels();
        let level = case.seed as usize % levels;
        let places = whole.nodes(level).dims()[2];
        let index = case.seed as usize / 7 % places;
        let (_, context, without, _) = run_without(&case, &[Node { level, index }]);
        for of in [without.reached(level), without.shares(level)] {
            let muted = of.narrow(3, index, 1);
            close(muted.clone(), muted.zeros_like(), "a muted node");
        }
        let shares = (0..levels).map(|level| without.shares(level).matmul(without.nodes(level)));
        let sum = shares.reduce(|sum, part| sum + part).unwrap();
        close(sum, context, "Σ shares · nodes");
        // At the top all nodes are siblings, so the weights of the others are divided by 1 − the
        // weight of the muted node.
        if level + 1 == levels {
            let before = whole.reached(level);
            let left = before.clone().narrow(3, index, 1).neg() + 1.0;
            // The division loses digits if the muted node has nearly all weight; if it has all, the
            // others stay 0.
            if left.clone().min().into_scalar::<f32>() > 0.1 {
                let rows = [numbers(without.reached(level)), numbers(before / left)];
                let pairs = rows[0].chunks(places).zip(rows[1].chunks(places));
                for (found, expected) in pairs {
                    let others = (0..places).filter(|&it| it != index);
                    for it in others {
                        assert!((found[it] - expected[it]).abs() < 1e-5);
                    }
                }
            }
        }
        assert_eq!(numbers(run(&case).1), numbers(before), "put back");
    });
}

#[test]
fn where_all_nodes_are_muted_the_context_is_zeros() {
    check(100, trials(), |(case, _)| {
        let (_, _, whole, _) = run(&case);
        for level in 0..whole.levels() {
            let places = whole.nodes(level).dims()[2];
            let nodes: Vec<Node> = (0..places).map(|index| Node { level, index }).collect();
            let (_, context, without, _) = run_without(&case, &nodes);
            let below = without.reached(level);
            close(below.clone(), below.zeros_like(), "reached");
            if level + 1 == whole.levels() {
                close(context.clone(), context.zeros_like(), "context");
            }
        }
    });
}

#[test]
fn of_equal_nodes_the_first_is_opened() {
    let device = Device::flex();
    let config = PyramidConfig {
        block: 2,
        levels: 3,
        ..PyramidConfig::default()
    };
    for (summary, beam) in [(SummaryKind::Cnn, 1), (SummaryKind::Rnn, 2)] {
        let beam = Beam::Nodes(beam);
        let case = Case {
            site: Site::Cross,
            config: MechanismConfig::Pyramid(PyramidConfig {
                summary,
                beam,
                ..config
            }),
            heads: 1,
            width: 4,
            queries: 2,
            keys: 8,
            lengths: vec![8],
            seed: 3,
        };
        let mechanism = case.mechanism(&device);
        let same = case.numbers(1, 1, &device).repeat_dim(2, 8);
        let output = mechanism.forward(AttentionInput {
            keys: same.clone(),
            values: same,
            ..case.input(&device)
        });
        let AttentionWeights::Descent { descent, .. } = output.weights else {
            unreachable!("a pyramid gives a descent")
        };
        for level in 1..3 {
            let opened = numbers(descent.opened(level));
            for row in opened.chunks(descent.nodes(level).dims()[2]) {
                let nodes: Vec<usize> = (0..row.len()).filter(|&node| row[node] > 0.0).collect();
                let Beam::Nodes(beam) = beam else {
                    unreachable!("a number was given")
                };
                assert_eq!(
                    nodes,
                    (0..beam).collect::<Vec<_>>(),
                    "level {level}: {row:?}"
                );
            }
        }
    }
}
