//! Mean that is accumulated piece by piece.

/// Running mean as sum and count, so that parts of different sizes combine correctly: the mean over
/// the tokens of two batches is not the mean of the batches' means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Running {
    /// Sum of all values.
    pub sum: f64,
    /// Number of values.
    pub count: u64,
}

impl Running {
    /// Adds `count` values with the given sum.
    pub fn add(&mut self, sum: f64, count: u64) {
        self.sum += sum;
        self.count += count;
    }

    /// Adds `count` values with the given mean; if `count` is 0 the mean, which may be NaN, is
    /// ignored.
    pub fn add_mean(&mut self, mean: f64, count: u64) {
        if count > 0 {
            self.add(mean * count as f64, count);
        }
    }

    /// Mean of all values; `None` before the first value.
    pub fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl std::ops::AddAssign for Running {
    fn add_assign(&mut self, other: Self) {
        self.add(other.sum, other.count);
    }
}

impl std::iter::Sum for Running {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let mut total = Self::default();
        parts.for_each(|part| total += part);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_weigh_by_their_size() {
        let mut running = Running::default();
        assert_eq!(running.mean(), None);
        running.add_mean(1.0, 3);
        running.add_mean(5.0, 1);
        assert_eq!(running.mean(), Some(2.0));
    }

    #[test]
    fn an_empty_part_changes_nothing() {
        let mut running = Running { sum: 4.0, count: 2 };
        running.add_mean(f64::NAN, 0);
        assert_eq!(running.mean(), Some(2.0));
    }

    #[test]
    fn parts_sum_up() {
        let parts = [
            Running { sum: 3.0, count: 3 },
            Running { sum: 0.0, count: 5 },
        ];
        assert_eq!(
            parts.into_iter().sum::<Running>(),
            Running { sum: 3.0, count: 8 }
        );
    }
}
