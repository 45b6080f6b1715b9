//! Dot-product attention softmax(c · Q Kᵀ + mask)ᴺ V as one operation. On the GPU, and on the CPU
//! for many weights, the backward pass computes the weights again instead of keeping them.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
pub(super) mod naive;
#[cfg(feature = "flex")]
mod tiled;

use burn::tensor::Tensor;

use super::{LONGEST, WIDEST};
#[cfg(any(feature = "flex", feature = "cube"))]
use kernel::DotAttention;

/// Number of F32 weights that fit into a core's own cache.
const CACHED: usize = 1 << 17;

/// Computes the context of every query: the weights are applied to the values N = `levels` times.
/// Returns `None` if no kernel supports the tensors.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]`, an additive mask
///   `[B or 1, H or 1, T or 1, S]` → `[B, H, T, D_v]`; with several levels T = S
pub fn dot_attention(
    inputs: [&Tensor<4>; 3],
    mask: Option<Tensor<4>>,
    scale: f32,
    levels: usize,
) -> Option<Tensor<4>> {
    if !supports(inputs, levels) {
        return None;
    }
    #[cfg(any(feature = "flex", feature = "cube"))]
    return Some(kernel::dot_attention(inputs, mask, scale, levels));
    #[cfg(not(any(feature = "flex", feature = "cube")))]
    {
        let _ = (mask, scale);
        None
    }
}

/// True if a kernel supports these queries, keys and values.
fn supports([query, keys, values]: [&Tensor<4>; 3], levels: usize) -> bool {
    let all = [query, keys, values];
    if all
        .into_iter()
        .all(|it| crate::on_gpu_in(it, query.dtype()))
    {
        let width = query.dims()[3].max(values.dims()[3]);
        let length = query.dims()[2].max(keys.dims()[2]);
        return levels == 1 && width <= WIDEST && length <= LONGEST;
    }
    fits_cache(all) || levels == 1 && all.into_iter().all(crate::on_cpu)
}

/// True if the CPU kernel supports these tensors and all weights of an item fit into the cache.
pub(super) fn fits_cache([query, keys, values]: [&Tensor<4>; 3]) -> bool {
    let [_, h, t, _] = query.dims();
    are_cached([h, t, keys.dims()[2]]) && [query, keys, values].into_iter().all(crate::on_cpu)
}

/// True if a core's own cache holds the weights `[H, T, S]` of an item.
fn are_cached([h, t, s]: [usize; 3]) -> bool {
    h * t * s <= CACHED
}

#[cfg(any(feature = "flex", feature = "cube"))]
mod kernel {
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor::Tensor;

    use crate::attention::additive_mask;

    pub(super) fn dot_attention(
        [query, keys, values]: [&Tensor<4>; 3],
        mask: Option<Tensor<4>>,
        scale: f32,
        levels: usize,
    ) -> Tensor<4> {
        Tensor::from_dispatch(Dispatch::dot_attention(
            query.clone().into_dispatch(),
            keys.clone().into_dispatch(),
            values.clone().into_dispatch(),
            additive_mask(mask, keys).into_dispatch(),
            scale,
            levels,
        ))
    }

    #[backend_extension(
        Flex: cfg(feature = "flex"),
        Cube: cfg(feature = "cube"),
        Fusion: cfg(feature = "fusion"),
        Autodiff
    )]
    pub(super) trait DotAttention: Backend {
        #[fusion(dtype = query, shape = {
            [query[0], query[1], query[2], values[3]].into()
        })]
        fn dot_attention(
            query: FloatTensor<Self>,
            keys: FloatTensor<Self>,
            values: FloatTensor<Self>,
            mask: FloatTensor<Self>,
            scale: f32,
            levels: usize,
        ) -> FloatTensor<Self>;
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::testing::{Draws, additive_mask, causal, causal_with_distances, padding};

    /// Sizes B, T, S, H and D.
    const SMALL: [[usize; 5]; 2] = [[2, 6, 6, 2, 5], [1, 5, 5, 3, 8]];

    /// Sizes that take several tiles of queries, of keys, and of both; the last tiles are not full.
    const LARGE: [[usize; 5]; 3] = [
        [2, 300, 230, 2, 5],
        [1, 130, 1100, 1, 8],
        [9, 400, 400, 1, 3],
    ];

    /// Returns the context softmax(Q Kᵀ)ᴺ V, and the gradients of query, keys and values. Inputs
    /// are drawn on the CPU, so that every device has the same.
    fn run(
        device: &Device,
        [b, t, s, h, d]: [usize; 5],
        scale: f64,
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3]) -> Tensor<4>,
    ) -> [TensorData; 4] {
        let mut draws = Draws::new(9, &Device::flex());
        let mut draw = |length, bound| {
            // In the memory layout of a multi-head layer.
            let drawn = draws.uniform([b, length, h, d], bound).cast(precision);
            Tensor::from_data(drawn.into_data(), (device, precision.into()))
        };
        let leaves = [draw(t, scale), draw(s, 1.0), draw(s, 1.0)].map(Tensor::require_grad);
        let probe = draw(t, 1.0);
        let heads = leaves.clone().map(|leaf| leaf.swap_dims(1, 2));
        let context = attend(heads).swap_dims(1, 2);
        let found = (context.clone() * probe).sum().backward();
        let [query, keys, values] = leaves.map(|leaf| leaf.grad(&found).unwrap().into_data());
        [context.into_data(), query, keys, values]
    }

    /// Compares a device's kernels, for inputs of this precision, with the formula in F64.
    fn assert_product(
        device: &Device,
        precision: FloatDType,
        sizes: &[[usize; 5]],
        levels: &[usize],
    ) {
        let cpu = &Device::flex().autodiff();
        for &sizes in sizes {
            let [b, t, s, h, _] = sizes;
            // Each item has other masked keys.
            let is_padding = |item: usize, key: usize| key > s / (item + 1);
            let masks = |device| {
                let both = |b, t, s| s > t || is_padding(b, s);
                [
                    None,
                    Some(causal(t, s, device)),
                    Some(padding(b, s, device, is_padding)),
                    Some(additive_mask([b, t, s], device, both)),
                    Some(causal_with_distances([h, t, s], device)),
                ]
            };
            for (mask, on_cpu) in masks(device).into_iter().zip(masks(cpu)) {
                // Powers of A converge fast with small scores, slowly with large ones.
                for scale in [0.1, 1.0, 4.0, 12.0] {
                    for &levels in levels {
                        let wide = FloatDType::F64;
                        let expected = run(cpu, sizes, scale, wide, |inputs| {
                            let mask = on_cpu.clone().map(|mask| mask.cast(wide));
                            naive::dot_attention(inputs, mask, 1.0, levels)
                        });
                        let found =
                            run(device, sizes, scale, precision, |[query, keys, values]| {
                                let inputs = [&query, &keys, &values];
                                dot_attention(inputs, mask.clone(), 1.0, levels).unwrap()
                            });
                        for (found, expected) in found.iter().zip(&expected) {
                            let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                            // Rounding adds up over the products, and grows with the scores.
                            let tolerance = match precision {
                                FloatDType::F16 => 5e-3,
                                _ => f64::max(2e-5, 2e-7 * levels as f64),
                            };
                            let tolerance = tolerance * scale.max(1.0);
                            assert!(
                                worst < tolerance,
                                "{sizes:?}, N = {levels}, scores up to {scale}: {worst}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn any_number_of_levels_gives_the_product_and_its_gradients() {
        let levels = [1, 2, 3, 7, 16, 17, 63, 64, 100, 1000];
        let device = &Device::flex().autodiff();
        assert_product(device, FloatDType::F32, &SMALL, &levels);
    }

    #[test]
    fn long_sequences_in_tiles_give_the_product_and_its_gradients() {
        for [_, t, s, h, _] in LARGE {
            assert!(!are_cached([h, t, s]));
        }
        let device = &Device::flex().autodiff();
        assert_product(device, FloatDType::F32, &LARGE, &[1]);
    }

    /// Item 1 has no visible key; item 0 has no masked key.
    #[test]
    fn long_sequences_of_hidden_keys_have_no_context_and_no_gradient() {
        let device = &Device::flex().autodiff();
        let (t, s) = (200, 900);
        for mask in [
            padding(2, s, device, |item, _| item == 1),
            additive_mask([2, t, s], device, |item, t, s| item == 1 || s > t),
        ] {
            let attend = |[query, keys, values]: [Tensor<4>; 3]| {
                dot_attention([&query, &keys, &values], Some(mask.clone()), 1.0, 1).unwrap()
            };
            let all = run(device, [2, t, s, 1, 4], 1.0, FloatDType::F32, attend);
            for numbers in all.map(|it| it.try_to_vec::<f32>().unwrap()) {
                let (seen, hidden) = numbers.split_at(numbers.len() / 2);
                assert!(seen.iter().all(|x| x.is_finite()) && seen.iter().any(|x| *x != 0.0));
                assert!(hidden.iter().all(|x| *x == 0.0));
            }
        }
    }

    #[test]
    fn nan_stays_nan_in_tiles() {
        let device = &Device::flex();
        let ones = |length| Tensor::<4>::ones([1, 1, length, 2], device);
        let query = ones(150).slice_fill([0..1, 0..1, 140..141], f32::NAN);
        let context = dot_attention([&query, &ones(900), &ones(900)], None, 1.0, 1);
        let context = context.unwrap().into_data().try_to_vec::<f32>().unwrap();
        for (at, x) in context.into_iter().enumerate() {
            assert_eq!(x.is_nan(), at / 2 == 140, "{at}: {x}");
            assert!(x.is_nan() || (x - 1.0).abs() < 1e-5);
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_gpu_gives_the_product_and_its_gradients() {
        let device = &Device::wgpu(Default::default()).autodiff();
        for precision in [FloatDType::F32, FloatDType::F16] {
            assert_product(device, precision, &SMALL, &[1]);
        }
    }
}
