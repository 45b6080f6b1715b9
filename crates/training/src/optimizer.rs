//! AdamW (Loshchilov and Hutter 2019, algorithm 2) with the gradients' norm clipped.
//!
//! The arithmetic of one tensor is burn's. Its module optimiser keeps its state under random
//! identifiers and reads it synchronously; here each parameter has its state under its name,
//! flattened, so that a checkpoint can read all of it in one asynchronous transaction.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::{AdamW, AdamWConfig, AdamWState, GradientsParams, Optimizer as _};
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
    decaying: AdamW,
    plain: AdamW,
    states: BTreeMap<String, AdamWState<1>>,
}

impl Optimizer {
    pub(crate) fn new(config: &OptimizerConfig) -> Self {
        let with_decay = |weight_decay| {
            AdamWConfig::new()
                .with_beta_1(config.beta_1)
                .with_beta_2(config.beta_2)
                .with_epsilon(config.epsilon)
                .with_weight_decay(weight_decay)
                .build()
        };
        Self {
            decaying: with_decay(config.weight_decay),
            plain: with_decay(0.0),
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
        let gradient = if self.scale < 1.0 {
            gradient * self.scale
        } else {
            gradient
        };
        let name = self.path.name();
        let state = self.optimizer.states.remove(&name);
        let rule = if D > 1 && !name.ends_with(".mix") {
            &self.optimizer.decaying
        } else {
            &self.optimizer.plain
        };
        let (updated, state) = rule.step(
            self.learning_rate,
            tensor.inner().flatten::<1>(0, D - 1),
            gradient.flatten::<1>(0, D - 1),
            state,
        );
        if let Some(state) = state {
            self.optimizer.states.insert(name, state);
        }
        // A leaf again: the next step must not reach back into this one.
        let updated = updated.reshape(shape).autodiff().require_grad();
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
