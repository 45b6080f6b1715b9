//! The layers of the two stacks: attention and feed-forward blocks around residual sums.

use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig, Linear};
use burn::tensor::{Int, Tensor};
use strata_attention::{
    CausalCache, ConfigError, Draws, Mask, Memory, MultiHeadAttention, MultiHeadConfig,
    MultiHeadOutput, ParamInit, Site,
};
use strata_kernels::{apply, apply_rectified};

use super::{LayerNorm, NORM_EPSILON};
use crate::{SiteName, SiteWeights, TransformerConfig};

/// W₂ relu(W₁ x + b₁) + b₂.
#[derive(Module, Debug)]
pub struct FeedForward {
    /// W₁.
    pub inner: Linear,
    /// W₂.
    pub outer: Linear,
    /// True if its result is zeros ([`Part::FeedForward`](crate::Part)).
    #[module(skip)]
    pub(crate) muted: bool,
}

/// Where the norm of a block stands, and dropout after it.
#[derive(Module, Debug)]
pub struct Residual {
    /// Of the block's input (norm first) or of the sum.
    pub norm: LayerNorm,
    dropout: Dropout,
    #[module(skip)]
    norm_first: bool,
}

/// Self-attention, feed-forward.
#[derive(Module, Debug)]
pub struct EncoderLayer {
    /// The source attends to itself.
    pub attention: MultiHeadAttention,
    /// Position by position.
    pub feed_forward: FeedForward,
    /// Around self-attention, feed-forward.
    pub residuals: [Residual; 2],
}

/// Causal self-attention, cross-attention, feed-forward.
#[derive(Module, Debug)]
pub struct DecoderLayer {
    /// The target attends to its past.
    pub attention: MultiHeadAttention,
    /// The target attends to the source.
    pub cross: MultiHeadAttention,
    /// Position by position.
    pub feed_forward: FeedForward,
    /// Around self-attention, cross-attention, feed-forward.
    pub residuals: [Residual; 3],
}

/// What a decoder layer keeps of the positions so far.
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

    pub(crate) fn around(
        &self,
        x: Tensor<3>,
        block: impl FnOnce(Tensor<3>) -> Tensor<3>,
    ) -> Tensor<3> {
        if self.norm_first {
            x.clone() + self.dropout.forward(block(self.norm.forward(x)))
        } else {
            self.norm
                .forward(x.clone() + self.dropout.forward(block(x)))
        }
    }
}

impl EncoderLayer {
    pub(super) fn init(
        config: &TransformerConfig,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            attention: MultiHeadConfig::new(config.width, config.heads, config.encoder_self)
                .init(Site::EncoderSelf, init)?,
            feed_forward: FeedForward::init(config, init),
            residuals: [(); 2].map(|()| Residual::init(config, init)),
        })
    }

    pub(super) fn forward(
        &self,
        layer: usize,
        x: Tensor<3>,
        mask: Mask,
        draws: Option<&Draws>,
        attention: &mut Vec<SiteWeights>,
    ) -> Tensor<3> {
        let [attended, fed] = &self.residuals;
        let x = attended.around(x, |x| {
            let output = attend_to_itself(&self.attention, x, mask, draws);
            let site = SiteName::in_layer(layer, Site::EncoderSelf);
            note(attention, site, output)
        });
        fed.around(x, |x| self.feed_forward.forward(x))
    }
}

impl DecoderLayer {
    pub(super) fn init(
        config: &TransformerConfig,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            attention: MultiHeadConfig::new(config.width, config.heads, config.decoder_self)
                .init(Site::DecoderSelf, init)?,
            cross: MultiHeadConfig::new(config.width, config.heads, config.cross)
                .init(Site::Cross, init)?,
            feed_forward: FeedForward::init(config, init),
            residuals: [(); 3].map(|()| Residual::init(config, init)),
        })
    }

    /// All positions at once, teacher-forced.
    pub(super) fn forward(
        &self,
        layer: usize,
        x: Tensor<3>,
        causal: Mask,
        memory: &Memory,
        draws: Option<&Draws>,
        attention: &mut Vec<SiteWeights>,
    ) -> Tensor<3> {
        let attend_to_past = |x| attend_to_itself(&self.attention, x, causal, draws);
        let attend_to_source = |x| self.cross.attend(x, memory);
        self.blocks(layer, x, attention, attend_to_past, attend_to_source)
    }

    /// One further position.
    pub(super) fn extend(
        &self,
        layer: usize,
        x: Tensor<3>,
        cache: &mut LayerCache,
        memory: &Memory,
        attention: &mut Vec<SiteWeights>,
    ) -> Tensor<3> {
        let attend_to_past = |x| self.attention.self_attend_next(&mut cache.past, x);
        let attend_to_source = |x| self.cross.attend_next(x, memory, &mut cache.cross);
        self.blocks(layer, x, attention, attend_to_past, attend_to_source)
    }

    fn blocks(
        &self,
        layer: usize,
        x: Tensor<3>,
        attention: &mut Vec<SiteWeights>,
        attend_to_past: impl FnOnce(Tensor<3>) -> MultiHeadOutput,
        attend_to_source: impl FnOnce(Tensor<3>) -> MultiHeadOutput,
    ) -> Tensor<3> {
        let [attended, crossed, fed] = &self.residuals;
        let x = attended.around(x, |x| {
            let site = SiteName::in_layer(layer, Site::DecoderSelf);
            note(attention, site, attend_to_past(x))
        });
        let x = crossed.around(x, |x| {
            let site = SiteName::in_layer(layer, Site::Cross);
            note(attention, site, attend_to_source(x))
        });
        fed.around(x, |x| self.feed_forward.forward(x))
    }
}

/// Self-attention of all positions at once.
pub(crate) fn attend_to_itself(
    attention: &MultiHeadAttention,
    x: Tensor<3>,
    mask: Mask,
    draws: Option<&Draws>,
) -> MultiHeadOutput {
    let memory = attention.prepare(x.clone(), x.clone(), mask);
    attention.attend(x, &memory.with_draws(draws))
}

/// Keeps the weights of a site and hands the context on.
pub(crate) fn note(
    attention: &mut Vec<SiteWeights>,
    site: SiteName,
    output: MultiHeadOutput,
) -> Tensor<3> {
    attention.push(SiteWeights {
        site,
        weights: output.weights,
        auxiliary: output.auxiliary,
    });
    output.context
}
