//! An axis: places of numbers, and round numbers for its marks.

/// An axis from `low` to `high`.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    low: f64,
    high: f64,
    /// Places of both ends, in pixels.
    places: [f64; 2],
}

impl Scale {
    /// Returns an axis that contains all finite numbers of `numbers`.
    pub fn of(numbers: impl Iterator<Item = f64>, places: [f64; 2]) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers.filter(|it| it.is_finite()) {
            low = low.min(number);
            high = high.max(number);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        } else if low == high {
            let around = low.abs().max(1.0) * 0.1;
            // The axis of numbers that are never negative has no negative mark.
            let least = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
            (low, high) = ((low - around).max(least), high + around);
        }
        Self { low, high, places }
    }

    /// Returns the place of a number.
    pub fn at(&self, number: f64) -> f64 {
        let [from, to] = self.places;
        from + (number - self.low) / (self.high - self.low) * (to - from)
    }

    /// Returns about five round numbers on the axis, and the number of decimals to write.
    pub fn marks(&self) -> (Vec<f64>, usize) {
        let rough = (self.high - self.low) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * power);
        let step = step.into_iter().find(|it| *it >= rough).unwrap_or(rough);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil();
        let marks = (0..10).map(|at| (first + f64::from(at)) * step);
        // The tolerance keeps rounding errors from losing the last mark.
        (
            marks
                .take_while(|it| *it <= self.high + step * 1e-9)
                .collect(),
            digits,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_on_the_axis() {
        let scale = Scale::of([0.13, 2.4, f64::NAN].into_iter(), [0.0, 100.0]);
        let (marks, digits) = scale.marks();
        let shown: Vec<String> = marks.iter().map(|it| format!("{it:.digits$}")).collect();
        assert_eq!(shown, ["0.5", "1.0", "1.5", "2.0"]);
        assert!(
            marks
                .iter()
                .all(|&it| (0.0..=100.0).contains(&scale.at(it)))
        );
        assert_eq!(scale.at(0.13), 0.0);
        let (marks, digits) = Scale::of([0.0, 7100.0].into_iter(), [0.0, 1.0]).marks();
        assert_eq!((marks.len(), digits), (4, 0));
    }

    #[test]
    fn one_number_and_none_have_an_axis_too() {
        for numbers in [vec![], vec![0.0], vec![3.0, 3.0], vec![f64::INFINITY]] {
            let scale = Scale::of(numbers.into_iter(), [0.0, 10.0]);
            let (marks, _) = scale.marks();
            assert!(!marks.is_empty() && marks.iter().all(|&it| scale.at(it).is_finite()));
            assert!(marks.iter().all(|&it| it >= 0.0), "{marks:?}");
        }
    }
}
