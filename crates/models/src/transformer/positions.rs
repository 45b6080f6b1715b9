//! Position encodings: sinusoidal (Vaswani et al. 2017, 3.5), sin and cos in alternate columns, or
//! learned (Gehring et al. 2017, 3.1), or none. Rotary positions and ALiBi are told by attention
//! ([`PositionKind::in_attention`]) and add nothing here.

use std::ops::Range;

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData, s};
use strata_attention::ParamInit;

use crate::{PositionKind, TransformerConfig};

/// Draws a table of positions, uniform on `[-1, 1)`; `None` if positions are not learned.
pub(crate) fn table(config: &TransformerConfig, init: &mut ParamInit) -> Option<Param<Tensor<2>>> {
    match config.positions {
        PositionKind::Sinusoidal
        | PositionKind::Rotary
        | PositionKind::Alibi
        | PositionKind::None => None,
        PositionKind::Learned => Some(init.uniform([config.longest, config.width], 1.0)),
    }
}

/// Multiplies embeddings by √D, and adds the encodings of the positions from `first` on, if any.
///
/// # Shapes
/// - tokens `[B, T, D]`; the table, where positions are learned, has at least `first` + T rows →
///   `[B, T, D]`
pub(crate) fn place(
    tokens: Tensor<3>,
    kind: PositionKind,
    table: &Option<Param<Tensor<2>>>,
    first: usize,
) -> Tensor<3> {
    let [_, length, width] = tokens.dims();
    let at = first..first + length;
    let positions = match (kind, table) {
        (PositionKind::None | PositionKind::Rotary | PositionKind::Alibi, _) => None,
        (_, Some(table)) => Some(table.val().slice(s![at, ..])), // [T, D]
        (_, None) => {
            let positions = sinusoidal_positions(at, width, &tokens.device());
            Some(positions.cast(tokens.dtype()))
        }
    };
    let scaled = tokens * (width as f64).sqrt();
    match positions {
        Some(positions) => scaled + positions.unsqueeze_dim::<3>(0),
        None => scaled,
    }
}

/// Sinusoidal encodings: sin(p / 10000^(2i/D)) in column 2i, cos of the same in column 2i + 1,
/// `[positions, D]`.
pub fn sinusoidal_positions(positions: Range<usize>, width: usize, device: &Device) -> Tensor<2> {
    let length = positions.len();
    let values: Vec<f32> = positions
        .flat_map(|position| {
            (0..width).map(move |column| {
                let pair = (column / 2 * 2) as f64;
                let angle = position as f64 / 10_000f64.powf(pair / width as f64);
                (if column % 2 == 0 {
                    angle.sin()
                } else {
                    angle.cos()
                }) as f32
            })
        })
        .collect();
    Tensor::from_data(TensorData::new(values, [length, width]), device)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Tokens, Trace, Transformer, Vocabularies};

    #[test]
    fn a_row_of_the_table_is_added_at_its_position_and_learns_there_alone() {
        let device = Device::default().autodiff();
        let config = TransformerConfig {
            width: 4,
            positions: PositionKind::Learned,
            longest: 5,
            ..TransformerConfig::default()
        };
        let table = table(&config, &mut ParamInit::new(1, &device));
        let tokens = Tensor::<3>::ones([2, 2, 4], &device);
        let placed = place(tokens, PositionKind::Learned, &table, 2);
        let rows: Vec<f32> = table
            .as_ref()
            .unwrap()
            .val()
            .into_data()
            .try_to_vec()
            .unwrap();
        let expected: Vec<f32> = rows[8..16].iter().map(|row| 2.0 + row).collect(); // √4
        let found: Vec<f32> = placed.clone().into_data().try_to_vec().unwrap();
        assert_eq!(found, expected.repeat(2));

        let gradients = placed.sum().backward();
        let learnt = table.unwrap().val().grad(&gradients).unwrap();
        let learnt: Vec<f32> = learnt.sum_dim(1).into_data().try_to_vec().unwrap();
        assert_eq!(learnt, [0.0, 0.0, 8.0, 8.0, 0.0]);
    }

    /// Computes the encoder's output for a source, `[S, D]` row-major.
    fn encoded(positions: PositionKind, source: &[u32]) -> Vec<Vec<f32>> {
        let device = Device::default();
        let config = TransformerConfig {
            width: 8,
            heads: 2,
            feed_forward: 16,
            positions,
            ..TransformerConfig::default()
        };
        let vocabularies = Vocabularies {
            source: 9,
            target: 9,
        };
        let init = &mut ParamInit::new(5, &device);
        let model = Transformer::init(&config, vocabularies, init).unwrap();
        let trace = &mut Trace::default();
        let (memory, _) = model.encode(&Tokens::pad(&[source]), trace, None, &device);
        let numbers: Vec<f32> = memory.into_data().try_to_vec().unwrap();
        numbers.chunks(8).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn without_positions_the_source_is_a_set() {
        let order = [3, 0, 4, 1, 2];
        let source = [4, 5, 6, 7, 8];
        let moved = order.map(|at: usize| source[at]);
        let distance = |kind| {
            let (plain, permuted) = (encoded(kind, &source), encoded(kind, &moved));
            let rows = order.iter().zip(&permuted);
            let distances = rows.flat_map(|(&at, row)| {
                let pairs = plain[at].iter().zip(row);
                pairs.map(|(one, other)| (one - other).abs())
            });
            distances.fold(0.0, f32::max)
        };
        assert!(distance(PositionKind::None) < 1e-5);
        assert!(distance(PositionKind::Sinusoidal) > 1e-2);
        assert!(distance(PositionKind::Learned) > 1e-2);
    }
}
