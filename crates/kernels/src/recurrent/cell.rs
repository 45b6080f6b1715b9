//! Step of a recurrent cell on the CPU, for layers that read text by text.

use std::fmt::Debug;

/// Step of a recurrent cell for one text. Rows are passed as slices of the widths that each method
/// names.
pub(crate) trait Cell: Copy + Debug + Send + Sync + 'static {
    /// Number of gates, G, which are concatenated.
    const GATES: usize;
    /// Width of a state in units of H; h comes first.
    const STATE: usize;
    /// Width, in units of H, of what is kept for the backward pass beside gates and states.
    const KEPT: usize;

    /// Computes the step of a text, given the product h U `[G·H]`. `gates` `[G·H]` hold x, and then
    /// what the backward pass reads.
    fn forward(
        h: usize,
        product: &[f32],
        bias: &[f32],
        before: &[f32],
        write: [&mut [f32]; 3], // gates [G·H], kept [KEPT·H], state [STATE·H]
    );

    /// Computes the step backward: the gradients of x and of h U, `[G·H]` each. `carried` `[H]`
    /// holds the gradient that the next step passes to this one, without the part through U, which
    /// is `by_product` `[H]`.
    fn backward(
        h: usize,
        saved: [&[f32]; 4], // gates [G·H], kept [KEPT·H], states before and after [STATE·H]
        gradient: [&[f32]; 2], // of h [H], by_product [H]
        write: [&mut [f32]; 3], // of x [G·H], of h U [G·H], carried [H]
    );
}
