//! A linear layer on a GPU: one tile of rows and columns per unit, in its registers, large enough
//! that most of its time is arithmetic, not reading. Units of a cube share nothing: small models
//! would gain less by that than waiting for each other costs.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, ir::ElemType, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::LinearOfRows;
use crate::cube::{dims, element, lanes, room, room_as, units};
use crate::node::{Derivative, record};

/// Number of rows per unit: it reads the weights once for all of them.
const ROWS: usize = 8;

/// Number of column vectors per unit: it reads its rows once for all of them.
const ACROSS: usize = 2;

/// Number of rows that a unit sums over for the gradient of the weights.
const PART: usize = 128;

impl LinearOfRows for CubeBackend {
    fn linear_of_rows(
        x: CubeTensor,
        weight: CubeTensor,
        bias: CubeTensor,
        rectified: bool,
    ) -> CubeTensor {
        let [x, weight, bias] = [x, weight, bias].map(into_contiguous);
        let ([rows, _], [width, columns]) = (dims(&x), dims(&weight));
        let (out, element) = (room_as(&x, [rows, columns]), element(&x));
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(&x, rows.div_ceil(ROWS) * (columns / lanes).div_ceil(ACROSS));
        forward::launch(
            &out.client,
            cubes,
            size,
            lanes,
            x.into_tensor_arg(),
            weight.into_tensor_arg(),
            bias.into_tensor_arg(),
            out.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            rectified,
            element,
        );
        out
    }
}

/// The backward pass of [`LinearOfRows`]. `out` is the output of the layer, read only if it was
/// rectified.
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait LinearGradients: Backend {
    #[fusion(dtype = gradient, shape = [gradient[0], weight[0]].into())]
    fn gradient_of_rows(
        weight: FloatTensor<Self>,
        out: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self>;

    /// Gradients of the weight and of the bias.
    #[fusion(meta = |x, _out, gradient, _rectified| {
        let (width, columns) = (x.shape[1], gradient.shape[1]);
        let spec = |shape| TensorSpec::new(shape, x.dtype);
        (spec([width, columns].into()), spec([columns].into()))
    })]
    fn gradients_of_layer(
        x: FloatTensor<Self>,
        out: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rectified: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
}

impl LinearGradients for CubeBackend {
    fn gradient_of_rows(
        weight: CubeTensor,
        out: CubeTensor,
        gradient: CubeTensor,
        rectified: bool,
    ) -> CubeTensor {
        let [weight, out, gradient] = [weight, out, gradient].map(into_contiguous);
        let ([rows, _], [width, columns]) = (dims(&gradient), dims(&weight));
        let (found, element) = (room_as(&gradient, [rows, width]), element(&gradient));
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(
            &gradient,
            rows.div_ceil(ROWS) * (width / lanes).div_ceil(ACROSS),
        );
        through_the_weights::launch(
            &found.client,
            cubes,
            size,
            lanes,
            weight.into_tensor_arg(),
            out.into_tensor_arg(),
            gradient.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            rectified,
            element,
        );
        found
    }

    fn gradients_of_layer(
        x: CubeTensor,
        out: CubeTensor,
        gradient: CubeTensor,
        rectified: bool,
    ) -> (CubeTensor, CubeTensor) {
        let [x, out, gradient] = [x, out, gradient].map(into_contiguous);
        let ([rows, width], [_, columns]) = (dims(&x), dims(&gradient));
        let parts = rows.div_ceil(PART);
        let sums = room(&x, [parts, width + 1, columns]);
        let of_weight = room_as(&x, [width, columns]);
        let of_bias = room_as(&x, [columns]);
        let element = element(&x);
        let lanes = lanes([width, columns]);
        let [down, across] = [width, columns].map(|length| (length / lanes).div_ceil(ACROSS));
        let (cubes, size) = units(&x, parts * (down + 1) * across);
        sums_of_rows::launch(
            &sums.client,
            cubes,
            size,
            lanes,
            x.into_tensor_arg(),
            out.into_tensor_arg(),
            gradient.into_tensor_arg(),
            sums.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            parts,
            rectified,
            element,
        );
        let (cubes, size) = units(&sums, (width + 1) * columns / lanes);
        sum_of_parts::launch(
            &of_weight.client,
            cubes,
            size,
            lanes,
            sums.into_tensor_arg(),
            of_weight.clone().into_tensor_arg(),
            of_bias.clone().into_tensor_arg(),
            width * columns / lanes,
            columns / lanes,
            parts,
            element,
        );
        (of_weight, of_bias)
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    x: FloatTensor<Cube>,
    weight: FloatTensor<Cube>,
    /// Output, where it was rectified.
    rectified: Option<FloatTensor<Cube>>,
}

impl<C: CheckpointStrategy> LinearOfRows for Autodiff<Cube, C> {
    fn linear_of_rows(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let (x, weight) = (x.into_primitive(), weight.into_primitive());
        let bias = bias.into_primitive();
        let out = Cube::linear_of_rows(x.clone(), weight.clone(), bias, rectified);
        let seen = Saved {
            x,
            weight,
            rectified: rectified.then(|| out.clone()),
        };
        record::<Cube, C, _, _>(nodes, seen, out)
    }
}

impl Derivative<Cube, 3> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        [of_x, of_weight, of_bias]: [bool; 3],
    ) -> [Option<FloatTensor<Cube>>; 3] {
        let rectified = self.rectified.is_some();
        let out = self.rectified.unwrap_or_else(|| gradient.clone());
        let of_layer = (of_weight || of_bias)
            .then(|| Cube::gradients_of_layer(self.x, out.clone(), gradient.clone(), rectified));
        let (of_weight, of_bias) = of_layer.unzip();
        let of_x = of_x.then(|| Cube::gradient_of_rows(self.weight, out, gradient, rectified));
        [of_x, of_weight, of_bias]
    }
}

/// The output's gradient at an offset; 0 where the rectifier gave 0.
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

/// Offsets of `length` rows or vectors from `first` on, `step` apart; beyond the last of `count`,
/// the last one's again.
#[cube]
fn places(first: usize, count: usize, step: usize, #[comptime] length: usize) -> Array<usize> {
    let mut places = Array::<usize>::new(length);
    #[unroll]
    for at in 0..length {
        places[at] = usize::min(first + at, count - 1) * step;
    }
    places
}

/// Number of tiles that cover these vectors.
#[cube]
fn tiles(vectors: usize) -> usize {
    (vectors + comptime!(ACROSS - 1)) / ACROSS
}

/// x W + b of one tile; `width` and `columns` are counted in vectors.
#[cube(launch)]
fn forward<E: Float, N: Size>(
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

/// Gradient of the input, gradient · Wᵀ, of one tile of rows and vectors of inputs.
#[cube(launch)]
fn through_the_weights<E: Float, N: Size>(
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

/// Gradient sums of part of the rows: a tile of xᵀ · gradient (inputs by columns), or of Σ gradient
/// in the last row of tiles.
#[cube(launch)]
fn sums_of_rows<E: Float, N: Size>(
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

/// Sums over the parts; the first `size` vectors of a part belong to the weight, the rest to the
/// bias.
#[cube(launch)]
fn sum_of_parts<E: Float, N: Size>(
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
