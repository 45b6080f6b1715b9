//! Compares the optimiser with its formula, one parameter at a time and gathered.

#![allow(clippy::unwrap_used)]

use burn::optim::GradientsParams;
use burn::tensor::Device;

use super::*;

#[derive(Module, Debug)]
struct Layer {
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    unused: Param<Tensor<1>>,
}

fn layer() -> Layer {
    let device = Device::default().autodiff();
    Layer {
        weight: Param::from_data([[1.0]], &device),
        bias: Param::from_data([1.0], &device),
        unused: Param::from_data([1.0], &device),
    }
}

/// Gradients by which both parameters get `gradient`.
fn gradients(layer: &Layer, gradient: f32) -> GradientsParams {
    let loss = layer.weight.val().sum() + layer.bias.val().sum();
    GradientsParams::from_grads((loss * gradient).backward(), layer)
}

fn values(layer: &Layer) -> [f32; 3] {
    [
        layer.weight.val().into_scalar(),
        layer.bias.val().into_scalar(),
        layer.unused.val().into_scalar(),
    ]
}

const PLAIN: [f64; 3] = [0.900000002, 0.873330060, 0.806527925];
const DECAYED: [f64; 3] = [0.850000002, 0.780830060, 0.674986422];

fn config(weight_decay: f64) -> OptimizerConfig {
    OptimizerConfig {
        learning_rate: 0.1,
        beta_1: 0.9,
        beta_2: 0.99,
        epsilon: 1e-8,
        weight_decay,
    }
}

/// Returns the parameters after the gradients 0.5, −0.25 and 2, each times `scale`.
fn run(weight_decay: f64, scale: f64) -> Vec<[f32; 3]> {
    let mut optimizer = Optimizer::new(&config(weight_decay));
    let mut layer = layer();
    let mut after = Vec::new();
    for gradient in [0.5, -0.25, 2.0] {
        let gradients = gradients(&layer, gradient);
        let gradients = optimizer.gather(&layer, gradients);
        layer = optimizer.update(layer, gradients, scale, 0.1);
        after.push(values(&layer));
    }
    after
}

/// ```text
/// m = v = 0; p = 1
/// for t, g in enumerate([0.5, -0.25, 2.0], 1):
///     m = 0.9 * m + 0.1 * g;  v = 0.99 * v + 0.01 * g * g
///     p = p * (1 - 0.1 * decay) - 0.1 * (m / (1 - 0.9**t)) / ((v / (1 - 0.99**t))**0.5 + 1e-8)
/// ```
#[test]
fn three_steps_are_those_of_the_formula() {
    let close = |found: f32, expected: f64| (f64::from(found) - expected).abs() < 1e-6;
    for (found, expected) in run(0.0, 1.0).iter().zip(PLAIN) {
        assert!(
            close(found[0], expected) && close(found[1], expected),
            "{found:?}"
        );
    }
    for (found, (decayed, plain)) in run(0.5, 1.0).iter().zip(DECAYED.into_iter().zip(PLAIN)) {
        assert!(close(found[0], decayed), "a matrix decays: {found:?}");
        assert!(close(found[1], plain), "a bias does not: {found:?}");
    }
}

#[test]
fn what_has_no_gradient_stays() {
    let mut optimizer = Optimizer::new(&config(0.5));
    let mut layer = layer();
    layer.unused = layer.unused.set_require_grad(false);
    let gradients = gradients(&layer, 1.0);
    let gradients = optimizer.gather(&layer, gradients);
    let layer = optimizer.update(layer, gradients, 1.0, 0.1);
    assert_eq!(values(&layer)[2], 1.0);
    assert!(!layer.unused.val().is_require_grad());
    let names: Vec<String> = optimizer.states().into_keys().collect();
    assert_eq!(names, ["bias", "weight"]);
}

/// The first moment is linear in the gradient, the second quadratic.
#[test]
fn clipped_gradients_enter_the_moments_scaled() {
    let mut optimizer = Optimizer::new(&config(0.0));
    let layer = layer();
    let gradients = gradients(&layer, 2.0);
    let gradients = optimizer.gather(&layer, gradients);
    let layer = optimizer.update(layer, gradients, 0.25, 0.1);
    let momentum = &optimizer.states()["weight"].momentum;
    let moment: f32 = momentum.moment_1.clone().into_scalar();
    assert!((moment - 0.1 * 2.0 * 0.25).abs() < 1e-7);
    assert!(layer.weight.val().is_require_grad());
}

#[test]
fn the_norm_is_that_of_all_gradients_together() {
    let layer = layer();
    let gradients = gradients(&layer, 3.0);
    let optimizer = Optimizer::new(&config(0.0));
    let gathered = optimizer.gather(&layer, gradients);
    let norm: f32 = gathered.norm(&Device::default()).into_scalar();
    assert!((norm - 18f32.sqrt()).abs() < 1e-6);
}

/// Model of several matrices and vectors, one of which has no gradient in every second step.
#[derive(Module, Debug)]
struct Several {
    matrices: Vec<Param<Tensor<2>>>,
    vector: Param<Tensor<1>>,
    mix: Param<Tensor<2>>,
}

fn several() -> Several {
    let device = Device::default().autodiff();
    let init = &mut strata_attention::ParamInit::new(3, &device);
    Several {
        matrices: (1..4).map(|i| init.uniform([i * 7, 5], 1.0)).collect(),
        vector: init.uniform([9], 1.0),
        mix: init.uniform([3, 2], 1.0),
    }
}

fn several_gradients(model: &Several, step: usize) -> GradientsParams {
    let part = |x: Tensor<2>, i: usize| ((x * (step + i) as f64).sin() * (i + 1) as f64).sum();
    let parts = model.matrices.iter().enumerate();
    let mut loss = (model.vector.val() * 0.3).exp().sum() + part(model.mix.val(), 5);
    for (i, matrix) in parts.filter(|(i, _)| (i + step) % 4 != 1) {
        loss = loss + part(matrix.val(), i);
    }
    GradientsParams::from_grads(loss.backward(), model)
}

/// All numbers of the model, and all moments.
fn bits(model: &Several, optimizer: &Optimizer) -> Vec<f32> {
    let parameters = crate::checkpoint::parameters::parameters(model).into_iter();
    let parameters = parameters.map(|it| it.values);
    let moments = optimizer.states().into_values().flat_map(|state| {
        let momentum = state.momentum;
        [momentum.moment_1, momentum.moment_2]
    });
    let all = parameters.chain(moments);
    all.flat_map(|it| it.into_data().try_to_vec::<f32>().unwrap())
        .collect()
}

fn assert_close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-6, "{found}, not {expected}");
    }
}

#[test]
fn a_row_is_updated_as_its_parameters_are_alone() {
    let config = config(0.3);
    let (mut alone, mut gathered) = (Optimizer::new(&config), Optimizer::new(&config));
    let (mut one, mut other) = (several(), several());
    for step in 0..100 {
        let gradients = several_gradients(&one, step);
        let rows = alone.gather_where(&one, gradients, |_| false);
        let norm = rows.norm(&Device::default()).into_scalar::<f32>();
        one = alone.update(one, rows, 0.7, 0.01);

        let gradients = several_gradients(&other, step);
        let rows = gathered.gather_where(&other, gradients, |_| true);
        assert!(rows.rows.len() < 5, "{} rows", rows.rows.len());
        let other_norm = rows.norm(&Device::default()).into_scalar::<f32>();
        assert!((norm / other_norm - 1.0).abs() < 1e-5);
        other = gathered.update(other, rows, 0.7, 0.01);
        if step == 40 {
            // Take the states apart and restore them, as a checkpoint does.
            let states = gathered.states();
            gathered = Optimizer::new(&config).with_states(states);
        }
    }
    assert_close(&bits(&other, &gathered), &bits(&one, &alone));
}

#[test]
fn whoever_else_has_the_moments_keeps_them() {
    let mut optimizer = Optimizer::new(&config(0.0));
    let mut model = several();
    let step = |optimizer: &mut Optimizer, model: Several, step| {
        let gradients = several_gradients(&model, step);
        let gradients = optimizer.gather(&model, gradients);
        optimizer.update(model, gradients, 1.0, 0.1)
    };
    model = step(&mut optimizer, model, 0);
    let (kept, kept_model) = (optimizer.clone(), model.clone());
    let before = bits(&kept_model, &kept);
    step(&mut optimizer, model, 1);
    assert_eq!(bits(&kept_model, &kept), before);
}
