//! Squared L2 norm of a tensor.

pub(crate) mod naive;

use burn::tensor::Tensor;

/// Computes Σ x², `[1]`. Has no gradient.
pub fn sum_of_squares(x: Tensor<1>) -> Tensor<1> {
    #[cfg(feature = "flex")]
    if crate::on_cpu(&x) {
        return kernel::sum_of_squares(x);
    }
    naive::sum_of_squares(x)
}

#[cfg(feature = "flex")]
mod kernel {
    use burn::backend::flex::FlexTensor;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, Flex, backend_extension};
    use burn::tensor::Tensor;

    use crate::host::{numbers, tensor};
    use crate::threads::{CHUNK, par_map};
    use crate::vector::{sum_over, vectorised};

    pub(super) fn sum_of_squares(x: Tensor<1>) -> Tensor<1> {
        Tensor::from_dispatch(Dispatch::sum_of_squares(x.into_dispatch()))
    }

    #[backend_extension(Flex)]
    trait SumOfSquares: Backend {
        fn sum_of_squares(x: FloatTensor<Self>) -> FloatTensor<Self>;
    }

    impl SumOfSquares for Flex {
        fn sum_of_squares(x: FlexTensor) -> FlexTensor {
            let x = x.to_contiguous();
            let parts = numbers(&x).chunks(CHUNK);
            let sums = par_map(parts, |x| {
                vectorised(
                    #[inline(always)]
                    || f64::from(sum_over(x, x, |a, b| a * b)),
                )
            });
            tensor(vec![sums.into_iter().sum::<f64>() as f32], [1])
        }
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[test]
    fn every_number_counts_once() {
        let device = Device::flex();
        for count in [0, 1, 17, 20_000] {
            let found: f32 = sum_of_squares(Tensor::<1>::full([count], 3.0, &device)).into_scalar();
            assert_eq!(found, 9.0 * count as f32);
        }
    }
}
