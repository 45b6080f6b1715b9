//! Loss and correct predictions of a teacher-forced pass, left on the device until read.

use burn::tensor::{Device, ExecutionError, Int, Tensor, TensorData, Transaction};

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
