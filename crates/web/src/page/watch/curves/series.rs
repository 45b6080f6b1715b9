//! Points of a run as charts draw them: those in view, thinned out, and a smoothed line through
//! them.

use super::shown::Shown;
use crate::by_pointer::ByPointer;
use crate::page::base::quantity::Quantity;
use crate::state::history::{History, Point};

/// The most points that are drawn of a run: about one per pixel of a chart.
pub const DRAWN: usize = 300;

/// A run as the charts draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the run; the present one is "this run".
    pub name: String,
    /// Number of the run; the present one is 0.
    pub run: usize,
    /// Curves of the run.
    pub history: ByPointer<History>,
}

/// Steps in view: the first and the last.
pub type Range = (u64, u64);

/// Returns the last point up to `step`.
pub fn at(points: &[Point], step: u64) -> Option<Point> {
    let after = points.partition_point(|point| point.step <= step);
    after.checked_sub(1).map(|index| points[index])
}

/// Drawn values of a run: the ends of the curves, or the values under the crosshair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Step and value of the smoothed line of training; `None` for a quantity that only validations
    /// measure.
    pub training: Option<(u64, f64)>,
    /// Step and value of the last dot, a validation; `None` for a quantity of training alone.
    pub validation: Option<(u64, f64)>,
}

impl Drawn {
    /// Returns the values of a run at the crosshair; without a crosshair, at the ends of the curves.
    pub fn of(history: &History, quantity: Quantity, shown: &Shown) -> Self {
        let limit = shown.cursor.unwrap_or(u64::MAX);
        let training = (!quantity.is_validated()).then(|| {
            let line = smoothed(&history.training, quantity, shown.smoothing);
            let after = line.partition_point(|(step, _)| *step <= limit);
            after.checked_sub(1).map(|index| line[index])
        });
        let validation = (!quantity.is_of_training())
            .then(|| at(&history.validation, limit))
            .flatten();
        Self {
            training: training.flatten(),
            validation: validation.and_then(|it| Some((it.step, quantity.of(&it)?))),
        }
    }
}

/// Returns the points in view, joined until they are few enough to draw, and one more on either
/// side, so that lines reach the edges.
pub fn in_view(points: &[Point], (from, to): Range) -> Vec<Point> {
    let first = points
        .partition_point(|point| point.step < from)
        .saturating_sub(1);
    let end = (points.partition_point(|point| point.step <= to) + 1).min(points.len());
    let points = points.get(first..end).unwrap_or_default();
    let together = points.len().div_ceil(DRAWN).max(1);
    let join = |points: &[Point]| points.iter().copied().reduce(Point::join);
    points.chunks(together).filter_map(join).collect()
}

/// Returns the exponential moving average of the points: each new point counts `1 − weight`. The
/// average is corrected for its beginning at 0, as Adam's moments are.
pub fn smoothed(points: &[Point], quantity: Quantity, weight: f64) -> Vec<(u64, f64)> {
    let (mut mean, mut total) = (0.0, 0.0);
    let smooth = |point: &Point| {
        let value = quantity.of(point)?;
        mean = weight * mean + (1.0 - weight) * value;
        total = weight * total + (1.0 - weight);
        Some((point.step, mean / total))
    };
    points.iter().filter_map(smooth).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn points(losses: impl Iterator<Item = f64>) -> Vec<Point> {
        let point = |(step, loss)| Point {
            step,
            steps: 1,
            loss,
            loss_range: (loss, loss),
            accuracy: 0.0,
            accuracy_range: (0.0, 0.0),
            speed: None,
            answers: None,
        };
        (1..).zip(losses).map(point).collect()
    }

    #[test]
    fn smoothing_begins_at_the_first_value_and_calms_a_ragged_line() {
        let ragged = points((0..200).map(|index| f64::from(index % 2)));
        let smooth = smoothed(&ragged, Quantity::Loss, 0.95);
        assert_eq!(smooth[0], (1, 0.0));
        assert!(
            smooth[60..]
                .iter()
                .all(|(_, value)| (value - 0.5).abs() < 0.1)
        );
        let same = smoothed(&ragged, Quantity::Loss, 0.0);
        assert!(
            same.iter()
                .zip(&ragged)
                .all(|(one, other)| one.1 == other.loss)
        );
        assert!(smoothed(&ragged, Quantity::Speed, 0.5).is_empty());
    }

    #[test]
    fn the_read_out_shows_the_last_point_up_to_the_cursor() {
        let points = points([3.0, 2.0, 1.0].into_iter());
        assert_eq!(at(&points, 0), None);
        assert_eq!(at(&points, 2).map(|point| point.loss), Some(2.0));
        assert_eq!(at(&points, 99).map(|point| point.loss), Some(1.0));
    }

    #[test]
    fn values_are_those_at_the_ends_of_the_lines() {
        let mut history = History::default();
        history.training = points((0..90).map(|step| f64::from(step % 2)));
        history.validation = points([5.0, 4.0].into_iter());
        let shown = Shown::default();
        let drawn = Drawn::of(&history, Quantity::Loss, &shown);
        let line = smoothed(&history.training, Quantity::Loss, shown.smoothing);
        assert_eq!(drawn.training, line.last().copied());
        assert_ne!(drawn.training.unwrap().1, history.training[89].loss);
        assert_eq!(drawn.validation, Some((2, 4.0)));
        let speed = Drawn::of(&history, Quantity::Speed, &shown);
        assert_eq!(speed, Drawn::default());
        let cursor = Some(1);
        let drawn = Drawn::of(&history, Quantity::Loss, &Shown { cursor, ..shown });
        assert_eq!(drawn.training, Some((1, 0.0)));
        assert_eq!(drawn.validation, Some((1, 5.0)));
    }

    #[test]
    fn few_points_are_drawn_and_extremes_stay() {
        let mut all = points((0..4000).map(|_| 1.0));
        all[1234].loss_range = (0.0, 9.0);
        let drawn = in_view(&all, (1, 4000));
        assert!(drawn.len() <= DRAWN);
        let top = drawn
            .iter()
            .map(|point| point.loss_range.1)
            .fold(0.0, f64::max);
        assert_eq!(top, 9.0);
        let near = in_view(&all, (1000, 1010));
        assert_eq!(
            (near.len(), near[0].step, near.last().unwrap().step),
            (13, 999, 1011)
        );
        assert!(in_view(&[], (0, 9)).is_empty());
    }
}
