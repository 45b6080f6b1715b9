//! AdamW (Loshchilov and Hutter 2019, algorithm 2) with the gradients' norm clipped.
//!
//! burn's module optimiser keeps its state under random identifiers and reads it synchronously;
//! here each parameter has its state under its name, flattened, so that a checkpoint can read all
//! states in one asynchronous transaction. Moreover burn corrects the bias of the moments in F32,
//! where 1 − 0.999 has only four correct digits, which changes the fourth digit of a loss within
//! twenty steps.
//!
//! [`gradients`] arranges gradients in rows: on a GPU, where each kernel launch costs time, in a
//! few long ones.

mod gradients;

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::{AdamWState, AdaptiveMomentumState};
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};
use strata_describe::settings;
use strata_kernels::{AdamStep, adamw, concat_flat, split_flat};

pub(crate) use gradients::Gathered;
use gradients::Row;

settings! {
    /// AdamW (Loshchilov and Hutter 2019); without weight decay, Adam (Kingma and Ba 2015).
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct OptimizerConfig {
        /// Peak learning rate.
        #[title = "Learning rate"]
        #[help = "At its peak."]
        #[formula = "η"]
        #[source = "Loshchilov and Hutter 2019"]
        pub learning_rate: f64 in 1e-12..=1000.0 = 3e-3,
        /// Decay of the first moment.
        #[title = "First moment"]
        #[help = "How much of the mean gradient is kept from step to step."]
        #[formula = "m = β₁ m + (1 − β₁) g"]
        #[source = "Kingma and Ba 2015"]
        pub beta_1: f64 in 0.0..=0.999_999 = 0.9,
        /// Decay of the second moment.
        #[title = "Second moment"]
        #[help = "How much of the mean square is kept from step to step."]
        #[formula = "v = β₂ v + (1 − β₂) g²"]
        #[source = "Kingma and Ba 2015"]
        pub beta_2: f64 in 0.0..=0.999_999 = 0.98,
        /// Added to the denominator.
        #[title = "Epsilon"]
        #[formula = "η m / (√v + ε)"]
        #[source = "Kingma and Ba 2015"]
        pub epsilon: f64 in 1e-30..=1.0 = 1e-9,
        /// Decoupled weight decay.
        #[title = "Weight decay"]
        #[help = "Decoupled, as AdamW has it; 0 is Adam."]
        #[formula = "θ − η λ θ"]
        #[source = "Loshchilov and Hutter 2019"]
        pub weight_decay: f64 in 0.0..=1000.0 = 0.0,
    }
}

/// AdamW over all parameters of a model.
///
/// Weight decay applies to matrices alone. Exempt are parameters with one axis (biases, gains and
/// shifts of norms) and Ham's `mix` of levels, which decay would push towards equal shares.
#[derive(Clone)]
pub(crate) struct Optimizer {
    config: OptimizerConfig,
    /// Moments of groups of parameters, by the name of each group's first parameter.
    moments: BTreeMap<String, Moments>,
}

/// Moments of a group of parameters, concatenated.
#[derive(Clone)]
struct Moments {
    /// Name and number of elements of each parameter.
    members: Vec<(String, usize)>,
    momentum: AdaptiveMomentumState<1>,
}

impl Optimizer {
    pub(crate) fn new(config: &OptimizerConfig) -> Self {
        Self {
            config: *config,
            moments: BTreeMap::new(),
        }
    }

    /// Updates every parameter that has a gradient. The gradients are multiplied by `scale` first.
    pub(crate) fn update<M: Module>(
        &mut self,
        model: M,
        gradients: Gathered,
        scale: f64,
        learning_rate: f64,
    ) -> M {
        let mut values = Values(BTreeMap::new());
        model.visit(&mut values);
        let Values(mut values) = values;
        let mut updated = BTreeMap::new();
        for row in gradients.rows {
            let before: Vec<Tensor<1>> = row
                .members
                .iter()
                .filter_map(|member| values.remove(&member.id))
                .collect();
            let ids: Vec<ParamId> = row.members.iter().map(|member| member.id).collect();
            let after = self.update_row(row, before, scale, learning_rate);
            updated.extend(ids.into_iter().zip(after));
        }
        model.map(&mut Replace { updated })
    }

    /// Updates the parameters of a row and returns them.
    fn update_row(
        &mut self,
        row: Row,
        parameters: Vec<Tensor<1>>,
        scale: f64,
        learning_rate: f64,
    ) -> Vec<Tensor<1>> {
        let OptimizerConfig {
            beta_1,
            beta_2,
            epsilon,
            weight_decay,
            ..
        } = self.config;
        let members: Vec<(String, usize)> = row
            .members
            .iter()
            .map(|member| (member.name.clone(), member.length))
            .collect();
        // Parameters of a row were updated equally often, so that they share one bias correction.
        let before = self.take(&members);
        let steps = before.as_ref().map_or(0, |before| before.time) + 1;
        // With bias correction m̂ = m / (1 − β₁ᵗ), v̂ = v / (1 − β₂ᵗ), the update is η m̂ / (√v̂ +
        // ε) = η √(1 − β₂ᵗ) / (1 − β₁ᵗ) · m / (√v + ε √(1 − β₂ᵗ)). These scalars are computed in
        // F64.
        let time = steps as f64;
        let root = (1.0 - beta_2.powf(time)).sqrt();
        let decay = match row.decays {
            true => 1.0 - learning_rate * weight_decay,
            false => 1.0,
        };
        let beta = |beta: f64| [beta as f32, (1.0 - beta) as f32];
        let step = AdamStep {
            scale: scale.min(1.0) as f32,
            decay: decay as f32,
            first: beta(beta_1),
            second: beta(beta_2),
            rate: (learning_rate * root / (1.0 - beta_1.powf(time))) as f32,
            epsilon: (epsilon * root) as f32,
        };
        let before = before.map(|it| [it.moment_1, it.moment_2]);
        let lengths: Vec<usize> = members.iter().map(|(_, length)| *length).collect();
        let (updated, [first, second]) =
            adamw(concat_flat(parameters), row.gradient, before, &step);
        let momentum = AdaptiveMomentumState::new(steps, first, second);
        let name = members[0].0.clone();
        self.moments.insert(name, Moments { members, momentum });
        split_flat(updated, &lengths)
    }

    /// Takes out the moments of these parameters, concatenated. The parameters were updated equally
    /// often. `None` if one of them was never updated.
    fn take(&mut self, members: &[(String, usize)]) -> Option<AdaptiveMomentumState<1>> {
        let (first, _) = &members[0];
        if self
            .moments
            .get(first)
            .is_some_and(|it| it.members == members)
        {
            return self.moments.remove(first).map(|it| it.momentum);
        }
        // The parameters were grouped in another way, come from a file, or were never updated.
        let mut states = self.states();
        let parts: Option<Vec<_>> = members
            .iter()
            .map(|(name, _)| states.remove(name).map(|it| it.momentum))
            .collect();
        let parts = parts?;
        self.moments = one_by_one(states);
        let time = parts[0].time;
        let (first, second) = parts
            .into_iter()
            .map(|it| (it.moment_1, it.moment_2))
            .unzip();
        Some(AdaptiveMomentumState::new(
            time,
            concat_flat(first),
            concat_flat(second),
        ))
    }

    /// Number of times that each parameter was updated.
    fn times(&self) -> BTreeMap<&str, usize> {
        let all = self.moments.values().flat_map(|moments| {
            let time = moments.momentum.time;
            let names = moments.members.iter();
            names.map(move |(name, _)| (name.as_str(), time))
        });
        all.collect()
    }

    /// Moments of every parameter that was ever updated, by the parameter's name.
    pub(crate) fn states(&self) -> BTreeMap<String, AdamWState<1>> {
        let mut states = BTreeMap::new();
        for Moments { members, momentum } in self.moments.values() {
            let mut start = 0;
            for (name, length) in members {
                let part = |all: &Tensor<1>| match members.len() {
                    1 => all.clone(),
                    _ => all.clone().narrow(0, start, *length),
                };
                let [first, second] = [&momentum.moment_1, &momentum.moment_2].map(part);
                start += length;
                let state = AdaptiveMomentumState::new(momentum.time, first, second);
                states.insert(name.clone(), AdamWState::new(state));
            }
        }
        states
    }

    /// Restores the moments of an earlier run.
    pub(crate) fn with_states(mut self, states: BTreeMap<String, AdamWState<1>>) -> Self {
        self.moments = one_by_one(states);
        self
    }
}

fn one_by_one(states: BTreeMap<String, AdamWState<1>>) -> BTreeMap<String, Moments> {
    let alone = |(name, state): (String, AdamWState<1>)| {
        let momentum = state.momentum;
        let members = vec![(name.clone(), momentum.moment_1.dims()[0])];
        (name, Moments { members, momentum })
    };
    states.into_iter().map(alone).collect()
}

/// Values of every parameter, flat and without autodiff.
struct Values(BTreeMap<ParamId, Tensor<1>>);

impl ModuleVisitor for Values {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let flat = param.val().inner().flatten(0, D - 1);
        self.0.insert(param.id, flat);
    }
}

/// Replaces the parameters by their updated values.
struct Replace {
    updated: BTreeMap<ParamId, Tensor<1>>,
}

impl ModuleMapper for Replace {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(updated) = self.updated.remove(&param.id) else {
            return param;
        };
        let (id, tensor, mapper) = param.consume();
        let strategy = tensor.gradient_checkpointing_strategy().unwrap_or_default();
        // Make the parameter a leaf again: the backward pass of the next step must not reach into
        // this one.
        let updated = updated
            .reshape(tensor.dims())
            .autodiff()
            .with_gradient_checkpointing_strategy(strategy)
            .require_grad();
        Param::from_mapped_value(id, updated, mapper)
    }
}

#[cfg(test)]
mod tests;
