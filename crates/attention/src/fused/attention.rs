//! Attention by the dot product, softmax(c · Q Kᵀ + mask)ᴺ V, as one operation. Graphics cards do not
//! keep its weights but compute them again for the backward pass; nor does the CPU where they are many.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;
#[cfg(feature = "flex")]
mod tiled;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor::Tensor;
use strata_kernels::on_host;

use crate::Mask;

/// Weights of one item that fit into a processor's own cache.
const CACHED: usize = 1 << 17;

/// Whether this is for [`dot_attention`].
pub(crate) fn fits(query: &Tensor<4>, keys: &Tensor<4>, values: &Tensor<4>, levels: usize) -> bool {
    #[cfg(feature = "cube")]
    if [query, keys, values]
        .into_iter()
        .all(|it| strata_kernels::on_card_in(it, query.dtype()))
    {
        let width = query.dims()[3].max(values.dims()[3]);
        let length = query.dims()[2].max(keys.dims()[2]);
        return levels == 1 && width <= super::WIDEST && length <= super::LONGEST;
    }
    fits_host(query, keys, values) || levels == 1 && [query, keys, values].into_iter().all(on_host)
}

/// Whether a kernel for the CPU takes these, one item at a time.
pub(crate) fn fits_host(query: &Tensor<4>, keys: &Tensor<4>, values: &Tensor<4>) -> bool {
    let [_, h, t, _] = query.dims();
    are_cached([h, t, keys.dims()[2]]) && [query, keys, values].into_iter().all(on_host)
}

/// Whether a processor's own cache holds the weights `[H, T, S]` of an item.
fn are_cached([h, t, s]: [usize; 3]) -> bool {
    h * t * s <= CACHED
}

/// The context of every query: values weighted, and weighted again, N = `levels` times in all.
///
/// # Shapes
/// - query `[B, H, T, D]`, keys `[B, H, S, D]`, values `[B, H, S, D_v]` → `[B, H, T, D_v]`; of
///   several levels T = S
pub(crate) fn dot_attention(
    query: Tensor<4>,
    keys: Tensor<4>,
    values: Tensor<4>,
    mask: &Mask,
    scale: f32,
    levels: usize,
) -> Tensor<4> {
    let hidden = mask.additive_for(&keys);
    Tensor::from_dispatch(Dispatch::dot_attention(
        query.into_dispatch(),
        keys.into_dispatch(),
        values.into_dispatch(),
        hidden.into_dispatch(),
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
trait DotAttention: Backend {
    #[fusion(dtype = query, shape = {
        [query[0], query[1], query[2], values[3]].into()
    })]
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        scale: f32,
        levels: usize,
    ) -> FloatTensor<Self>;
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, FloatDType, TensorData};

    use super::*;
    use crate::ParamInit;

    /// B, T, S, H, D.
    const SMALL: [[usize; 5]; 2] = [[2, 6, 6, 2, 5], [1, 5, 5, 3, 8]];

    /// Several tiles of queries, of keys, of both, the last ones of which are not full; several parts.
    const LARGE: [[usize; 5]; 3] = [
        [2, 300, 230, 2, 5],
        [1, 130, 1100, 1, 8],
        [9, 400, 400, 1, 3],
    ];

    /// The context, and the gradients of query, keys and values: softmax(Q Kᵀ)ᴺ V. All are drawn
    /// on the CPU, so that every device has the same.
    fn run(
        device: &Device,
        [b, t, s, h, d]: [usize; 5],
        scale: f64,
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3]) -> Tensor<4>,
    ) -> [TensorData; 4] {
        let init = &mut ParamInit::new(9, &Device::flex().autodiff());
        let mut draw = |length, bound| {
            // As a layer of heads gives them.
            let drawn = init
                .uniform([b, length, h, d], bound)
                .val()
                .inner()
                .cast(precision);
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

    /// The kernels of a device, which read numbers in this precision, against the definition in double
    /// precision.
    fn assert_product(
        device: &Device,
        precision: FloatDType,
        sizes: &[[usize; 5]],
        levels: &[usize],
    ) {
        let cpu = &Device::flex().autodiff();
        for &sizes in sizes {
            let [b, t, s, _, _] = sizes;
            // Of each item other keys are hidden.
            let padding: Vec<bool> = (0..b)
                .flat_map(|item| (0..s).map(move |key| key > s / (item + 1)))
                .collect();
            let masks = |device| {
                [
                    Mask::none(),
                    Mask::causal(t, s, device),
                    Mask::padding(&padding, s, device),
                    Mask::causal_padding(&padding, t, s, device),
                ]
            };
            for (mask, on_cpu) in masks(device).into_iter().zip(masks(cpu)) {
                // Small scores mix fast, large ones slowly.
                for scale in [0.1, 1.0, 4.0, 12.0] {
                    for &levels in levels {
                        let wide = FloatDType::F64;
                        let expected = run(cpu, sizes, scale, wide, |[query, keys, values]| {
                            let scores = query.matmul(keys.swap_dims(2, 3));
                            let weights = softmax(
                                match on_cpu.additive() {
                                    Some(hidden) => scores + hidden.cast(wide),
                                    None => scores,
                                },
                                3,
                            );
                            (0..levels).fold(values, |values, _| weights.clone().matmul(values))
                        });
                        let found =
                            run(device, sizes, scale, precision, |[query, keys, values]| {
                                assert!(fits(&query, &keys, &values, levels));
                                dot_attention(query, keys, values, &mask, 1.0, levels)
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

    /// Item 1 has no key at all; of item 0 none is hidden.
    #[test]
    fn long_sequences_of_hidden_keys_have_no_context_and_no_gradient() {
        let device = &Device::flex().autodiff();
        let (t, s) = (200, 900);
        let padding: Vec<bool> = (0..2 * s).map(|key| key >= s).collect();
        for mask in [
            Mask::padding(&padding, s, device),
            Mask::causal_padding(&padding, t, s, device),
        ] {
            let attend = |[query, keys, values]: [Tensor<4>; 3]| {
                dot_attention(query, keys, values, &mask, 1.0, 1)
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
    fn what_is_no_number_stays_none_in_tiles() {
        let device = &Device::flex();
        let ones = |length| Tensor::<4>::ones([1, 1, length, 2], device);
        let query = ones(150).slice_fill([0..1, 0..1, 140..141], f32::NAN);
        let context = dot_attention(query, ones(900), ones(900), &Mask::none(), 1.0, 1);
        let context = context.into_data().try_to_vec::<f32>().unwrap();
        for (at, x) in context.into_iter().enumerate() {
            assert_eq!(x.is_nan(), at / 2 == 140, "{at}: {x}");
            assert!(x.is_nan() || (x - 1.0).abs() < 1e-5);
        }
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_graphics_card_gives_the_product_and_its_gradients() {
        let device = &Device::wgpu(Default::default()).autodiff();
        for precision in [FloatDType::F32, FloatDType::F16] {
            assert_product(device, precision, &SMALL, &[1]);
        }
    }
}
