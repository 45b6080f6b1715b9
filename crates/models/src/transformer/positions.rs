//! Sinusoidal positions (Vaswani et al. 2017, 3.5), sin and cos in alternate columns.

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};

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
