//! Tensors in the host's own memory.

use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

/// Returns the elements of a contiguous tensor.
///
/// # Panics
/// If the tensor is not contiguous.
pub fn numbers(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("the tensor is contiguous")
}

/// Returns the elements of a contiguous tensor for writing. Copies them first if another tensor
/// shares them.
///
/// # Panics
/// If the tensor is not contiguous.
pub fn numbers_mut(tensor: &mut FlexTensor) -> &mut [f32] {
    let range = tensor.layout().contiguous_offsets();
    let (start, end) = range.expect("the tensor is contiguous");
    &mut tensor.storage_mut::<f32>()[start..end]
}

/// Makes the tensor contiguous. Unshared storage stays unshared, so that writing to the tensor does
/// not copy it.
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

/// Creates a tensor of these numbers.
pub fn tensor<const D: usize>(numbers: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(numbers, shape))
}

/// Creates a tensor of zeros. (`FlexTensor::zeros` fills bytes, which are then copied to memory
/// aligned for numbers.)
pub fn zeros<const D: usize>(shape: [usize; D]) -> FlexTensor {
    tensor(vec![0.0; shape.iter().product()], shape)
}
