//! Convolutional layer of a tagger: a gated convolution over neighbouring tokens, with a residual
//! connection (Gehring et al. 2017, 3.2 and 3.3).
//!
//! A convolution reads as far as half its kernel; L layers read L times as far. Attention reads every
//! place in one layer, and a recurrent layer in as many steps as there are places between (Vaswani et
//! al. 2017, 4, table 1).

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor, TensorData};
use strata_attention::ParamInit;
use strata_kernels::linear;

use crate::Tokens;

/// Convolutional layer: (x + GLU(W [x₋w; …; x₊w] + b)) · √½, where GLU(a; b) = a ⊙ σ(b) and the
/// kernel k = 2w + 1.
#[derive(Module, Debug)]
pub struct ConvolutionLayer {
    /// W, `[k, D, 2D]`: a matrix for each place of the kernel.
    pub weight: Param<Tensor<3>>,
    /// b, `[2D]`.
    pub bias: Param<Tensor<1>>,
}

impl ConvolutionLayer {
    /// Draws the parameters of a layer. The weights have the variance 4 / (k D), so that the gates,
    /// which halve what goes through them, keep the variance (Gehring et al. 2017, A.2).
    pub(super) fn init(width: usize, kernel: usize, init: &mut ParamInit) -> Self {
        let bound = (12.0 / (kernel * width) as f64).sqrt();
        Self {
            weight: init.uniform([kernel, width, 2 * width], bound),
            bias: init.zeros([2 * width]),
        }
    }

    /// Counts the parameters of a layer.
    pub(crate) fn parameters(width: u64, kernel: u64) -> u64 {
        (kernel * width + 1) * 2 * width
    }

    /// Reads the rows of x and their neighbours. Zeros stand at padding and beyond both ends.
    ///
    /// # Shapes
    /// - x `[B, S, D]`, real `[B, S, 1]`, 0 at padding and 1 elsewhere → `[B, S, D]`
    pub(super) fn forward(&self, x: Tensor<3>, real: Tensor<3>) -> Tensor<3> {
        let [b, s, d] = x.dims();
        let [kernel, _, gated] = self.weight.dims();
        let beyond = Tensor::zeros([b, kernel / 2, d], (&x.device(), x.dtype()));
        let padded = Tensor::cat(vec![beyond.clone(), x.clone() * real, beyond], 1);
        let windows = (0..kernel).map(|at| padded.clone().narrow(1, at, s));
        let windows = Tensor::cat(windows.collect(), 2); // [B, S, k·D]
        let weight = self.weight.val().reshape([kernel * d, gated]);
        let found = linear(windows, weight, Some(self.bias.val())); // [B, S, 2D]
        let gates = sigmoid(found.clone().narrow(2, d, d));
        (x + found.narrow(2, 0, d) * gates).mul_scalar(std::f64::consts::FRAC_1_SQRT_2)
    }
}

/// Returns 0 for padding and 1 for all other tokens, `[B, S, 1]`.
pub(super) fn real(tokens: &Tokens, device: &Device) -> Tensor<3> {
    let padding = tokens.padding();
    let real: Vec<f32> = padding
        .into_iter()
        .map(|it| f32::from(u8::from(!it)))
        .collect();
    Tensor::from_data(
        TensorData::new(real, [tokens.rows(), tokens.columns(), 1]),
        device,
    )
}
