//! Common parts of recurrent layers over a whole sequence.

#[cfg(test)]
pub(crate) mod agreement;
#[cfg(feature = "flex")]
pub(crate) mod cell;
#[cfg(feature = "cube")]
pub(crate) mod cube;
#[cfg(feature = "flex")]
pub(crate) mod host;

#[cfg(any(feature = "flex", feature = "cube"))]
use burn::tensor::{DType, Tensor};

/// Computes the output of a recurrent layer for a sequence; `None` if no custom kernel supports
/// these tensors. Computes in F32, since rounding errors accumulate over the steps.
///
/// # Shapes
/// - inputs `[S, directions, B, columns]`; `others` `[directions, …, …]`, passed to the layer as
///   `[1, directions, …, …]`
#[cfg(any(feature = "flex", feature = "cube"))]
pub(crate) fn of_sequence(
    inputs: &Tensor<4>,
    others: [&Tensor<3>; 3],
    layer: impl FnOnce(Tensor<4>, [Tensor<4>; 3]) -> Tensor<4>,
) -> Option<Tensor<4>> {
    let dtype = inputs.dtype();
    let is_ours = crate::has_kernel_for(inputs, dtype)
        && others
            .iter()
            .all(|other| crate::has_kernel_for(other, dtype));
    is_ours.then(|| {
        let inputs = inputs.clone().cast(DType::F32);
        let others = others.map(|other| other.clone().cast(DType::F32).unsqueeze());
        layer(inputs, others).cast(dtype)
    })
}
