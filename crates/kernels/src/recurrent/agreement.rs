//! Compares two implementations of a function and its gradients.
#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, Int, Tensor, Tolerance};

use crate::testing::Draws;

/// Sizes S, directions, B and H of the cases.
pub(crate) const SIZES: [[usize; 4]; 4] =
    [[1, 1, 1, 1], [4, 2, 3, 5], [7, 1, 2, 33], [3, 2, 40, 64]];

/// Asserts that both functions return the same for random arguments of these shapes, and the same
/// gradients of all arguments.
pub(crate) fn assert_agree<const N: usize>(
    device: &Device,
    shapes: [[usize; 4]; N],
    found: impl Fn([Tensor<4>; N]) -> Tensor<4>,
    expected: impl Fn([Tensor<4>; N]) -> Tensor<4>,
) {
    let mut draws = Draws::new(3, device);
    let arguments = shapes.map(|shape| draws.normal(shape, 0.0, 0.6));
    let run = |way: &dyn Fn([Tensor<4>; N]) -> Tensor<4>| {
        let arguments = arguments.each_ref().map(|it| it.clone().require_grad());
        let out = way(arguments.clone());
        let count = out.dims().iter().product::<usize>() as i64;
        let probe = Tensor::<1, Int>::arange(0..count, device).float().sin();
        let found = (out.clone() * probe.reshape(out.dims())).sum().backward();
        let gradients = arguments.map(|it| it.grad(&found).unwrap().into_data());
        (out.into_data(), gradients)
    };
    let ((found, gradients), (expected, slopes)) = (run(&found), run(&expected));
    let tolerance = Tolerance::<f32>::rel_abs(1e-4, 1e-4);
    found.assert_approx_eq(&expected, tolerance);
    for (found, expected) in gradients.iter().zip(&slopes) {
        found.assert_approx_eq(expected, tolerance);
    }
}
