//! Layer normalisation on a GPU: one unit per short row, one cube of units per long row.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
#[cfg(feature = "fusion")]
use burn::tensor::DType;
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, ir::ElemType, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::NormOfRows;
use crate::cube::{
    UNITS, alone, dims, element, empty, empty_as, for_rows, own_row, sum_of_row, units,
};
use crate::node::{Derivative, record};

/// Number of rows that one unit adds up for the gradients of γ and β.
const PART: usize = 64;

impl NormOfRows for CubeBackend {
    fn norm_of_rows(
        x: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        epsilon: f32,
    ) -> CubeTensor {
        Self::norm_and_moments(x, gamma, beta, epsilon).0
    }
}

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait NormGradients: Backend {
    /// Computes normalised rows, and μ and 1 / √(σ² + ε) of each row, `[rows, 2]`, in F32.
    #[fusion(meta = |x, _gamma, _beta, _epsilon| {
        (x.clone(), TensorSpec::new([x.shape[0], 2].into(), DType::F32))
    })]
    fn norm_and_moments(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of x, γ and β.
    #[fusion(meta = |x, gamma, _moments, _gradient| (x.clone(), gamma.clone(), gamma.clone()))]
    fn norm_gradients(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl NormGradients for CubeBackend {
    fn norm_and_moments(
        x: CubeTensor,
        gamma: CubeTensor,
        beta: CubeTensor,
        epsilon: f32,
    ) -> (CubeTensor, CubeTensor) {
        let [x, gamma, beta] = [x, gamma, beta].map(into_contiguous);
        let shape @ [rows, width] = dims(&x);
        let (out, moments) = (empty_as(&x, shape), empty(&x, [rows, 2]));
        let (cubes, size) = for_rows(&x, rows, width);
        let element = element(&x);
        normalise::launch(
            &out.client,
            cubes,
            size,
            x.into_tensor_arg(),
            gamma.into_tensor_arg(),
            beta.into_tensor_arg(),
            out.clone().into_tensor_arg(),
            moments.clone().into_tensor_arg(),
            epsilon,
            alone(width),
            element,
        );
        (out, moments)
    }

    fn norm_gradients(
        x: CubeTensor,
        gamma: CubeTensor,
        moments: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [x, gamma, gradient] = [x, gamma, gradient].map(into_contiguous);
        let shape @ [rows, width] = dims(&x);
        let parts = rows.div_ceil(PART);
        let (of_x, sums) = (empty_as(&x, shape), empty(&x, [parts, 2, width]));
        let (of_gamma, of_beta) = (empty_as(&x, [width]), empty_as(&x, [width]));
        let (client, element) = (x.client.clone(), element(&x));
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        let (cubes, size) = for_rows(&x, rows, width);
        gradients_of_rows::launch(
            &client,
            cubes,
            size,
            arg(&x),
            arg(&gamma),
            arg(&moments),
            arg(&gradient),
            arg(&of_x),
            alone(width),
            element,
        );
        let (cubes, size) = units(&x, parts * width);
        sums_of_columns::launch(
            &client,
            cubes,
            size,
            arg(&x),
            arg(&moments),
            arg(&gradient),
            arg(&sums),
            element,
        );
        let (cubes, size) = units(&x, width);
        sums_of_parts::launch(
            &client,
            cubes,
            size,
            arg(&sums),
            arg(&of_gamma),
            arg(&of_beta),
            element,
        );
        (of_x, of_gamma, of_beta)
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    x: FloatTensor<Cube>,
    gamma: FloatTensor<Cube>,
    moments: FloatTensor<Cube>,
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
        let beta = beta.into_primitive();
        let (out, moments) = Cube::norm_and_moments(x.clone(), gamma.clone(), beta, epsilon);
        record::<Cube, C, _, _>(nodes, Saved { x, gamma, moments }, out)
    }
}

impl Derivative<Cube, 3> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 3],
    ) -> [Option<FloatTensor<Cube>>; 3] {
        let (of_x, of_gamma, of_beta) =
            Cube::norm_gradients(self.x, self.gamma, self.moments, gradient);
        [of_x, of_gamma, of_beta].map(Some)
    }
}

#[cube(launch)]
fn normalise<E: Float>(
    x: &Tensor<E>,
    gamma: &Tensor<E>,
    beta: &Tensor<E>,
    out: &mut Tensor<E>,
    moments: &mut Tensor<f32>,
    epsilon: f32,
    #[comptime] alone: bool,
    #[define(E)] _element: ElemType,
) {
    let width = x.shape(1);
    let (row, first, step) = own_row(alone);
    if row >= x.shape(0) {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let count = f32::cast_from(width);
    let start = row * width;
    let mut sum = 0.0f32;
    let mut at = first;
    while at < width {
        sum += f32::cast_from(x[start + at]);
        at += step;
    }
    let mean = sum_of_row(sum, &mut seats, alone) / count;
    let mut square = 0.0f32;
    let mut at = first;
    while at < width {
        let far = f32::cast_from(x[start + at]) - mean;
        square += far * far;
        at += step;
    }
    let variance = sum_of_row(square, &mut seats, alone) / count;
    let root = 1.0f32 / (variance + epsilon).sqrt();
    let mut at = first;
    while at < width {
        let normal = (f32::cast_from(x[start + at]) - mean) * root;
        let scaled = normal * f32::cast_from(gamma[at]) + f32::cast_from(beta[at]);
        out[start + at] = E::cast_from(scaled);
        at += step;
    }
    if first == 0 {
        moments[2 * row] = mean;
        moments[2 * row + 1] = root;
    }
}

/// Computes the gradient of x, given the output's gradient g: r (h − mean h − n · mean (h n)), with
/// n = (x − μ) r, h = g γ and r = 1 / √(σ² + ε).
#[cube(launch)]
fn gradients_of_rows<E: Float>(
    x: &Tensor<E>,
    gamma: &Tensor<E>,
    moments: &Tensor<f32>,
    gradient: &Tensor<E>,
    of_x: &mut Tensor<E>,
    #[comptime] alone: bool,
    #[define(E)] _element: ElemType,
) {
    let width = x.shape(1);
    let (row, first, step) = own_row(alone);
    if row >= x.shape(0) {
        terminate!();
    }
    let mut seats = Shared::new_slice(UNITS);
    let count = f32::cast_from(width);
    let start = row * width;
    let mean = moments[2 * row];
    let root = moments[2 * row + 1];
    let mut of_mean = 0.0f32;
    let mut of_root = 0.0f32;
    let mut at = first;
    while at < width {
        let h = f32::cast_from(gradient[start + at]) * f32::cast_from(gamma[at]);
        of_mean += h;
        of_root += h * (f32::cast_from(x[start + at]) - mean);
        at += step;
    }
    let of_mean = sum_of_row(of_mean, &mut seats, alone) / count;
    let of_root = sum_of_row(of_root, &mut seats, alone) * root / count;
    let mut at = first;
    while at < width {
        let h = f32::cast_from(gradient[start + at]) * f32::cast_from(gamma[at]);
        let normal = (f32::cast_from(x[start + at]) - mean) * root;
        of_x[start + at] = E::cast_from(root * (h - of_mean - normal * of_root));
        at += step;
    }
}

/// Sums gradients over part of the rows: Σ g n and Σ g of one column, `[parts, 2, D]`.
#[cube(launch)]
fn sums_of_columns<E: Float>(
    x: &Tensor<E>,
    moments: &Tensor<f32>,
    gradient: &Tensor<E>,
    sums: &mut Tensor<f32>,
    #[define(E)] _element: ElemType,
) {
    let (rows, width) = (x.shape(0), x.shape(1));
    let column = ABSOLUTE_POS % width;
    let part = ABSOLUTE_POS / width;
    let first = part * PART;
    if first >= rows {
        terminate!();
    }
    let mut of_gamma = 0.0f32;
    let mut of_beta = 0.0f32;
    for row in first..select(first + PART < rows, first + PART, rows) {
        let g = f32::cast_from(gradient[row * width + column]);
        let far = f32::cast_from(x[row * width + column]) - moments[2 * row];
        of_gamma += g * far * moments[2 * row + 1];
        of_beta += g;
    }
    sums[2 * part * width + column] = of_gamma;
    sums[2 * part * width + width + column] = of_beta;
}

/// Computes the gradients of γ and β by summing over the parts, `[parts, 2, D]` → `[D]` each.
#[cube(launch)]
fn sums_of_parts<E: Float>(
    parts: &Tensor<f32>,
    first: &mut Tensor<E>,
    second: &mut Tensor<E>,
    #[define(E)] _element: ElemType,
) {
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
    first[at] = E::cast_from(sum_of_first);
    second[at] = E::cast_from(sum_of_second);
}
