//! LSTM on a GPU: one kernel per step, forward and backward, one unit per element of h. The kernel
//! computes the product with the weights too, since launching another kernel would take longer.

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn::tensor::s;
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::Lstm;
use crate::cube::{dims, empty, units};
use crate::node::{Derivative, record};
use crate::recurrent::cube::{of_weights, rows, sigmoid};

impl Lstm for CubeBackend {
    fn lstm_of_sequence(
        inputs: CubeTensor,
        weights: CubeTensor,
        hidden: CubeTensor,
        cell: CubeTensor,
    ) -> CubeTensor {
        Self::states_and_gates(inputs, weights, hidden, cell).0
    }
}

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait LstmGradients: Backend {
    /// Computes h and c of every step `[S, directions, B, 2·H]`, and σ(i), σ(f), tanh(g), σ(o)
    /// `[S, directions, B, 4·H]`.
    #[fusion(meta = |inputs, _weights, _hidden, _cell| {
        let mut states = inputs.clone();
        states.shape[3] /= 2;
        (states, inputs.clone())
    })]
    fn states_and_gates(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        cell: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of the gates `[S, directions, B, 4·H]` and of the initial c
    /// `[1, directions, B, H]`; `weights` are transposed, `[1, directions, 4·H, H]`.
    #[fusion(meta = |gates, _states, cell, _weights, _gradient| (gates.clone(), cell.clone()))]
    fn gradients_of_gates(
        gates: FloatTensor<Self>,
        states: FloatTensor<Self>,
        cell: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
}

impl LstmGradients for CubeBackend {
    fn states_and_gates(
        inputs: CubeTensor,
        weights: CubeTensor,
        hidden: CubeTensor,
        cell: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        let [inputs, weights, hidden, cell] = [inputs, weights, hidden, cell].map(into_contiguous);
        let shape @ [steps, directions, b, columns] = dims(&inputs);
        let gates = empty(&inputs, shape);
        let states = empty(&inputs, [steps, directions, b, columns / 2]);
        let (cubes, size) = units(&inputs, directions * b * columns / 4);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        for step in 0..steps {
            forward::launch(
                &states.client,
                cubes.clone(),
                size,
                arg(&inputs),
                arg(&weights),
                arg(&hidden),
                arg(&cell),
                arg(&gates),
                arg(&states),
                step,
                step == 0,
            );
        }
        (states, gates)
    }

    fn gradients_of_gates(
        gates: CubeTensor,
        states: CubeTensor,
        cell: CubeTensor,
        weights: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        let [cell, weights, gradient] = [cell, weights, gradient].map(into_contiguous);
        let shape @ [steps, directions, b, columns] = dims(&gates);
        let found = empty(&gates, shape);
        let of_cell = empty(&gates, [1, directions, b, columns / 4]);
        let (cubes, size) = units(&gates, directions * b * columns / 4);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        for step in (0..steps).rev() {
            backward::launch(
                &found.client,
                cubes.clone(),
                size,
                arg(&gates),
                arg(&states),
                arg(&cell),
                arg(&weights),
                arg(&gradient),
                arg(&of_cell),
                arg(&found),
                step,
                step == 0,
                step + 1 == steps,
            );
        }
        (found, of_cell)
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    weights: FloatTensor<Cube>,
    /// Initial states h and c.
    first: [FloatTensor<Cube>; 2],
    gates: FloatTensor<Cube>,
    states: FloatTensor<Cube>,
}

impl<C: CheckpointStrategy> Lstm for Autodiff<Cube, C> {
    fn lstm_of_sequence(
        inputs: FloatTensor<Self>,
        weights: FloatTensor<Self>,
        hidden: FloatTensor<Self>,
        cell: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [inputs.node(), weights.node(), hidden.node(), cell.node()];
        let tensors = [inputs, weights, hidden, cell].map(FloatTensor::<Self>::into_primitive);
        let [inputs, weights, hidden, cell] = tensors;
        let first = [hidden.clone(), cell.clone()];
        let (states, gates) = Cube::states_and_gates(inputs, weights.clone(), hidden, cell);
        let saved = Saved {
            weights,
            first,
            gates,
            states: states.clone(),
        };
        record::<Cube, C, _, _>(nodes, saved, states)
    }
}

impl Derivative<Cube, 4> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 4],
    ) -> [Option<FloatTensor<Cube>>; 4] {
        let [hidden, cell] = self.first;
        let transposed = Cube::float_swap_dims(self.weights, 2, 3);
        let (of_gates, of_cell) = Cube::gradients_of_gates(
            self.gates,
            self.states.clone(),
            cell,
            transposed.clone(),
            gradient,
        );
        let of_weights = of_weights(hidden, self.states, rows(of_gates.clone()));
        let of_first = Cube::float_slice(of_gates.clone(), &s![..1, .., .., ..]);
        let of_hidden = Cube::float_matmul(of_first, transposed);
        [of_gates, of_weights, of_hidden, of_cell].map(Some)
    }
}

/// Computes one step forward; this unit computes one element of h and of c in one row.
#[cube(launch)]
fn forward(
    inputs: &Tensor<f32>,
    weights: &Tensor<f32>,
    first_hidden: &Tensor<f32>,
    first_cell: &Tensor<f32>,
    gates: &mut Tensor<f32>,
    states: &mut Tensor<f32>,
    step: usize,
    #[comptime] begins: bool,
) {
    let (rows, h) = (inputs.shape(1) * inputs.shape(2), first_cell.shape(3));
    if ABSOLUTE_POS >= rows * h {
        terminate!();
    }
    let row = ABSOLUTE_POS / h;
    let j = ABSOLUTE_POS % h;
    let place = (step * rows + row) * 4 * h + j;
    let mut i = inputs[place];
    let mut f = inputs[place + h];
    let mut g = inputs[place + 2 * h];
    let mut o = inputs[place + 3 * h];
    let weight = row / inputs.shape(2) * h * 4 * h + j;
    for k in 0..h {
        let hidden = if begins {
            first_hidden[row * h + k]
        } else {
            states[((step - 1) * rows + row) * 2 * h + k]
        };
        let weight = weight + k * 4 * h;
        i += hidden * weights[weight];
        f += hidden * weights[weight + h];
        g += hidden * weights[weight + 2 * h];
        o += hidden * weights[weight + 3 * h];
    }
    let before = if begins {
        first_cell[ABSOLUTE_POS]
    } else {
        states[((step - 1) * rows + row) * 2 * h + h + j]
    };
    let i = sigmoid(i);
    let f = sigmoid(f);
    let g = g.tanh();
    let o = sigmoid(o);
    gates[place] = i;
    gates[place + h] = f;
    gates[place + 2 * h] = g;
    gates[place + 3 * h] = o;
    let cell = f * before + i * g;
    let state = (step * rows + row) * 2 * h + j;
    states[state] = o * cell.tanh();
    states[state + h] = cell;
}

/// Computes one step backward. `of_cell` is the gradient of c' and becomes that of c.
#[cube(launch)]
fn backward(
    gates: &Tensor<f32>,
    states: &Tensor<f32>,
    first_cell: &Tensor<f32>,
    weights: &Tensor<f32>,
    gradient: &Tensor<f32>,
    of_cell: &mut Tensor<f32>,
    found: &mut Tensor<f32>,
    step: usize,
    #[comptime] begins: bool,
    #[comptime] ends: bool,
) {
    let (rows, h) = (gates.shape(1) * gates.shape(2), first_cell.shape(3));
    if ABSOLUTE_POS >= rows * h {
        terminate!();
    }
    let row = ABSOLUTE_POS / h;
    let j = ABSOLUTE_POS % h;
    let state = (step * rows + row) * 2 * h + j;
    let mut of_hidden = gradient[state];
    let mut of_state = gradient[state + h];
    if !ends {
        let weight = row / gates.shape(2) * 4 * h * h + j;
        let after = ((step + 1) * rows + row) * 4 * h;
        for k in 0..4 * h {
            of_hidden += found[after + k] * weights[weight + k * h];
        }
        of_state += of_cell[ABSOLUTE_POS];
    }
    let place = (step * rows + row) * 4 * h + j;
    let i = gates[place];
    let f = gates[place + h];
    let g = gates[place + 2 * h];
    let o = gates[place + 3 * h];
    let before = if begins {
        first_cell[ABSOLUTE_POS]
    } else {
        states[((step - 1) * rows + row) * 2 * h + h + j]
    };
    let tangent = states[state + h].tanh();
    of_state += of_hidden * o * (1.0f32 - tangent * tangent);
    found[place] = of_state * g * i * (1.0f32 - i);
    found[place + h] = of_state * before * f * (1.0f32 - f);
    found[place + 2 * h] = of_state * i * (1.0f32 - g * g);
    found[place + 3 * h] = of_hidden * tangent * o * (1.0f32 - o);
    of_cell[ABSOLUTE_POS] = of_state * f;
}
