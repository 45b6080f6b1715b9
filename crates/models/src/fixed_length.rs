//! Targets whose length is known before writing: behind the last place stands EOS alone.

use burn::tensor::{Bool, Tensor, TensorData};

use crate::EOS;

/// Logit of a token that cannot be written, within the range of 16-bit floats; the probability is 0
/// in F32.
pub(crate) const IMPOSSIBLE: f32 = -1e4;

/// Appends zeros to the places of `[B, m, D]`: `[B, length, D]`.
pub(crate) fn lengthened(x: Tensor<3>, length: usize) -> Tensor<3> {
    let [rows, places, width] = x.dims();
    if places == length {
        return x;
    }
    let none = Tensor::<3>::zeros([rows, length - places, width], &x.device());
    let none = none.cast(x.dtype());
    Tensor::cat(vec![x, none], 1)
}

/// Allows rows that have ended, `[B, T, 1]`, to write EOS and nothing else: changes logits
/// `[B, T, V]`.
pub(crate) fn end(logits: Tensor<3>, ended: Tensor<3, Bool>) -> Tensor<3> {
    let [rows, columns, vocabulary] = logits.dims();
    let mut row = vec![IMPOSSIBLE; vocabulary];
    if let Some(of_end) = row.get_mut(EOS as usize) {
        *of_end = 0.0;
    }
    let row = TensorData::new(row, [1, 1, vocabulary]);
    let row = Tensor::<3>::from_data(row, &logits.device()).cast(logits.dtype());
    let shape = [rows, columns, vocabulary];
    logits.mask_where(ended.expand(shape), row.expand(shape))
}

/// Gives targets of these lengths `columns` columns: logits `[B, m, V]` → `[B, columns, V]`, in
/// which the places behind each target allow EOS alone. Where no target has such a place, the
/// logits stay as they are.
pub(crate) fn end_at(logits: Tensor<3>, lengths: &[usize], columns: usize) -> Tensor<3> {
    let ended = |&length: &usize| (0..columns).map(move |at| at >= length);
    let ended: Vec<bool> = lengths.iter().flat_map(ended).collect();
    if !ended.contains(&true) {
        return logits;
    }
    let ended = TensorData::new(ended, [lengths.len(), columns, 1]);
    let ended = Tensor::from_data(ended, &logits.device());
    end(lengthened(logits, columns), ended)
}
