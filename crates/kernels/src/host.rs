//! Tensors in the host's own memory.

use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

/// The numbers of a tensor that is contiguous.
///
/// # Panics
/// If it is not.
pub fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("the tensor is contiguous")
}

/// The same, for writing; they are copied first if another tensor has them too.
///
/// # Panics
/// If it is not contiguous.
pub fn numbers_mut(tensor: &mut FlexTensor) -> &mut [f32] {
    let range = tensor.layout().contiguous_offsets();
    let (start, end) = range.expect("the tensor is contiguous");
    &mut tensor.storage_mut::<f32>()[start..end]
}

/// The tensor, contiguous, and its numbers shared with nothing else if they were not: writing to
/// them does not copy them then.
pub fn contiguous(tensor: FlexTensor) -> FlexTensor {
    let contiguous = tensor.to_contiguous();
    drop(tensor);
    contiguous
}

/// The lengths of its axes.
pub fn dims<const D: usize>(tensor: &FlexTensor) -> [usize; D] {
    let shape = tensor.layout().shape();
    std::array::from_fn(|axis| shape[axis])
}

/// A tensor of these numbers.
pub fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}
