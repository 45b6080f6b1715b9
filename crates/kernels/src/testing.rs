//! Devices, random tensors and masks for tests of kernels.
#![allow(clippy::unwrap_used)]

#[cfg(feature = "wgpu")]
use burn::tensor::{DType, Int};
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::attention::MASKED_SCORE;

/// Random tensors from a seed: the same in every run and on every device, so that a test cannot
/// fail by chance.
pub(crate) struct Draws {
    device: Device,
    rng: ChaCha8Rng,
}

impl Draws {
    /// Starts to draw tensors on `device`, without gradients.
    pub fn new(seed: u64, device: &Device) -> Self {
        Self {
            device: device.clone(),
            rng: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// Draws numbers uniform on `[-bound, bound)`.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Tensor<D> {
        self.draw(shape, |rng| (rng.random::<f64>() * 2.0 - 1.0) * bound)
    }

    /// Draws normally distributed numbers.
    pub fn normal<const D: usize>(
        &mut self,
        shape: [usize; D],
        mean: f64,
        deviation: f64,
    ) -> Tensor<D> {
        // Transform of Box and Muller (1958).
        self.draw(shape, |rng| {
            let [radius, angle] = [1.0 - rng.random::<f64>(), rng.random::<f64>()];
            let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
            mean + deviation * normal
        })
    }

    fn draw<const D: usize>(
        &mut self,
        shape: [usize; D],
        mut number: impl FnMut(&mut ChaCha8Rng) -> f64,
    ) -> Tensor<D> {
        let values = (0..shape.iter().product()).map(|_| number(&mut self.rng) as f32);
        let data = TensorData::new(values.collect::<Vec<_>>(), shape);
        Tensor::from_data(data, &self.device)
    }
}

/// Mask to add to scores, `[B or 1, 1, T or 1, S]`: key s of query t of item b is masked if
/// `is_masked(b, t, s)`.
pub(crate) fn additive_mask(
    [b, t, s]: [usize; 3],
    device: &Device,
    is_masked: impl Fn(usize, usize, usize) -> bool,
) -> Tensor<4> {
    let value = |at: usize| {
        if is_masked(at / s / t, at / s % t, at % s) {
            MASKED_SCORE
        } else {
            0.0
        }
    };
    let values: Vec<f32> = (0..b * t * s).map(value).collect();
    Tensor::from_data(TensorData::new(values, [b, 1, t, s]), device)
}

/// Masks later keys, `[1, 1, T, S]`.
pub(crate) fn causal(t: usize, s: usize, device: &Device) -> Tensor<4> {
    additive_mask([1, t, s], device, |_, t, s| s > t)
}

/// Masks later keys, and lowers the scores of the others by their distance, in each head by another
/// factor: `[1, H, T, S]`.
pub(crate) fn causal_with_distances([h, t, s]: [usize; 3], device: &Device) -> Tensor<4> {
    let value = |at: usize| {
        let (head, t, s) = (at / s / t, at / s % t, at % s);
        if s > t {
            MASKED_SCORE
        } else {
            -((t - s) as f32) / (head + 2) as f32
        }
    };
    let values: Vec<f32> = (0..h * t * s).map(value).collect();
    Tensor::from_data(TensorData::new(values, [1, h, t, s]), device)
}

/// Masks padded keys, `[B, 1, 1, S]`.
pub(crate) fn padding(
    b: usize,
    s: usize,
    device: &Device,
    is_padding: impl Fn(usize, usize) -> bool,
) -> Tensor<4> {
    additive_mask([b, 1, s], device, |b, _, s| is_padding(b, s))
}

/// Devices to test on: the CPU and, with the feature `wgpu`, a GPU.
pub(crate) fn devices() -> Vec<Device> {
    let devices = [
        Device::flex(),
        #[cfg(feature = "wgpu")]
        Device::wgpu(Default::default()),
    ];
    devices.map(Device::autodiff).into()
}

/// Asserts that an operation on a GPU and the gradients of all its arguments are the same in 16 and
/// in 32 bits, up to the rounding of 16 bits.
#[cfg(feature = "wgpu")]
pub(crate) fn assert_same_in_16_bits<const N: usize>(
    shapes: [[usize; 4]; N],
    operation: impl Fn([Tensor<4>; N]) -> Tensor<4>,
) {
    let device = &Device::wgpu(Default::default()).autodiff();
    let mut draws = Draws::new(3, device);
    let arguments = shapes.map(|shape| draws.normal(shape, 0.1, 0.7).cast(DType::F16));
    let run = |dtype| {
        let arguments = arguments.each_ref().map(|it| it.clone().cast(dtype));
        let arguments = arguments.map(|it| it.detach().require_grad());
        let out = operation(arguments.clone());
        assert_eq!(out.dtype(), dtype);
        let count = out.dims().iter().product::<usize>() as i64;
        let probe = Tensor::<1, Int>::arange(0..count, device).float().sin();
        let probe = probe.reshape(out.dims()).cast(DType::F16).cast(dtype);
        let found = (out.clone() * probe).sum().backward();
        let gradients = arguments.map(|it| it.grad(&found).unwrap());
        let all = [out].into_iter().chain(gradients);
        all.map(|it| it.into_data().iter().collect())
            .collect::<Vec<Vec<f64>>>()
    };
    let (halves, singles) = (run(DType::F16), run(DType::F32));
    for (part, (half, single)) in halves.iter().zip(&singles).enumerate() {
        let largest = single.iter().fold(0.0, |most, x| f64::max(most, x.abs()));
        for (half, single) in half.iter().zip(single) {
            let far = (half - single).abs();
            assert!(
                far <= 2e-3 * largest,
                "{shapes:?}, part {part}: {half}, not {single}"
            );
        }
    }
}
