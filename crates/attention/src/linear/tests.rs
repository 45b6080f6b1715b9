#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, FloatDType, TensorData, Tolerance};

use super::*;

const D: usize = 5;
const T: usize = 2 * CHUNK + 7;

fn draw(init: &mut ParamInit, t: usize) -> Tensor<4> {
    init.uniform([2, 3, t, D], 2.0).val().detach()
}

/// Returns the context and the gradients of query, keys and values.
fn run(
    inputs: &[Tensor<4>; 3],
    precision: FloatDType,
    attend: impl Fn([Tensor<4>; 3]) -> Tensor<4>,
) -> [TensorData; 4] {
    let leaves = inputs.each_ref().map(|it| {
        let cast = it.clone().inner().cast(precision);
        Tensor::from_inner(cast).require_grad()
    });
    let context = attend(leaves.clone());
    let found = context.clone().square().sum().backward();
    let [query, keys, values] = leaves.map(|it| it.grad(&found).unwrap().into_data());
    [context.into_data(), query, keys, values]
}

/// Computes linear attention as the paper defines it in equation 5.
fn defined([query, keys, values]: [Tensor<4>; 3], hidden: Tensor<4>) -> Tensor<4> {
    let phi = |x: Tensor<4>| {
        let above = x.clone().greater_elem(0.0);
        x.clone().exp().mask_where(above, x + 1.0)
    };
    let visible = hidden.equal_elem(0.0).float().cast(FloatDType::F64);
    let weights = phi(query).matmul(phi(keys).swap_dims(2, 3)) * visible;
    let total = weights.clone().sum_dim(3);
    weights.matmul(values) / total
}

#[test]
fn chunks_of_a_causal_pass_are_the_paper_s_sums_and_so_are_their_gradients() {
    let device = Device::flex().autodiff();
    let init = &mut ParamInit::new(7, &device);
    let mechanism = LinearAttention {
        causal: true,
        forced: ForcedRows::default(),
    };
    let mut padding = vec![false; 2 * T];
    padding[2 * T - 9..].fill(true);
    for t in [1, CHUNK, CHUNK + 1, T] {
        let inputs = [draw(init, t), draw(init, t), draw(init, t)];
        let padding = &[&padding[..t], &padding[2 * T - t..]].concat();
        let masks = [
            Mask::causal(t, t, &device),
            Mask::causal_padding(padding, t, t, &device),
        ];
        // Nothing would be left of the shortest.
        for mask in masks.into_iter().take(if t > 9 { 2 } else { 1 }) {
            let additive = mask.additive().unwrap_or_else(|| {
                Tensor::zeros([1, 1, 1, 1], &device) // one position
            });
            let found = run(&inputs, FloatDType::F32, |[query, keys, values]| {
                let memory = mechanism.prepare(keys, values, mask.clone());
                mechanism.attend_from(0, query, &memory).context
            });
            let expected = run(&inputs, FloatDType::F64, |inputs| {
                defined(inputs, additive.clone())
            });
            for (found, expected) in found.iter().zip(&expected) {
                let expected = expected.clone().convert::<f32>();
                found.assert_approx_eq(&expected, Tolerance::<f32>::rel_abs(1e-4, 2e-5));
            }
        }
    }
}

#[test]
fn a_beam_that_changes_items_keeps_their_sums_and_weights() {
    let device = Device::flex();
    let init = &mut ParamInit::new(7, &device);
    let mechanism = LinearAttention {
        causal: true,
        forced: ForcedRows::default(),
    };
    let [query, keys, values] = [(); 3].map(|()| draw(init, 4));
    let row = |of: &Tensor<4>, t| of.clone().narrow(2, t, 1);
    let mut cache = CausalCache::default();
    let step = |cache: &mut CausalCache, t| {
        let (key, value) = (row(&keys, t), row(&values, t));
        let output = mechanism.self_attend_next(cache, row(&query, t), key, value);
        cache.position += 1;
        output
    };
    step(&mut cache, 0);
    step(&mut cache, 1);
    // Item 1 goes on twice: until here with its own keys, from here on with those of each copy.
    let rows = Tensor::from_data([1, 1], &device);
    cache = cache.select(&rows);
    step(&mut cache, 2);
    let output = step(&mut cache, 3);
    let mixed = |of: &Tensor<4>| {
        let before = of.clone().narrow(2, 0, 2).select(0, rows.clone());
        Tensor::cat(vec![before, of.clone().narrow(2, 2, 2)], 2)
    };
    let weights = output.weights.last();
    assert_eq!(weights.dims(), output.weights.dims());
    let expected = super::weights(
        features(row(&query, 3)),
        features(mixed(&keys)),
        &Mask::none(),
    );
    let near = Tolerance::<f32>::absolute(1e-6);
    let context = expected.clone().matmul(mixed(&values));
    weights
        .into_data()
        .assert_approx_eq(&expected.into_data(), near);
    output
        .context
        .into_data()
        .assert_approx_eq(&context.into_data(), near);
}
