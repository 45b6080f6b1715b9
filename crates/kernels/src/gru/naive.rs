//! GRU step by step, in burn's operations.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

/// Computes the states of all steps of a GRU (Cho et al. 2014, equations 5 to 8), each by
/// [`gru_step`] from the state before. Also runs where no kernel supports the tensors, for few
/// steps.
///
/// # Shapes
/// - inputs `[S, directions, B, 3·H]`, weights `[directions, H, 3·H]`, candidate bias
///   `[directions, 1, H]`, initial h `[directions, B, H]` → `[S, directions, B, H]`
pub fn gru(
    inputs: &Tensor<4>,
    weights: &Tensor<3>,
    candidate: &Tensor<3>,
    hidden: &Tensor<3>,
) -> Tensor<4> {
    let steps = (0..inputs.dims()[0]).scan(hidden.clone(), |state, step| {
        let input = inputs.clone().narrow(0, step, 1).squeeze_dim::<3>(0); // [directions, B, 3·H]
        *state = gru_step(input, weights, candidate, state.clone());
        Some(state.clone())
    });
    Tensor::stack(steps.collect(), 0)
}

/// Computes the state h' after one step of a GRU: r, z = σ(x + h U), n = tanh(x + r ∘ (h U + b)),
/// h' = n + z ∘ (h − n).
///
/// As in PyTorch and the first version of the paper, the reset gate r scales the product h U, not
/// h; so one product serves all gates. z is the share of the old state, as in Cho et al.
///
/// # Shapes
/// - input x of r, z and n, concatenated, `[directions, B, 3·H]`, weights U
///   `[directions, H, 3·H]`, candidate bias b `[directions, 1, H]`, h `[directions, B, H]` →
///   `[directions, B, H]`
pub fn gru_step(
    input: Tensor<3>,
    weights: &Tensor<3>,
    candidate: &Tensor<3>,
    hidden: Tensor<3>,
) -> Tensor<3> {
    let h = hidden.dims()[2];
    let product = hidden.clone().matmul(weights.clone()); // [directions, B, 3·H]
    let gates = input.clone().narrow(2, 0, 2 * h) + product.clone().narrow(2, 0, 2 * h);
    let gates = sigmoid(gates); // [directions, B, 2·H]
    let (reset, update) = (gates.clone().narrow(2, 0, h), gates.narrow(2, h, h));
    let past = product.narrow(2, 2 * h, h) + candidate.clone(); // [directions, B, H]
    let candidate = (input.narrow(2, 2 * h, h) + reset * past).tanh();
    // h' = n + z ∘ (h − n), written so that h' is exactly h if z is 1.
    hidden.clone() - update.sub_scalar(1.0) * (candidate - hidden)
}
