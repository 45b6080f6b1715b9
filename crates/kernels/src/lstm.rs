//! An LSTM (Hochreiter and Schmidhuber 1997) over a whole sequence as one operation: what its
//! gates were is kept instead of a graph of every step, and the gradient of its weights is one
//! product instead of one a step.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;

use burn::tensor::Tensor;

/// All states of h and c, or nothing where the kernel is not for these tensors.
///
/// c' = σ(f) ∘ c + σ(i) ∘ tanh(g); h' = σ(o) ∘ tanh(c'), from the gates i, f, g, o = x + h U.
///
/// # Shapes
/// - inputs x `[S, directions, B, 4·H]`, weights U `[directions, H, 4·H]`, h and c at first
///   `[directions, B, H]` → h and c side by side `[S, directions, B, 2·H]`
pub fn lstm(
    inputs: &Tensor<4>,
    weights: &Tensor<3>,
    hidden: &Tensor<3>,
    cell: &Tensor<3>,
) -> Option<Tensor<4>> {
    #[cfg(any(feature = "flex", feature = "cube"))]
    if crate::is_ours(inputs) && [weights, hidden, cell].into_iter().all(crate::is_ours) {
        let [inputs, weights, hidden, cell] = [
            inputs.clone(),
            weights.clone().unsqueeze(),
            hidden.clone().unsqueeze(),
            cell.clone().unsqueeze(),
        ];
        return Some(kernel::lstm(inputs, weights, hidden, cell));
    }
    let _ = (inputs, weights, hidden, cell);
    None
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn lstm(
        inputs: Tensor<4>,
        weights: Tensor<4>,
        hidden: Tensor<4>,
        cell: Tensor<4>,
    ) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::lstm_of_sequence(
            inputs.into_dispatch(),
            weights.into_dispatch(),
            hidden.into_dispatch(),
            cell.into_dispatch(),
        ))
    }

    /// Weights `[1, directions, H, 4·H]`, h and c at first `[1, directions, B, H]`.
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
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::sigmoid;
    use burn::tensor::{Device, Distribution, Tolerance};

    use super::*;
    use crate::devices::devices;

    /// With burn's operations.
    fn step_by_step(
        inputs: Tensor<4>,
        weights: Tensor<3>,
        mut hidden: Tensor<3>,
        mut cell: Tensor<3>,
    ) -> Tensor<4> {
        let [s, _, _, columns] = inputs.dims();
        let h = columns / 4;
        let mut states = Vec::new();
        for step in 0..s {
            let input = inputs.clone().narrow(0, step, 1).squeeze_dim::<3>(0);
            let gates = input + hidden.matmul(weights.clone());
            let gate = |at| gates.clone().narrow(2, at * h, h);
            cell = sigmoid(gate(1)) * cell + sigmoid(gate(0)) * gate(2).tanh();
            hidden = sigmoid(gate(3)) * cell.clone().tanh();
            states.push(Tensor::cat(vec![hidden.clone(), cell.clone()], 2));
        }
        Tensor::stack(states, 0)
    }

    type Run = fn(Tensor<4>, Tensor<3>, Tensor<3>, Tensor<3>) -> Tensor<4>;

    #[test]
    fn states_and_gradients_are_those_of_single_steps() {
        devices().iter().for_each(states_and_gradients);
    }

    fn states_and_gradients(device: &Device) {
        for [s, directions, b, h] in [[1, 1, 1, 1], [4, 2, 3, 5], [7, 1, 2, 33], [3, 2, 40, 64]] {
            let draw = |shape: [usize; 4], spread| {
                let normal = Distribution::Normal(0.0, spread);
                Tensor::<4>::random(shape, normal, device).detach()
            };
            // Not contiguous.
            let inputs = draw([b, directions, s, 4 * h], 1.0);
            let weights = draw([1, directions, 4 * h, h], 0.4);
            let first = draw([2, directions, b, h], 0.7);
            let probe = draw([s, directions, b, 2 * h], 1.0);
            let run = |lstm: Run| {
                let [inputs, weights, first] =
                    [&inputs, &weights, &first].map(|it| it.clone().require_grad());
                let part = |at| first.clone().narrow(0, at, 1).squeeze_dim::<3>(0);
                let out = lstm(
                    inputs.clone().swap_dims(0, 2),
                    weights.clone().squeeze_dim::<3>(0).swap_dims(1, 2),
                    part(0),
                    part(1),
                );
                let found = (out.clone() * probe.clone()).sum().backward();
                let gradient = |of: &Tensor<4>| of.grad(&found).unwrap().into_data();
                let gradients = [gradient(&inputs), gradient(&weights), gradient(&first)];
                (out.into_data(), gradients)
            };
            let (states, gradients) =
                run(|x, u, h, c| lstm(&x, &u, &h, &c).expect("these tensors are ours"));
            let (expected, slopes) = run(step_by_step);
            let tolerance = Tolerance::<f32>::rel_abs(1e-4, 1e-4);
            states.assert_approx_eq(&expected, tolerance);
            for (found, expected) in gradients.iter().zip(&slopes) {
                found.assert_approx_eq(expected, tolerance);
            }
        }
    }
}
