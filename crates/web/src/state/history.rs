//! The curves of a run, thinned out: a curve of any length has at most [`CAPACITY`] points, which
//! keep the extremes of their steps.

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepReport, Validation};

/// The most training points of a run, and the most validations.
pub const CAPACITY: usize = 4000;

/// A point of the curves.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The last of the steps for which the point stands.
    pub step: u64,
    /// Number of steps for which the point stands.
    pub steps: u64,
    /// Mean loss over the steps, in nats per token.
    pub loss: f64,
    /// The lowest and the highest loss among the steps.
    pub loss_range: (f64, f64),
    /// Mean accuracy over the steps: share of tokens predicted.
    pub accuracy: f64,
    /// The lowest and the highest accuracy among the steps.
    pub accuracy_range: (f64, f64),
    /// Target tokens per second of training.
    pub speed: Option<f64>,
    /// Exact match and F1 of a reader's answers; `None` except in validations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<[f64; 2]>,
}

/// Curves of a run so far.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Training points, each the mean over the same number of steps.
    pub training: Vec<Point>,
    /// Validations, or means of neighbouring ones.
    pub validation: Vec<Point>,
    /// Steps per training point, as a power of two: 2^`halvings`.
    halvings: u32,
    /// The last training point, which does not have all its steps yet.
    open: Option<Point>,
}

impl Point {
    /// Joins two points into one; `later` is the one with the later steps.
    pub fn join(self, later: Self) -> Self {
        let (own, other) = (self.steps as f64, later.steps as f64);
        let mean = |one: f64, two: f64| (one * own + two * other) / (own + other);
        let range = |one: (f64, f64), two: (f64, f64)| (one.0.min(two.0), one.1.max(two.1));
        Self {
            step: later.step,
            steps: self.steps + later.steps,
            loss: mean(self.loss, later.loss),
            loss_range: range(self.loss_range, later.loss_range),
            accuracy: mean(self.accuracy, later.accuracy),
            accuracy_range: range(self.accuracy_range, later.accuracy_range),
            speed: match (self.speed, later.speed) {
                // Harmonic mean, weighted by steps: that is the mean of times, not of speeds.
                (Some(one), Some(two)) => Some((own + other) / (own / one + other / two)),
                (one, two) => one.or(two),
            },
            answers: match (self.answers, later.answers) {
                (Some(one), Some(two)) => Some([0, 1].map(|at| mean(one[at], two[at]))),
                (one, two) => two.or(one),
            },
        }
    }
}

impl History {
    /// True if there are points to draw.
    pub fn has_points(&self) -> bool {
        !self.training.is_empty() || !self.validation.is_empty()
    }

    /// Adds a training step; a loss that is not finite is left out.
    pub fn push(&mut self, metrics: &StepReport) {
        if !metrics.loss.is_finite() {
            return;
        }
        let seconds = metrics.milliseconds / 1000.0;
        let speed = metrics.tokens as f64 / seconds;
        let point = Point {
            step: metrics.step,
            steps: 1,
            loss: metrics.loss,
            loss_range: (metrics.loss, metrics.loss),
            accuracy: metrics.accuracy,
            accuracy_range: (metrics.accuracy, metrics.accuracy),
            speed: (seconds > 0.0 && speed > 0.0).then_some(speed),
            answers: None,
        };
        let point = self.open.take().map_or(point, |open| open.join(point));
        if point.steps < 1 << self.halvings {
            self.open = Some(point);
            return;
        }
        self.training.push(point);
        if self.training.len() > CAPACITY {
            // A single last point has no neighbour to be joined with: it becomes the beginning of
            // the next point.
            if self.training.len() % 2 == 1 {
                self.open = self.training.pop();
            }
            halve(&mut self.training);
            self.halvings += 1;
        }
    }

    /// Adds a validation, in place of an earlier one at the same step.
    pub fn validate(&mut self, validation: &Validation) {
        if !validation.loss.is_finite() {
            return;
        }
        self.validation.retain(|point| point.step < validation.step);
        self.validation.push(Point {
            step: validation.step,
            steps: 1,
            loss: validation.loss,
            loss_range: (validation.loss, validation.loss),
            accuracy: validation.accuracy,
            accuracy_range: (validation.accuracy, validation.accuracy),
            speed: None,
            answers: validation.f1().map(|f1| [validation.exact_match, f1]),
        });
        if self.validation.len() > CAPACITY {
            halve(&mut self.validation);
        }
    }

    /// Forgets everything after `step`, from which the run goes on.
    pub fn go_back_to(&mut self, step: u64) {
        self.training.retain(|point| point.step <= step);
        self.validation.retain(|point| point.step <= step);
        self.open = None;
    }

    /// Returns the last step of any curve.
    pub fn last_step(&self) -> u64 {
        let last = |points: &[Point]| points.last().map_or(0, |point| point.step);
        last(&self.training).max(last(&self.validation))
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.training.is_empty() && self.validation.is_empty()
    }
}

/// Joins neighbouring points in pairs; with an odd number the last one stays.
fn halve(points: &mut Vec<Point>) {
    let pairs = std::mem::take(points);
    let joined = |pair: &[Point]| match *pair {
        [earlier, later] => earlier.join(later),
        _ => pair[0],
    };
    *points = pairs.chunks(2).map(joined).collect();
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_training::Scores;

    use super::*;

    fn step(step: u64, loss: f64) -> StepReport {
        StepReport {
            step,
            loss,
            accuracy: 0.5,
            learning_rate: 1e-3,
            gradient_norm: 1.0,
            tokens: 10,
            milliseconds: 5.0,
            overflows: 0,
        }
    }

    #[test]
    fn a_long_run_keeps_its_shape_in_few_points() {
        let mut history = History::default();
        let steps = 1_000_000;
        for index in 1..=steps {
            history.push(&step(index, index as f64));
        }
        let points = &history.training;
        assert!((CAPACITY / 2..=CAPACITY).contains(&points.len()));
        // Equal numbers of steps, each counted once: the mean of a point is the middle of its
        // steps.
        let stride = points[0].step;
        for (index, point) in points.iter().enumerate() {
            assert_eq!(point.step, stride * (index as u64 + 1));
            let middle = point.step as f64 - (stride as f64 - 1.0) / 2.0;
            assert!((point.loss - middle).abs() < 1e-6, "{point:?}");
            let first = point.step - stride + 1;
            assert_eq!(point.loss_range, (first as f64, point.step as f64));
            assert!((point.speed.unwrap() - 2000.0).abs() < 1e-6);
        }
        assert!(steps - history.last_step() < stride);
    }

    #[test]
    fn many_validations_are_thinned_out_too() {
        let mut history = History::default();
        for index in 1..=20_000 {
            history.validate(&Validation {
                step: index * 50,
                loss: 1.0,
                accuracy: 0.5,
                ..Validation::default()
            });
        }
        assert!(history.validation.len() <= CAPACITY);
        assert_eq!(history.last_step(), 1_000_000);
    }

    #[test]
    fn validations_of_a_reader_have_its_scores() {
        let mut history = History::default();
        for index in 0..=CAPACITY as u64 {
            history.validate(&Validation {
                step: index,
                loss: 1.0,
                exact_match: 0.25,
                scores: Scores::Answers {
                    f1: 0.5,
                    free: None,
                },
                ..Validation::default()
            });
        }
        assert!(history.validation.len() < CAPACITY);
        let scores = history.validation.iter().map(|it| it.answers);
        assert!(scores.clone().all(|it| it == Some([0.25, 0.5])));
        history.push(&step(1, 1.0));
        assert_eq!(history.training[0].answers, None);
    }

    #[test]
    fn going_back_forgets_what_came_later() {
        let mut history = History::default();
        (1..=10).for_each(|index| history.push(&step(index, 1.0)));
        history.push(&step(11, f64::NAN));
        assert_eq!(history.last_step(), 10);
        history.go_back_to(4);
        assert_eq!(history.last_step(), 4);
        history.push(&step(5, 2.0));
        assert_eq!(history.training.last().unwrap().loss, 2.0);
    }
}
