//! Layers of the two stacks: attention and feed-forward blocks with residual connections.

use std::fmt::Display;

use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Linear};
use burn::tensor::{Int, Tensor};
use strata_attention::{
    CausalCache, ConfigError, Draws, Mask, Memory, MultiHeadAttention, MultiHeadConfig,
    MultiHeadOutput, ParamInit, Site,
};
use strata_kernels::{apply, apply_rectified};

use super::{LayerNorm, NORM_EPSILON};
use crate::{SiteName, Trace, TransformerConfig};

/// Feed-forward block W₂ relu(W₁ x + b₁) + b₂.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// First layer, W₁ and b₁.
    pub inner: Linear,
    /// Second layer, W₂ and b₂.
    pub outer: Linear,
    /// True if the block's result is muted, that is zeros ([`Part::FeedForward`](crate::Part)).
    #[module(skip)]
    pub(crate) muted: bool,
}

/// Residual connection around a block, with its norm and dropout.
#[derive(Module, Debug)]
pub struct Residual {
    /// Norm of the block's input (`norm_first`) or of the sum.
    pub norm: LayerNorm,
    dropout: Dropout,
    #[module(skip)]
    norm_first: bool,
}

/// Encoder layer: self-attention and feed-forward block.
#[derive(Module, Debug)]
pub struct EncoderLayer {
    /// Self-attention of the source.
    pub attention: MultiHeadAttention,
    /// Feed-forward block, applied at each position.
    pub feed_forward: FeedForward,
    /// Residual connections around self-attention and feed-forward block.
    pub residuals: [Residual; 2],
}

/// Decoder layer: causal self-attention, cross-attention and feed-forward block.
#[derive(Module, Debug)]
pub struct DecoderLayer {
    /// Self-attention of the target to its past.
    pub attention: MultiHeadAttention,
    /// Cross-attention of the target to the source.
    pub cross: MultiHeadAttention,
    /// Feed-forward block, applied at each position.
    pub feed_forward: FeedForward,
    /// Residual connections around self-attention, cross-attention and feed-forward block.
    pub residuals: [Residual; 3],
}

/// Keys and values of the positions so far, which a decoder layer keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct LayerCache {
    past: CausalCache,
    cross: CausalCache,
}

impl LayerCache {
    pub(super) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        Self {
            past: self.past.select(rows),
            cross: self.cross.select(rows),
        }
    }
}

impl FeedForward {
    pub(crate) fn init(config: &TransformerConfig, init: &mut ParamInit) -> Self {
        Self {
            inner: init.linear(config.width, config.feed_forward),
            outer: init.linear(config.feed_forward, config.width),
            muted: false,
        }
    }

    pub(crate) fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        if self.muted {
            return x.zeros_like();
        }
        apply(&self.outer, apply_rectified(&self.inner, x))
    }
}

impl Residual {
    pub(crate) fn init(config: &TransformerConfig, init: &ParamInit) -> Self {
        Self {
            norm: LayerNorm::new(config.width, NORM_EPSILON, init.device()),
            dropout: DropoutConfig::new(config.dropout).init(),
            norm_first: config.norm_first,
        }
    }

    /// Computes x + f(LayerNorm(x)), or LayerNorm(x + f(x)); `name` is the block's name in a trace.
    pub(crate) fn around(
        &self,
        x: Tensor<3>,
        name: impl Display,
        trace: &mut Trace,
        block: impl FnOnce(Tensor<3>, &mut Trace) -> Tensor<3>,
    ) -> Tensor<3> {
        let input = if self.norm_first {
            self.norm.forward(x.clone())
        } else {
            x.clone()
        };
        let result = block(input, trace);
        trace.note_change(name, &x, &result);
        let sum = x + self.dropout.forward(result);
        if self.norm_first {
            sum
        } else {
            self.norm.forward(sum)
        }
    }
}

impl EncoderLayer {
    pub(crate) fn init(
        config: &TransformerConfig,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            attention: MultiHeadConfig::new(config.width, config.heads, config.encoder_self)
                .with_positions(config.positions.in_attention())
                .init(Site::EncoderSelf, init)?,
            feed_forward: FeedForward::init(config, init),
            residuals: [(); 2].map(|()| Residual::init(config, init)),
        })
    }

    pub(crate) fn forward(
        &self,
        layer: usize,
        x: Tensor<3>,
        mask: Mask,
        draws: Option<&Draws>,
        trace: &mut Trace,
    ) -> Tensor<3> {
        let [attended, fed] = &self.residuals;
        let site = SiteName::in_layer(layer, Site::EncoderSelf);
        let x = attended.around(x, site, trace, |x, trace| {
            trace.note_rows(site, &x, &x);
            trace.note_site(site, attend_to_itself(&self.attention, x, mask, draws))
        });
        let name = format_args!("encoder.{layer}.feed_forward");
        fed.around(x, name, trace, |x, _| self.feed_forward.forward(x))
    }
}

impl DecoderLayer {
    pub(super) fn init(
        config: &TransformerConfig,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            attention: MultiHeadConfig::new(config.width, config.heads, config.decoder_self)
                .with_positions(config.positions.in_attention())
                .init(Site::DecoderSelf, init)?,
            cross: MultiHeadConfig::new(config.width, config.heads, config.cross)
                .init(Site::Cross, init)?,
            feed_forward: FeedForward::init(config, init),
            residuals: [(); 3].map(|()| Residual::init(config, init)),
        })
    }

    /// Computes all positions at once, teacher-forced.
    pub(super) fn forward(
        &self,
        layer: usize,
        x: Tensor<3>,
        causal: Mask,
        memory: &Memory,
        draws: Option<&Draws>,
        trace: &mut Trace,
    ) -> Tensor<3> {
        let attend_to_past = |x| attend_to_itself(&self.attention, x, causal, draws);
        let attend_to_source = |x| self.cross.attend(x, memory);
        self.blocks(layer, x, trace, attend_to_past, attend_to_source)
    }

    /// Computes one further position.
    pub(super) fn extend(
        &self,
        layer: usize,
        x: Tensor<3>,
        cache: &mut LayerCache,
        memory: &Memory,
        trace: &mut Trace,
    ) -> Tensor<3> {
        let attend_to_past = |x| self.attention.self_attend_next(&mut cache.past, x);
        let attend_to_source = |x| self.cross.attend_next(x, memory, &mut cache.cross);
        self.blocks(layer, x, trace, attend_to_past, attend_to_source)
    }

    fn blocks(
        &self,
        layer: usize,
        x: Tensor<3>,
        trace: &mut Trace,
        attend_to_past: impl FnOnce(Tensor<3>) -> MultiHeadOutput,
        attend_to_source: impl FnOnce(Tensor<3>) -> MultiHeadOutput,
    ) -> Tensor<3> {
        let [attended, crossed, fed] = &self.residuals;
        let site = SiteName::in_layer(layer, Site::DecoderSelf);
        let x = attended.around(x, site, trace, |x, trace| {
            trace.note_rows(site, &x, &x);
            trace.note_site(site, attend_to_past(x))
        });
        let site = SiteName::in_layer(layer, Site::Cross);
        let x = crossed.around(x, site, trace, |x, trace| {
            trace.note_queries(site, &x);
            trace.note_site(site, attend_to_source(x))
        });
        let name = format_args!("decoder.{layer}.feed_forward");
        fed.around(x, name, trace, |x, _| self.feed_forward.forward(x))
    }
}

/// Passes `x` `[B, S, D]` through a stack of encoder layers, `loops` times with the same parameters
/// (Dehghani et al. 2019, 2.1). No norm follows the stack.
pub(crate) fn encode_layers(
    layers: &[EncoderLayer],
    loops: usize,
    x: Tensor<3>,
    mask: &Mask,
    draws: Option<&Draws>,
    trace: &mut Trace,
) -> Tensor<3> {
    let passes = (0..loops).flat_map(|_| layers.iter().enumerate());
    passes.fold(x, |x, (i, layer)| {
        layer.forward(i, x, mask.clone(), draws, trace)
    })
}

/// Computes self-attention of all positions at once.
pub(crate) fn attend_to_itself(
    attention: &MultiHeadAttention,
    x: Tensor<3>,
    mask: Mask,
    draws: Option<&Draws>,
) -> MultiHeadOutput {
    let memory = attention.prepare(x.clone(), x.clone(), mask);
    attention.attend(x, &memory.with_draws(draws))
}
