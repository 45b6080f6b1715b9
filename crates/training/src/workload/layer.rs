//! Attention layer of a workload: a mechanism alone, without projections.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Gradients, Tensor};
use strata_attention::{
    AttentionInput, Beam, ConfigError, Mask, Mechanism, MechanismConfig, ParamInit, PyramidConfig,
    Site, Summary, SummaryKind, VanillaConfig, Widths,
};

use super::definition::{AttentionLayerWorkload, LayerAttention};
use super::numbers::Numbers;

/// Mechanism and its inputs: all tensors that get gradients in a backward pass.
#[derive(Module, Debug)]
pub(super) struct Layer {
    pub mechanism: Mechanism,
    /// Queries, `[B, T, D]`.
    pub queries: Param<Tensor<3>>,
    /// States, which serve as keys and values, `[B, S, D]`.
    pub states: Param<Tensor<3>>,
}

impl AttentionLayerWorkload {
    pub(super) fn config(&self) -> MechanismConfig {
        match self.attention {
            LayerAttention::Plain { .. } => MechanismConfig::Vanilla(VanillaConfig::default()),
            LayerAttention::Pyramid { block, levels, .. } => {
                MechanismConfig::Pyramid(PyramidConfig {
                    summary: SummaryKind::Cnn,
                    block,
                    levels,
                    beam: Beam::Nodes(1),
                    ..PyramidConfig::default()
                })
            }
        }
    }

    /// Builds the layer with its inputs, and the coefficients C, `[B, T, D]`, by which the context
    /// is multiplied.
    pub(super) fn build(
        &self,
        batch: usize,
        numbers: &mut Numbers,
        device: &Device,
    ) -> Result<(Layer, Tensor<3>), ConfigError> {
        let width = self.d_model;
        let mut input = |length| numbers.uniform([batch, length, width], 1.0);
        let (queries, states) = (input(self.query_len), input(self.source_len));
        let coefficients = input(self.query_len).val().inner();
        let init = &mut ParamInit::new(0, device);
        let mut mechanism = self
            .config()
            .init(Site::Cross, Widths::all(width), 1, init)?;
        if let Mechanism::Pyramid(pyramid) = &mut mechanism {
            for summary in &mut pyramid.summaries {
                if let Summary::Cnn(cnn) = summary {
                    let [block, ..] = cnn.weight.dims();
                    let bound = (6.0 / ((block + 1) * width) as f64).sqrt();
                    cnn.weight = numbers.uniform([block, width, width], bound);
                }
            }
        }
        let layer = Layer {
            mechanism,
            queries,
            states,
        };
        Ok((layer, coefficients))
    }
}

impl Layer {
    /// Computes the loss Σ context · C / (B·T), `[1]`, and the gradients. Keep the gradients until
    /// the loss is read, since a device may skip results that are dropped.
    pub fn pass(&self, coefficients: &Tensor<3>, backward: bool) -> (Tensor<1>, Option<Gradients>) {
        let [b, t, _] = coefficients.dims();
        let one_head = |rows: &Param<Tensor<3>>| rows.val().unsqueeze_dim::<4>(1);
        let states = one_head(&self.states);
        let output = self.mechanism.forward(AttentionInput {
            query: one_head(&self.queries),
            keys: states.clone(),
            values: states,
            mask: Mask::none(),
        });
        let context = output.context.squeeze_dim::<3>(1).cast(DType::F32);
        if !backward {
            let sum = (context * coefficients.clone()).sum();
            return (sum / (b * t) as f64, None);
        }
        let loss = (context * coefficients.clone().autodiff()).sum() / (b * t) as f64;
        let gradients = loss.backward();
        (loss.inner(), Some(gradients))
    }
}
