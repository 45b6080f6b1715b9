//! Custom operations as nodes of the autodiff graph.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend};

/// State that the forward pass of an operation with `N` parents saves for its backward pass.
pub trait Derivative<B: Backend, const N: usize>: Clone + Debug + Send + 'static {
    /// Computes the gradients of the wanted parents, given the gradient of the output. Gradients
    /// that cost nothing may be returned although not wanted.
    fn backward(self, gradient: FloatTensor<B>, wanted: [bool; N]) -> [Option<FloatTensor<B>>; N];
}

/// Records the output of an operation as a node of the graph. `saved` is saved for the backward pass
/// if any of the parents has a gradient.
pub fn record<B, C, S, const N: usize>(
    parents: [NodeGuard; N],
    saved: S,
    out: FloatTensor<B>,
) -> FloatTensor<Autodiff<B, C>>
where
    B: Backend,
    C: CheckpointStrategy,
    S: Derivative<B, N>,
{
    let node = Node::<S>(PhantomData);
    match node.prepare::<C>(parents).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(saved, out),
        OpsKind::UnTracked(prepared) => prepared.finish(out),
    }
}

/// Recorded operation.
struct Node<S>(PhantomData<fn() -> S>);

impl<S> Debug for Node<S> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(std::any::type_name::<S>())
    }
}

impl<B: Backend, S: Derivative<B, N>, const N: usize> Backward<B, N> for Node<S> {
    type State = S;

    fn backward(self, ops: Ops<S, N>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let wanted = std::array::from_fn(|parent| ops.parents[parent].is_some());
        let found = ops.state.backward(gradient, wanted);
        for (parent, gradient) in ops.parents.into_iter().zip(found) {
            if let (Some(parent), Some(gradient)) = (parent, gradient) {
                gradients.register::<B>(parent.id, gradient);
            }
        }
    }
}
