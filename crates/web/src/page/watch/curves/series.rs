//! Points of a run as charts draw them: those in view, thinned out, and a smoothed line through
//! them.

use crate::by_pointer::ByPointer;
use crate::page::base::format;
use crate::state::history::{History, Point};
use strata_tasks::Pipeline;

/// The most points that are drawn of a run: about one per pixel of a chart.
pub const DRAWN: usize = 300;

/// A quantity that a chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Loss, in nats per token.
    Loss,
    /// Accuracy: share of tokens predicted.
    Accuracy,
    /// Exact match: share of answers that are right.
    Exact,
    /// Mean F1 of answers.
    F1,
    /// Speed, in target tokens per second.
    Speed,
}

impl Quantity {
    /// Returns the quantities of a form of task, in the order of the charts.
    pub fn of_form(form: Pipeline) -> &'static [Self] {
        match form {
            Pipeline::QuestionAnswering => &[
                Self::Loss,
                Self::Accuracy,
                Self::Exact,
                Self::F1,
                Self::Speed,
            ],
            Pipeline::Translation | Pipeline::Poetry | Pipeline::TextGeneration => {
                &[Self::Loss, Self::Accuracy, Self::Speed]
            }
        }
    }

    /// True if only validations measure the quantity.
    pub fn is_validated(self) -> bool {
        matches!(self, Self::Exact | Self::F1)
    }

    /// Returns the points of a run that have the quantity.
    pub fn points(self, history: &History) -> &[Point] {
        match self.is_validated() {
            true => &history.validation,
            false => &history.training,
        }
    }

    /// Returns the quantity's value at a point.
    pub fn of(self, point: &Point) -> Option<f64> {
        match self {
            Self::Loss => Some(point.loss),
            Self::Accuracy => Some(point.accuracy),
            Self::Exact => point.answers.map(|[exact, _]| exact),
            Self::F1 => point.answers.map(|[_, f1]| f1),
            Self::Speed => point.speed,
        }
    }

    /// Returns the lowest and the highest value within the steps for which a point stands.
    pub fn range(self, point: &Point) -> Option<(f64, f64)> {
        match self {
            Self::Loss => Some(point.loss_range),
            Self::Accuracy => Some(point.accuracy_range),
            Self::Exact | Self::F1 | Self::Speed => self.of(point).map(|value| (value, value)),
        }
    }

    /// Returns the quantity's name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Accuracy => "Accuracy",
            Self::Exact => "Exact",
            Self::F1 => "F1",
            Self::Speed => "Speed",
        }
    }

    /// Returns the heading of a table column, where values have no unit.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Speed => "Tokens/s",
            other => other.title(),
        }
    }

    /// Returns the quantity's definition, a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Loss => {
                "How surprised the model is by the right token. It falls while the model learns."
            }
            Self::Accuracy => {
                "The share of tokens that it gets right, given the right ones before them. It rises."
            }
            Self::Exact => "The share of questions that it answers in the right words.",
            Self::F1 => "How many words its answers share with the right ones.",
            Self::Speed => "How many tokens it learns from in a second, on this device.",
        }
    }

    /// Returns the unit of the quantity's values.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Loss => "nats per token",
            Self::Accuracy => "of tokens",
            Self::Exact => "of answers",
            Self::F1 => "words shared with the right answer",
            Self::Speed => "tokens a second",
        }
    }

    /// Writes a value of the quantity.
    pub fn read(self, value: f64) -> String {
        match self {
            Self::Loss => format::loss(value),
            Self::Accuracy | Self::Exact | Self::F1 => format::percent(value),
            Self::Speed => format::count(value.round().max(0.0) as u64),
        }
    }
}

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
