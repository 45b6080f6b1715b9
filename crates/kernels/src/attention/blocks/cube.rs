//! GPU kernels of blocks with learned borders. The mass of member t in block j is m_jt = max(0,
//! min(c_t, j + 1) − max(c_{t−1}, j)), c_t = Σ_{u≤t} p_u.
//!
//! For the backward pass `kept` holds, per block, its total mass (0 for an empty block), then per
//! member three numbers: the member's mass, 1 if the mass grows with c_t (else 0), and 1 if the
//! mass falls with c_{t−1} (else 0).

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::cubecl::{self, prelude::*};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::Blocks;
use crate::attention::MASKED_SCORE;
use crate::cube::{dims, empty, units};
use crate::node::{Derivative, record};

impl Blocks for CubeBackend {
    fn learned_blocks(
        members: CubeTensor,
        halting: CubeTensor,
        size: usize,
        smallest: f32,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let (nodes, windows, mask, _) = Self::blocks_and_masses(members, halting, size, smallest);
        (nodes, windows, mask)
    }
}

/// Backward pass of [`Blocks`].
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait BlockGradients: Backend {
    /// Computes nodes, windows, mask, and `kept` (see the module), `[B, H, S, 1 + 3·size]`.
    #[fusion(meta = |members, _halting, size, _smallest| {
        let [b, h, s] = [members.shape[0], members.shape[1], members.shape[2]];
        let spec = |shape: [usize; 4]| TensorSpec::new(shape.into(), members.dtype);
        let kept = spec([b, h, s, 1 + 3 * size]);
        (members.clone(), spec([b, h, s, size + 1]), spec([b, h, 1, s]), kept)
    })]
    fn blocks_and_masses(
        members: FloatTensor<Self>,
        halting: FloatTensor<Self>,
        size: usize,
        smallest: f32,
    ) -> (
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
        FloatTensor<Self>,
    );

    /// Computes the gradients of the members `[B, H, S, D]` and of the masses `[B, H, S, size]`,
    /// given the gradient of the means.
    #[fusion(meta = |members, _nodes, _windows, kept, _gradient| {
        let [b, h, s] = [members.shape[0], members.shape[1], members.shape[2]];
        let size = (kept.shape[3] - 1) / 3;
        (members.clone(), TensorSpec::new([b, h, s, size].into(), members.dtype))
    })]
    fn gradients_of_means(
        members: FloatTensor<Self>,
        nodes: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        kept: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradient of p, `[B, H, S, 1]`, from the gradient of the masses or, if
    /// `logarithms`, of the windows, which hold log masses.
    #[fusion(dtype = kept, shape = [kept[0], kept[1], kept[2], 1].into())]
    fn gradient_of_halting(
        windows: FloatTensor<Self>,
        kept: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        logarithms: bool,
    ) -> FloatTensor<Self>;
}

impl BlockGradients for CubeBackend {
    fn blocks_and_masses(
        members: CubeTensor,
        halting: CubeTensor,
        size: usize,
        smallest: f32,
    ) -> (CubeTensor, CubeTensor, CubeTensor, CubeTensor) {
        let [members, halting] = [members, halting].map(into_contiguous);
        let shape @ [b, h, s, _] = dims(&members);
        let nodes = empty(&members, shape);
        let windows = empty(&members, [b, h, s, size + 1]);
        let mask = empty(&members, [b, h, 1, s]);
        let kept = empty(&members, [b, h, s, 1 + 3 * size]);
        let (cubes, cube) = units(&members, b * h * s);
        summarise::launch(
            &nodes.client,
            cubes,
            cube,
            members.into_tensor_arg(),
            halting.into_tensor_arg(),
            nodes.clone().into_tensor_arg(),
            windows.clone().into_tensor_arg(),
            mask.clone().into_tensor_arg(),
            kept.clone().into_tensor_arg(),
            smallest,
        );
        (nodes, windows, mask, kept)
    }

    fn gradients_of_means(
        members: CubeTensor,
        nodes: CubeTensor,
        windows: CubeTensor,
        kept: CubeTensor,
        gradient: CubeTensor,
    ) -> (CubeTensor, CubeTensor) {
        let [members, nodes, gradient] = [members, nodes, gradient].map(into_contiguous);
        let shape @ [b, h, s, _] = dims(&members);
        let [_, _, _, columns] = dims(&kept);
        let found = empty(&members, shape);
        let of_masses = empty(&members, [b, h, s, (columns - 1) / 3]);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        let (cubes, cube) = units(&members, b * h * s);
        gradients_of_masses::launch(
            &found.client,
            cubes,
            cube,
            arg(&members),
            arg(&nodes),
            arg(&windows),
            arg(&kept),
            arg(&gradient),
            arg(&of_masses),
        );
        let (cubes, cube) = units(&members, shape.iter().product());
        gradients_of_members::launch(
            &found.client,
            cubes,
            cube,
            arg(&windows),
            arg(&kept),
            arg(&gradient),
            arg(&found),
        );
        (found, of_masses)
    }

    fn gradient_of_halting(
        windows: CubeTensor,
        kept: CubeTensor,
        gradient: CubeTensor,
        logarithms: bool,
    ) -> CubeTensor {
        let gradient = into_contiguous(gradient);
        let [b, h, s, _] = dims(&kept);
        let found = empty(&kept, [b, h, s, 1]);
        let (cubes, cube) = units(&kept, b * h * s);
        gradient_of_p::launch(
            &found.client,
            cubes,
            cube,
            windows.into_tensor_arg(),
            kept.into_tensor_arg(),
            gradient.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            logarithms,
        );
        found
    }
}

/// State saved for the gradient of the windows.
#[derive(Clone, Debug)]
struct Masses {
    windows: FloatTensor<Cube>,
    kept: FloatTensor<Cube>,
}

/// State saved for the gradient of the means.
#[derive(Clone, Debug)]
struct Means {
    members: FloatTensor<Cube>,
    nodes: FloatTensor<Cube>,
    masses: Masses,
}

impl<C: CheckpointStrategy> Blocks for Autodiff<Cube, C> {
    fn learned_blocks(
        members: FloatTensor<Self>,
        halting: FloatTensor<Self>,
        size: usize,
        smallest: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (of_nodes, of_windows) = ([members.node(), halting.node()], [halting.node()]);
        let [members, halting] = [members, halting].map(FloatTensor::<Self>::into_primitive);
        let (nodes, windows, mask, kept) =
            Cube::blocks_and_masses(members.clone(), halting, size, smallest);
        let masses = Masses {
            windows: windows.clone(),
            kept,
        };
        let means = Means {
            members,
            nodes: nodes.clone(),
            masses: masses.clone(),
        };
        (
            record::<Cube, C, _, _>(of_nodes, means, nodes),
            record::<Cube, C, _, _>(of_windows, masses, windows),
            Self::from_inner(mask),
        )
    }
}

impl Derivative<Cube, 1> for Masses {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 1],
    ) -> [Option<FloatTensor<Cube>>; 1] {
        let found = Cube::gradient_of_halting(self.windows, self.kept, gradient, true);
        [Some(found)]
    }
}

impl Derivative<Cube, 2> for Means {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 2],
    ) -> [Option<FloatTensor<Cube>>; 2] {
        let Masses { windows, kept } = self.masses;
        let (of_members, of_masses) = Cube::gradients_of_means(
            self.members,
            self.nodes,
            windows.clone(),
            kept.clone(),
            gradient,
        );
        let of_halting = Cube::gradient_of_halting(windows, kept, of_masses, false);
        [Some(of_members), Some(of_halting)]
    }
}

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
fn summarise(
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
fn gradients_of_masses(
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
fn gradients_of_members(
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
fn gradient_of_p(
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
