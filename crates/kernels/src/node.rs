//! What operations with a gradient of ours have in common.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::TensorData;

/// What the forward pass of an operation with `N` parents leaves for the backward pass.
pub trait Derivative<const N: usize>: Clone + Debug + Send + 'static {
    /// The gradients of those parents that are wanted (of others too, where they cost nothing), of
    /// the gradient of what came out.
    fn backward(self, gradient: FlexTensor, wanted: [bool; N]) -> [Option<FlexTensor>; N];
}

/// What came out of an operation as a node of the graph, with `seen` for the way back if any of
/// its parents has a gradient.
pub fn record<C: CheckpointStrategy, S: Derivative<N>, const N: usize>(
    parents: [NodeGuard; N],
    seen: S,
    out: FlexTensor,
) -> FloatTensor<Autodiff<Flex, C>> {
    let node = Node::<S>(PhantomData);
    match node.prepare::<C>(parents).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(seen, out),
        OpsKind::UnTracked(prepared) => prepared.finish(out),
    }
}

/// An operation that is recorded.
struct Node<S>(PhantomData<fn() -> S>);

impl<S> Debug for Node<S> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(std::any::type_name::<S>())
    }
}

impl<S: Derivative<N>, const N: usize> Backward<Flex, N> for Node<S> {
    type State = S;

    fn backward(self, ops: Ops<S, N>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let wanted = std::array::from_fn(|parent| ops.parents[parent].is_some());
        let found = ops.state.backward(gradient, wanted);
        for (parent, gradient) in ops.parents.into_iter().zip(found) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                gradients.register::<Flex>(parent.id, gradient);
            }
        }
    }
}

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
