//! Self-matching (Wang et al. 2017, 3.3): matches a passage with itself.
//!
//! z_t = [x_t; c_t], gated, goes through a bidirectional recurrent layer. c_t is the context of x_t
//! from the whole passage. It does not depend on the layer's state, so that all t are computed at
//! once.

use burn::module::Module;
use burn::tensor::Tensor;
use strata_attention::{
    AttentionOutput, ConfigError, Mask, Mechanism, MechanismConfig, ParamInit, Site, Widths,
};

use super::gate::Gate;
use crate::{CellKind, Recurrent, RecurrentConfig};

/// Settings of self-matching.
#[derive(Clone, Copy, Debug)]
pub struct SelfMatchingConfig {
    /// Width of the passage, D.
    pub width: usize,
    /// The recurrent cell.
    pub cell: CellKind,
    /// Width of the state of a direction, H.
    pub hidden: usize,
    /// Mechanism of the attention.
    pub mechanism: MechanismConfig,
}

/// Matches a passage with itself.
#[derive(Module, Debug)]
pub struct SelfMatching {
    /// Attention of the passage to itself.
    pub attention: Mechanism,
    /// Gate of the input [x; c].
    pub gate: Gate,
    /// Recurrent layer over the gated input.
    pub recurrent: Recurrent,
    /// True if c is muted, that is zeros.
    #[module(skip)]
    pub(crate) muted: bool,
}

impl SelfMatchingConfig {
    fn recurrent(&self) -> RecurrentConfig {
        RecurrentConfig {
            cell: self.cell,
            input: 2 * self.width,
            hidden: self.hidden,
            bidirectional: true,
        }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        self.mechanism
            .check(Site::SelfMatching, Widths::all(self.width))
    }

    /// Counts the parameters of the layer.
    pub fn parameters(&self) -> u64 {
        let gate = (2 * self.width as u64).pow(2);
        let attention = self.mechanism.parameters(Widths::all(self.width), 1);
        attention + gate + self.recurrent().parameters()
    }

    /// Draws the parameters of the layer.
    ///
    /// # Errors
    /// If the mechanism does not fit the site.
    pub fn init(&self, init: &mut ParamInit) -> Result<SelfMatching, ConfigError> {
        let widths = Widths::all(self.width);
        Ok(SelfMatching {
            attention: self.mechanism.init(Site::SelfMatching, widths, 1, init)?,
            gate: Gate::init(2 * self.width, init),
            recurrent: self.recurrent().init(init),
            muted: false,
        })
    }
}

impl SelfMatching {
    /// Computes the states `[B, P, 2 · H]`, and the attention: context `[B, 1, P, D]`, weights
    /// `[B, 1, P, P]`.
    ///
    /// # Shapes
    /// - passage `[B, P, D]`; `lengths`: number of words of each passage without padding
    pub fn forward(
        &self,
        passage: Tensor<3>,
        lengths: &[usize],
        mask: &Mask,
    ) -> (Tensor<3>, AttentionOutput) {
        let x: Tensor<4> = passage.clone().unsqueeze_dim(1); // [B, 1, P, D]
        let memory = self.attention.prepare(x.clone(), x.clone(), mask.clone());
        let found = self.attention.attend(x, &memory);
        let context: Tensor<3> = found.context.clone().squeeze_dim(1); // [B, P, D]
        let context = if self.muted {
            context.zeros_like()
        } else {
            context
        };
        let z = self.gate.forward(Tensor::cat(vec![passage, context], 2)); // [B, P, 2·D]
        (self.recurrent.read(z, Some(lengths)), found)
    }
}
