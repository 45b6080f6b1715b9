//! LSTM (Hochreiter and Schmidhuber 1997) over a whole sequence as one operation. It saves its
//! gates instead of a graph of every step, and computes the gradient of the weights by one product
//! instead of one per step.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
pub(crate) mod host;
pub(crate) mod naive;

use burn::tensor::Tensor;

/// Computes h and c of all steps in F32; `None` if no kernel supports these tensors.
///
/// c' = σ(f) ∘ c + σ(i) ∘ tanh(g); h' = σ(o) ∘ tanh(c'), from the gates i, f, g, o = x + h U.
///
/// # Shapes
/// - inputs x `[S, directions, B, 4·H]`, weights U `[directions, H, 4·H]`, initial h and c
///   `[directions, B, H]` → h and c concatenated, `[S, directions, B, 2·H]`
pub fn lstm(
    inputs: &Tensor<4>,
    weights: &Tensor<3>,
    hidden: &Tensor<3>,
    cell: &Tensor<3>,
) -> Option<Tensor<4>> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    return crate::recurrent::of_sequence(inputs, [weights, hidden, cell], kernel::lstm);
    #[cfg(not(any(feature = "flex", feature = "cube")))]
    {
        let _ = (inputs, weights, hidden, cell);
        None
    }
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn lstm(inputs: Tensor<4>, [weights, hidden, cell]: [Tensor<4>; 3]) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::lstm_of_sequence(
            inputs.into_dispatch(),
            weights.into_dispatch(),
            hidden.into_dispatch(),
            cell.into_dispatch(),
        ))
    }

    /// Weights `[1, directions, H, 4·H]`, initial h and c `[1, directions, B, H]`.
    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait Lstm: Backend {
        #[fusion(dtype = inputs, shape = {
            let [s, directions, b, columns] = [inputs[0], inputs[1], inputs[2], inputs[3]];
            [s, directions, b, columns / 2].into()
        })]
        fn lstm_of_sequence(
            inputs: FloatTensor<Self>,
            weights: FloatTensor<Self>,
            hidden: FloatTensor<Self>,
            cell: FloatTensor<Self>,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use super::*;
    use crate::recurrent::agreement::{SIZES, assert_agree};
    #[cfg(feature = "wgpu")]
    use crate::testing::assert_same_in_16_bits;
    use crate::testing::devices;

    #[test]
    fn states_and_gradients_are_those_of_single_steps() {
        for device in devices() {
            for [s, directions, b, h] in SIZES {
                let first = [1, directions, b, h];
                let shapes = [
                    [b, directions, s, 4 * h],
                    [1, directions, 4 * h, h],
                    first,
                    first,
                ];
                // Inputs and weights are not contiguous here.
                let arguments = |[inputs, weights, hidden, cell]: [Tensor<4>; 4]| {
                    let weights: Tensor<3> = weights.squeeze_dim::<3>(0).swap_dims(1, 2);
                    let [hidden, cell] = [hidden, cell].map(|it| it.squeeze_dim::<3>(0));
                    (inputs.swap_dims(0, 2), weights, hidden, cell)
                };
                let whole = |all| {
                    let (inputs, weights, hidden, cell) = arguments(all);
                    lstm(&inputs, &weights, &hidden, &cell).expect("these tensors are ours")
                };
                let by_steps = |all| {
                    let (inputs, weights, hidden, cell) = arguments(all);
                    naive::lstm(&inputs, &weights, &hidden, &cell)
                };
                assert_agree(&device, shapes, whole, by_steps);
            }
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn sequences_are_read_in_16_bits() {
        for [s, directions, b, h] in SIZES {
            let first = [1, directions, b, h];
            let shapes = [
                [s, directions, b, 4 * h],
                [1, directions, h, 4 * h],
                first,
                first,
            ];
            assert_same_in_16_bits(shapes, |[inputs, weights, hidden, cell]| {
                let others = [weights, hidden, cell];
                let [weights, hidden, cell] = others.map(|it| it.squeeze_dim::<3>(0));
                lstm(&inputs, &weights, &hidden, &cell).expect("these tensors are ours")
            });
        }
    }
}
