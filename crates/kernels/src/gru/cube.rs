//! GRU on a GPU: one kernel per step, forward and backward, one unit per element of h. The kernel
//! computes the product with the weights too, since launching another kernel would take longer.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, TensorMetadata, backend_extension};
use burn::tensor::s;
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::Gru;
use crate::cube::{dims, empty, units};
use crate::node::{Derivative, record};
use crate::recurrent::cube::{of_weights, rows, sigmoid};

impl Gru for CubeBackend {
    fn gru_of_sequence(
        inputs: CubeTensor,
        weights: CubeTensor,
        candidate: CubeTensor,
        hidden: CubeTensor,
    ) -> CubeTensor {
        Self::states_and_slopes(inputs, weights, candidate, hidden).0
    }
}

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait GruGradients: Backend {
    /// Computes all states `[S, directions, B, H]`, and the derivatives of each state,
    /// `[S, directions, B, 5·H]`: by the sums in r, z and n, by h U + b of n, and by the previous
    /// h.
    #[fusion(meta = |inputs, _weights, _candidate, _hidden| {
        let (mut states, mut slopes) = (inputs.clone(), inputs.clone());
        states.shape[3] /= 3;
        slopes.shape[3] = states.shape[3] * 5;
        (states, slopes)
    })]
    fn states_and_slopes(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        candidate: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of the inputs and of h U, both `[S, directions, B, 3·H]`, and of the
    /// initial h without the part through U, `[1, directions, B, H]`; `weights` are transposed,
    /// `[1, directions, 3·H, H]`.
    #[fusion(meta = |slopes, _weights, gradient| {
        let (mut of_gates, mut of_kept) = (slopes.clone(), gradient.clone());
        of_gates.shape[3] = gradient.shape[3] * 3;
        of_kept.shape[0] = 1;
        (of_gates.clone(), of_gates, of_kept)
    })]
    fn gradients_of_sums(
        slopes: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl GruGradients for CubeBackend {
    fn states_and_slopes(
        inputs: CubeTensor,
        weights: CubeTensor,
        candidate: CubeTensor,
        hidden: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        let tensors = [inputs, weights, candidate, hidden].map(into_contiguous);
        let [inputs, weights, candidate, hidden] = tensors;
        let [steps, directions, b, columns] = dims(&inputs);
        let h = columns / 3;
        let states = empty(&inputs, [steps, directions, b, h]);
        let slopes = empty(&inputs, [steps, directions, b, 5 * h]);
        let (cubes, size) = units(&inputs, directions * b * h);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        for step in 0..steps {
            forward::launch(
                &states.client,
                cubes.clone(),
                size,
                arg(&inputs),
                arg(&weights),
                arg(&candidate),
                arg(&hidden),
                arg(&states),
                arg(&slopes),
                step,
                step == 0,
            );
        }
        (states, slopes)
    }

    fn gradients_of_sums(
        slopes: CubeTensor,
        weights: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [weights, gradient] = [weights, gradient].map(into_contiguous);
        let [steps, directions, b, h] = dims(&gradient);
        let of_inputs = empty(&slopes, [steps, directions, b, 3 * h]);
        let of_products = empty(&slopes, [steps, directions, b, 3 * h]);
        let of_kept = empty(&slopes, [1, directions, b, h]);
        let (cubes, size) = units(&slopes, directions * b * h);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        for step in (0..steps).rev() {
            backward::launch(
                &slopes.client,
                cubes.clone(),
                size,
                arg(&slopes),
                arg(&weights),
                arg(&gradient),
                arg(&of_inputs),
                arg(&of_products),
                arg(&of_kept),
                step,
                step + 1 == steps,
            );
        }
        (of_inputs, of_products, of_kept)
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    weights: FloatTensor<Cube>,
    /// Initial state h.
    first: FloatTensor<Cube>,
    states: FloatTensor<Cube>,
    slopes: FloatTensor<Cube>,
}

impl<C: CheckpointStrategy> Gru for Autodiff<Cube, C> {
    fn gru_of_sequence(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        candidate: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [
            inputs.node(),
            weights.node(),
            candidate.node(),
            hidden.node(),
        ];
        let tensors = [inputs, weights, candidate, hidden].map(FloatTensor::<Self>::into_primitive);
        let [inputs, weights, candidate, first] = tensors;
        let (states, slopes) =
            Cube::states_and_slopes(inputs, weights.clone(), candidate, first.clone());
        let saved = Saved {
            weights,
            first,
            states: states.clone(),
            slopes,
        };
        record::<Cube, C, _, _>(nodes, saved, states)
    }
}

impl Derivative<Cube, 4> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        wanted: [bool; 4],
    ) -> [Option<FloatTensor<Cube>>; 4] {
        let transposed = Cube::float_swap_dims(self.weights, 2, 3);
        let (of_inputs, of_products, of_kept) =
            Cube::gradients_of_sums(self.slopes, transposed.clone(), gradient);
        let [_, _, _, of_first] = wanted;
        let of_first = of_first.then(|| {
            let of_product = Cube::float_slice(of_products.clone(), &s![..1, .., .., ..]);
            Cube::float_add(of_kept, Cube::float_matmul(of_product, transposed))
        });
        let of_products = rows(of_products); // [1, directions, S·B, 3·H]
        let h = self.first.shape()[3];
        let of_past = Cube::float_slice(of_products.clone(), &s![.., .., .., 2 * h..]);
        let of_candidate = Cube::float_sum_dim(of_past, 2);
        let of_weights = of_weights(self.first, self.states, of_products);
        [
            Some(of_inputs),
            Some(of_weights),
            Some(of_candidate),
            of_first,
        ]
    }
}

/// Computes one step forward; this unit computes one element of h in one row.
#[cube(launch)]
fn forward(
    inputs: &Tensor<f32>,
    weights: &Tensor<f32>,
    candidate: &Tensor<f32>,
    first: &Tensor<f32>,
    states: &mut Tensor<f32>,
    slopes: &mut Tensor<f32>,
    step: usize,
    #[comptime] begins: bool,
) {
    let (rows, h) = (inputs.shape(1) * inputs.shape(2), first.shape(3));
    if ABSOLUTE_POS >= rows * h {
        terminate!();
    }
    let row = ABSOLUTE_POS / h;
    let j = ABSOLUTE_POS % h;
    let direction = row / inputs.shape(2);
    let place = (step * rows + row) * 3 * h + j;
    let mut r = inputs[place];
    let mut z = inputs[place + h];
    let mut past = candidate[direction * h + j];
    let weight = direction * h * 3 * h + j;
    // r, z and `past` become x + h U, the last with b: the product is part of this kernel.
    for k in 0..h {
        let hidden = if begins {
            first[row * h + k]
        } else {
            states[((step - 1) * rows + row) * h + k]
        };
        let weight = weight + k * 3 * h;
        r += hidden * weights[weight];
        z += hidden * weights[weight + h];
        past += hidden * weights[weight + 2 * h];
    }
    let before = if begins {
        first[ABSOLUTE_POS]
    } else {
        states[((step - 1) * rows + row) * h + j]
    };
    let r = sigmoid(r);
    let z = sigmoid(z);
    let n = (inputs[place + 2 * h] + r * past).tanh();
    states[(step * rows + row) * h + j] = (1.0f32 - z) * n + z * before;
    // Derivatives of h' = (1 − z) n + z h by the sums in r, z and n, by h U + b of n, and by h.
    let of_candidate = (1.0f32 - z) * (1.0f32 - n * n);
    let slope = (step * rows + row) * 5 * h + j;
    slopes[slope] = of_candidate * past * r * (1.0f32 - r);
    slopes[slope + h] = (before - n) * z * (1.0f32 - z);
    slopes[slope + 2 * h] = of_candidate;
    slopes[slope + 3 * h] = of_candidate * r;
    slopes[slope + 4 * h] = z;
}

/// Computes one step backward. `of_kept` is the gradient of h' without the part through U, and
/// becomes that of h.
#[cube(launch)]
fn backward(
    slopes: &Tensor<f32>,
    weights: &Tensor<f32>,
    gradient: &Tensor<f32>,
    of_inputs: &mut Tensor<f32>,
    of_products: &mut Tensor<f32>,
    of_kept: &mut Tensor<f32>,
    step: usize,
    #[comptime] ends: bool,
) {
    let (rows, h) = (gradient.shape(1) * gradient.shape(2), gradient.shape(3));
    if ABSOLUTE_POS >= rows * h {
        terminate!();
    }
    let row = ABSOLUTE_POS / h;
    let j = ABSOLUTE_POS % h;
    // Gradient of h': from the output, from the next step through U, and from the next step through
    // z ∘ h.
    let mut of_state = gradient[(step * rows + row) * h + j];
    if !ends {
        let weight = row / gradient.shape(2) * 3 * h * h + j;
        let after = ((step + 1) * rows + row) * 3 * h;
        for k in 0..3 * h {
            of_state += of_products[after + k] * weights[weight + k * h];
        }
        of_state += of_kept[ABSOLUTE_POS];
    }
    let place = (step * rows + row) * 3 * h + j;
    let slope = (step * rows + row) * 5 * h + j;
    let of_reset = of_state * slopes[slope];
    let of_update = of_state * slopes[slope + h];
    of_inputs[place] = of_reset;
    of_inputs[place + h] = of_update;
    of_inputs[place + 2 * h] = of_state * slopes[slope + 2 * h];
    of_products[place] = of_reset;
    of_products[place + h] = of_update;
    of_products[place + 2 * h] = of_state * slopes[slope + 3 * h];
    of_kept[ABSOLUTE_POS] = of_state * slopes[slope + 4 * h];
}
