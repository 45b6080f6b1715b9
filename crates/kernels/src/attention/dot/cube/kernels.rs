//! Kernels of dot-product attention on a GPU.

use burn_cubecl::cubecl::{self, ir::ElemType, prelude::*};

use crate::attention::MASKED_SCORE;
use crate::attention::rows::{add, nothing, place, product, put, row_of, taken};

/// Offset of the mask's row for a query.
#[cube]
fn mask_row(mask: &Tensor<f32>, item: usize, head: usize, row: usize) -> usize {
    item * mask.stride(0) + head * mask.stride(1) + row * mask.stride(2)
}

/// Computes the context of a query and log Σ e^score by online softmax: keys are read one after the
/// other, and the sums so far are scaled down when a larger score comes.
#[cube(launch)]
pub fn attend<E: Float, N: Size>(
    query: &Tensor<Vector<E, N>>,
    keys: &Tensor<Vector<E, N>>,
    values: &Tensor<Vector<E, N>>,
    mask: &Tensor<f32>,
    context: &mut Tensor<Vector<E, N>>,
    log_sums: &mut Tensor<f32>,
    scale: f32,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
    #[define(E)] _element: ElemType,
) {
    let (heads, queries) = (query.shape(1), query.shape(2));
    if ABSOLUTE_POS >= query.shape(0) * heads * queries {
        terminate!();
    }
    let (item, head, row) = place(heads, queries);
    let own = taken(query, row_of(query, item, head, row), width);
    let mask_start = mask_row(mask, item, head, row);
    let mut sum = nothing(value_width);
    let mut most = f32::new(MASKED_SCORE);
    let mut total = 0.0f32;
    for key in 0..keys.shape(2) {
        let bias = mask[mask_start + key * mask.stride(3)];
        if bias > MASKED_SCORE / 2.0 {
            let score = product(&own, keys, row_of(keys, item, head, key), width) * scale + bias;
            // A new highest score: scale the sums so far by e^(old − new).
            if score > most {
                let factor = (most - score).exp();
                total *= factor;
                let factor = Vector::new(factor);
                #[unroll]
                for at in 0..value_width {
                    sum[at] *= factor;
                }
                most = score;
            }
            let share = (score - most).exp();
            total += share;
            add(
                &mut sum,
                share,
                values,
                row_of(values, item, head, key),
                value_width,
            );
        }
    }
    let mut factor = 0.0f32;
    let mut whole = 0.0f32;
    if total > 0.0f32 {
        factor = 1.0f32 / total;
        whole = most + total.ln();
    }
    put(&sum, factor, context, item, head, row, value_width);
    log_sums[ABSOLUTE_POS] = whole;
}

/// Copies log Σ e^score of each query, and computes Σ gradient · context, which equals Σ weight ·
/// gradient of weight.
#[cube(launch)]
pub fn sums_of_queries<E: Float, N: Size>(
    context: &Tensor<Vector<E, N>>,
    gradient: &Tensor<Vector<E, N>>,
    log_sums: &Tensor<f32>,
    sums: &mut Tensor<f32>,
    #[comptime] value_width: usize,
    #[define(E)] _element: ElemType,
) {
    let (heads, queries) = (context.shape(1), context.shape(2));
    if ABSOLUTE_POS >= context.shape(0) * heads * queries {
        terminate!();
    }
    let (item, head, row) = place(heads, queries);
    let own = taken(context, row_of(context, item, head, row), value_width);
    let start = row_of(gradient, item, head, row);
    sums[2 * ABSOLUTE_POS] = log_sums[ABSOLUTE_POS];
    sums[2 * ABSOLUTE_POS + 1] = product(&own, gradient, start, value_width);
}

#[cube(launch)]
pub fn gradient_of_queries<E: Float, N: Size>(
    query: &Tensor<Vector<E, N>>,
    keys: &Tensor<Vector<E, N>>,
    values: &Tensor<Vector<E, N>>,
    mask: &Tensor<f32>,
    gradient: &Tensor<Vector<E, N>>,
    sums: &Tensor<f32>,
    of_query: &mut Tensor<Vector<E, N>>,
    scale: f32,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
    #[define(E)] _element: ElemType,
) {
    let (heads, queries) = (query.shape(1), query.shape(2));
    if ABSOLUTE_POS >= query.shape(0) * heads * queries {
        terminate!();
    }
    let (item, head, row) = place(heads, queries);
    let own = taken(query, row_of(query, item, head, row), width);
    let of_own = taken(gradient, row_of(gradient, item, head, row), value_width);
    let mask_start = mask_row(mask, item, head, row);
    let whole = sums[2 * ABSOLUTE_POS];
    let mean = sums[2 * ABSOLUTE_POS + 1];
    let mut found = nothing(width);
    for key in 0..keys.shape(2) {
        let bias = mask[mask_start + key * mask.stride(3)];
        if bias > MASKED_SCORE / 2.0 {
            let place = row_of(keys, item, head, key);
            let score = product(&own, keys, place, width) * scale + bias;
            // weight = e^(score − log Σ), gradient of the score = weight · (G · v − Σ weight · (G ·
            // v)).
            let of_weight = product(
                &of_own,
                values,
                row_of(values, item, head, key),
                value_width,
            );
            let of_score = (score - whole).exp() * (of_weight - mean);
            add(&mut found, of_score * scale, keys, place, width);
        }
    }
    put(&found, 1.0f32, of_query, item, head, row, width);
}

#[cube(launch)]
pub fn gradient_of_keys<E: Float, N: Size>(
    query: &Tensor<Vector<E, N>>,
    keys: &Tensor<Vector<E, N>>,
    values: &Tensor<Vector<E, N>>,
    mask: &Tensor<f32>,
    gradient: &Tensor<Vector<E, N>>,
    sums: &Tensor<f32>,
    of_keys: &mut Tensor<Vector<E, N>>,
    scale: f32,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
    #[define(E)] _element: ElemType,
) {
    let (heads, queries, all) = (keys.shape(1), query.shape(2), keys.shape(2));
    if ABSOLUTE_POS >= keys.shape(0) * heads * all {
        terminate!();
    }
    let (item, head, key) = place(heads, all);
    let own = taken(keys, row_of(keys, item, head, key), width);
    let value = taken(values, row_of(values, item, head, key), value_width);
    let mut found = nothing(width);
    for row in 0..queries {
        let bias = mask[mask_row(mask, item, head, row) + key * mask.stride(3)];
        if bias > MASKED_SCORE / 2.0 {
            let place = row_of(query, item, head, row);
            let score = product(&own, query, place, width) * scale + bias;
            let of_weight = product(
                &value,
                gradient,
                row_of(gradient, item, head, row),
                value_width,
            );
            let at = 2 * ((item * heads + head) * queries + row);
            let of_score = (score - sums[at]).exp() * (of_weight - sums[at + 1]);
            add(&mut found, of_score * scale, query, place, width);
        }
    }
    put(&found, 1.0f32, of_keys, item, head, key, width);
}

#[cube(launch)]
pub fn gradient_of_values<E: Float, N: Size>(
    query: &Tensor<Vector<E, N>>,
    keys: &Tensor<Vector<E, N>>,
    mask: &Tensor<f32>,
    gradient: &Tensor<Vector<E, N>>,
    sums: &Tensor<f32>,
    of_values: &mut Tensor<Vector<E, N>>,
    scale: f32,
    #[comptime] width: usize,
    #[comptime] value_width: usize,
    #[define(E)] _element: ElemType,
) {
    let (heads, queries, all) = (keys.shape(1), query.shape(2), keys.shape(2));
    if ABSOLUTE_POS >= keys.shape(0) * heads * all {
        terminate!();
    }
    let (item, head, key) = place(heads, all);
    let own = taken(keys, row_of(keys, item, head, key), width);
    let mut found = nothing(value_width);
    for row in 0..queries {
        let bias = mask[mask_row(mask, item, head, row) + key * mask.stride(3)];
        if bias > MASKED_SCORE / 2.0 {
            let score = product(&own, query, row_of(query, item, head, row), width) * scale + bias;
            let at = 2 * ((item * heads + head) * queries + row);
            let weight = (score - sums[at]).exp();
            add(
                &mut found,
                weight,
                gradient,
                row_of(gradient, item, head, row),
                value_width,
            );
        }
    }
    put(&found, 1.0f32, of_values, item, head, key, value_width);
}
