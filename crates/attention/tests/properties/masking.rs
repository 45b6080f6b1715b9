//! Weights of visible keys are at least 0 and sum to 1; padding has weight 0.

use burn::tensor::{Device, Tensor};
use proptest::strategy::Strategy;
use strata_attention::{
    AttentionInput, Draws, LocalPosition, Mask, Mechanism, MechanismConfig, Site,
};

use crate::case::{Case, cases};
use crate::parameters::gradient;
use crate::{ROUNDING, SITES, check, close, close_weights, numbers};

#[test]
fn weights_are_shares_of_visible_keys_and_make_the_context() {
    check(1000, cases(&SITES), |case| {
        let device = Device::flex();
        let input = case.input(&device);
        let values = input.values.clone();
        let output = case.mechanism(&device).forward(input);
        for level in 1..=output.weights.levels() {
            are_shares(
                &case,
                output.weights.level(level),
                &format!("level {level}"),
            );
        }
        let last = output.weights.last();
        are_shares(&case, last.clone(), "weights of the context");
        if case.facts().over_keys && !case.facts().adds_query {
            close(last.matmul(values), output.context, "weights · values");
        }
    });
}

/// Asserts that weights are at least 0, that hidden keys have weight 0, and that each row sums to
/// 1.
fn are_shares(case: &Case, weights: Tensor<4>, what: &str) {
    let [_, heads, queries, columns] = weights.dims();
    let facts = case.facts();
    for (row, shares) in numbers(weights).chunks(columns).enumerate() {
        let (t, b) = (row % queries, row / queries / heads);
        assert!(
            shares.iter().all(|&share| share >= 0.0),
            "{what}: {shares:?}"
        );
        if facts.over_keys {
            let hidden = (0..columns).filter(|&s| !case.sees(b, t, s));
            let seen: f32 = hidden.map(|s| shares[s]).sum();
            assert_eq!(seen, 0.0, "{what}, query {t} of item {b}: {shares:?}");
        }
        let sum: f32 = shares.iter().sum();
        let (least, most) = match (case.lengths[b], facts.whole_rows) {
            (0, _) => (0.0, 0.0),
            (_, true) => (1.0 - 1e-5, 1.0 + 1e-5),
            (_, false) => (0.0, 1.0 + 1e-5),
        };
        assert!(
            (least..=most).contains(&sum),
            "{what}, query {t} of item {b} sums to {sum}: {shares:?}"
        );
    }
}

#[test]
fn local_attention_sees_its_window_and_nothing_else() {
    let local = cases(&SITES).prop_filter_map("another mechanism", |case| match case.config {
        MechanismConfig::Local(config) => Some((case, config.window as f32)),
        _ => None,
    });
    check(300, local, |(case, window)| {
        let device = Device::flex();
        let output = case.mechanism(&device).forward(case.input(&device));
        let predicted = output.auxiliary.positions.map(numbers);
        let weights = numbers(output.weights.last());
        for (row, shares) in weights.chunks(case.keys).enumerate() {
            let (t, b) = (row % case.queries, row / case.queries / case.heads);
            let at = predicted.as_ref().map_or(t as f32, |at| at[row]);
            for (s, &share) in shares.iter().enumerate() {
                let inside = (s as f32 - at).abs() <= window && case.sees(b, t, s);
                assert_eq!(share > 0.0, inside, "key {s} from {at}: {shares:?}");
            }
        }
    });
}

/// Checks p = S · σ(vᵀ tanh(Wᵀ q)), where q are the head's own columns of the projected query and S
/// is the number of keys that the query sees.
#[test]
fn each_head_of_local_attention_predicts_its_own_positions() {
    let predictive = cases(&SITES).prop_filter("no position is predicted", |case| {
        matches!(&case.config, MechanismConfig::Local(config)
            if config.position == LocalPosition::Predictive)
    });
    check(200, predictive, |case| {
        let device = Device::flex();
        let layer = case.layer(&device);
        let Mechanism::Local(local) = &layer.mechanism else {
            panic!("not local: {:?}", layer.mechanism)
        };
        let predictor = local.predictor.as_ref().unwrap();
        let (weight, energy) = (predictor.weight.val(), predictor.energy.val());
        let (weight, energy) = (numbers(weight), numbers(energy));
        let query = case.positions(case.queries, 1, &device);
        let keys = case.positions(case.keys, 2, &device);
        let projected = numbers(layer.query.forward(query.clone()));
        let output = layer.forward(query, keys.clone(), keys, case.mask(&device));
        let positions = output.auxiliary.positions.unwrap();
        let (heads, queries, width) = (case.heads, case.queries, case.width);
        assert_eq!(positions.dims(), [case.batch(), heads, queries, 1]);
        for (at, position) in numbers(positions).into_iter().enumerate() {
            let (b, head, t) = (at / queries / heads, at / queries % heads, at % queries);
            let query = &projected[((b * queries + t) * heads + head) * width..][..width];
            let hidden = (0..width).map(|column| {
                let terms = query.iter().zip(weight[column..].iter().step_by(width));
                terms.map(|(q, w)| q * w).sum::<f32>().tanh()
            });
            let score: f32 = hidden.zip(&energy).map(|(hidden, v)| hidden * v).sum();
            let visible = (0..case.keys).filter(|&s| case.sees(b, t, s)).count() as f32;
            let expected = visible / (1.0 + (-score).exp());
            assert!(
                (position - expected).abs() <= 1e-4 * visible.max(1.0),
                "item {b}, head {head}, query {t}: {position} against {expected}"
            );
        }
    });
}

#[test]
fn an_item_has_in_a_batch_what_it_has_alone() {
    check(600, cases(&SITES), |case| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let batched = mechanism.forward(input.clone());
        for (b, &length) in case
            .lengths
            .iter()
            .enumerate()
            .filter(|(_, length)| **length > 0)
        {
            // The results of padded queries are unspecified.
            let queries = if case.site.is_self() {
                length
            } else {
                case.queries
            };
            let alone = mechanism.forward(AttentionInput {
                query: input.query.clone().narrow(0, b, 1).narrow(2, 0, queries),
                keys: input.keys.clone().narrow(0, b, 1).narrow(2, 0, length),
                values: input.values.clone().narrow(0, b, 1).narrow(2, 0, length),
                mask: match case.site {
                    Site::DecoderSelf => Mask::causal(length, length, &device),
                    _ => Mask::none(),
                },
            });
            let real = |all: Tensor<4>| all.narrow(0, b, 1).narrow(2, 0, queries);
            let what = format!("item {b}");
            close(real(batched.context.clone()), alone.context, &what);
            if case.facts().over_keys {
                close_weights(&batched.weights, &alone.weights, &what, |batched, alone| {
                    (real(batched).narrow(3, 0, length), alone)
                });
            }
        }
    });
}

#[test]
fn a_blind_item_has_context_0_and_padding_has_gradient_0() {
    check(600, cases(&SITES), |case| {
        let device = Device::flex().autodiff();
        let mechanism = case.mechanism(&device);
        let mut input = case.input(&device);
        input.keys = input.keys.require_grad();
        input.values = input.values.require_grad();
        let (keys, values) = (input.keys.clone(), input.values.clone());
        let memory = mechanism.prepare(input.keys, input.values, input.mask);
        let memory = memory.with_draws(Some(&Draws::new(1)));
        let query = numbers(input.query.clone());
        let context = mechanism.attend(input.query, &memory).context;
        let gradients = context.clone().square().sum().backward();
        let item = case.heads * case.queries * case.width;
        for (b, context) in numbers(context).chunks(item).enumerate() {
            if case.lengths[b] > 0 {
                continue;
            }
            if case.facts().adds_query {
                let pairs = context.iter().zip(&query[b * item..][..item]);
                let rest = pairs.map(|(x, q)| (x - q).abs()).fold(0.0, f32::max);
                assert!(rest <= ROUNDING, "{rest} beside the query");
            } else {
                assert!(context.iter().all(|&x| x == 0.0), "{context:?}");
            }
        }
        for (name, tensor) in [("keys", keys), ("values", values)] {
            let gradient = gradient(&tensor, &gradients);
            for (row, gradient) in gradient.chunks(case.width).enumerate() {
                let (s, b) = (row % case.keys, row / case.keys / case.heads);
                let padded = s >= case.lengths[b];
                assert!(
                    !padded || gradient.iter().all(|&x| x == 0.0),
                    "{name} {s} of item {b} is padding: {gradient:?}"
                );
            }
        }
    });
}
