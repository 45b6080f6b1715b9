//! What kernels are tested on.
#![allow(clippy::unwrap_used)]

use burn::tensor::Device;
#[cfg(feature = "wgpu")]
use burn::tensor::{DType, Distribution, Int, Tensor};

/// The CPU, and with the feature `wgpu` a graphics card.
pub(crate) fn devices() -> Vec<Device> {
    let devices = [
        Device::flex(),
        #[cfg(feature = "wgpu")]
        Device::wgpu(Default::default()),
    ];
    devices.map(Device::autodiff).into()
}

/// Asserts that an operation on a graphics card and the gradients of all its arguments are in 16 bits what
/// they are in 32 of the same numbers, up to the last digits of 16 bits.
#[cfg(feature = "wgpu")]
pub(crate) fn assert_same_in_16_bits<const N: usize>(
    shapes: [[usize; 4]; N],
    operation: impl Fn([Tensor<4>; N]) -> Tensor<4>,
) {
    let device = &Device::wgpu(Default::default()).autodiff();
    let arguments = shapes.map(|shape| {
        let drawn = Tensor::<4>::random(shape, Distribution::Normal(0.1, 0.7), device);
        drawn.detach().cast(DType::F16)
    });
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
