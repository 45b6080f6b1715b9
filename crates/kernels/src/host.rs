//! Tensors in the host's own memory.

use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

/// The elements of a contiguous tensor.
///
/// # Panics
/// If the tensor is not contiguous.
pub fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("the tensor is contiguous")
}

/// The elements of a contiguous tensor, to write; copied first if another tensor shares them.
///
/// # Panics
/// If the tensor is not contiguous.
pub fn numbers_mut(tensor: &mut FlexTensor) -> &mut [f32] {
    let range = tensor.layout().contiguous_offsets();
    let (start, end) = range.expect("the tensor is contiguous");
    &mut tensor.storage_mut::<f32>()[start..end]
}

/// The tensor, made contiguous; its storage stays unshared if it was, so that writing to it does
/// not copy.
pub fn contiguous(tensor: FlexTensor) -> FlexTensor {
    let contiguous = tensor.to_contiguous();
    drop(tensor);
    contiguous
}

/// Shape of a tensor.
pub fn dims<const D: usize>(tensor: &FlexTensor) -> [usize; D] {
    let shape = tensor.layout().shape();
    std::array::from_fn(|axis| shape[axis])
}

/// A tensor of these numbers.
pub fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// A tensor of zeros. (`FlexTensor::zeros` fills bytes, which are copied to where numbers may lie.)
pub fn zeros<const D: usize>(shape: [usize; D]) -> FlexTensor {
    tensor(vec![0.0; shape.iter().product()], shape)
}
