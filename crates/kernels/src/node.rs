//! What operations with a gradient of ours have in common.

use burn::backend::Flex;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::Ops;
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

/// The numbers of a tensor that is contiguous.
pub(crate) fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("the tensor is contiguous")
}

/// The lengths of its axes.
pub(crate) fn dims<const D: usize>(tensor: &FlexTensor) -> [usize; D] {
    let shape = tensor.layout().shape();
    std::array::from_fn(|axis| shape[axis])
}

/// A tensor of these numbers.
pub(crate) fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// Hands each parent that wants one its gradient.
pub(crate) fn register<S, const N: usize>(
    gradients: &mut Gradients,
    ops: Ops<S, N>,
    found: [FlexTensor; N],
) {
    for (parent, gradient) in ops.parents.into_iter().zip(found) {
        if let Some(parent) = parent {
            gradients.register::<Flex>(parent.id, gradient);
        }
    }
}
