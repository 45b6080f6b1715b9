//! Softmax of rows, forward and backward in one pass each.
//!
//! burn's own softmax is one kernel without autodiff, but five with autodiff, which took most of a
//! training step on the CPU: exponentials are computed one at a time and twice, and those of masked
//! keys are the slowest.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
pub(super) mod naive;

use burn::tensor::Tensor;

#[cfg(feature = "flex")]
pub(super) use host::{backward, forward};
#[cfg(any(feature = "flex", feature = "cube"))]
use kernel::SoftmaxOfRows;

/// Softmax over the last axis of F32 scores. Keys at [`MASKED_SCORE`](super::MASKED_SCORE) have
/// weight 0, even if the whole row is masked. Returns `None` if no kernel supports the tensor.
///
/// # Shapes
/// - scores `[B, H, T, S]` → `[B, H, T, S]`
pub fn softmax(scores: &Tensor<4>) -> Option<Tensor<4>> {
    if !crate::has_kernel(scores) {
        return None;
    }
    #[cfg(any(feature = "flex", feature = "cube"))]
    return Some(kernel::softmax(scores.clone()));
    #[cfg(not(any(feature = "flex", feature = "cube")))]
    None
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn softmax(scores: Tensor<4>) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::softmax_of_rows(scores.into_dispatch()))
    }

    /// Softmax over the last axis.
    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait SoftmaxOfRows: Backend {
        #[fusion(dtype = scores, shape = scores)]
        fn softmax_of_rows(scores: FloatTensor<Self>) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::Device;

    use super::*;
    use crate::attention::MASKED_SCORE;
    use crate::testing::{Draws, devices};

    #[test]
    fn weights_and_gradients_are_those_of_the_formula() {
        devices().iter().for_each(weights_and_gradients);
    }

    fn weights_and_gradients(device: &Device) {
        // A GPU's exp may be less exact than the CPU's.
        let near = if crate::is_host(device) { 1e-6 } else { 1e-4 };
        // Shapes of one row, of odd lengths, and of more than one chunk.
        for shape in [
            [1, 1, 1, 1],
            [2, 1, 3, 5],
            [1, 2, 3, 37],
            [3, 4, 40, 64],
            [1, 2, 2, 300],
        ] {
            let mut draws = Draws::new(4, device);
            let mut draw = |shape, bound| draws.uniform::<4>(shape, bound);
            let [b, h, t, s] = shape;
            let (scores, probe) = (draw([b, t, h, s], 6.0), draw(shape, 1.0));
            let run = |softmax: &dyn Fn(Tensor<4>) -> Tensor<4>| {
                // The tensor is neither contiguous nor the only one of its storage.
                let leaf = scores.clone().require_grad();
                let weights = softmax(leaf.clone().swap_dims(1, 2));
                let gradients = (weights.clone() * probe.clone()).sum().backward();
                let gradient = leaf.grad(&gradients).unwrap();
                (weights.into_data(), gradient.into_data())
            };
            let (weights, gradient) = run(&|scores| softmax(&scores).unwrap());
            let (expected, slope) = run(&naive::softmax);
            let tolerance = burn::tensor::Tolerance::<f32>::absolute(near);
            weights.assert_approx_eq(&expected, tolerance);
            gradient.assert_approx_eq(&slope, tolerance);
        }
    }

    #[test]
    fn masked_keys_have_no_weight_and_nan_stays_nan() {
        devices().iter().for_each(masked_keys_and_nan);
    }

    fn masked_keys_and_nan(device: &Device) {
        let rows = Tensor::<4>::from_data(
            [[[
                [1.0, MASKED_SCORE, 1.0],
                [MASKED_SCORE, MASKED_SCORE, MASKED_SCORE],
                [1.0, f32::NAN, 0.0],
                [f32::INFINITY, 0.0, 0.0],
                [f32::NAN, f32::NAN, f32::NAN],
            ]]],
            device,
        );
        let weights = softmax(&rows)
            .unwrap()
            .into_data()
            .try_to_vec::<f32>()
            .unwrap();
        assert_eq!(weights[..6], [0.5, 0.0, 0.5, 0.0, 0.0, 0.0]);
        assert!(weights[6..9].iter().all(|x| x.is_nan()));
        assert!(weights[9].is_nan());
        assert!(weights[12..].iter().all(|x| x.is_nan()));
    }
}
