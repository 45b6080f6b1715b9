//! Verdict on a receipt: the same as the run that was repeated, near to it, or not.

use super::{Receipt, Rerun};

/// How far values of two runs of one experiment may lie apart on two processors, which round
/// differently.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Number of the first steps, in which rounding alone makes a difference.
    pub first: u64,
    /// Largest difference of losses in the first steps, as a share of the first loss.
    pub near_first: f64,
    /// Largest difference of losses in later steps, as a share of the first loss: training makes
    /// differences grow.
    pub near_later: f64,
    /// Largest difference of accuracies.
    pub accuracy: f64,
}

/// The tolerance of all receipts.
pub const TOLERANCE: Tolerance = Tolerance {
    first: 8,
    near_first: 0.002,
    near_later: 0.05,
    accuracy: 0.05,
};
/// Share of a loss by which a short code rounds.
const ROUNDING: f64 = 1e-3;

/// Quantity that was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Loss of a training step.
    Training,
    /// Loss of a validation.
    Validation,
    /// Accuracy of a validation.
    Accuracy,
}

/// A value in a receipt, and the same value of the repeated run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Quantity of both values.
    pub quantity: Quantity,
    /// Step of both values.
    pub step: u64,
    /// Value in the receipt.
    pub claimed: f64,
    /// Value of the repeated run.
    pub repeated: f64,
}

/// Values that were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// Number of values in both runs.
    pub count: usize,
    /// The largest difference, as a share of what is allowed.
    pub largest: f64,
}

/// Verdict on a receipt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The parameters are the same, to the last bit.
    Same,
    /// The losses agree as far as the losses of two processors do.
    Near(Compared),
    /// The losses do not agree: the first value that does not.
    Differs(Difference),
    /// The parameters differ, and the receipt has no value to compare.
    Unknown,
    /// The run could not be repeated to the step.
    Unchecked,
}

impl Verdict {
    /// Compares a receipt with the repeated run.
    pub fn of(receipt: &Receipt, rerun: &Rerun) -> Self {
        let Some(digest) = rerun.digest(receipt.step) else {
            return Self::Unchecked;
        };
        let is_same = format!("{digest:016x}").starts_with(&receipt.digest.to_ascii_lowercase());
        let first = rerun.training(1).unwrap_or(1.0);
        let mut compared = Compared::default();
        for difference in differences(receipt, rerun) {
            let mut most = match difference.quantity {
                Quantity::Accuracy => TOLERANCE.accuracy,
                _ => allowed(difference.step, first),
            };
            if receipt.is_short() {
                most += ROUNDING * difference.claimed.abs();
            }
            let share = (difference.claimed - difference.repeated).abs() / most;
            // A value that is no number agrees with nothing.
            if share.is_nan() || share > 1.0 {
                return Self::Differs(difference);
            }
            compared.count += 1;
            compared.largest = compared.largest.max(share);
        }
        match (is_same, compared.count) {
            (true, _) => Self::Same,
            (false, 0) => Self::Unknown,
            (false, _) => Self::Near(compared),
        }
    }
}

/// Returns by how much losses of one step may differ in runs of one experiment on two processors;
/// `first` is the loss of the first step.
fn allowed(step: u64, first: f64) -> f64 {
    let share = if step <= TOLERANCE.first {
        TOLERANCE.near_first
    } else {
        TOLERANCE.near_later
    };
    share * first.abs().max(0.1)
}

/// Returns all values that both runs have, in the order of the receipt.
fn differences<'a>(
    receipt: &'a Receipt,
    rerun: &'a Rerun,
) -> impl Iterator<Item = Difference> + 'a {
    let training = receipt.training.iter().filter_map(move |&(step, claimed)| {
        Some(Difference {
            quantity: Quantity::Training,
            step,
            claimed,
            repeated: rerun.training(step)?,
        })
    });
    let validations = receipt.validations.iter();
    let validations = validations.flat_map(move |&(step, loss, accuracy)| {
        let values = [(Quantity::Validation, loss), (Quantity::Accuracy, accuracy)];
        values.into_iter().filter_map(move |(quantity, claimed)| {
            let (loss, accuracy) = rerun.validation(step)?;
            Some(Difference {
                quantity,
                step,
                claimed,
                repeated: match quantity {
                    Quantity::Accuracy => accuracy,
                    _ => loss,
                },
            })
        })
    });
    training.chain(validations)
}
