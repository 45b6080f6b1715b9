//! Where a token stands: sinusoidal positions (Vaswani et al. 2017, 3.5), sin and cos in alternate
//! columns, or learned ones (Gehring et al. 2017, 3.1).

use std::ops::Range;

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData, s};
use strata_attention::ParamInit;

use crate::{PositionKind, TransformerConfig};

/// A row for each position, uniform on `[-1, 1)`; none where positions are not learned.
pub(crate) fn table(config: &TransformerConfig, init: &mut ParamInit) -> Option<Param<Tensor<2>>> {
    match config.positions {
        PositionKind::Sinusoidal => None,
        PositionKind::Learned => Some(init.uniform([config.longest, config.width], 1.0)),
    }
}

/// Embeddings × √D, plus the positions from `first` on.
///
/// # Shapes
/// - tokens `[B, T, D]`; the table has at least `first` + T rows → `[B, T, D]`
pub(crate) fn place(
    tokens: Tensor<3>,
    table: &Option<Param<Tensor<2>>>,
    first: usize,
) -> Tensor<3> {
    let [_, length, width] = tokens.dims();
    let at = first..first + length;
    let positions = match table {
        Some(table) => table.val().slice(s![at, ..]),
        None => sinusoidal_positions(at, width, &tokens.device()).cast(tokens.dtype()),
    };
    tokens * (width as f64).sqrt() + positions.unsqueeze_dim::<3>(0)
}

/// sin(p / 10000^(2i/D)) in column 2i, cos of the same in column 2i + 1: `[positions, D]`.
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
        let placed = place(tokens, &table, 2);
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
}
