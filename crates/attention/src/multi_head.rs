//! Multi-head attention (Vaswani et al. 2017, 3.2.2): projections around any mechanism.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use strata_kernels::{apply, linear};

use crate::attend::Projection;
use crate::{
    AttentionOutput, AttentionWeights, Auxiliary, CausalCache, ConfigError, Mask, Mechanism,
    MechanismConfig, Memory, Muted, ParamInit, RelativePositions, Site, Widths, alibi_bias, rotate,
};

/// Settings of a multi-head layer around a mechanism.
#[derive(Clone, Copy, Debug)]
pub struct MultiHeadConfig {
    /// Widths of the layer's inputs.
    pub input: Widths,
    /// Width of all heads together; each head has `inner / heads`.
    pub inner: usize,
    /// Width of the layer's output.
    pub output: usize,
    /// Number of heads, H.
    pub heads: usize,
    /// Mechanism of each head.
    pub mechanism: MechanismConfig,
    /// Positions that the layer tells, in self-attention.
    pub positions: RelativePositions,
}

impl MultiHeadConfig {
    /// Number of parameters of the whole layer.
    pub fn parameters(&self) -> u64 {
        let linear = |from: usize, to: usize| (from as u64 + 1) * to as u64;
        let head = Widths {
            states: self.input.keys,
            ..Widths::all(self.inner / self.heads.max(1))
        };
        linear(self.input.query, self.inner)
            + linear(self.input.keys, self.inner)
            + linear(self.input.values, self.inner)
            + linear(self.inner, self.output)
            + self.mechanism.parameters(head, self.heads)
    }

    /// Creates settings with one width for inputs, heads and output.
    pub fn new(width: usize, heads: usize, mechanism: MechanismConfig) -> Self {
        Self {
            input: Widths::all(width),
            inner: width,
            output: width,
            heads,
            mechanism,
            positions: RelativePositions::None,
        }
    }

    /// Sets the positions that the layer tells, in self-attention: there must be as many queries as
    /// keys.
    #[must_use]
    pub fn with_positions(self, positions: RelativePositions) -> Self {
        Self { positions, ..self }
    }

    /// Draws the parameters of the layer.
    ///
    /// # Errors
    /// If the width is not divisible by the heads, or the mechanism does not fit the site or the
    /// positions.
    pub fn init(
        &self,
        site: Site,
        init: &mut ParamInit,
    ) -> Result<MultiHeadAttention, ConfigError> {
        if self.heads == 0 || !self.inner.is_multiple_of(self.heads) {
            return Err(ConfigError::new(format!(
                "a width of {} cannot be divided among {} heads: choose a multiple",
                self.inner, self.heads
            )));
        }
        let head = Widths {
            states: self.input.keys,
            ..Widths::all(self.inner / self.heads)
        };
        self.positions.check(&self.mechanism, head)?;
        let mut layer = MultiHeadAttention {
            query: init.linear(self.input.query, self.inner),
            key: init.linear(self.input.keys, self.inner),
            value: init.linear(self.input.values, self.inner),
            mechanism: self.mechanism.init(site, head, self.heads, init)?,
            output: init.linear(self.inner, self.output),
            heads: self.heads,
            positions: self.positions,
            muted: Muted::default(),
        };
        if self.positions == RelativePositions::Rotary {
            layer.mechanism.make_rotary();
        }
        Ok(layer)
    }
}

/// Multi-head layer: H mechanisms of width D/H side by side; head h has the columns h·D/H to
/// (h+1)·D/H.
#[derive(Module, Debug)]
pub struct MultiHeadAttention {
    /// Projection of queries, W^Q.
    pub query: Linear,
    /// Projection of keys, W^K. The bias of keys is trained only if the weights depend on the bias:
    /// with rotary positions, which turn the bias differently in every key, or if the mechanism
    /// does not ignore a bias ([`Mechanism::ignores_shifted_keys`]).
    pub key: Linear,
    /// Projection of values, W^V.
    pub value: Linear,
    /// Mechanism of each head; all heads share the score's parameters.
    pub mechanism: Mechanism,
    /// Projection of the concatenated heads, W^O.
    pub output: Linear,
    #[module(skip)]
    heads: usize,
    #[module(skip)]
    positions: RelativePositions,
    #[module(skip)]
    muted: Muted,
}

/// Output of a multi-head layer.
#[derive(Clone, Debug)]
pub struct MultiHeadOutput {
    /// Context, `[B, T, D]`.
    pub context: Tensor<3>,
    /// Attention weights, `[B, H, T, S]` for each level.
    pub weights: AttentionWeights,
    /// Further outputs of some mechanisms, such as the ponder cost of a pyramid.
    pub auxiliary: Auxiliary,
}

impl MultiHeadAttention {
    /// Computes context and weights of every query.
    ///
    /// # Shapes
    /// - query `[B, T, D_q]`, keys `[B, S, D_k]`, values `[B, S, D_v]` → `[B, T, D]`
    pub fn forward(
        &self,
        query: Tensor<3>,
        keys: Tensor<3>,
        values: Tensor<3>,
        mask: Mask,
    ) -> MultiHeadOutput {
        let memory = self.prepare(keys, values, mask);
        self.attend(query, &memory)
    }

    /// Projects keys and values once, for any number of queries.
    pub fn prepare(&self, keys: Tensor<3>, values: Tensor<3>, mask: Mask) -> Memory {
        // A mechanism that needs F32 makes F32 rows of 16-bit input, but the projections'
        // parameters stay 16-bit.
        let dtype = keys.dtype();
        let mask = self.biased(mask, &keys);
        let heads = |projected| self.mechanism.as_computed(self.split(projected));
        let projection = Projection {
            keys: &|rows| self.turned(heads(self.project_keys(rows.cast(dtype))), 0),
            values: &|rows| heads(apply(&self.value, rows.cast(dtype))),
        };
        let (keys, values) = (
            self.mechanism.as_computed(keys),
            self.mechanism.as_computed(values),
        );
        self.mechanism
            .inner()
            .prepare_projected(keys, values, mask, projection)
    }

    /// Computes context and weights of queries to prepared keys.
    ///
    /// # Shapes
    /// - query `[B, T, D_q]` → `[B, T, D]`
    pub fn attend(&self, query: Tensor<3>, memory: &Memory) -> MultiHeadOutput {
        let query = self.project_queries(query, 0); // [B, H, T, D/H]
        self.join(self.mechanism.attend(query, memory))
    }

    /// Projects queries and keys, which are values too: queries `[B, H, T, D/H]`, keys and values
    /// `[B, H, S, D/H]`. With rotary positions queries and keys are turned.
    pub fn project(&self, queries: Tensor<3>, keys: Tensor<3>) -> [Tensor<4>; 3] {
        [
            self.turned(self.split(apply(&self.query, queries)), 0),
            self.turned(self.split(self.project_keys(keys.clone())), 0),
            self.split(apply(&self.value, keys)),
        ]
    }

    /// Term that the layer's positions add to the scores of `queries` queries and `keys` keys, `[1,
    /// H, T, S]`; `None` unless the positions are ALiBi.
    pub fn bias(&self, [queries, keys]: [usize; 2], device: &Device) -> Option<Tensor<4>> {
        let is_alibi = self.positions == RelativePositions::Alibi;
        is_alibi.then(|| alibi_bias(self.heads, 0, [queries, keys], device))
    }

    /// Computes cross-attention of one further position, `[B, 1, D_q]`.
    pub fn attend_next(
        &self,
        query: Tensor<3>,
        memory: &Memory,
        cache: &mut CausalCache,
    ) -> MultiHeadOutput {
        let query = self.split(apply(&self.query, query)); // [B, H, 1, D/H]
        self.join(self.mechanism.attend_next(query, memory, cache))
    }

    /// Computes causal self-attention of one further position, `[B, 1, D]`.
    pub fn self_attend_next(
        &self,
        cache: &mut CausalCache,
        position: Tensor<3>,
    ) -> MultiHeadOutput {
        let at = cache.position;
        cache.alibi = (self.positions == RelativePositions::Alibi).then_some(self.heads);
        let query = self.project_queries(position.clone(), at); // [B, H, 1, D/H]
        let key = self.turned(self.split(self.project_keys(position.clone())), at);
        let value = self.split(apply(&self.value, position));
        self.join(self.mechanism.self_attend_next(cache, query, key, value))
    }

    /// Number of heads, H.
    pub fn heads(&self) -> usize {
        self.heads
    }

    /// Mutes the parts of `muted`. Replaces what an earlier call muted.
    ///
    /// # Panics
    /// If a head does not exist, or no level stays active.
    pub fn mute(&mut self, muted: Muted) {
        assert!(muted.heads.iter().all(|&head| head < self.heads));
        self.mechanism.mute(&muted);
        self.muted = muted;
    }

    /// Projects rows at the positions from `first` on to queries, `[B, T, D_q]` → `[B, H, T, D/H]`,
    /// and turns these by rotary positions unless the mechanism does so itself.
    fn project_queries(&self, rows: Tensor<3>, first: usize) -> Tensor<4> {
        let query = self.split(apply(&self.query, rows));
        if self.mechanism.turns_queries() {
            query
        } else {
            self.turned(query, first)
        }
    }

    /// Turns queries or keys `[B, H, T, D/H]` at the positions from `first` on, if positions are
    /// rotary.
    fn turned(&self, rows: Tensor<4>, first: usize) -> Tensor<4> {
        match self.positions {
            RelativePositions::Rotary => rotate(rows, first),
            RelativePositions::None | RelativePositions::Alibi => rows,
        }
    }

    /// Adds ALiBi's bias to the mask of self-attention, whose keys are `[B, S, D_k]`.
    fn biased(&self, mask: Mask, keys: &Tensor<3>) -> Mask {
        let [_, s, _] = keys.dims();
        match self.bias([s, s], &keys.device()) {
            Some(bias) => mask.and_bias(bias),
            None => mask,
        }
    }

    /// Projects rows to keys, `[B, S, D_k]` → `[B, S, D]`.
    ///
    /// If the weights do not depend on a bias of the keys, its gradient is 0 up to rounding. Adam
    /// divides gradients by their size and would turn this rounding into whole steps. So the bias
    /// is detached: it stays 0, or what an earlier version of Strata saved.
    fn project_keys(&self, rows: Tensor<3>) -> Tensor<3> {
        let turns = self.positions == RelativePositions::Rotary;
        if turns || !self.mechanism.ignores_shifted_keys() {
            return apply(&self.key, rows);
        }
        let bias = self.key.bias.as_ref().map(|bias| bias.val().detach());
        linear(rows, self.key.weight.val(), bias)
    }

    /// Splits the last axis into heads: `[B, T, D]` → `[B, H, T, D/H]`.
    fn split(&self, projected: Tensor<3>) -> Tensor<4> {
        let [b, t, d] = projected.dims();
        projected
            .reshape([b, t, self.heads, d / self.heads]) // [B, T, H, D/H]
            .swap_dims(1, 2) // [B, H, T, D/H]
    }

    fn join(&self, output: AttentionOutput) -> MultiHeadOutput {
        let [b, h, t, d] = output.context.dims();
        let context = self.without_muted_heads(output.context);
        let context = context.swap_dims(1, 2).reshape([b, t, h * d]); // heads side by side, [B, T, H·D/H]
        let context = apply(&self.output, context); // [B, T, D]
        MultiHeadOutput {
            context: if self.muted.site {
                context.zeros_like()
            } else {
                context
            },
            weights: output.weights,
            auxiliary: output.auxiliary,
        }
    }

    /// Zeroes the context `[B, H, T, D/H]` of muted heads.
    fn without_muted_heads(&self, context: Tensor<4>) -> Tensor<4> {
        if self.muted.heads.is_empty() {
            return context;
        }
        let heard = |head| f32::from(!self.muted.heads.contains(&head));
        let heard: Vec<f32> = (0..self.heads).map(heard).collect();
        let heard = TensorData::new(heard, [1, self.heads, 1, 1]);
        let heard = Tensor::<4>::from_data(heard, &context.device()).cast(context.dtype());
        context * heard
    }
}
