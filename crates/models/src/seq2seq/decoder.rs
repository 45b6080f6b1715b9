//! Recurrent decoder: a cell, attention over the encoder's states, and an output head.

use burn::module::{Module, Param};
use burn::nn::{Dropout, Linear};
use burn::tensor::Tensor;
use strata_attention::{
    AttentionOutput, AttentionWeights, Auxiliary, CausalCache, ConfigError, Mask, Mechanism,
    MechanismConfig, Memory, ParamInit, Site, Widths,
};
use strata_kernels::apply;

use crate::recurrent::stack;
use crate::{CellKind, HeadKind, Logits, Recurrent, RecurrentConfig, State};

/// Settings of a decoder.
#[derive(Clone, Copy, Debug)]
pub struct DecoderConfig {
    /// Recurrent cell.
    pub cell: CellKind,
    /// Width of token embeddings.
    pub input: usize,
    /// Width of the state.
    pub hidden: usize,
    /// Number of stacked layers.
    pub layers: usize,
    /// Attention mechanism; `None` for a decoder without attention.
    pub attention: Option<MechanismConfig>,
    /// Width of the encoder's states.
    pub keys: usize,
    /// Output head: maps context and state to logits.
    pub head: HeadKind,
    /// True if each step's context is fed into the next step.
    pub input_feeding: bool,
    /// Size of the target vocabulary, V.
    pub vocabulary: usize,
}

/// Recurrent decoder: a cell, attention over the encoder's states, and an output head.
#[derive(Module, Debug)]
pub struct Decoder {
    /// Lowest layer, in one direction.
    pub cell: Recurrent,
    /// Further layers.
    pub above: Vec<Recurrent>,
    /// Attention; `None` if the decoder gets only the encoder's last state.
    pub attention: Option<Mechanism>,
    /// Output head, which computes the logits.
    pub head: Head,
    /// Width of the context that is fed into the next step; `None` without input feeding.
    #[module(skip)]
    fed: Option<usize>,
    /// True if the context is muted, that is zeros ([`Part::Site`](crate::Part)).
    #[module(skip)]
    pub(crate) muted: bool,
}

/// Output head: logits of [a; h], or of h alone without attention.
#[derive(Module, Debug)]
pub enum Head {
    /// Linear map W [a; h] + b.
    Concat(Linear),
    /// Two layers, W₂ tanh(W₁ [a; h] + b₁) + b₂.
    Mlp((Linear, Linear)),
}

/// Output of a teacher-forced pass.
#[derive(Clone, Debug)]
pub struct DecoderOutput {
    /// Logits, `[B, T, V]`.
    pub logits: Logits,
    /// States h, `[B, T, D]`.
    pub states: Tensor<3>,
    /// Context a, `[B, T, keys]`; `None` without attention.
    pub context: Option<Tensor<3>>,
    /// Attention weights, `[B, 1, T, S]` for each level, and further outputs for training.
    pub attention: Option<(AttentionWeights, Auxiliary)>,
}

/// Output of one step.
pub(super) struct DecoderStep {
    /// States of the layers.
    pub states: Vec<State>,
    /// Context, `[B, keys]`; `None` without attention.
    pub context: Option<Tensor<2>>,
    pub attention: Option<(AttentionWeights, Auxiliary)>,
}

impl DecoderConfig {
    /// Draws the parameters of the decoder.
    ///
    /// # Errors
    /// If the mechanism does not fit the site.
    pub fn init(&self, init: &mut ParamInit) -> Result<Decoder, ConfigError> {
        let widths = Widths {
            query: self.hidden,
            keys: self.keys,
            values: self.keys,
            states: self.keys,
        };
        let attention = match self.attention {
            Some(mechanism) => Some(mechanism.init(Site::Cross, widths, 1, init)?),
            None => None,
        };
        let context = attention.as_ref().map_or(0, |_| self.keys);
        let read = context + self.hidden;
        let layer = |input| RecurrentConfig {
            cell: self.cell,
            input,
            hidden: self.hidden,
            bidirectional: false,
        };
        let fed = if self.input_feeding { context } else { 0 };
        Ok(Decoder {
            cell: layer(self.input + fed).init(init),
            above: (1..self.layers)
                .map(|_| layer(self.hidden).init(init))
                .collect(),
            attention,
            head: match self.head {
                HeadKind::Concat => Head::Concat(init.linear(read, self.vocabulary)),
                HeadKind::Mlp => Head::Mlp((
                    init.linear(read, self.hidden),
                    init.linear(self.hidden, self.vocabulary),
                )),
            },
            fed: self.input_feeding.then_some(context),
            muted: false,
        })
    }
}

impl Head {
    fn forward(&self, read: Tensor<3>) -> Logits {
        let (last, x) = match self {
            Self::Concat(linear) => (linear, read),
            Self::Mlp((first, second)) => (second, apply(first, read).tanh()),
        };
        Logits::Linear {
            x,
            weight: last.weight.val(),
            bias: last.bias.as_ref().map(Param::val),
        }
    }
}

impl Decoder {
    /// Prepares the encoder's states `[B, S, keys]` as keys and values; `None` without attention.
    pub fn prepare(&self, states: Tensor<3>, mask: Mask) -> Option<Memory> {
        let states = states.unsqueeze_dim::<4>(1); // [B, 1, S, keys]
        let attention = self.attention.as_ref()?;
        Some(attention.prepare(states.clone(), states, mask))
    }

    /// Runs a teacher-forced pass.
    ///
    /// # Shapes
    /// - input `[B, T, E]`, first state of each layer `[B, D]` → logits `[B, T, V]`
    pub fn forward(
        &self,
        input: Tensor<3>,
        first: Vec<State>,
        memory: Option<&Memory>,
        dropout: &Dropout,
    ) -> DecoderOutput {
        let (states, context, attention) = match self.fed {
            Some(_) => self.step_by_step(input, first, memory, dropout),
            None => {
                let lowest = self.cell.forward(input, None, Some(first[0].clone()));
                let (states, _) =
                    stack::forward(&self.above, lowest, None, Some(&first[1..]), dropout);
                let (context, attention) = self.attend(states.clone(), memory).unzip();
                (states, context, attention)
            }
        };
        let read = self.read(states.clone(), context.clone());
        DecoderOutput {
            logits: self.head.forward(dropout.forward(read)),
            states,
            context,
            attention,
        }
    }

    /// Computes one step.
    ///
    /// # Shapes
    /// - input `[B, E]`, previous context `[B, keys]` (0 if absent)
    pub(super) fn step(
        &self,
        input: Tensor<2>,
        states: &[State],
        context: Option<Tensor<2>>,
        memory: Option<&Memory>,
        cache: &mut CausalCache,
        dropout: &Dropout,
    ) -> DecoderStep {
        let input = match self.fed {
            Some(width) => {
                let [b, _] = input.dims();
                let zeros = || Tensor::zeros([b, width], (&input.device(), input.dtype()));
                Tensor::cat(vec![input.clone(), context.unwrap_or_else(zeros)], 1) // [B, E + keys]
            }
            None => input,
        };
        let lowest = self.cell.step(input, states[0].clone());
        let states = stack::step(&self.above, lowest, &states[1..], dropout);
        let highest = &states[states.len() - 1].hidden;
        let attended = self
            .attention
            .as_ref()
            .zip(memory)
            .map(|(attention, memory)| {
                let query = highest.clone().reshape([0, 1, 1, -1]); // [B, 1, 1, D]
                attention.attend_next(query, memory, cache)
            });
        let (context, attention) = attended.map(|output| self.parts(output)).unzip();
        DecoderStep {
            states,
            context: context.map(|context| context.squeeze_dim(1)), // [B, keys]
            attention,
        }
    }

    /// Computes logits of one step: state `[B, D]`, context `[B, keys]` → `[B, V]`.
    pub(super) fn logits_of_step(&self, state: Tensor<2>, context: Option<Tensor<2>>) -> Tensor<2> {
        let context = context.map(|context| context.unsqueeze_dim(1));
        let read = self.read(state.unsqueeze_dim(1), context);
        self.head.forward(read).compute().squeeze_dim(1) // [B, V]
    }

    fn attend(
        &self,
        states: Tensor<3>,
        memory: Option<&Memory>,
    ) -> Option<(Tensor<3>, (AttentionWeights, Auxiliary))> {
        let attention = self.attention.as_ref()?;
        Some(self.parts(attention.attend(states.unsqueeze_dim(1), memory?)))
    }

    /// Returns context `[B, T, keys]`, weights and further outputs of an attention without heads.
    fn parts(&self, output: AttentionOutput) -> (Tensor<3>, (AttentionWeights, Auxiliary)) {
        let context = output.context.squeeze_dim(1); // [B, T, keys]
        let context = if self.muted {
            Tensor::zeros_like(&context)
        } else {
            context
        };
        (context, (output.weights, output.auxiliary))
    }

    /// Concatenates context and state, [a; h].
    fn read(&self, states: Tensor<3>, context: Option<Tensor<3>>) -> Tensor<3> {
        match context {
            Some(context) => Tensor::cat(vec![context, states], 2), // [B, T, keys + D]
            None => states,
        }
    }

    /// Computes a pass with input feeding, in which each step needs the context of the step before.
    fn step_by_step(
        &self,
        input: Tensor<3>,
        mut last: Vec<State>,
        memory: Option<&Memory>,
        dropout: &Dropout,
    ) -> (
        Tensor<3>,
        Option<Tensor<3>>,
        Option<(AttentionWeights, Auxiliary)>,
    ) {
        let [_, length, _] = input.dims();
        let (mut states, mut contexts) = (Vec::new(), Vec::new());
        let (mut weights, mut auxiliaries) = (Vec::new(), Vec::new());
        let (mut context, mut cache) = (None, CausalCache::default());
        for at in 0..length {
            let token = input.clone().narrow(1, at, 1).squeeze_dim(1); // [B, E]
            let step = self.step(token, &last, context, memory, &mut cache, dropout);
            states.push(step.states[step.states.len() - 1].hidden.clone());
            contexts.extend(step.context.clone());
            if let Some((of_step, auxiliary)) = step.attention {
                weights.push(of_step);
                auxiliaries.push(auxiliary);
            }
            (last, context) = (step.states, step.context);
        }
        let contexts = (!contexts.is_empty()).then(|| Tensor::stack(contexts, 1)); // [B, T, keys]
        (
            Tensor::stack(states, 1), // [B, T, D]
            contexts,
            AttentionWeights::concat_queries(weights)
                .map(|weights| (weights, Auxiliary::concat_queries(auxiliaries))),
        )
    }
}
