//! AdamW (Loshchilov and Hutter 2019, algorithm 2) with the gradients' norm clipped.
//!
//! burn's module optimiser keeps its state under random identifiers and reads it synchronously;
//! here each parameter has its state under its name, flattened, so that a checkpoint can read all
//! of it in one asynchronous transaction. And burn corrects the bias of the moments in F32, where
//! 1 − 0.999 has four right digits: enough to move a loss in its fourth within twenty steps.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::{AdamWState, AdaptiveMomentumState, GradientsParams};
use burn::tensor::{Device, Tensor};

use crate::OptimizerConfig;
use crate::parameters::Path;

/// AdamW over all parameters of a model.
///
/// Weight decay pulls matrices towards 0 and leaves alone what only says where a layer works:
/// everything with one axis (biases, gains and shifts of norms) and Ham's `mix` of levels, which
/// a decay would push towards an even mixture.
#[derive(Clone)]
pub(crate) struct Optimizer {
    config: OptimizerConfig,
    states: BTreeMap<String, AdamWState<1>>,
}

impl Optimizer {
    pub(crate) fn new(config: &OptimizerConfig) -> Self {
        Self {
            config: *config,
            states: BTreeMap::new(),
        }
    }

    /// One update of every parameter that has a gradient, the gradients multiplied by `scale`.
    pub(crate) fn update<M: Module>(
        &mut self,
        model: M,
        gradients: GradientsParams,
        scale: f64,
        learning_rate: f64,
    ) -> M {
        model.map(&mut Update {
            path: Path::default(),
            optimizer: self,
            gradients,
            scale,
            learning_rate,
        })
    }

    /// What Adam takes from a parameter, η m̂ / (√v̂ + ε), and its moments after that. The factors
    /// that correct m and v stand in front of the fraction and beside ε.
    fn change(
        &self,
        gradient: Tensor<1>,
        state: Option<AdamWState<1>>,
        learning_rate: f64,
    ) -> (Tensor<1>, AdamWState<1>) {
        let OptimizerConfig {
            beta_1,
            beta_2,
            epsilon,
            ..
        } = self.config;
        let first = gradient.clone() * (1.0 - beta_1);
        let second = gradient.square() * (1.0 - beta_2);
        let momentum = match state.map(|state| state.momentum) {
            None => AdaptiveMomentumState::new(1, first, second),
            Some(before) => AdaptiveMomentumState::new(
                before.time + 1,
                before.moment_1 * beta_1 + first,
                before.moment_2 * beta_2 + second,
            ),
        };
        let time = momentum.time as f64;
        let root = (1.0 - beta_2.powf(time)).sqrt();
        let rate = learning_rate * root / (1.0 - beta_1.powf(time));
        let spread = momentum.moment_2.clone().sqrt() + epsilon * root;
        let change = momentum.moment_1.clone() / spread * rate;
        (change, AdamWState::new(momentum))
    }

    /// The moments of every parameter that was ever updated, by its name.
    pub(crate) fn states(&self) -> &BTreeMap<String, AdamWState<1>> {
        &self.states
    }

    /// Takes up the moments of an earlier run.
    pub(crate) fn with_states(mut self, states: BTreeMap<String, AdamWState<1>>) -> Self {
        self.states = states;
        self
    }
}

struct Update<'a> {
    path: Path,
    optimizer: &'a mut Optimizer,
    gradients: GradientsParams,
    scale: f64,
    learning_rate: f64,
}

impl ModuleMapper for Update<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(gradient) = self.gradients.remove::<D>(param.id) else {
            return param;
        };
        let (id, tensor, mapper) = param.consume();
        let shape = tensor.dims();
        let strategy = tensor.gradient_checkpointing_strategy().unwrap_or_default();
        let gradient = if self.scale < 1.0 {
            gradient * self.scale
        } else {
            gradient
        };
        let name = self.path.name();
        let state = self.optimizer.states.remove(&name);
        let mut tensor = tensor.inner().flatten::<1>(0, D - 1);
        if D > 1 && !name.ends_with(".mix") && self.optimizer.config.weight_decay > 0.0 {
            tensor = tensor * (1.0 - self.learning_rate * self.optimizer.config.weight_decay);
        }
        let gradient = gradient.flatten::<1>(0, D - 1);
        let (change, state) = self.optimizer.change(gradient, state, self.learning_rate);
        let updated = tensor - change;
        self.optimizer.states.insert(name, state);
        // A leaf again: the next step must not reach back into this one.
        let updated = updated
            .reshape(shape)
            .autodiff()
            .with_gradient_checkpointing_strategy(strategy)
            .require_grad();
        Param::from_mapped_value(id, updated, mapper)
    }
}

/// The norm of all gradients together, `[1]`.
pub(crate) fn gradient_norm<M: Module>(
    model: &M,
    gradients: &GradientsParams,
    device: &Device,
) -> Tensor<1> {
    let mut squares = Squares {
        gradients,
        sums: Vec::new(),
    };
    model.visit(&mut squares);
    if squares.sums.is_empty() {
        return Tensor::zeros([1], device);
    }
    Tensor::cat(squares.sums, 0).sum().sqrt()
}

struct Squares<'a> {
    gradients: &'a GradientsParams,
    sums: Vec<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.gradients.get::<D>(param.id) {
            self.sums.push(gradient.square().sum());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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

    /// Both parameters get `gradient`.
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

    /// The parameters after gradients 0.5, −0.25 and 2, each times `scale`.
    fn run(weight_decay: f64, scale: f64) -> Vec<[f32; 3]> {
        let mut optimizer = Optimizer::new(&config(weight_decay));
        let mut layer = layer();
        let mut after = Vec::new();
        for gradient in [0.5, -0.25, 2.0] {
            let gradients = gradients(&layer, gradient);
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
        let layer = layer();
        let gradients = gradients(&layer, 1.0);
        let layer = optimizer.update(layer, gradients, 1.0, 0.1);
        assert_eq!(values(&layer)[2], 1.0);
        let names: Vec<&String> = optimizer.states().keys().collect();
        assert_eq!(names, ["bias", "weight"]);
    }

    /// Moments are linear (and quadratic) in the gradient.
    #[test]
    fn clipped_gradients_enter_the_moments_scaled() {
        let mut optimizer = Optimizer::new(&config(0.0));
        let layer = layer();
        let gradients = gradients(&layer, 2.0);
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
        let norm: f32 = gradient_norm(&layer, &gradients, &Device::default()).into_scalar();
        assert!((norm - 18f32.sqrt()).abs() < 1e-6);
    }
}
