//! Numbers from which every program starts: initial parameters and token ids by a hash.

use std::convert::Infallible;

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};
use strata_models::{Batch, Model, Tokens};

use crate::checkpoint::parameters::replace;

/// Token id that begins a target.
const BEGIN: u32 = 1;
/// Smallest token id of a symbol.
const FIRST_SYMBOL: u32 = 2;

/// Finaliser of MurmurHash3 (Appleby 2008).
pub(super) fn fmix32(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Draws a number below `symbols` as a product of four uniform ones: low numbers are frequent,
/// roughly like words of a text.
pub(super) fn frequent(place: u32, symbols: u32) -> u32 {
    let of_two = |h: u32| (h >> 16).wrapping_mul(h & 0xffff) >> 16;
    let [one, other] = [place, place.wrapping_add(0x9e37_79b9)].map(|it| of_two(fmix32(it)));
    let product = one.wrapping_mul(other) >> 16;
    product.wrapping_mul(symbols) >> 16
}

/// Generator of initial parameters, tensor by tensor.
pub(super) struct Numbers<'a> {
    seed: u32,
    /// Number of tensors generated so far.
    tensors: u32,
    device: &'a Device,
}

impl<'a> Numbers<'a> {
    pub fn new(seed: u32, device: &'a Device) -> Self {
        Self {
            seed,
            tensors: 0,
            device,
        }
    }

    /// Draws a parameter uniform on `[-bound, bound)`.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Param<Tensor<D>> {
        let values = self.next(&shape, bound);
        Param::from_data(TensorData::new(values, shape), self.device)
    }

    /// Draws the numbers of the next tensor, uniform on `[-bound, bound)`.
    pub fn next(&mut self, shape: &[usize], bound: f64) -> Vec<f32> {
        self.tensors += 1;
        let key = fmix32(self.seed ^ 0x9e37_79b9_u32.wrapping_mul(self.tensors));
        let count: usize = shape.iter().product();
        let value = |i| {
            let hash = f64::from(fmix32(key.wrapping_add(i)));
            ((hash / f64::from(1u32 << 31) - 1.0) * bound) as f32
        };
        (0..count as u32).map(value).collect()
    }

    /// Draws a matrix as Glorot and Bengio (2010): uniform with bound √(6 / (input + output)).
    pub fn xavier(&mut self, input: usize, output: usize) -> Param<Tensor<2>> {
        self.uniform([input, output], (6.0 / (input + output) as f64).sqrt())
    }

    /// Creates zeros, which do not count as a drawn tensor.
    pub fn zeros(&self, length: usize) -> Param<Tensor<1>> {
        Param::from_data(TensorData::new(vec![0f32; length], [length]), self.device)
    }
}

/// Sets all initial parameters of a model, in the order of its fields, uniform on `[-bound, bound)`.
pub(super) fn filled(model: Model, seed: u32, bound: f64, device: &Device) -> Model {
    let mut numbers = Numbers::new(seed, device);
    let filled = replace::<_, Infallible>(model, |_, shape| Ok(numbers.next(shape, bound)));
    filled.unwrap_or_else(|never| match never {})
}

/// Draws the batch of step `step` (from 0): sources to copy, and as targets the same tokens one
/// position later. The distribution of ids is skewed (each is a product of two uniform numbers), so
/// that the loss falls from the first steps on.
pub(super) fn copy_batch(
    seed: u32,
    step: u32,
    [rows, length]: [usize; 2],
    vocabulary: usize,
) -> Batch {
    let key = fmix32(seed ^ 0x51ed_270b);
    let first = step.wrapping_mul((rows * length) as u32);
    let symbols = vocabulary as u32 - FIRST_SYMBOL;
    let id = |place: u32| {
        let h = fmix32(key.wrapping_add(first).wrapping_add(place));
        let product = (h >> 16).wrapping_mul(h & 0xffff) >> 16;
        FIRST_SYMBOL + (product.wrapping_mul(symbols) >> 16)
    };
    let ids: Vec<u32> = (0..(rows * length) as u32).map(id).collect();
    let sources: Vec<&[u32]> = ids.chunks(length).collect();
    let inputs = sources.iter().map(|source| {
        let (_, earlier) = source.split_last().expect("a text has a token");
        [&[BEGIN], earlier].concat()
    });
    Batch {
        starts_text: false,
        source: Tokens::pad(&sources),
        target_in: Tokens::pad(&inputs.collect::<Vec<_>>()),
        target_out: Tokens::pad(&sources),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn values<const D: usize>(parameter: Param<Tensor<D>>) -> Vec<f32> {
        parameter.val().into_data().try_to_vec().unwrap()
    }

    /// The expected numbers are those of the PyTorch program, which computes them with NumPy.
    #[test]
    fn initial_parameters_are_those_of_the_definition() {
        let device = Device::default();
        let mut numbers = Numbers::new(1, &device);
        assert_eq!(
            values(numbers.uniform([2, 3], 1.0)),
            [
                0.197_320_6,
                -0.331_461_37,
                0.992_321_1,
                -0.555_230_44,
                -0.150_212_21,
                0.926_088_4
            ]
        );
        assert_eq!(values(numbers.zeros(2)), [0.0, 0.0]);
        assert_eq!(
            values(numbers.xavier(2, 3)),
            [
                0.514_201_9,
                -0.231_925_44,
                -0.652_960_7,
                -0.986_515_3,
                0.003_577_709_7,
                0.685_270_97
            ]
        );
        let mut numbers = Numbers::new(7, &device);
        assert_eq!(
            values(numbers.uniform([3], 1.0)),
            [-0.431_847_87, -0.348_400_8, -0.307_172_98]
        );
    }

    #[test]
    fn token_ids_are_those_of_the_definition() {
        let first = copy_batch(1, 0, [2, 4], 64);
        assert_eq!(first.source.ids(), [11, 31, 16, 27, 30, 6, 10, 10]);
        assert_eq!(first.target_in.ids(), [1, 11, 31, 16, 1, 30, 6, 10]);
        assert_eq!(first.target_out, first.source);
        let fourth = copy_batch(1, 3, [2, 4], 64);
        assert_eq!(fourth.source.ids(), [5, 4, 26, 15, 24, 9, 47, 10]);
    }
}
