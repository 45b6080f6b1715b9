//! Recurrent layers that read whole texts from a state of 0, in one direction or both, as one
//! operation. A backward direction begins at each text's last word, and padding has states of 0, so
//! that nothing need be reversed or masked before or after.

#[cfg(feature = "flex")]
mod host;
pub(crate) mod naive;
#[cfg(feature = "flex")]
mod part;

use burn::tensor::Tensor;

/// Computes the states h of all words by an LSTM (see [`lstm`](crate::lstm())). Returns `None` unless
/// the tensors are F32 on the CPU.
///
/// # Shapes
/// - inputs x, with all biases, directions concatenated, `[B, S, directions · 4·H]`; weights
///   `[directions, H, 4·H]`; `lengths`: number of words of each text without padding →
///   `[B, S, directions · H]`
pub fn lstm_of_texts(
    inputs: &Tensor<3>,
    weights: &Tensor<3>,
    lengths: &[usize],
) -> Option<Tensor<3>> {
    #[cfg(feature = "flex")]
    if crate::on_cpu(inputs) && crate::on_cpu(weights) {
        return Some(kernel::lstm(inputs, weights, lengths));
    }
    let _ = (inputs, weights, lengths);
    None
}

/// Computes the states of all words by a GRU (see [`gru`](crate::gru())). Returns `None` unless the
/// tensors are F32 on the CPU.
///
/// # Shapes
/// - inputs x, directions concatenated, `[B, S, directions · 3·H]`; weights `[directions, H, 3·H]`;
///   candidate bias `[directions, 1, H]`; `lengths`: number of words of each text without padding →
///   `[B, S, directions · H]`
pub fn gru_of_texts(
    inputs: &Tensor<3>,
    weights: &Tensor<3>,
    candidate: &Tensor<3>,
    lengths: &[usize],
) -> Option<Tensor<3>> {
    #[cfg(feature = "flex")]
    if crate::on_cpu(inputs) && crate::on_cpu(weights) && crate::on_cpu(candidate) {
        return Some(kernel::gru(inputs, weights, candidate, lengths));
    }
    let _ = (inputs, weights, candidate, lengths);
    None
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    pub(super) fn lstm(inputs: &Tensor<3>, weights: &Tensor<3>, lengths: &[usize]) -> Tensor<3> {
        Tensor::from_dispatch(Dispatch::lstm_of_texts(
            inputs.clone().into_dispatch(),
            weights.clone().into_dispatch(),
            lengths.to_vec(),
        ))
    }

    pub(super) fn gru(
        inputs: &Tensor<3>,
        weights: &Tensor<3>,
        candidate: &Tensor<3>,
        lengths: &[usize],
    ) -> Tensor<3> {
        Tensor::from_dispatch(Dispatch::gru_of_texts(
            inputs.clone().into_dispatch(),
            weights.clone().into_dispatch(),
            candidate.clone().into_dispatch(),
            lengths.to_vec(),
        ))
    }

    #[backend_extension(Flex, Autodiff)]
    pub(super) trait ReadTexts: Backend {
        fn lstm_of_texts(
            inputs: FloatTensor<Self>,
            weights: FloatTensor<Self>,
            lengths: Vec<usize>,
        ) -> FloatTensor<Self>;

        fn gru_of_texts(
            inputs: FloatTensor<Self>,
            weights: FloatTensor<Self>,
            candidate: FloatTensor<Self>,
            lengths: Vec<usize>,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use burn::tensor::{Device, Tensor};

    use super::*;
    use crate::recurrent::agreement::assert_agree;

    /// Sizes: texts, words of the longest text, directions, H. Some texts are shorter.
    const SIZES: [[usize; 4]; 4] = [[1, 1, 1, 1], [3, 4, 2, 5], [2, 7, 1, 33], [40, 5, 2, 16]];

    fn lengths(texts: usize, words: usize) -> Vec<usize> {
        (0..texts).map(|text| words - text * 2 % words).collect()
    }

    #[test]
    fn an_lstm_reads_texts_as_it_reads_each_alone() {
        let device = Device::flex().autodiff();
        for [b, s, directions, h] in SIZES {
            let shapes = [[1, b, s, directions * 4 * h], [1, directions, h, 4 * h]];
            let lengths = lengths(b, s);
            let found = |[inputs, weights]: [Tensor<4>; 2]| {
                let [inputs, weights] = [inputs, weights].map(|it| it.squeeze_dim::<3>(0));
                lstm_of_texts(&inputs, &weights, &lengths)
                    .expect("these tensors are ours")
                    .unsqueeze()
            };
            let expected = |[inputs, weights]: [Tensor<4>; 2]| {
                let [inputs, weights] = [inputs, weights].map(|it| it.squeeze_dim::<3>(0));
                naive::lstm_of_texts(&inputs, &weights, &lengths).unsqueeze()
            };
            assert_agree(&device, shapes, found, expected);
        }
    }

    #[test]
    fn a_gru_reads_texts_as_it_reads_each_alone() {
        let device = Device::flex().autodiff();
        for [b, s, directions, h] in SIZES {
            let shapes = [
                [1, b, s, directions * 3 * h],
                [1, directions, h, 3 * h],
                [1, directions, 1, h],
            ];
            let lengths = lengths(b, s);
            let found = |all: [Tensor<4>; 3]| {
                let [inputs, weights, candidate] = all.map(|it| it.squeeze_dim::<3>(0));
                gru_of_texts(&inputs, &weights, &candidate, &lengths)
                    .expect("these tensors are ours")
                    .unsqueeze()
            };
            let expected = |all: [Tensor<4>; 3]| {
                let [inputs, weights, candidate] = all.map(|it| it.squeeze_dim::<3>(0));
                naive::gru_of_texts(&inputs, &weights, &candidate, &lengths).unsqueeze()
            };
            assert_agree(&device, shapes, found, expected);
        }
    }
}
