//! Linear layer on a GPU: each unit computes one tile of rows and columns in its registers, large
//! enough that most of the time is arithmetic, not reading. Units of a cube share nothing: in small
//! models waiting for each other would cost more than sharing saves.

mod kernels;

use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
#[cfg(feature = "fusion")]
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, backend_extension};
use burn_cubecl::CubeBackend;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;

use super::kernel::LinearOfRows;
use crate::cube::{dims, element, empty, empty_as, lanes, units};
use crate::node::{Derivative, record};
use kernels::{forward, sum_of_parts, sums_of_rows, through_the_weights};

/// Number of rows per unit, which share one reading of the weights.
const ROWS: usize = 8;

/// Number of column vectors per unit, which share one reading of the rows.
const ACROSS: usize = 2;

/// Number of rows that a unit sums over for the gradient of the weights.
const PART: usize = 128;

impl LinearOfRows for CubeBackend {
    fn linear_of_rows(
        x: CubeTensor,
        weight: CubeTensor,
        bias: CubeTensor,
        rectified: bool,
    ) -> CubeTensor {
        let [x, weight, bias] = [x, weight, bias].map(into_contiguous);
        let ([rows, _], [width, columns]) = (dims(&x), dims(&weight));
        let (out, element) = (empty_as(&x, [rows, columns]), element(&x));
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(&x, rows.div_ceil(ROWS) * (columns / lanes).div_ceil(ACROSS));
        forward::launch(
            &out.client,
            cubes,
            size,
            lanes,
            x.into_tensor_arg(),
            weight.into_tensor_arg(),
            bias.into_tensor_arg(),
            out.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            rectified,
            element,
        );
        out
    }
}

/// Backward pass of [`LinearOfRows`]. `out` is the output of the layer, which is read only if it
/// was rectified.
#[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
trait LinearGradients: Backend {
    #[fusion(dtype = gradient, shape = [gradient[0], weight[0]].into())]
    fn gradient_of_rows(
        weight: FloatTensor<Self>,
        out: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self>;

    /// Computes the gradients of the weight and of the bias.
    #[fusion(meta = |x, _out, gradient, _rectified| {
        let (width, columns) = (x.shape[1], gradient.shape[1]);
        let spec = |shape| TensorSpec::new(shape, x.dtype);
        (spec([width, columns].into()), spec([columns].into()))
    })]
    fn gradients_of_layer(
        x: FloatTensor<Self>,
        out: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rectified: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);
}

impl LinearGradients for CubeBackend {
    fn gradient_of_rows(
        weight: CubeTensor,
        out: CubeTensor,
        gradient: CubeTensor,
        rectified: bool,
    ) -> CubeTensor {
        let [weight, out, gradient] = [weight, out, gradient].map(into_contiguous);
        let ([rows, _], [width, columns]) = (dims(&gradient), dims(&weight));
        let (found, element) = (empty_as(&gradient, [rows, width]), element(&gradient));
        let lanes = lanes([width, columns]);
        let (cubes, size) = units(
            &gradient,
            rows.div_ceil(ROWS) * (width / lanes).div_ceil(ACROSS),
        );
        through_the_weights::launch(
            &found.client,
            cubes,
            size,
            lanes,
            weight.into_tensor_arg(),
            out.into_tensor_arg(),
            gradient.into_tensor_arg(),
            found.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            rectified,
            element,
        );
        found
    }

    fn gradients_of_layer(
        x: CubeTensor,
        out: CubeTensor,
        gradient: CubeTensor,
        rectified: bool,
    ) -> (CubeTensor, CubeTensor) {
        let [x, out, gradient] = [x, out, gradient].map(into_contiguous);
        let ([rows, width], [_, columns]) = (dims(&x), dims(&gradient));
        let parts = rows.div_ceil(PART);
        let sums = empty(&x, [parts, width + 1, columns]);
        let of_weight = empty_as(&x, [width, columns]);
        let of_bias = empty_as(&x, [columns]);
        let element = element(&x);
        let lanes = lanes([width, columns]);
        let [down, across] = [width, columns].map(|length| (length / lanes).div_ceil(ACROSS));
        let (cubes, size) = units(&x, parts * (down + 1) * across);
        sums_of_rows::launch(
            &sums.client,
            cubes,
            size,
            lanes,
            x.into_tensor_arg(),
            out.into_tensor_arg(),
            gradient.into_tensor_arg(),
            sums.clone().into_tensor_arg(),
            rows,
            width / lanes,
            columns / lanes,
            parts,
            rectified,
            element,
        );
        let (cubes, size) = units(&sums, (width + 1) * columns / lanes);
        sum_of_parts::launch(
            &of_weight.client,
            cubes,
            size,
            lanes,
            sums.into_tensor_arg(),
            of_weight.clone().into_tensor_arg(),
            of_bias.clone().into_tensor_arg(),
            width * columns / lanes,
            columns / lanes,
            parts,
            element,
        );
        (of_weight, of_bias)
    }
}

/// State saved for the backward pass.
#[derive(Clone, Debug)]
struct Saved {
    x: FloatTensor<Cube>,
    weight: FloatTensor<Cube>,
    /// Output, if it was rectified.
    rectified: Option<FloatTensor<Cube>>,
}

impl<C: CheckpointStrategy> LinearOfRows for Autodiff<Cube, C> {
    fn linear_of_rows(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        rectified: bool,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let (x, weight) = (x.into_primitive(), weight.into_primitive());
        let bias = bias.into_primitive();
        let out = Cube::linear_of_rows(x.clone(), weight.clone(), bias, rectified);
        let saved = Saved {
            x,
            weight,
            rectified: rectified.then(|| out.clone()),
        };
        record::<Cube, C, _, _>(nodes, saved, out)
    }
}

impl Derivative<Cube, 3> for Saved {
    fn backward(
        self,
        gradient: FloatTensor<Cube>,
        [of_x, of_weight, of_bias]: [bool; 3],
    ) -> [Option<FloatTensor<Cube>>; 3] {
        let rectified = self.rectified.is_some();
        let out = self.rectified.unwrap_or_else(|| gradient.clone());
        let of_layer = (of_weight || of_bias)
            .then(|| Cube::gradients_of_layer(self.x, out.clone(), gradient.clone(), rectified));
        let (of_weight, of_bias) = of_layer.unzip();
        let of_x = of_x.then(|| Cube::gradient_of_rows(self.weight, out, gradient, rectified));
        [of_x, of_weight, of_bias]
    }
}
