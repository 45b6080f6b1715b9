//! Blocks whose borders are learned, in burn's operations.

use burn::tensor::Tensor;

/// Computes the share m_jt of member t in block j, and the mean of each block's members, by
/// adaptive computation time (after Graves 2016, section 2):
///
/// - c_t = Σ_{u ≤ t} p_u cumulates the halting probabilities p
/// - m_jt = max(0, min(c_t, j + 1) − max(c_{t−1}, j)): block j takes what the members halt between
///   j and j + 1
/// - node_j = Σ_t m_jt · member_t / Σ_t m_jt, or 0 if Σ_t m_jt is at most `smallest`
///
/// `windows` of the kernel hold the same masses: column 0 is the first t with m_jt > 0, the further
/// ones log m_jt of this member and the next k.
///
/// # Shapes
/// - members `[B, H, S, D]`, halting p `[B, H, S, 1]` → nodes `[B, H, S, D]`, masses m
///   `[B, H, S (j), S (t)]`
pub fn learned_blocks(
    members: Tensor<4>,
    halting: Tensor<4>,
    smallest: f64,
) -> (Tensor<4>, Tensor<4>) {
    let ([b, h, s, _], device) = (members.dims(), members.device());
    let ends = halting.clone().cumsum(2).swap_dims(2, 3); // c_t, [B, H, 1, S]
    let begins = ends.clone() - halting.swap_dims(2, 3); // c_{t−1}, [B, H, 1, S]
    let block = Tensor::arange(0..s as i64, &device).float();
    let block = block.reshape([1, 1, s, 1]).expand([b, h, s, s]); // j, [B, H, S, S]
    let ends = ends.expand([b, h, s, s]).min_pair(block.clone() + 1.0);
    let begins = begins.expand([b, h, s, s]).max_pair(block);
    let masses = burn::tensor::activation::relu(ends - begins); // m_jt, [B, H, S, S]
    let whole = masses.clone().sum_dim(3); // [B, H, S, 1]
    let is_empty = whole.clone().lower_equal_elem(smallest);
    let sums = masses.clone().matmul(members); // [B, H, S, D]
    let present = is_empty.clone().bool_not().float();
    (sums / whole.mask_fill(is_empty, 1.0) * present, masses)
}
