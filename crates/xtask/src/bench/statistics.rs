//! Statistics of several rounds.

use std::fmt::{self, Display, Formatter};

/// Returns the median of some numbers, or NaN if there are none.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let at = |index: usize| numbers.get(index).copied().unwrap_or(f64::NAN);
    let (length, half) = (numbers.len(), numbers.len() / 2);
    match length % 2 {
        0 if length > 0 => (at(half - 1) + at(half)) / 2.0,
        _ => at(half),
    }
}

/// Median, minimum and maximum of a ratio that was measured in several rounds.
pub struct Spread {
    /// Median of the ratios.
    pub median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    /// Computes the ratios of two measures round by round, because the programs of one round met
    /// the same disturbances.
    pub fn of_ratios(these: &[f64], those: &[f64]) -> Self {
        let ratios: Vec<f64> = these.iter().zip(those).map(|(a, b)| a / b).collect();
        Self {
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            median: median(ratios),
        }
    }
}

impl Display for Spread {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.2}", self.median)?;
        if self.least < self.most {
            write!(formatter, " ({:.2} to {:.2})", self.least, self.most)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_does_not_depend_on_the_order() {
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 9.0, 2.0]), 3.0);
        assert_eq!(median(vec![7.0]), 7.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        // The ratio of the medians would be 2.0: the second round was slow for both.
        let spread = Spread::of_ratios(&[10.0, 40.0, 20.0], &[4.0, 10.0, 10.0]);
        assert_eq!(spread.to_string(), "2.50 (2.00 to 4.00)");
        assert_eq!(Spread::of_ratios(&[3.0], &[2.0]).to_string(), "1.50");
    }
}
