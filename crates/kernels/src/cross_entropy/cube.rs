//! Cross-entropy on a GPU: one unit per short row of logits, one cube of units per long row.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, Dispatch, backend_extension};
use burn::tensor::{self, TensorData};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use crate::cube::{UNITS, alone, dims, empty, for_rows, highest_of_row, own_row, sum_of_row};
use crate::node::{Derivative, record};

pub(super) fn cross_entropy(
    logits: tensor::Tensor<2>,
    classes: &[u32],
    shares: &[f32],
    smoothing: f32,
) -> tensor::Tensor<1> {
    let of_rows = classes.iter().zip(shares);
    // Classes are integers far below 2²⁴, which F32 holds exactly.
    let numbers = of_rows.flat_map(|(&class, &share)| [class as f32, share]);
    let data = TensorData::new(numbers.collect::<Vec<_>>(), [classes.len(), 2]);
    let targets = tensor::Tensor::<2>::from_data(data, &logits.device());
    let losses = tensor::Tensor::<1>::from_dispatch(Dispatch::losses_of_rows(
        logits.into_dispatch(),
        targets.into_dispatch(),
        smoothing,
    ));
    losses.sum()
}

/// Losses of the rows of `logits` `[rows, V]`; `targets` holds class and share of each row,
/// `[rows, 2]`.
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"), Autodiff)]
trait LossesOfRows: Backend {
    #[fusion(dtype = logits, shape = [logits[0]].into())]
    fn losses_of_rows(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        smoothing: f32,
    ) -> FloatTensor<Self>;
}

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait LossGradients: Backend {
    /// Computes the loss and log Σ e^x of each row.
    #[fusion(meta = |logits, _targets, _smoothing| {
        let spec = TensorSpec::new([logits.shape[0]].into(), logits.dtype);
        (spec.clone(), spec)
    })]
    fn losses_and_log_sums(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        smoothing: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradient of the logits.
    #[fusion(dtype = logits, shape = logits)]
    fn gradient_of_logits(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        log_sums: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        smoothing: f32,
    ) -> FloatTensor<Self>;
}

impl LossesOfRows for CubeBackend {
    fn losses_of_rows(logits: CubeTensor, targets: CubeTensor, smoothing: f32) -> CubeTensor {
        Self::losses_and_log_sums(logits, targets, smoothing).0
    }
}

impl LossGradients for CubeBackend {
    fn losses_and_log_sums(
        logits: CubeTensor,
        targets: CubeTensor,
        smoothing: f32,
    ) -> (CubeTensor, CubeTensor) {
        let [logits, targets] = [logits, targets].map(into_contiguous);
        let [rows, v] = dims(&logits);
        let [losses, log_sums] = [empty(&logits, [rows]), empty(&logits, [rows])];
        let (cubes, size) = for_rows(&logits, rows, v);
        losses_of_rows::launch(
            &losses.client,
            cubes,
            size,
            logits.into_tensor_arg(),
            targets.into_tensor_arg(),
            losses.clone().into_tensor_arg(),
            log_sums.clone().into_tensor_arg(),
            smoothing,
            smoothing / v as f32,
            alone(v),
        );
        (losses, log_sums)
    }

    fn gradient_of_logits(
        logits: CubeTensor,
        targets: CubeTensor,
        log_sums: CubeTensor,
        gradient: CubeTensor,
        smoothing: f32,
    ) -> CubeTensor {
        let [logits, targets] = [logits, targets].map(into_contiguous);
        let shape @ [rows, v] = dims(&logits);
        let found = empty(&logits, shape);
        let (cubes, size) = for_rows(&logits, rows, v);
        through_the_loss::launch(
            &found.client,
            cubes,
            size,
            logits.into_tensor_arg(),
            targets.into_tensor_arg(),
            log_sums.into_tensor_arg(),
            gradient.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            smoothing,
            smoothing / v as f32,
            alone(v),
        );
        found
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    logits: FloatTensor<Cube>,
    targets: FloatTensor<Cube>,
    log_sums: FloatTensor<Cube>,
    smoothing: f32,
}

impl<C: CheckpointStrategy> LossesOfRows for Autodiff<Cube, C> {
    fn losses_of_rows(
        logits: FloatTensor<Self>,
        targets: FloatTensor<Self>,
        smoothing: f32,
    ) -> FloatTensor<Self> {
        let node = logits.node();
        let (logits, targets) = (logits.into_primitive(), targets.into_primitive());
        let (losses, log_sums) =
            Cube::losses_and_log_sums(logits.clone(), targets.clone(), smoothing);
        let saved = Saved {
            logits,
            targets,
            log_sums,
            smoothing,
        };
        record::<Cube, C, _, _>([node], saved, losses)
    }
}

impl Derivative<Cube, 1> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 1],
    ) -> [Option<FloatTensor<Cube>>; 1] {
        let Self {
            logits,
            targets,
            log_sums,
            smoothing,
        } = self;
        [Some(Cube::gradient_of_logits(
            logits, targets, log_sums, gradient, smoothing,
        ))]
    }
}

/// Computes share · ((1 − ε) · log p(class) + ε/V · Σ log p) of each row; `even` is ε/V.
#[cube(launch)]
fn losses_of_rows(
    logits: &Tensor<f32>,
    targets: &Tensor<f32>,
    losses: &mut Tensor<f32>,
    log_sums: &mut Tensor<f32>,
    smoothing: f32,
    even: f32,
    #[comptime] alone: bool,
) {
    let v = logits.shape(1);
    let (row, first, step) = own_row(alone);
    if row >= logits.shape(0) {
        terminate!();
    }
    let start = row * v;
    let mut seats = Shared::new_slice(UNITS);
    let mut most = logits[start];
    let mut at = first;
    while at < v {
        most = most.max(logits[start + at]);
        at += step;
    }
    let most = highest_of_row(most, &mut seats, alone);
    let mut powers = 0.0f32;
    let mut all = 0.0f32;
    let mut at = first;
    while at < v {
        let logit = logits[start + at];
        powers += (logit - most).exp();
        all += logit;
        at += step;
    }
    let whole = most + sum_of_row(powers, &mut seats, alone).ln();
    let all = sum_of_row(all, &mut seats, alone);
    if first == 0 {
        let share = targets[2 * row + 1];
        let class = u32::cast_from(targets[2 * row]) as usize;
        let right = (1.0f32 - smoothing) * (logits[start + class] - whole);
        let mut loss = 0.0f32;
        if share != 0.0f32 {
            loss = share * (right + even * all - smoothing * whole);
        }
        losses[row] = loss;
        log_sums[row] = whole;
    }
}

/// Computes the gradient of each logit, gradient · share · (target − p). The target is ε/V, plus 1
/// − ε for the class.
#[cube(launch)]
fn through_the_loss(
    logits: &Tensor<f32>,
    targets: &Tensor<f32>,
    log_sums: &Tensor<f32>,
    gradient: &Tensor<f32>,
    found: &mut Tensor<f32>,
    smoothing: f32,
    even: f32,
    #[comptime] alone: bool,
) {
    let v = logits.shape(1);
    let (row, first, step) = own_row(alone);
    if row >= logits.shape(0) {
        terminate!();
    }
    let start = row * v;
    let whole = log_sums[row];
    let class = u32::cast_from(targets[2 * row]) as usize;
    let factor = gradient[row * gradient.stride(0)] * targets[2 * row + 1];
    let mut at = first;
    while at < v {
        let mut number = 0.0f32;
        if factor != 0.0f32 {
            number = even - (logits[start + at] - whole).exp();
            if at == class {
                number += 1.0f32 - smoothing;
            }
        }
        found[start + at] = factor * number;
        at += step;
    }
}
