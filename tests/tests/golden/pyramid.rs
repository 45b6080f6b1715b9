//! The parameters and outputs of a pyramid.

use burn::tensor::Tensor;
use strata_attention::{Descent, Pyramid, Summary};

use crate::attention::fill_score;
use crate::case::{Case, Outputs};

/// Sets a pyramid's parameters to the file's.
pub fn fill(pyramid: &mut Pyramid, case: &Case) {
    let shared = case.config["shared"].as_bool().unwrap();
    for (level, score) in pyramid.scores.iter_mut().enumerate() {
        let prefix = match shared {
            true => "score.".to_owned(),
            false => format!("level_{level}.score."),
        };
        fill_score(score, case, &prefix);
    }
    for (below, summary) in pyramid.summaries.iter_mut().enumerate() {
        let prefix = format!("level_{}", below + 1);
        match summary {
            Summary::Cnn(cnn) => {
                cnn.weight = case.param(&format!("{prefix}.conv.w"));
                cnn.bias = case.param(&format!("{prefix}.conv.b"));
            }
            Summary::Rnn(rnn) => {
                rnn.input = case.param(&format!("{prefix}.gru.w_ih"));
                rnn.hidden = case.param(&format!("{prefix}.gru.w_hh"));
                rnn.input_bias = case.param(&format!("{prefix}.gru.b_ih"));
                rnn.hidden_bias = case.param(&format!("{prefix}.gru.b_hh"));
            }
            Summary::Act(act) => {
                act.weight = case.param(&format!("{prefix}.act.u"));
                act.bias = case.param(&format!("{prefix}.act.b"));
            }
        }
    }
}

/// Returns all outputs that the file may contain. We may carry further, absent nodes: the first
/// nodes are compared, and the rest must be absent.
pub fn outputs(case: &Case, context: Tensor<4>, descent: &Descent) -> Outputs {
    let rows = || case.query_rows(1);
    let flat = |tensor: Tensor<4>| tensor.squeeze_dim::<3>(1);
    // Returns the number of nodes that the file has on a level.
    let nodes = |level: usize| {
        let weights = format!("output.weights.level_{level}");
        *case.dims(&weights).last().unwrap()
    };
    for level in 0..descent.levels() {
        let (n, places) = (nodes(level), descent.nodes(level).dims()[2]);
        if places > n {
            let further = descent.present(level).narrow(3, n, places - n).sum();
            assert_eq!(further.into_scalar::<f32>(), 0.0, "{}", case.name);
        }
    }
    let mut outputs = Outputs::default().with("context", flat(context), rows());
    if let Some(leaves) = descent.leaves() {
        outputs = outputs.with("weights", flat(leaves.narrow(3, 0, nodes(0))), rows());
    }
    if let Some(ponder) = descent.ponder() {
        outputs = outputs.with("ponder", ponder, None);
    }
    for level in 0..descent.levels() {
        let n = nodes(level);
        let shares = flat(descent.shares(level).narrow(3, 0, n));
        outputs = outputs.with(&format!("weights.level_{level}"), shares, rows());
        if level == 0 {
            continue;
        }
        let states = flat(descent.nodes(level).narrow(2, 0, n));
        let below = nodes(level - 1);
        let membership = descent.membership(level).narrow(2, 0, n);
        outputs = outputs.with(&format!("level_{level}"), states, None).with(
            &format!("membership.level_{level}"),
            flat(membership.narrow(3, 0, below)),
            None,
        );
        if let Some(halting) = descent.halting(level - 1) {
            let halting = halting.narrow(2, 0, below).squeeze_dim::<3>(3);
            outputs = outputs.with(
                &format!("halting.level_{level}"),
                halting.squeeze_dim::<2>(1),
                None,
            );
        }
    }
    let present = (1..descent.levels()).map(|level| {
        let present = descent.present(level).narrow(3, 0, nodes(level));
        (level, present.squeeze_dim::<3>(1).squeeze_dim::<2>(1))
    });
    for (level, present) in present {
        case.compare_padding(level, present);
    }
    outputs
}
