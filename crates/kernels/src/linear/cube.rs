//! On a graphics card: a few rows and columns to a unit, in its registers. Nothing is shared within a
//! cube: what small models gain by that is less than the waiting for each other costs.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::LinearOfRows;
use crate::cube::{dims, room, units};
use crate::node::{Derivative, record};

/// Rows of a unit: what it reads of the weights serves all of them.
const ROWS: usize = 4;

/// Rows that a unit goes through for the gradient of the weights.
const PART: usize = 128;

/// Numbers that are read at once, where rows have this many or a multiple of it.
const LANES: usize = 4;

fn lanes(lengths: [usize; 2]) -> usize {
    let whole = lengths.iter().all(|length| length.is_multiple_of(LANES));
    if whole { LANES } else { 1 }
}

impl LinearOfRows for CubeBackend {
    fn linear_of_rows(
        x: CubeTensor,
        weight: CubeTensor,
        bias: CubeTensor,
        rectified: bool,
    ) -> CubeTensor {
        let [x, weight, bias] = [x, weight, bias].map(into_contiguous);
        let ([rows, _], [width, columns]) = (dims(&x), dims(&weight));
        let out = room(&x, [rows, columns]);
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(&x, rows.div_ceil(ROWS) * columns / lanes);
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
        );
        out
    }
}

/// The way back of [`LinearOfRows`]. `out` is what came out of the layer, and looked at only if it
/// was rectified.
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait LinearGradients: Backend {
    #[fusion(dtype = gradient, shape = [gradient[0], weight[0]].into())]
    fn gradient_of_rows(
        weight: FloatTensor<Self>,
        out: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self>;

    /// Of the weight and of the bias.
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
        let found = room(&gradient, [rows, width]);
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(&gradient, rows.div_ceil(ROWS) * width / lanes);
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
        let of_weight = room(&x, [width, columns]);
        let of_bias = room(&x, [columns]);
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(&x, parts * (width / lanes + 1) * columns / lanes);
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
        );
        (of_weight, of_bias)
    }
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Seen {
    x: FloatTensor<Cube>,
    weight: FloatTensor<Cube>,
    /// What came out, where it was rectified.
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
        let seen = Seen {
            x,
            weight,
            rectified: rectified.then(|| out.clone()),
        };
        record::<Cube, C, _, _>(nodes, seen, out)
    }
}

impl Derivative<Cube, 3> for Seen {
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

/// The gradient at a place, nothing where the rectifier held back what came out.
#[cube]
fn passed<N: Size>(
    out: &Tensor<Vector<f32, N>>,
    gradient: &Tensor<Vector<f32, N>>,
    place: usize,
    #[comptime] rectified: bool,
) -> Vector<f32, N> {
    if comptime!(rectified) {
        let zero = Vector::new(0.0f32);
        select_many(out[place].greater_than(&zero), gradient[place], zero)
    } else {
        gradient[place]
    }
}

/// Σ of the numbers of a vector.
#[cube]
fn total<N: Size>(vector: Vector<f32, N>) -> f32 {
    let mut sum = 0.0f32;
    #[unroll]
    for lane in 0..N::value() {
        sum += vector.extract(lane);
    }
    sum
}

/// x W + b of some rows and one vector of columns. Of the three sizes the last two are in vectors.
#[cube(launch)]
fn forward<N: Size>(
    x: &Tensor<Vector<f32, N>>,
    weight: &Tensor<Vector<f32, N>>,
    bias: &Tensor<Vector<f32, N>>,
    out: &mut Tensor<Vector<f32, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    #[comptime] rectified: bool,
) {
    let column = ABSOLUTE_POS % columns;
    let first = ABSOLUTE_POS / columns * ROWS;
    if first >= rows {
        terminate!();
    }
    let mut sums = Array::<Vector<f32, N>>::new(ROWS);
    let mut own = Array::<Vector<f32, N>>::new(ROWS);
    #[unroll]
    for row in 0..ROWS {
        sums[row] = bias[column];
    }
    for step in 0..width {
        #[unroll]
        for row in 0..ROWS {
            own[row] = x[select(first + row < rows, first + row, first) * width + step];
        }
        #[unroll]
        for lane in 0..N::value() {
            let weight = weight[(step * N::value() + lane) * columns + column];
            #[unroll]
            for row in 0..ROWS {
                sums[row] += Vector::new(own[row].extract(lane)) * weight;
            }
        }
    }
    #[unroll]
    for row in 0..ROWS {
        if first + row < rows {
            let mut sum = sums[row];
            if comptime!(rectified) {
                // Not the larger of both: what is no number stays none.
                let zero = Vector::new(0.0f32);
                sum = select_many(sum.less_than(&zero), zero, sum);
            }
            out[(first + row) * columns + column] = sum;
        }
    }
}

/// gradient Wᵀ of some rows and one vector of the layer's inputs.
#[cube(launch)]
fn through_the_weights<N: Size>(
    weight: &Tensor<Vector<f32, N>>,
    out: &Tensor<Vector<f32, N>>,
    gradient: &Tensor<Vector<f32, N>>,
    found: &mut Tensor<Vector<f32, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    #[comptime] rectified: bool,
) {
    let input = ABSOLUTE_POS % width;
    let first = ABSOLUTE_POS / width * ROWS;
    if first >= rows {
        terminate!();
    }
    let lanes = N::value().comptime();
    let mut sums = Array::<Vector<f32, N>>::new(comptime!(ROWS * lanes));
    let mut own = Array::<Vector<f32, N>>::new(ROWS);
    #[unroll]
    for at in 0..comptime!(ROWS * lanes) {
        sums[at] = Vector::new(0.0f32);
    }
    for step in 0..columns {
        #[unroll]
        for row in 0..ROWS {
            let place = select(first + row < rows, first + row, first) * columns + step;
            own[row] = passed(out, gradient, place, rectified);
        }
        #[unroll]
        for lane in 0..lanes {
            let weight = weight[(input * lanes + lane) * columns + step];
            #[unroll]
            for row in 0..ROWS {
                sums[comptime!(row * lanes + lane)] += own[row] * weight;
            }
        }
    }
    #[unroll]
    for row in 0..ROWS {
        if first + row < rows {
            let mut vector = Vector::new(0.0f32);
            #[unroll]
            for lane in 0..lanes {
                vector.insert(lane, total(sums[comptime!(row * lanes + lane)]));
            }
            found[(first + row) * width + input] = vector;
        }
    }
}

/// Of a part of the rows xᵀ gradient, and below it Σ gradient: one vector of inputs, one of columns.
#[cube(launch)]
fn sums_of_rows<N: Size>(
    x: &Tensor<Vector<f32, N>>,
    out: &Tensor<Vector<f32, N>>,
    gradient: &Tensor<Vector<f32, N>>,
    sums: &mut Tensor<Vector<f32, N>>,
    rows: usize,
    width: usize,
    columns: usize,
    parts: usize,
    #[comptime] rectified: bool,
) {
    let lanes = N::value().comptime();
    let column = ABSOLUTE_POS % columns;
    let input = ABSOLUTE_POS / columns % (width + 1);
    let part = ABSOLUTE_POS / columns / (width + 1);
    if part >= parts {
        terminate!();
    }
    let first = part * PART;
    let end = select(first + PART < rows, first + PART, rows);
    let start = (part * (width * lanes + 1) + input * lanes) * columns + column;
    if input == width {
        let mut sum = Vector::new(0.0f32);
        for row in first..end {
            sum += passed(out, gradient, row * columns + column, rectified);
        }
        sums[start] = sum;
    } else {
        let mut found = Array::<Vector<f32, N>>::new(lanes);
        #[unroll]
        for lane in 0..lanes {
            found[lane] = Vector::new(0.0f32);
        }
        for row in first..end {
            let own = x[row * width + input];
            let gradient = passed(out, gradient, row * columns + column, rectified);
            #[unroll]
            for lane in 0..lanes {
                found[lane] += Vector::new(own.extract(lane)) * gradient;
            }
        }
        #[unroll]
        for lane in 0..lanes {
            sums[start + lane * columns] = found[lane];
        }
    }
}

/// Sums over the parts; the first `size` vectors of each are the weight's, the others the bias's.
#[cube(launch)]
fn sum_of_parts<N: Size>(
    sums: &Tensor<Vector<f32, N>>,
    of_weight: &mut Tensor<Vector<f32, N>>,
    of_bias: &mut Tensor<Vector<f32, N>>,
    size: usize,
    columns: usize,
    parts: usize,
) {
    if ABSOLUTE_POS >= size + columns {
        terminate!();
    }
    let mut sum = Vector::new(0.0f32);
    for part in 0..parts {
        sum += sums[part * (size + columns) + ABSOLUTE_POS];
    }
    if ABSOLUTE_POS < size {
        of_weight[ABSOLUTE_POS] = sum;
    } else {
        of_bias[ABSOLUTE_POS - size] = sum;
    }
}
