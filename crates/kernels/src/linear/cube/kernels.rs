//! Kernels of a linear layer on a GPU.

use burn_cubecl::cubecl::{self, ir::ElemType, prelude::*};

use super::{ACROSS, PART, ROWS};

/// Returns the output's gradient at an offset; 0 where the rectifier returned 0.
#[cube]
fn passed<E: Float, N: Size>(
    out: &Tensor<Vector<E, N>>,
    gradient: &Tensor<Vector<E, N>>,
    place: usize,
    #[comptime] rectified: bool,
) -> Vector<f32, N> {
    let gradient = Vector::<f32, N>::cast_from(gradient[place]);
    if comptime!(rectified) {
        let zero = Vector::new(0.0f32);
        let out = Vector::<f32, N>::cast_from(out[place]);
        select_many(out.greater_than(&zero), gradient, zero)
    } else {
        gradient
    }
}

/// Offsets of `length` rows or vectors from `first` on, `step` apart. Indices beyond the last of
/// `count` repeat the last offset.
#[cube]
fn places(first: usize, count: usize, step: usize, #[comptime] length: usize) -> Array<usize> {
    let mut places = Array::<usize>::new(length);
    #[unroll]
    for at in 0..length {
        places[at] = usize::min(first + at, count - 1) * step;
    }
    places
}

/// Number of tiles that cover `vectors` column vectors.
#[cube]
fn tiles(vectors: usize) -> usize {
    (vectors + comptime!(ACROSS - 1)) / ACROSS
}

/// Computes x W + b of one tile; `width` and `columns` are counted in vectors.
#[cube(launch)]
pub fn forward<E: Float, N: Size>(
    x: &Tensor<Vector<E, N>>,
    weight: &Tensor<Vector<E, N>>,
    bias: &Tensor<Vector<E, N>>,
    out: &mut Tensor<Vector<E, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    #[comptime] rectified: bool,
    #[define(E)] _element: ElemType,
) {
    let across = tiles(columns);
    let column = ABSOLUTE_POS % across * ACROSS;
    let first = ABSOLUTE_POS / across * ROWS;
    if first >= rows {
        terminate!();
    }
    let columns_at = places(column, columns, 1, ACROSS);
    let rows_at = places(first, rows, width, ROWS);
    let mut sums = Array::<Vector<f32, N>>::new(comptime!(ROWS * ACROSS));
    let mut own = Array::<Vector<f32, N>>::new(ROWS);
    #[unroll]
    for at in 0..comptime!(ROWS * ACROSS) {
        sums[at] = Vector::cast_from(bias[columns_at[comptime!(at % ACROSS)]]);
    }
    for step in 0..width {
        #[unroll]
        for row in 0..ROWS {
            own[row] = Vector::cast_from(x[rows_at[row] + step]);
        }
        #[unroll]
        for lane in 0..N::value() {
            let start = (step * N::value() + lane) * columns;
            #[unroll]
            for at in 0..ACROSS {
                let weight = Vector::<f32, N>::cast_from(weight[start + columns_at[at]]);
                #[unroll]
                for row in 0..ROWS {
                    sums[comptime!(row * ACROSS + at)] +=
                        Vector::new(own[row].extract(lane)) * weight;
                }
            }
        }
    }
    #[unroll]
    for at in 0..comptime!(ROWS * ACROSS) {
        let (row, column) = (
            first + comptime!(at / ACROSS),
            column + comptime!(at % ACROSS),
        );
        if row < rows && column < columns {
            let mut sum = sums[at];
            if comptime!(rectified) {
                // Not `max`: NaN stays NaN.
                let zero = Vector::new(0.0f32);
                sum = select_many(sum.less_than(&zero), zero, sum);
            }
            out[row * columns + column] = Vector::cast_from(sum);
        }
    }
}

/// Computes the gradient of the input, gradient · Wᵀ, for one tile of rows and vectors of inputs.
#[cube(launch)]
pub fn through_the_weights<E: Float, N: Size>(
    weight: &Tensor<Vector<E, N>>,
    out: &Tensor<Vector<E, N>>,
    gradient: &Tensor<Vector<E, N>>,
    found: &mut Tensor<Vector<E, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    #[comptime] rectified: bool,
    #[define(E)] _element: ElemType,
) {
    let across = tiles(width);
    let input = ABSOLUTE_POS % across * ACROSS;
    let first = ABSOLUTE_POS / across * ROWS;
    if first >= rows {
        terminate!();
    }
    let lanes = N::value().comptime();
    let inputs = comptime!(ACROSS * lanes);
    let inputs_at = places(input * lanes, width * lanes, columns, inputs);
    let rows_at = places(first, rows, columns, ROWS);
    let mut sums = Array::<f32>::new(comptime!(ROWS * inputs));
    let mut own = Array::<Vector<f32, N>>::new(ROWS);
    #[unroll]
    for at in 0..comptime!(ROWS * inputs) {
        sums[at] = 0.0f32;
    }
    for step in 0..columns {
        #[unroll]
        for row in 0..ROWS {
            own[row] = passed(out, gradient, rows_at[row] + step, rectified);
        }
        #[unroll]
        for at in 0..inputs {
            let weight = Vector::<f32, N>::cast_from(weight[inputs_at[at] + step]);
            #[unroll]
            for row in 0..ROWS {
                sums[comptime!(row * inputs + at)] += own[row].dot(weight);
            }
        }
    }
    #[unroll]
    for at in 0..comptime!(ROWS * ACROSS) {
        let (row, input) = (
            first + comptime!(at / ACROSS),
            input + comptime!(at % ACROSS),
        );
        if row < rows && input < width {
            let mut vector = Vector::<f32, N>::new(0.0f32);
            #[unroll]
            for lane in 0..lanes {
                vector.insert(lane, sums[comptime!(at * lanes + lane)]);
            }
            found[row * width + input] = Vector::cast_from(vector);
        }
    }
}

/// Sums gradients over part of the rows: a tile of xᵀ · gradient (inputs by columns), or of Σ
/// gradient in the last row of tiles.
#[cube(launch)]
pub fn sums_of_rows<E: Float, N: Size>(
    x: &Tensor<Vector<E, N>>,
    out: &Tensor<Vector<E, N>>,
    gradient: &Tensor<Vector<E, N>>,
    sums: &mut Tensor<Vector<f32, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    parts: usize,
    #[comptime] rectified: bool,
    #[define(E)] _element: ElemType,
) {
    let lanes = N::value().comptime();
    let (down, across) = (tiles(width), tiles(columns));
    let column = ABSOLUTE_POS % across * ACROSS;
    let tile = ABSOLUTE_POS / across % (down + 1);
    let part = ABSOLUTE_POS / across / (down + 1);
    if part >= parts {
        terminate!();
    }
    let first = part * PART;
    let end = select(first + PART < rows, first + PART, rows);
    let columns_at = places(column, columns, 1, ACROSS);
    let start = part * (width * lanes + 1) * columns;
    if tile == down {
        let mut found = Array::<Vector<f32, N>>::new(ACROSS);
        #[unroll]
        for at in 0..ACROSS {
            found[at] = Vector::new(0.0f32);
        }
        for row in first..end {
            #[unroll]
            for at in 0..ACROSS {
                let place = row * columns + columns_at[at];
                found[at] += passed(out, gradient, place, rectified);
            }
        }
        #[unroll]
        for at in 0..ACROSS {
            if column + at < columns {
                sums[start + width * lanes * columns + column + at] = found[at];
            }
        }
    } else {
        let input = tile * ACROSS;
        let inputs_at = places(input, width, 1, ACROSS);
        let inputs = comptime!(ACROSS * lanes);
        let mut found = Array::<Vector<f32, N>>::new(comptime!(inputs * ACROSS));
        let mut own = Array::<Vector<f32, N>>::new(ACROSS);
        #[unroll]
        for at in 0..comptime!(inputs * ACROSS) {
            found[at] = Vector::new(0.0f32);
        }
        for row in first..end {
            #[unroll]
            for at in 0..ACROSS {
                own[at] = Vector::cast_from(x[row * width + inputs_at[at]]);
            }
            #[unroll]
            for at in 0..ACROSS {
                let place = row * columns + columns_at[at];
                let gradient = passed(out, gradient, place, rectified);
                #[unroll]
                for i in 0..inputs {
                    let x = own[comptime!(i / lanes)].extract(comptime!(i % lanes));
                    found[comptime!(i * ACROSS + at)] += Vector::new(x) * gradient;
                }
            }
        }
        #[unroll]
        for at in 0..comptime!(inputs * ACROSS) {
            let (i, column) = (comptime!(at / ACROSS), column + comptime!(at % ACROSS));
            if input + comptime!(i / lanes) < width && column < columns {
                sums[start + (input * lanes + i) * columns + column] = found[at];
            }
        }
    }
}

/// Sums over the parts. The first `size` vectors of a part belong to the weight, the rest to the
/// bias.
#[cube(launch)]
pub fn sum_of_parts<E: Float, N: Size>(
    sums: &Tensor<Vector<f32, N>>,
    of_weight: &mut Tensor<Vector<E, N>>,
    of_bias: &mut Tensor<Vector<E, N>>,
    size: usize,
    columns: usize,
    parts: usize,
    #[define(E)] _element: ElemType,
) {
    if ABSOLUTE_POS >= size + columns {
        terminate!();
    }
    let mut sum = Vector::<f32, N>::new(0.0f32);
    for part in 0..parts {
        sum += sums[part * (size + columns) + ABSOLUTE_POS];
    }
    if ABSOLUTE_POS < size {
        of_weight[ABSOLUTE_POS] = Vector::cast_from(sum);
    } else {
        of_bias[ABSOLUTE_POS - size] = Vector::cast_from(sum);
    }
}
