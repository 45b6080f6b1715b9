//! GRU (Cho et al. 2014) over a whole sequence as one operation. It saves the derivatives of its
//! gates instead of a graph of every step, and computes the gradient of the weights by one product
//! instead of one per step.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
pub(crate) mod host;
pub(crate) mod naive;

use burn::tensor::{Tensor, TensorData};

pub use naive::{gru as gru_by_steps, gru_step};

/// Bias to add to the inputs of [`gru`], `[3·H]`: the sum of both biases for r and z, but only the
/// input's bias for n, since the reset gate scales the hidden bias of n.
pub fn gru_bias(input: Tensor<1>, hidden: Tensor<1>) -> Tensor<1> {
    let outside = gate_columns(&input, [1.0, 1.0, 0.0]);
    input + hidden * outside
}

/// Offset that makes [`gru`] keep its state when added to the inputs: σ of the update gate becomes
/// exactly 1. `[3·H]`, like `bias`.
pub fn gru_keep(bias: &Tensor<1>) -> Tensor<1> {
    gate_columns(bias, [0.0, 1e4, 0.0])
}

/// Constants for r, z and n, concatenated like `bias`, `[3·H]`.
fn gate_columns(bias: &Tensor<1>, [r, z, n]: [f32; 3]) -> Tensor<1> {
    let h = bias.dims()[0] / 3;
    let columns = [vec![r; h], vec![z; h], vec![n; h]].concat();
    let data = TensorData::new(columns, [3 * h]);
    Tensor::from_data(data, (&bias.device(), bias.dtype()))
}

/// Computes the states of all steps in F32; `None` if no kernel supports these tensors.
///
/// r, z = σ(x + h U); n = tanh(x + r ∘ (h U + b)); h' = n + z ∘ (h − n). Where z is 1, h' equals h
/// to the last bit.
///
/// # Shapes
/// - inputs x of r, z and n, concatenated, `[S, directions, B, 3·H]`, weights U
///   `[directions, H, 3·H]`, candidate bias b `[directions, 1, H]`, initial h `[directions, B, H]`
///   → `[S, directions, B, H]`
pub fn gru(
    inputs: &Tensor<4>,
    weights: &Tensor<3>,
    candidate: &Tensor<3>,
    hidden: &Tensor<3>,
) -> Option<Tensor<4>> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    return crate::recurrent::of_sequence(inputs, [weights, candidate, hidden], kernel::gru);
    #[cfg(not(any(feature = "flex", feature = "cube")))]
    {
        let _ = (inputs, weights, candidate, hidden);
        None
    }
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn gru(
        inputs: Tensor<4>,
        [weights, candidate, hidden]: [Tensor<4>; 3],
    ) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::gru_of_sequence(
            inputs.into_dispatch(),
            weights.into_dispatch(),
            candidate.into_dispatch(),
            hidden.into_dispatch(),
        ))
    }

    /// Weights `[1, directions, H, 3·H]`, b `[1, directions, 1, H]`, initial h
    /// `[1, directions, B, H]`.
    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait Gru: Backend {
        #[fusion(dtype = inputs, shape = {
            let [s, directions, b, columns] = [inputs[0], inputs[1], inputs[2], inputs[3]];
            [s, directions, b, columns / 3].into()
        })]
        fn gru_of_sequence(
            inputs: FloatTensor<Self>,
            weights: FloatTensor<Self>,
            candidate: FloatTensor<Self>,
            hidden: FloatTensor<Self>,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use burn::tensor::s;

    use super::*;
    use crate::recurrent::agreement::{SIZES, assert_agree};
    #[cfg(feature = "wgpu")]
    use crate::testing::assert_same_in_16_bits;
    use crate::testing::{Draws, devices};

    type Way = fn(&Tensor<4>, &Tensor<3>, &Tensor<3>, &Tensor<3>) -> Tensor<4>;

    const WHOLE: Way = |inputs, weights, candidate, hidden| {
        gru(inputs, weights, candidate, hidden).expect("these tensors are ours")
    };

    #[test]
    fn states_and_gradients_are_those_of_single_steps() {
        for device in devices() {
            for [s, directions, b, h] in SIZES {
                let shapes = [
                    [b, directions, s, 3 * h],
                    [1, directions, 3 * h, h],
                    [1, directions, 1, h],
                    [1, directions, b, h],
                ];
                // Inputs and weights are not contiguous here.
                let of = |way: Way| {
                    move |[inputs, weights, candidate, hidden]: [Tensor<4>; 4]| {
                        let others = [weights.swap_dims(2, 3), candidate, hidden];
                        let [weights, candidate, hidden] = others.map(|it| it.squeeze_dim(0));
                        way(&inputs.swap_dims(0, 2), &weights, &candidate, &hidden)
                    }
                };
                assert_agree(&device, shapes, of(WHOLE), of(gru_by_steps));
            }
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn sequences_are_read_in_16_bits() {
        for [s, directions, b, h] in SIZES {
            let shapes = [
                [s, directions, b, 3 * h],
                [1, directions, h, 3 * h],
                [1, directions, 1, h],
                [1, directions, b, h],
            ];
            assert_same_in_16_bits(shapes, |[inputs, weights, candidate, hidden]| {
                let others = [weights, candidate, hidden];
                let [weights, candidate, hidden] = others.map(|it| it.squeeze_dim::<3>(0));
                gru(&inputs, &weights, &candidate, &hidden).expect("these tensors are ours")
            });
        }
    }

    #[test]
    fn a_state_is_kept_to_the_last_bit_where_its_update_gate_is_1() {
        for device in devices() {
            let mut draws = Draws::new(3, &device);
            let mut numbers = |shape: [usize; 4]| draws.normal(shape, 0.0, 1.0);
            let inputs = numbers([3, 1, 5, 12]).slice_fill(s![.., .., .., 4..8], 1e4);
            let weights = numbers([1, 1, 4, 12]).squeeze_dim(0);
            let candidate = numbers([1, 1, 1, 4]).squeeze_dim(0);
            let hidden: Tensor<3> = numbers([1, 1, 5, 4]).squeeze_dim(0);
            for way in [WHOLE, gru_by_steps] {
                let states = way(&inputs, &weights, &candidate, &hidden);
                let kept = hidden.clone().unsqueeze::<4>().repeat_dim(0, 3);
                assert_eq!(states.into_data(), kept.into_data());
            }
        }
    }
}
