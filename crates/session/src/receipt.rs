//! Receipts: what a run has come to at a step, so that somebody else can check the run by training
//! again.
//!
//! - here: [`Receipt`], and whether one can be checked at all
//! - `digest`: a number for all parameters; `verdict`: a receipt against the run that was repeated
//! - `rerun`: repeats a run, by commands and events of a session
//!
//! The way of a receipt, from a learner's run to a verdict (paths leave out `crates/` and `src/`):
//! `web/page/lesson/player/run_record.rs` → [`Receipt::of`], [`digest()`] →
//! `web/page/lesson/progress.rs` or `code.rs` → `web/page/lesson/in_class/checking.rs`, or
//! `cli/command/receipt/check.rs` → `rerun` in a worker or a session → `verdict` →
//! `web/page/lesson/in_class/table.rs`.

mod digest;
mod rerun;
mod verdict;

use serde::{Deserialize, Serialize};

pub use digest::digest;
pub use rerun::Rerun;
pub use verdict::{Compared, Difference, Quantity, TOLERANCE, Tolerance, Verdict};

/// The most steps of a run that a receipt may name.
const MOST_STEPS: u64 = 1_000_000;
/// The most losses of each kind in a receipt.
const MOST_LOSSES: usize = 400;
/// Length of the longest address, in bytes.
const LONGEST_ADDRESS: usize = 4000;
/// The most points of each kind that [`Receipt::of`] keeps.
const KEPT: usize = 40;
/// Number of hexadecimal digits of a digest, in a file and in a short code.
const DIGITS: [usize; 2] = [16, 8];

/// Result of a run at a step: parameters as a digest, and losses.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Receipt {
    /// Address of the experiment, from `?` on.
    pub address: String,
    /// Number of steps that the run has taken.
    pub step: u64,
    /// [`digest`] of the parameters after that step, in hexadecimal digits; a short code has the
    /// first half.
    pub digest: String,
    /// Name of the device, for people; empty if nobody knows.
    #[serde(default)]
    pub device: String,
    /// Losses of single training steps: step and loss.
    #[serde(default)]
    pub training: Vec<(u64, f64)>,
    /// Validations: step, loss and accuracy.
    #[serde(default)]
    pub validations: Vec<(u64, f64, f64)>,
}

impl Receipt {
    /// Makes the receipt of a run at a step from all that was reported of it: losses of training
    /// steps, and validations. At most 40 of each are kept.
    pub fn of(
        address: String,
        step: u64,
        digest: u64,
        device: &str,
        training: &[(u64, f64)],
        validations: &[(u64, f64, f64)],
    ) -> Self {
        let training: Vec<_> = training.iter().filter(|it| it.0 <= step).collect();
        let validations: Vec<_> = validations.iter().filter(|it| it.0 <= step).collect();
        Self {
            address,
            step,
            digest: format!("{digest:016x}"),
            device: device.chars().take(80).collect(),
            training: kept(&training, |it| it.0.is_power_of_two())
                .map(|it| (it.0, rounded(it.1)))
                .collect(),
            validations: kept(&validations, |_| false)
                .map(|it| (it.0, rounded(it.1), rounded(it.2)))
                .collect(),
        }
    }

    /// Returns why a receipt cannot be one that Strata wrote; `None` for a good one.
    pub fn fault(&self) -> Option<Fault> {
        let finite = self.training.iter().all(|it| it.1.is_finite())
            && self
                .validations
                .iter()
                .all(|it| it.1.is_finite() && it.2.is_finite());
        let ascends = ascend(self.training.iter().map(|it| it.0), self.step)
            && ascend(self.validations.iter().map(|it| it.0), self.step);
        let is_digest = DIGITS.contains(&self.digest.len())
            && self.digest.bytes().all(|it| it.is_ascii_hexdigit());
        let fits = self.address.len() <= LONGEST_ADDRESS
            && self.training.len() <= MOST_LOSSES
            && self.validations.len() <= MOST_LOSSES;
        if self.step > MOST_STEPS {
            Some(Fault::TooLong)
        } else if !(is_digest && fits && finite && ascends) || self.step == 0 {
            Some(Fault::Unreadable)
        } else {
            None
        }
    }

    /// True for the receipt of a short code, whose numbers are rounded.
    pub fn is_short(&self) -> bool {
        self.digest.len() == DIGITS[1]
    }
}

/// True if steps ascend up to the last one.
fn ascend(steps: impl Iterator<Item = u64>, last: u64) -> bool {
    let steps: Vec<u64> = steps.collect();
    steps.is_sorted() && steps.last().is_none_or(|it| *it <= last)
}

/// Why a receipt cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The receipt is none that Strata writes.
    Unreadable,
    /// The run has more steps than any that is repeated.
    TooLong,
}

/// Returns at most [`KEPT`] of the points, evenly, and those that `also` names; first and last stay.
fn kept<'a, T>(points: &'a [&'a T], also: impl Fn(&T) -> bool) -> impl Iterator<Item = &'a T> {
    let stride = points.len().div_ceil(KEPT).max(1);
    let last = points.len().saturating_sub(1);
    let points = points.iter().enumerate();
    let points = points.filter(move |(at, it)| {
        let evenly = (last - at).is_multiple_of(stride);
        evenly || *at == 0 || also(it)
    });
    points.map(|(_, it)| *it)
}

/// Rounds to six digits after the point.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receipt() -> Receipt {
        let training: Vec<_> = (1..=400_u32)
            .map(|it| (it.into(), 3.0 / f64::from(it)))
            .collect();
        let validations: Vec<_> = (1..=4).map(|it| (it * 100, 1.0, 0.5)).collect();
        let address = "?v=1&preset=copy".to_owned();
        Receipt::of(address, 300, 0xab, "CPU (flex)", &training, &validations)
    }

    #[test]
    fn a_receipt_keeps_the_first_steps_the_last_and_some_between() {
        let receipt = receipt();
        assert_eq!(receipt.digest, "00000000000000ab");
        let steps: Vec<u64> = receipt.training.iter().map(|it| it.0).collect();
        for step in [1, 2, 4, 8, 16, 256, 300] {
            assert!(steps.contains(&step), "{step}: {steps:?}");
        }
        assert!(steps.len() < 60 && !steps.contains(&301), "{steps:?}");
        assert_eq!(receipt.validations.len(), 3);
        assert_eq!(receipt.fault(), None);
    }

    #[test]
    fn what_strata_does_not_write_is_no_receipt() {
        let broken: [fn(&mut Receipt); 9] = [
            |it| it.digest = "xyz".to_owned(),
            |it| it.digest = "g".repeat(16),
            |it| it.step = 0,
            |it| it.training[0].1 = f64::NAN,
            |it| it.validations[0].2 = f64::INFINITY,
            |it| it.training.reverse(),
            |it| it.training.push((u64::MAX, 1.0)),
            |it| it.address = "x".repeat(1 << 20),
            |it| it.training = vec![(1, 1.0); 1 << 20],
        ];
        for (at, breaks) in broken.into_iter().enumerate() {
            let mut it = receipt();
            breaks(&mut it);
            assert_eq!(it.fault(), Some(Fault::Unreadable), "{at}");
        }
        let mut long = receipt();
        long.step = u64::MAX;
        assert_eq!(long.fault(), Some(Fault::TooLong));
        assert_eq!(Receipt::default().fault(), Some(Fault::Unreadable));
    }
}
