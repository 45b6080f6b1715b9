//! GPU kernels of blocks with learned borders. The mass of member t in block j is m_jt = max(0,
//! min(c_t, j + 1) − max(c_{t−1}, j)), c_t = Σ_{u≤t} p_u.

mod kernels;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::Blocks;
use crate::cube::{dims, empty, units};
use crate::node::{Derivative, record};
use kernels::{gradient_of_p, gradients_of_masses, gradients_of_members, summarise};

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
    /// Computes nodes, windows, mask, and `kept` (see the module `kernels`), `[B, H, S, 1 + 3·size]`.
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
