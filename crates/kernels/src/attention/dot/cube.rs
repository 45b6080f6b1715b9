//! Dot-product attention on a GPU: one unit per query, in the backward pass also one per key, with
//! sums over the other side in its registers (as Dao et al. 2022, without blocks: heads here are
//! narrow and sentences short).

mod kernels;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
#[cfg(feature = "fusion")]
use burn::tensor::DType;
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;

use super::DotAttention;
use crate::attention::rows::{broadcast, heads, lanes};
use crate::cube::{dims, element, empty, units};
use crate::node::{Derivative, record};
use kernels::{attend, gradient_of_keys, gradient_of_queries, gradient_of_values, sums_of_queries};

impl DotAttention for CubeBackend {
    fn dot_attention(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        mask: CubeTensor,
        scale: f32,
        _levels: usize,
    ) -> CubeTensor {
        Self::context_and_log_sums(query, keys, values, mask, scale).0
    }
}

/// Backward pass of [`DotAttention`].
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait DotGradients: Backend {
    /// Computes the context, and log Σ e^score of every query, `[B, H, T]`, in F32.
    #[fusion(meta = |query, _keys, values, _mask, _scale| {
        let [b, h, t, width] = [query.shape[0], query.shape[1], query.shape[2], values.shape[3]];
        let context = TensorSpec::new([b, h, t, width].into(), query.dtype);
        (context, TensorSpec::new([b, h, t].into(), DType::F32))
    })]
    fn context_and_log_sums(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        scale: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// Computes the gradients of query, keys and values.
    #[fusion(meta = |query, keys, values, _mask, _context, _log_sums, _gradient, _scale| {
        (query.clone(), keys.clone(), values.clone())
    })]
    fn dot_gradients(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        context: FloatTensor<Self>,
        log_sums: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        scale: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

impl DotGradients for CubeBackend {
    fn context_and_log_sums(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        mask: CubeTensor,
        scale: f32,
    ) -> (CubeTensor, CubeTensor) {
        let ([b, h, t, width], [_, _, _, value_width]) = (dims(&query), dims(&values));
        let context = heads(&query, [b, h, t, value_width]);
        let log_sums = empty(&query, [b, h, t]);
        let lanes = lanes([&query, &keys, &values, &context]);
        let (cubes, size) = units(&query, b * h * t);
        let element = element(&query);
        attend::launch(
            &log_sums.client,
            cubes,
            size,
            lanes,
            query.into_tensor_arg(),
            keys.into_tensor_arg(),
            values.into_tensor_arg(),
            broadcast(mask).into_tensor_arg(),
            context.clone().into_tensor_arg(),
            log_sums.clone().into_tensor_arg(),
            scale,
            width / lanes,
            value_width / lanes,
            element,
        );
        (context, log_sums)
    }

    fn dot_gradients(
        query: CubeTensor,
        keys: CubeTensor,
        values: CubeTensor,
        mask: CubeTensor,
        context: CubeTensor,
        log_sums: CubeTensor,
        gradient: CubeTensor,
        scale: f32,
    ) -> (CubeTensor, CubeTensor, CubeTensor) {
        let (client, element) = (query.client.clone(), element(&query));
        let shape @ [b, h, t, width] = dims(&query);
        let [_, _, s, value_width] = dims(&values);
        let mask = broadcast(mask);
        let of_query = heads(&query, shape);
        let of_keys = heads(&query, [b, h, s, width]);
        let of_values = heads(&query, [b, h, s, value_width]);
        let lanes = lanes([
            &query, &keys, &values, &context, &gradient, &of_query, &of_keys, &of_values,
        ]);
        let (width, value_width) = (width / lanes, value_width / lanes);
        let sums = query_sums(context, gradient.clone(), log_sums, lanes);
        let (cubes, size) = units(&query, b * h * t);
        let arg = |tensor: &CubeTensor| tensor.clone().into_tensor_arg();
        gradient_of_queries::launch(
            &client,
            cubes,
            size,
            lanes,
            arg(&query),
            arg(&keys),
            arg(&values),
            arg(&mask),
            arg(&gradient),
            arg(&sums),
            arg(&of_query),
            scale,
            width,
            value_width,
            element,
        );
        let (cubes, size) = units(&query, b * h * s);
        gradient_of_keys::launch(
            &client,
            cubes.clone(),
            size,
            lanes,
            arg(&query),
            arg(&keys),
            arg(&values),
            arg(&mask),
            arg(&gradient),
            arg(&sums),
            arg(&of_keys),
            scale,
            width,
            value_width,
            element,
        );
        gradient_of_values::launch(
            &client,
            cubes,
            size,
            lanes,
            arg(&query),
            arg(&keys),
            arg(&mask),
            arg(&gradient),
            arg(&sums),
            arg(&of_values),
            scale,
            width,
            value_width,
            element,
        );
        (of_query, of_keys, of_values)
    }
}

/// Computes log Σ e^score and Σ gradient · context of each query, `[B, H, T, 2]`, in F32.
fn query_sums(
    context: CubeTensor,
    gradient: CubeTensor,
    log_sums: CubeTensor,
    lanes: usize,
) -> CubeTensor {
    let [b, h, t, value_width] = dims(&context);
    let sums = empty(&context, [b, h, t, 2]);
    let (cubes, size) = units(&context, b * h * t);
    let element = element(&context);
    sums_of_queries::launch(
        &sums.client,
        cubes,
        size,
        lanes,
        context.into_tensor_arg(),
        gradient.into_tensor_arg(),
        log_sums.into_tensor_arg(),
        sums.clone().into_tensor_arg(),
        value_width / lanes,
        element,
    );
    sums
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    inputs: [FloatTensor<Cube>; 4],
    context: FloatTensor<Cube>,
    log_sums: FloatTensor<Cube>,
    scale: f32,
}

impl<C: CheckpointStrategy> DotAttention for Autodiff<Cube, C> {
    fn dot_attention(
        query: FloatTensor<Self>,
        keys: FloatTensor<Self>,
        values: FloatTensor<Self>,
        mask: FloatTensor<Self>,
        scale: f32,
        _levels: usize,
    ) -> FloatTensor<Self> {
        let nodes = [query.node(), keys.node(), values.node()];
        let inputs = [query, keys, values, mask].map(FloatTensor::<Self>::into_primitive);
        let [query, keys, values, mask] = inputs.clone();
        let (context, log_sums) = Cube::context_and_log_sums(query, keys, values, mask, scale);
        let saved = Saved {
            inputs,
            context: context.clone(),
            log_sums,
            scale,
        };
        record::<Cube, C, _, _>(nodes, saved, context)
    }
}

impl Derivative<Cube, 3> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        _wanted: [bool; 3],
    ) -> [Option<FloatTensor<Cube>>; 3] {
        let [query, keys, values, mask] = self.inputs;
        let (context, log_sums) = (self.context, self.log_sums);
        let (query, keys, values) = Cube::dot_gradients(
            query, keys, values, mask, context, log_sums, gradient, self.scale,
        );
        [query, keys, values].map(Some)
    }
}
