//! AdamW on a GPU: one kernel, where tensor operations launch a dozen kernels and pass over memory
//! a dozen times.

#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::tensor;
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::AdamStep;
use crate::cube::{dims, empty, lanes, units};

/// Updates on a GPU, as [`adamw`](super::adamw) does.
pub(super) fn update(
    parameters: tensor::Tensor<1>,
    gradient: tensor::Tensor<1>,
    [first, second]: [tensor::Tensor<1>; 2],
    step: AdamStep,
) -> (tensor::Tensor<1>, [tensor::Tensor<1>; 2]) {
    let (parameters, first, second) = Dispatch::adamw_of_row(
        parameters.into_dispatch(),
        gradient.into_dispatch(),
        first.into_dispatch(),
        second.into_dispatch(),
        step,
    );
    let moments = [first, second].map(tensor::Tensor::from_dispatch);
    (tensor::Tensor::from_dispatch(parameters), moments)
}

#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait AdamOfRow: Backend {
    #[fusion(meta = |parameters, _gradient, _first, _second, _step| {
        let spec = || TensorSpec::new([parameters.shape[0]].into(), parameters.dtype);
        (spec(), spec(), spec())
    })]
    fn adamw_of_row(
        parameters: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        step: AdamStep,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl AdamOfRow for CubeBackend {
    fn adamw_of_row(
        parameters: CubeTensor,
        gradient: CubeTensor,
        first: CubeTensor,
        second: CubeTensor,
        step: AdamStep,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let [parameters, gradient, first, second] =
            [parameters, gradient, first, second].map(into_contiguous);
        let [length] = dims(&parameters);
        let after = [(); 3].map(|()| empty(&parameters, [length]));
        let lanes = lanes([length]);
        let (cubes, size) = units(&parameters, length / lanes);
        let [updated, after_first, after_second] = after.clone().map(CubeTensor::into_tensor_arg);
        let client = parameters.client.clone();
        update_numbers::launch(
            &client,
            cubes,
            size,
            lanes,
            parameters.into_tensor_arg(),
            gradient.into_tensor_arg(),
            first.into_tensor_arg(),
            second.into_tensor_arg(),
            updated,
            after_first,
            after_second,
            step.scale,
            step.decay,
            step.first[0],
            step.first[1],
            step.second[0],
            step.second[1],
            step.rate,
            step.epsilon,
        );
        let [parameters, first, second] = after;
        (parameters, first, second)
    }
}

/// Updates one vector of elements per unit.
#[cube(launch)]
fn update_numbers<N: Size>(
    parameters: &Tensor<Vector<f32, N>>,
    gradient: &Tensor<Vector<f32, N>>,
    first: &Tensor<Vector<f32, N>>,
    second: &Tensor<Vector<f32, N>>,
    updated: &mut Tensor<Vector<f32, N>>,
    after_first: &mut Tensor<Vector<f32, N>>,
    after_second: &mut Tensor<Vector<f32, N>>,
    scale: f32,
    decay: f32,
    first_kept: f32,
    first_new: f32,
    second_kept: f32,
    second_new: f32,
    rate: f32,
    epsilon: f32,
) {
    let at = ABSOLUTE_POS;
    if at >= updated.len() {
        terminate!();
    }
    let gradient = gradient[at] * Vector::new(scale);
    let first = first[at] * Vector::new(first_kept) + gradient * Vector::new(first_new);
    let second =
        second[at] * Vector::new(second_kept) + gradient * gradient * Vector::new(second_new);
    let change = first / (second.sqrt() + Vector::new(epsilon)) * Vector::new(rate);
    after_first[at] = first;
    after_second[at] = second;
    updated[at] = parameters[at] * Vector::new(decay) - change;
}
