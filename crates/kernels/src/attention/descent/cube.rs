//! Descent on a GPU: a unit descends with one query and records the query's path. In the backward
//! pass a unit ascends with one query; then a unit per node sums over the queries that reached the
//! node.
//!
//! Backward pass: a query reaches nodes with weights f; G is the gradient of its context. A node's
//! gain is g = G · v; an opened node's gain ḡ is the mean of its children's gains by their weights.
//! The gradient of a child's score is f (g − ḡ).
//!
//! Paths and gradients are rows of floats, whose layout the module `layout` describes.

mod kernels;
mod layout;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;

use super::{PairScore, Plan, PyramidDescent};
use crate::attention::rows::{broadcast, heads, lanes};
use crate::cube::{dims, empty, units};
use crate::node::{Derivative, record};
use kernels::{ascend, descend, gather, gather_windows};
use layout::PyramidLaunch;

impl PyramidDescent for CubeBackend {
    fn pyramid_descent(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        mask: CubeTensor,
        windows: CubeTensor,
        _parameters: CubeTensor,
        plan: Plan,
    ) -> CubeTensor {
        let scale = plan.score.scale();
        Self::context_and_paths(query, keys, values, mask, windows, plan, scale).0
    }
}

impl PairScore {
    /// Factor of the dot product.
    fn scale(self) -> f32 {
        match self {
            Self::Dot(scale) => scale,
            Self::Additive | Self::Prepared => {
                unreachable!("the additive score is refused on GPUs")
            }
        }
    }
}

impl Plan {
    /// Sizes of the pyramid as an argument of a kernel.
    fn sizes(&self) -> PyramidLaunch {
        PyramidLaunch::new(self.leaves(), self.levels(), self.block, self.beam)
    }
}

/// Backward pass of [`PyramidDescent`].
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait DescentGradients: Backend {
    /// Computes the context, and the paths of the queries, `[B, H, T, 2 E + 2 O]`.
    #[fusion(meta = |query, _keys, values, _mask, _windows, plan, _scale| {
        let [b, h, t, width] = [query.shape[0], query.shape[1], query.shape[2], values.shape[3]];
        let spec = |width| TensorSpec::new([b, h, t, width].into(), query.dtype);
        (spec(width), spec(2 * plan.entries() + 2 * plan.opened()))
    })]
    fn context_and_paths(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        plan: Plan,
        scale: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of the query and, concatenated as `[B, H, T, E + O]`, the gradients
    /// of the scores of all reached nodes and the gains of the opened ones.
    #[fusion(meta = |query, _keys, _values, _paths, _gradient, plan, _scale| {
        let [b, h, t] = [query.shape[0], query.shape[1], query.shape[2]];
        let width = plan.entries() + plan.opened();
        (query.clone(), TensorSpec::new([b, h, t, width].into(), query.dtype))
    })]
    fn gradients_of_queries(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        paths: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        plan: Plan,
        scale: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of keys and values.
    #[fusion(meta = |keys, values, _query, _paths, _slopes, _gradient, _plan, _scale| {
        (keys.clone(), values.clone())
    })]
    fn gradients_of_nodes(
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        query: FloatTensor<Self>,
        paths: FloatTensor<Self>,
        slopes: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        plan: Plan,
        scale: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradient of the windows' biases.
    #[fusion(dtype = windows, shape = windows)]
    fn gradient_of_windows(
        windows: FloatTensor<Self>,
        paths: FloatTensor<Self>,
        slopes: FloatTensor<Self>,
        plan: Plan,
    ) -> FloatTensor<Self>;
}

impl DescentGradients for CubeBackend {
    fn context_and_paths(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        mask: CubeTensor,
        windows: CubeTensor,
        plan: Plan,
        scale: f32,
    ) -> (CubeTensor, CubeTensor) {
        let ([b, h, t, width], [_, _, _, value_width]) = (dims(&query), dims(&values));
        let context = heads(&query, [b, h, t, value_width]);
        let paths = empty(&query, [b, h, t, 2 * plan.entries() + 2 * plan.opened()]);
        let lanes = lanes([&query, &keys, &values, &context]);
        let (cubes, size) = units(&query, b * h * t);
        descend::launch(
            &paths.client,
            cubes,
            size,
            lanes,
            query.into_tensor_arg(),
            keys.into_tensor_arg(),
            values.into_tensor_arg(),
            broadcast(mask).into_tensor_arg(),
            broadcast(windows).into_tensor_arg(),
            context.clone().into_tensor_arg(),
            paths.clone().into_tensor_arg(),
            plan.sizes(),
            scale,
            plan.learned,
            width / lanes,
            value_width / lanes,
        );
        (context, paths)
    }

    fn gradients_of_queries(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        paths: CubeTensor,
        gradient: CubeTensor,
        plan: Plan,
        scale: f32,
    ) -> (CubeTensor, CubeTensor) {
        let (shape @ [b, h, t, width], [_, _, _, value_width]) = (dims(&query), dims(&values));
        let of_query = heads(&query, shape);
        let slopes = empty(&query, [b, h, t, plan.entries() + plan.opened()]);
        let lanes = lanes([&keys, &values, &gradient, &of_query]);
        let (cubes, size) = units(&query, b * h * t);
        ascend::launch(
            &slopes.client,
            cubes,
            size,
            lanes,
            keys.into_tensor_arg(),
            values.into_tensor_arg(),
            paths.into_tensor_arg(),
            gradient.into_tensor_arg(),
            of_query.clone().into_tensor_arg(),
            slopes.clone().into_tensor_arg(),
            plan.sizes(),
            scale,
            plan.learned,
            width / lanes,
            value_width / lanes,
        );
        (of_query, slopes)
    }

    fn gradients_of_nodes(
        keys: CubeTensor,
        values: CubeTensor,
        query: CubeTensor,
        paths: CubeTensor,
        slopes: CubeTensor,
        gradient: CubeTensor,
        plan: Plan,
        scale: f32,
    ) -> (CubeTensor, CubeTensor) {
        let (shape @ [b, h, n, width], of_values) = (dims(&keys), dims(&values));
        let of_keys = heads(&keys, shape);
        let [_, _, _, value_width] = of_values;
        let of_values = heads(&keys, of_values);
        let lanes = lanes([&query, &gradient, &of_keys, &of_values]);
        let (cubes, size) = units(&keys, b * h * n);
        gather::launch(
            &of_keys.client,
            cubes,
            size,
            lanes,
            query.into_tensor_arg(),
            paths.into_tensor_arg(),
            slopes.into_tensor_arg(),
            gradient.into_tensor_arg(),
            of_keys.clone().into_tensor_arg(),
            of_values.clone().into_tensor_arg(),
            plan.sizes(),
            scale,
            plan.learned,
            width / lanes,
            value_width / lanes,
        );
        (of_keys, of_values)
    }

    fn gradient_of_windows(
        windows: CubeTensor,
        paths: CubeTensor,
        slopes: CubeTensor,
        plan: Plan,
    ) -> CubeTensor {
        let shape @ [b, h, n, columns] = dims(&windows);
        let found = empty(&windows, shape);
        let (cubes, size) = units(&windows, b * h * n * columns);
        gather_windows::launch(
            &found.client,
            cubes,
            size,
            paths.into_tensor_arg(),
            slopes.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            plan.sizes(),
        );
        found
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    query: FloatTensor<Cube>,
    keys: FloatTensor<Cube>,
    values: FloatTensor<Cube>,
    windows: FloatTensor<Cube>,
    paths: FloatTensor<Cube>,
    plan: Plan,
    scale: f32,
}

impl<C: CheckpointStrategy> PyramidDescent for Autodiff<Cube, C> {
    fn pyramid_descent(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        windows: FloatTensor<Self>,
        _parameters: FloatTensor<Self>,
        plan: Plan,
    ) -> FloatTensor<Self> {
        let scale = plan.score.scale();
        let nodes = [query.node(), keys.node(), values.node(), windows.node()];
        let inputs = [query, keys, values, windows, mask];
        let [query, keys, values, windows, mask] = inputs.map(FloatTensor::<Self>::into_primitive);
        let saved = [&query, &keys, &values, &windows].map(Clone::clone);
        let (context, paths) =
            Cube::context_and_paths(query, keys, values, mask, windows, plan.clone(), scale);
        let [query, keys, values, windows] = saved;
        let saved = Saved {
            query,
            keys,
            values,
            windows,
            paths,
            plan,
            scale,
        };
        record::<Cube, C, _, _>(nodes, saved, context)
    }
}

impl Derivative<Cube, 4> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        wanted: [bool; 4],
    ) -> [Option<FloatTensor<Cube>>; 4] {
        let Self {
            query,
            keys,
            values,
            windows,
            paths,
            plan,
            scale,
        } = self;
        let (of_query, slopes) = Cube::gradients_of_queries(
            query.clone(),
            keys.clone(),
            values.clone(),
            paths.clone(),
            gradient.clone(),
            plan.clone(),
            scale,
        );
        let (of_keys, of_values) = Cube::gradients_of_nodes(
            keys,
            values,
            query,
            paths.clone(),
            slopes.clone(),
            gradient,
            plan.clone(),
            scale,
        );
        let of_windows = (plan.learned && wanted[3])
            .then(|| Cube::gradient_of_windows(windows, paths, slopes, plan));
        [Some(of_query), Some(of_keys), Some(of_values), of_windows]
    }
}
