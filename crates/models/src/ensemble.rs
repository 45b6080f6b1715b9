//! Ensembles: the mean of several models' probabilities (Sutskever et al. 2014, 3.4).

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

/// Combines logits so that their softmax over the last dimension is the mean of the models'
/// softmaxes. Logits of a single model are returned unchanged.
///
/// # Panics
/// If there are no logits, or their shapes differ.
pub fn mean_logits<const D: usize>(logits: Vec<Tensor<D>>) -> Tensor<D> {
    let count = logits.len() as f64;
    let mut logits = logits.into_iter();
    let first = logits.next().expect("an ensemble has a model");
    if count == 1.0 {
        return first;
    }
    // The logarithm ln Σ pᵢ is summed two at a time: ln(eᵃ + eᵇ) = max + ln(1 + e^(min − max)).
    let sum = logits.fold(log_softmax(first, D - 1), |sum, other| {
        let other = log_softmax(other, D - 1);
        let larger = sum.clone().max_pair(other.clone());
        let smaller = sum.min_pair(other);
        larger.clone() + (smaller - larger).exp().log1p()
    });
    sum - count.ln()
}

#[cfg(test)]
mod tests {
    use burn::tensor::activation::softmax;
    use burn::tensor::{Device, Tolerance};

    use super::*;

    #[test]
    fn probabilities_are_averaged() {
        let device = Device::flex();
        let logits = [[1.0, 2.0, -30.0], [0.5, -4.0, 3.0], [0.0, 0.0, 60.0]];
        let logits = logits.map(|row| Tensor::<2>::from_data([row], &device));
        let mean = logits.clone().map(|it| softmax(it, 1));
        let mean = mean
            .into_iter()
            .reduce(|a, b| a + b)
            .expect("there are three")
            / 3.0;
        let ours = softmax(mean_logits(logits.to_vec()), 1);
        ours.into_data()
            .assert_approx_eq::<f32>(&mean.into_data(), Tolerance::absolute(1e-6));
    }

    #[test]
    fn one_model_stays_as_it_is() {
        let logits = Tensor::<2>::from_data([[1.0, 2.0]], &Device::flex());
        let same = mean_logits(vec![logits.clone()]);
        assert_eq!(same.into_data(), logits.into_data());
    }
}
