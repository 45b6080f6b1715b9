//! On a graphics card: forward a row to a cube of units, backward some rows.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::NormOfRows;
use crate::cube::{UNITS, dims, room, sum_of_cube, together, units};
use crate::node::{Derivative, record};

/// Rows of a cube on the way back.
const ROWS: usize = 16;

impl NormOfRows for CubeBackend {
    fn norm_of_rows(
        x: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        epsilon: f32,
    ) -> CubeTensor {
        let [x, gamma, beta] = [x, gamma, beta].map(into_contiguous);
        let shape @ [rows, _] = dims(&x);
        let out = room(&x, shape);
        let (cubes, size) = together(&x, rows);
        normalise::launch(
            &out.client,
            cubes,
            size,
            x.into_tensor_arg(),
            gamma.into_tensor_arg(),
            beta.into_tensor_arg(),
            out.clone().into_tensor_arg(),
            epsilon,
        );
        out
    }
}

/// The way back of [`NormOfRows`].
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait NormGradients: Backend {
    /// Gradients of x, γ and β.
    #[fusion(meta = |x, gamma, _gradient, _epsilon| (x.clone(), gamma.clone(), gamma.clone()))]
    fn norm_gradients(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        epsilon: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl NormGradients for CubeBackend {
    fn norm_gradients(
        x: CubeTensor,
        gamma: CubeTensor,
        gradient: CubeTensor,
        epsilon: f32,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [x, gamma, gradient] = [x, gamma, gradient].map(into_contiguous);
        let shape @ [rows, width] = dims(&x);
        let parts = rows.div_ceil(ROWS);
        let (of_x, sums) = (room(&x, shape), room(&x, [parts, 2, width]));
        let (of_gamma, of_beta) = (room(&x, [width]), room(&x, [width]));
        let (cubes, size) = together(&x, parts);
        gradients_of_rows::launch(
            &of_x.client,
            cubes,
            size,
            x.into_tensor_arg(),
            gamma.into_tensor_arg(),
            gradient.into_tensor_arg(),
            of_x.clone().into_tensor_arg(),
            sums.clone().into_tensor_arg(),
            epsilon,
            width.div_ceil(UNITS),
        );
        let (cubes, size) = units(&of_x, width);
        sums_of_parts::launch(
            &of_x.client,
            cubes,
            size,
            sums.into_tensor_arg(),
            of_gamma.clone().into_tensor_arg(),
            of_beta.clone().into_tensor_arg(),
        );
        (of_x, of_gamma, of_beta)
    }
}

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct Seen {
    x: FloatTensor<Cube>,
    gamma: FloatTensor<Cube>,
    epsilon: f32,
}

impl<C: CheckpointStrategy> NormOfRows for Autodiff<Cube, C> {
    fn norm_of_rows(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), gamma.node(), beta.node()];
        let (x, gamma) = (x.into_primitive(), gamma.into_primitive());
        let seen = Seen {
            x: x.clone(),
            gamma: gamma.clone(),
            epsilon,
        };
        let out = Cube::norm_of_rows(x, gamma, beta.into_primitive(), epsilon);
        record::<Cube, C, _, _>(nodes, seen, out)
    }
}

impl Derivative<Cube, 3> for Seen {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 3],
    ) -> [Option<FloatTensor<Cube>>; 3] {
        let (of_x, of_gamma, of_beta) =
            Cube::norm_gradients(self.x, self.gamma, gradient, self.epsilon);
        [of_x, of_gamma, of_beta].map(Some)
    }
}

/// Mean and 1 / √(σ² + ε) of the numbers from `start` on.
#[cube]
fn moments(
    x: &Tensor<f32>,
    start: usize,
    width: usize,
    epsilon: f32,
    seats: &mut Shared<[f32]>,
) -> (f32, f32) {
    let unit = UNIT_POS as usize;
    let count = f32::cast_from(width);
    let mut sum = 0.0f32;
    let mut at = unit;
    while at < width {
        sum += x[start + at];
        at += UNITS;
    }
    let mean = sum_of_cube(sum, seats) / count;
    let mut square = 0.0f32;
    let mut at = unit;
    while at < width {
        let far = x[start + at] - mean;
        square += far * far;
        at += UNITS;
    }
    let variance = sum_of_cube(square, seats) / count;
    (mean, 1.0f32 / (variance + epsilon).sqrt())
}

#[cube(launch)]
fn normalise(
    x: &Tensor<f32>,
    gamma: &Tensor<f32>,
    beta: &Tensor<f32>,
    out: &mut Tensor<f32>,
    epsilon: f32,
) {
    let width = gamma.len();
    let start = CUBE_POS * width;
    if start >= x.len() {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let (mean, root) = moments(x, start, width, epsilon, &mut seats);
    let mut at = UNIT_POS as usize;
    while at < width {
        out[start + at] = (x[start + at] - mean) * root * gamma[at] + beta[at];
        at += UNITS;
    }
}

/// From g, with n = (x − μ) r and h = g γ: r (h − mean h − n · mean (h n)), and of each cube's rows
/// Σ g n and Σ g. `columns` are those of a unit.
#[cube(launch)]
fn gradients_of_rows(
    x: &Tensor<f32>,
    gamma: &Tensor<f32>,
    gradient: &Tensor<f32>,
    of_x: &mut Tensor<f32>,
    sums: &mut Tensor<f32>,
    epsilon: f32,
    #[comptime] columns: usize,
) {
    let unit = UNIT_POS as usize;
    let width = gamma.len();
    let count = f32::cast_from(width);
    let rows = x.len() / width;
    let first = CUBE_POS * ROWS;
    if first >= rows {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let mut of_gamma = Array::<f32>::new(columns);
    let mut of_beta = Array::<f32>::new(columns);
    #[unroll]
    for column in 0..columns {
        of_gamma[column] = 0.0f32;
        of_beta[column] = 0.0f32;
    }
    let mut row = first;
    while row < first + ROWS && row < rows {
        let start = row * width;
        let (mean, root) = moments(x, start, width, epsilon, &mut seats);
        let mut of_mean = 0.0f32;
        let mut of_root = 0.0f32;
        let mut at = unit;
        while at < width {
            let h = gradient[start + at] * gamma[at];
            of_mean += h;
            of_root += h * (x[start + at] - mean);
            at += UNITS;
        }
        let of_mean = sum_of_cube(of_mean, &mut seats) / count;
        let of_root = sum_of_cube(of_root, &mut seats) * root / count;
        #[unroll]
        for column in 0..columns {
            let at = unit + column * UNITS;
            if at < width {
                let g = gradient[start + at];
                let normal = (x[start + at] - mean) * root;
                of_x[start + at] = root * (g * gamma[at] - of_mean - normal * of_root);
                of_gamma[column] += g * normal;
                of_beta[column] += g;
            }
        }
        row += 1;
    }
    #[unroll]
    for column in 0..columns {
        let at = unit + column * UNITS;
        if at < width {
            let start = CUBE_POS * 2 * width + at;
            sums[start] = of_gamma[column];
            sums[start + width] = of_beta[column];
        }
    }
}

/// Sums over the parts, `[parts, 2, D]`.
#[cube(launch)]
fn sums_of_parts(parts: &Tensor<f32>, first: &mut Tensor<f32>, second: &mut Tensor<f32>) {
    let width = first.len();
    let at = ABSOLUTE_POS;
    if at >= width {
        terminate!();
    }
    let mut sum_of_first = 0.0f32;
    let mut sum_of_second = 0.0f32;
    let mut start = at;
    while start < parts.len() {
        sum_of_first += parts[start];
        sum_of_second += parts[start + width];
        start += 2 * width;
    }
    first[at] = sum_of_first;
    second[at] = sum_of_second;
}
