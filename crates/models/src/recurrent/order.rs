//! Orders of positions: reverses items within their lengths, and finds the last position of each.

use burn::tensor::{Device, Int, Tensor, TensorData};

/// For each position of each item, the position that takes its place when the item is reversed
/// without its padding.
pub(crate) fn reversed(
    batch: usize,
    positions: usize,
    lengths: Option<&[usize]>,
    device: &Device,
) -> Tensor<1, Int> {
    let length = |item: usize| lengths.map_or(positions, |lengths| lengths[item]);
    let mirror = |item: usize, at: usize| match length(item) {
        length if at < length => length - 1 - at,
        _ => at,
    };
    let order: Vec<i32> = (0..batch)
        .flat_map(|item| (0..positions).map(move |at| (item * positions + mirror(item, at)) as i32))
        .collect();
    Tensor::from_data(TensorData::new(order, [batch * positions]), device)
}

/// Reorders the positions of all items of `[B, S, D]`.
pub(crate) fn reorder(states: Tensor<3>, order: Tensor<1, Int>) -> Tensor<3> {
    let [b, s, d] = states.dims();
    states
        .reshape([b * s, d])
        .select(0, order)
        .reshape([b, s, d])
}

/// Returns 1 at positions before padding, 0 at padding: `[B, S, 1]`.
pub(crate) fn real(lengths: &[usize], positions: usize, device: &Device) -> Tensor<3> {
    let real: Vec<f32> = lengths
        .iter()
        .flat_map(|&length| (0..positions).map(move |at| f32::from(u8::from(at < length))))
        .collect();
    Tensor::from_data(TensorData::new(real, [lengths.len(), positions, 1]), device)
}

/// Selects the state of each item after its last step before padding: `[S, directions, B, H]` →
/// `[directions, B, H]`.
pub(crate) fn last_of_each(steps: Tensor<4>, lengths: &[usize]) -> Tensor<3> {
    let [s, directions, b, h] = steps.dims();
    let device = steps.device();
    let rows: Vec<i32> = (0..directions * b)
        .map(|row| ((lengths[row % b] - 1) * directions * b + row) as i32)
        .collect();
    let rows = Tensor::<1, Int>::from_data(TensorData::new(rows, [directions * b]), &device);
    steps
        .reshape([s * directions * b, h])
        .select(0, rows)
        .reshape([directions, b, h])
}

/// Splits `[S, …]` into its positions.
///
/// Splits by halves: the backward pass of a slice fills a tensor as large as the one it was sliced
/// from, so that S slices of the whole would cost S², while halves cost S·log S.
pub(crate) fn positions(all: Tensor<4>) -> Vec<Tensor<3>> {
    let [s, _, _, _] = all.dims();
    if s == 1 {
        return vec![all.squeeze_dim(0)];
    }
    let mut first = positions(all.clone().narrow(0, 0, s / 2));
    first.extend(positions(all.narrow(0, s / 2, s - s / 2)));
    first
}

/// Rearranges steps `[S, directions, B, H]`, in which the second direction read each item reversed,
/// in the order of the text: `[B, S, directions · H]`, 0 at padding.
pub(crate) fn in_text_order(steps: Tensor<4>, lengths: Option<&[usize]>) -> Tensor<3> {
    let [s, directions, b, _] = steps.dims();
    let device = steps.device();
    // [S, directions, B, H] → directions × [B, S, H]
    let direction = |at| -> Tensor<3> {
        let of_direction = steps.clone().narrow(1, at, 1).squeeze_dim::<3>(1);
        of_direction.swap_dims(0, 1) // [B, S, H]
    };
    let states = match directions {
        2 => {
            let order = reversed(b, s, lengths, &device);
            Tensor::cat(vec![direction(0), reorder(direction(1), order)], 2)
        }
        _ => direction(0),
    }; // [B, S, directions · H]
    match lengths {
        Some(lengths) => states.clone() * real(lengths, s, &device).cast(states.dtype()),
        None => states,
    }
}
