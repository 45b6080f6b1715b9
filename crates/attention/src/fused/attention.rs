//! Attention by the dot product, softmax(c · Q Kᵀ + mask)ᴺ V, as one operation. Graphics cards do not
//! keep its weights but compute them again for the backward pass.

#[cfg(feature = "cube")]
mod cube;
#[cfg(feature = "flex")]
mod host;

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
        .all(strata_kernels::on_card)
    {
        let width = query.dims()[3].max(values.dims()[3]);
        let length = query.dims()[2].max(keys.dims()[2]);
        return levels == 1 && width <= super::WIDEST && length <= super::LONGEST;
    }
    let _ = levels;
    fits_host(query, keys, values)
}

/// Whether a kernel for the CPU takes these, one item at a time.
pub(crate) fn fits_host(query: &Tensor<4>, keys: &Tensor<4>, values: &Tensor<4>) -> bool {
    let [_, h, t, _] = query.dims();
    h * t * keys.dims()[2] <= CACHED && [query, keys, values].into_iter().all(on_host)
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

    /// B, S, H, D, as a layer of heads gives them.
    const SIZES: [[usize; 4]; 2] = [[2, 6, 2, 5], [1, 5, 3, 8]];

    /// The context, and the gradients of query, keys and values: softmax(Q Kᵀ)ᴺ V. All are drawn
    /// on the CPU, so that every device has the same.
    fn run(
        device: &Device,
        sizes: [usize; 4],
        scale: f64,
        precision: FloatDType,
        attend: impl Fn([Tensor<4>; 3]) -> Tensor<4>,
    ) -> [TensorData; 4] {
        let init = &mut ParamInit::new(9, &Device::flex().autodiff());
        let mut draw = |bound| {
            let drawn = init.uniform(sizes, bound).val().inner().cast(precision);
            Tensor::from_data(drawn.into_data(), (device, precision.into()))
        };
        let leaves = [draw(scale), draw(1.0), draw(1.0)].map(Tensor::require_grad);
        let probe = draw(1.0);
        let heads = leaves.clone().map(|leaf| leaf.swap_dims(1, 2));
        let context = attend(heads).swap_dims(1, 2);
        let found = (context.clone() * probe).sum().backward();
        let [query, keys, values] = leaves.map(|leaf| leaf.grad(&found).unwrap().into_data());
        [context.into_data(), query, keys, values]
    }

    /// The kernels of a device against the definition in double precision.
    fn assert_product(device: &Device, levels: &[usize]) {
        let cpu = &Device::flex().autodiff();
        for sizes in SIZES {
            let [_, s, _, _] = sizes;
            let masks = |device| [Mask::none(), Mask::causal(s, s, device)];
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
                        let single = FloatDType::F32;
                        let found = run(device, sizes, scale, single, |[query, keys, values]| {
                            assert!(fits(&query, &keys, &values, levels));
                            dot_attention(query, keys, values, &mask, 1.0, levels)
                        });
                        for (found, expected) in found.iter().zip(&expected) {
                            let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                            // Rounding adds up over the products, and grows with the scores.
                            let tolerance = f64::max(2e-5, 2e-7 * levels as f64) * scale.max(1.0);
                            assert!(
                                worst < tolerance,
                                "N = {levels}, scores up to {scale}: {worst}"
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
        assert_product(&Device::flex().autodiff(), &levels);
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_graphics_card_gives_the_product_and_its_gradients() {
        assert_product(&Device::wgpu(Default::default()).autodiff(), &[1]);
    }
}
