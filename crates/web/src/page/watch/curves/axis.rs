//! An axis: its range, linear or logarithmic, and its marks.

use super::series::{Range, Series, in_view};
use crate::page::base::quantity::Quantity;
use crate::page::watch::scale::{between, label, log_marks};

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Values at which the axis has marks.
    pub marks: Vec<f64>,
}

impl Axis {
    /// Returns the axis of the steps in view.
    pub fn of_steps((from, to): Range) -> Self {
        let marks = between(from as f64, to.max(from + 1) as f64, 4);
        Self {
            low: from as f64,
            high: to.max(from + 1) as f64,
            log: false,
            marks: marks
                .into_iter()
                .filter(|mark| *mark >= from as f64 && *mark <= to as f64)
                .collect(),
        }
    }

    /// The axis of a quantity: from 0 while the whole run is in view, otherwise only the range in
    /// view.
    pub fn of_values(
        quantity: Quantity,
        all: &[Series],
        range: Range,
        whole: bool,
        log: bool,
    ) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0f64);
        for series in all {
            for points in [&series.history.training, &series.history.validation] {
                for point in in_view(points, range) {
                    let Some((least, most)) = quantity.range(&point) else {
                        continue;
                    };
                    if !log || least > 0.0 {
                        low = low.min(least);
                    }
                    high = high.max(most);
                }
            }
        }
        if !low.is_finite() {
            low = 0.0;
        }
        if log && high > 0.0 {
            let marks = log_marks(if low > 0.0 { low } else { high / 10.0 }, high);
            return Self {
                low: marks[0],
                high: marks[marks.len() - 1],
                log,
                marks,
            };
        }
        let (low, high) = match (whole, quantity.is_share()) {
            (true, true) => (0.0, 1.0),
            (true, false) => (0.0, high),
            (false, _) => (low, high),
        };
        let marks = between(low, high, 4);
        Self {
            low: marks[0],
            high: marks[marks.len() - 1],
            log: false,
            marks,
        }
    }

    /// Returns the place of a value: 0 to 1 within the axis, beyond that outside.
    pub fn place(&self, value: f64) -> f64 {
        if self.log {
            let value = value.max(self.low / 1e3);
            return (value / self.low).ln() / (self.high / self.low).ln();
        }
        (value - self.low) / (self.high - self.low)
    }

    /// Returns the value at a place from 0 to 1, on a linear axis.
    pub fn value(&self, place: f64) -> f64 {
        self.low + place.clamp(0.0, 1.0) * (self.high - self.low)
    }

    /// Returns the label of a mark.
    pub fn words(&self, quantity: Option<Quantity>, mark: f64) -> String {
        let step = match self.marks[..] {
            [one, other, ..] => other - one,
            _ => 1.0,
        };
        match quantity {
            Some(quantity) if quantity.is_share() => {
                if step >= 0.01 {
                    format!("{:.0}\u{202f}%", mark * 100.0)
                } else {
                    format!("{:.1}\u{202f}%", mark * 100.0)
                }
            }
            _ if self.log => label(mark, mark),
            _ => label(mark, step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_equal_ways_for_equal_ratios() {
        let axis = Axis {
            low: 0.01,
            high: 100.0,
            log: true,
            marks: Vec::new(),
        };
        for (value, place) in [(0.01, 0.0), (1.0, 0.5), (100.0, 1.0)] {
            assert!((axis.place(value) - place).abs() < 1e-9);
        }
        assert!(axis.place(0.0) < 0.0);
    }

    #[test]
    fn an_axis_without_points_is_one_nevertheless() {
        for log in [false, true] {
            let axis = Axis::of_values(Quantity::Loss, &[], (0, 20), true, log);
            assert!(axis.marks.len() >= 2 && axis.place(axis.marks[0]) == 0.0);
        }
        let steps = Axis::of_steps((0, 20));
        assert_eq!(steps.marks, [0.0, 5.0, 10.0, 15.0, 20.0]);
    }
}
