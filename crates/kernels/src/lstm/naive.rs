//! LSTM step by step, in burn's operations.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

/// Computes h and c of all steps of an LSTM (Hochreiter and Schmidhuber 1997, with the forget gate
/// of Gers et al. 2000): gates i, f, g, o = x + h U, c' = σ(f) ∘ c + σ(i) ∘ tanh(g),
/// h' = σ(o) ∘ tanh(c').
///
/// # Shapes
/// - inputs x `[S, directions, B, 4·H]`, weights U `[directions, H, 4·H]`, initial h and c
///   `[directions, B, H]` → h and c concatenated, `[S, directions, B, 2·H]`
pub fn lstm(
    inputs: &Tensor<4>,
    weights: &Tensor<3>,
    hidden: &Tensor<3>,
    cell: &Tensor<3>,
) -> Tensor<4> {
    let [s, _, _, columns] = inputs.dims();
    let h = columns / 4;
    let (mut hidden, mut cell) = (hidden.clone(), cell.clone());
    let mut states = Vec::with_capacity(s);
    for step in 0..s {
        let input = inputs.clone().narrow(0, step, 1).squeeze_dim::<3>(0);
        let gates = input + hidden.matmul(weights.clone()); // [directions, B, 4·H]
        let gate = |at| gates.clone().narrow(2, at * h, h); // i, f, g, o: [directions, B, H]
        cell = sigmoid(gate(1)) * cell + sigmoid(gate(0)) * gate(2).tanh();
        hidden = sigmoid(gate(3)) * cell.clone().tanh();
        states.push(Tensor::cat(vec![hidden.clone(), cell.clone()], 2)); // [directions, B, 2·H]
    }
    Tensor::stack(states, 0)
}
