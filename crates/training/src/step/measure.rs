//! Loss and correct predictions of a teacher-forced pass, left on the device until read.

use burn::tensor::{Device, ExecutionError, Int, Tensor, TensorData, Transaction};
use strata_models::{PAD, Tokens};

/// Counts the target tokens without padding that the logits predict: `[1]`.
///
/// # Shapes
/// - logits `[B, T, V]`, without autodiff; target `[B, T]` → `[1]`
pub(crate) fn correct(logits: Tensor<3>, target: &Tokens, device: &Device) -> Tensor<1> {
    let [b, t, _] = logits.dims();
    let target: Tensor<2, Int> = target.tensor(device);
    let predicted: Tensor<2, Int> = logits.argmax(2).reshape([b, t]);
    let correct = predicted.equal(target.clone());
    let real = target.not_equal_elem(PAD as i32);
    correct.bool_and(real).float().sum()
}

/// Counts the starts and ends of answers that a reader predicts correctly: `[1]`.
///
/// # Shapes
/// - log-probabilities of start and end, `[B, K·P]`, without autodiff; targets `[B]`
pub(crate) fn correct_ends(
    log_probabilities: &[Tensor<2>; 2],
    targets: &[[usize; 2]],
    device: &Device,
) -> Tensor<1> {
    let right = |at: usize| {
        let places: Vec<i32> = targets.iter().map(|target| target[at] as i32).collect();
        let places = TensorData::new(places, [targets.len(), 1]);
        let places = Tensor::<2, Int>::from_data(places, device);
        let found = log_probabilities[at].clone().argmax(1);
        found.equal(places).float().sum()
    };
    right(0) + right(1)
}

/// Reads single numbers from the device, all in one transaction.
///
/// GPU–CPU sync point.
pub(crate) async fn read<const N: usize>(
    numbers: [Tensor<1>; N],
) -> Result<[f64; N], ExecutionError> {
    let mut read = [f64::NAN; N];
    let transaction = numbers
        .into_iter()
        .fold(Transaction::default(), Transaction::register);
    let data = transaction.execute_async().await?;
    for (number, data) in read.iter_mut().zip(data) {
        if let Some(value) = data.iter::<f64>().next() {
            *number = value;
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn padding_is_never_correct() {
        let device = Device::default();
        // Class 2 is the most probable one at every place but the last, where class 0, padding, is.
        let row = |most: usize| {
            let mut row = [0.0f32; 4];
            row[most] = 1.0;
            row
        };
        let logits = Tensor::from_data(
            [[row(2), row(2), row(2)], [row(2), row(2), row(0)]],
            &device,
        );
        let target = Tokens::pad(&[vec![2, 3, 2], vec![2]]);
        let [found] = pollster::block_on(read([correct(logits, &target, &device)])).unwrap();
        assert_eq!(found, 3.0);
    }
}
