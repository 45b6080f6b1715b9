//! Kernels of blocks with learned borders on a GPU.
//!
//! For the backward pass `kept` holds a row for each block, `[B, H, S, 1 + 3·size]`:
//!
//! | offset | holds |
//! |---|---|
//! | 0 | total mass of the block, Σ m; 0 for an empty block |
//! | 1 + 3 · member | mass m of the member |
//! | 2 + 3 · member | 1 if m grows with c_t, that is, if the block's end does not cut the member off; else 0 |
//! | 3 + 3 · member | 1 if m falls with c_{t−1}, that is, if the block's beginning does not; else 0 |
//!
//! A row of `windows` `[B, H, S, size + 1]` holds the index of the first member as a float, then the
//! log masses.

use burn_cubecl::cubecl::{self, prelude::*};

use crate::attention::MASKED_SCORE;

/// Writes rows of `windows` and of `kept` without members, for blocks of at most `size` members.
#[cube]
fn clear(
    windows: &mut Tensor<f32>,
    kept: &mut Tensor<f32>,
    window: usize,
    keep: usize,
    size: usize,
) {
    for member in 0..size {
        windows[window + 1 + member] = f32::new(MASKED_SCORE);
        let at = keep + 1 + 3 * member;
        kept[at] = 0.0f32;
        kept[at + 1] = 0.0f32;
        kept[at + 2] = 0.0f32;
    }
}

/// Finds members, mean and window of one block per unit.
#[cube(launch)]
pub fn summarise(
    members: &Tensor<f32>,
    halting: &Tensor<f32>,
    nodes: &mut Tensor<f32>,
    windows: &mut Tensor<f32>,
    mask: &mut Tensor<f32>,
    kept: &mut Tensor<f32>,
    smallest: f32,
) {
    if ABSOLUTE_POS >= halting.len() {
        terminate!();
    }
    let (s, d) = (members.shape(2), members.shape(3));
    let size = windows.shape(3) - 1;
    let base = ABSOLUTE_POS / s * s;
    let number = f32::cast_from(ABSOLUTE_POS % s);
    let next = number + 1.0f32;
    let window = ABSOLUTE_POS * (size + 1);
    let keep = ABSOLUTE_POS * (1 + 3 * size);
    clear(windows, kept, window, keep, size);
    let mut first = s;
    let mut whole = 0.0f32;
    let mut begin = 0.0f32;
    for t in 0..s {
        let end = begin + halting[base + t];
        // The first member is the first that does not end before the block begins.
        if first == s && end > number {
            first = t;
        }
        if first < s && t - first < size {
            // m = min(c_t, j + 1) − max(c_{t−1}, j)
            let mass = f32::min(end, next) - f32::max(begin, number);
            if mass > 0.0f32 {
                let member = t - first;
                windows[window + 1 + member] = mass.ln();
                let at = keep + 1 + 3 * member;
                kept[at] = mass;
                // The derivative of m by c_t is 1 unless the block's end cuts the member off, and
                // by c_{t−1} it is −1 unless the block's beginning does.
                if end < next {
                    kept[at + 1] = 1.0f32;
                }
                if begin > number {
                    kept[at + 2] = 1.0f32;
                }
                whole += mass;
            }
        }
        begin = end;
    }
    // A block without members points at the last member.
    if first == s {
        first = s - 1;
    }
    windows[window] = f32::cast_from(first);
    let mut lid = 0.0f32;
    if whole <= smallest {
        lid = f32::new(MASKED_SCORE);
        whole = 0.0f32;
    }
    mask[ABSOLUTE_POS] = lid;
    kept[keep] = whole;
    for column in 0..d {
        let mut sum = 0.0f32;
        if whole > 0.0f32 {
            for member in 0..size {
                let mass = kept[keep + 1 + 3 * member];
                if mass > 0.0f32 {
                    sum += mass * members[(base + first + member) * d + column];
                }
            }
            sum /= whole;
        }
        nodes[ABSOLUTE_POS * d + column] = sum;
    }
}

/// Gradients of one block's masses, given the gradient of its mean.
#[cube(launch)]
pub fn gradients_of_masses(
    members: &Tensor<f32>,
    nodes: &Tensor<f32>,
    windows: &Tensor<f32>,
    kept: &Tensor<f32>,
    gradient: &Tensor<f32>,
    of_masses: &mut Tensor<f32>,
) {
    let (s, d) = (members.shape(2), members.shape(3));
    let size = of_masses.shape(3);
    if ABSOLUTE_POS >= members.len() / d {
        terminate!();
    }
    let base = ABSOLUTE_POS / s * s;
    let keep = ABSOLUTE_POS * (1 + 3 * size);
    let first = u32::cast_from(windows[ABSOLUTE_POS * (size + 1)]) as usize;
    let whole = kept[keep];
    for member in 0..size {
        let mut sum = 0.0f32;
        if whole > 0.0f32 && kept[keep + 1 + 3 * member] > 0.0f32 {
            let of_member = (base + first + member) * d;
            for column in 0..d {
                let at = ABSOLUTE_POS * d + column;
                // Gradient of m_t: G · (member − mean) / Σ m.
                sum += gradient[at] * (members[of_member + column] - nodes[at]);
            }
            sum /= whole;
        }
        of_masses[ABSOLUTE_POS * size + member] = sum;
    }
}

/// Computes one element of a member's gradient: Σ m / Σ m' · G over all blocks that contain the
/// member.
#[cube(launch)]
pub fn gradients_of_members(
    windows: &Tensor<f32>,
    kept: &Tensor<f32>,
    gradient: &Tensor<f32>,
    found: &mut Tensor<f32>,
) {
    if ABSOLUTE_POS >= found.len() {
        terminate!();
    }
    let (s, d) = (found.shape(2), found.shape(3));
    let size = windows.shape(3) - 1;
    let column = ABSOLUTE_POS % d;
    let row = ABSOLUTE_POS / d;
    let (base, own) = (row / s * s, row % s);
    let mut sum = 0.0f32;
    for block in base..base + s {
        let first = u32::cast_from(windows[block * (size + 1)]) as usize;
        let keep = block * (1 + 3 * size);
        if kept[keep] > 0.0f32 && own >= first && own < first + size {
            let share = kept[keep + 1 + 3 * (own - first)] / kept[keep];
            sum += share * gradient[block * d + column];
        }
    }
    found[ABSOLUTE_POS] = sum;
}

/// Computes the gradient of one p, summed over all masses: c_t of every later member contains p.
#[cube(launch)]
pub fn gradient_of_p(
    windows: &Tensor<f32>,
    kept: &Tensor<f32>,
    gradient: &Tensor<f32>,
    found: &mut Tensor<f32>,
    #[comptime] logarithms: bool,
) {
    if ABSOLUTE_POS >= found.len() {
        terminate!();
    }
    let s = found.shape(2);
    let size = windows.shape(3) - 1;
    let (base, own) = (ABSOLUTE_POS / s * s, ABSOLUTE_POS % s);
    let mut sum = 0.0f32;
    for block in base..base + s {
        let first = u32::cast_from(windows[block * (size + 1)]) as usize;
        for member in 0..size {
            let at = block * (1 + 3 * size) + 1 + 3 * member;
            let mass = kept[at];
            let t = first + member;
            if mass > 0.0f32 && t >= own {
                // Gradient of m; log m has the derivative 1 / m.
                let slope = if logarithms {
                    gradient[block * (size + 1) + 1 + member] / mass
                } else {
                    gradient[block * size + member]
                };
                // p is part of c_t of its own member and all later ones, and of c_{t−1} of the
                // later ones.
                sum += slope * kept[at + 1];
                if t > own {
                    sum -= slope * kept[at + 2];
                }
            }
        }
    }
    found[ABSOLUTE_POS] = sum;
}
