//! Recurrent layers over whole texts, in burn's operations: each text alone, step by step.

use burn::tensor::Tensor;

use crate::{gru, lstm};

/// Computes the states h of all words by an LSTM ([`naive::lstm`](crate::naive::lstm)) that reads
/// each text alone from a state of 0.
///
/// # Shapes
/// - inputs x, directions concatenated, `[B, S, directions · 4·H]`; weights `[directions, H, 4·H]`;
///   `lengths`: number of words of each text → `[B, S, directions · H]`, 0 at padding
pub fn lstm_of_texts(inputs: &Tensor<3>, weights: &Tensor<3>, lengths: &[usize]) -> Tensor<3> {
    let [directions, h, _] = weights.dims();
    text_by_text(inputs, directions, lengths, |x, direction| {
        let zero = Tensor::zeros([1, 1, h], &x.device());
        let weights = weights.clone().narrow(0, direction, 1);
        let states = lstm::naive::lstm(&x, &weights, &zero, &zero); // h and c, [S, 1, 1, 2·H]
        states.narrow(3, 0, h)
    })
}

/// Computes the states of all words by a GRU ([`naive::gru`](crate::naive::gru)) that reads each
/// text alone from a state of 0.
///
/// # Shapes
/// - inputs x, directions concatenated, `[B, S, directions · 3·H]`; weights `[directions, H, 3·H]`;
///   candidate bias `[directions, 1, H]`; `lengths`: number of words of each text →
///   `[B, S, directions · H]`, 0 at padding
pub fn gru_of_texts(
    inputs: &Tensor<3>,
    weights: &Tensor<3>,
    candidate: &Tensor<3>,
    lengths: &[usize],
) -> Tensor<3> {
    let [directions, h, _] = weights.dims();
    text_by_text(inputs, directions, lengths, |x, direction| {
        let zero = Tensor::zeros([1, 1, h], &x.device());
        let of_direction = |parameter: &Tensor<3>| parameter.clone().narrow(0, direction, 1);
        gru::naive::gru(&x, &of_direction(weights), &of_direction(candidate), &zero)
    })
}

/// Reads each text in each direction by `read`, which returns the states of inputs `[S, 1, 1, ·]`.
/// Direction 1 reads from the last word to the first.
fn text_by_text(
    inputs: &Tensor<3>,
    directions: usize,
    lengths: &[usize],
    read: impl Fn(Tensor<4>, usize) -> Tensor<4>,
) -> Tensor<3> {
    let [_, s, columns] = inputs.dims();
    let width = columns / directions;
    let texts = lengths.iter().enumerate().map(|(text, &length)| {
        let of_direction = |direction: usize| {
            let x = inputs.clone().narrow(0, text, 1).narrow(1, 0, length);
            let x = x.narrow(2, direction * width, width); // [1, length, G·H]
            let turn = |x: Tensor<3>| if direction == 1 { x.flip([1]) } else { x };
            let x = turn(x).swap_dims(0, 1).unsqueeze_dim(1); // [length, 1, 1, G·H]
            let states = read(x, direction).squeeze_dim::<3>(1); // [length, 1, H]
            let states = turn(states.swap_dims(0, 1)); // [1, length, H]
            let padding = Tensor::zeros([1, s - length, states.dims()[2]], &states.device());
            Tensor::cat(vec![states, padding], 1) // [1, S, H]
        };
        Tensor::cat((0..directions).map(of_direction).collect(), 2) // [1, S, directions · H]
    });
    Tensor::cat(texts.collect(), 0)
}
