//! The curves of a run, thinned out: however long it gets, a curve has at most [`CAPACITY`] points.

use serde::{Deserialize, Serialize};
use strata_session::protocol::{StepMetrics, Validation};

/// The most training points that are kept.
pub const CAPACITY: usize = 800;

/// A point of the curves.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The last of the steps that the point stands for.
    pub step: u64,
    /// Mean loss of these steps, in nats per token.
    pub loss: f64,
    /// Mean share of tokens predicted.
    pub accuracy: f64,
}

/// What a run has shown so far.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Means over `stride` steps each.
    pub training: Vec<Point>,
    /// Every validation.
    pub validation: Vec<Point>,
    /// Steps a point, as a power of two: 2^`halvings`.
    halvings: u32,
    /// Sums of loss and accuracy of the steps that do not make a point yet, and their number.
    open: (f64, f64, u64),
}

impl History {
    /// Takes in a training step.
    pub fn push(&mut self, metrics: &StepMetrics) {
        if !metrics.loss.is_finite() {
            return;
        }
        let (loss, accuracy, count) = self.open;
        self.open = (loss + metrics.loss, accuracy + metrics.accuracy, count + 1);
        let stride = 1 << self.halvings;
        if self.open.2 < stride {
            return;
        }
        let (loss, accuracy, count) = std::mem::take(&mut self.open);
        self.training.push(Point {
            step: metrics.step,
            loss: loss / count as f64,
            accuracy: accuracy / count as f64,
        });
        if self.training.len() > CAPACITY {
            self.halve();
        }
    }

    /// Takes in a validation, in place of an earlier one of the same step.
    pub fn validate(&mut self, validation: &Validation) {
        if !validation.loss.is_finite() {
            return;
        }
        self.validation.retain(|point| point.step < validation.step);
        self.validation.push(Point {
            step: validation.step,
            loss: validation.loss,
            accuracy: validation.accuracy,
        });
    }

    /// Forgets what came after `step`: the run goes on from there.
    pub fn go_back_to(&mut self, step: u64) {
        self.training.retain(|point| point.step <= step);
        self.validation.retain(|point| point.step <= step);
        self.open = Default::default();
    }

    /// The last step of any curve.
    pub fn last_step(&self) -> u64 {
        let last = |points: &[Point]| points.last().map_or(0, |point| point.step);
        last(&self.training).max(last(&self.validation))
    }

    fn halve(&mut self) {
        let points = std::mem::take(&mut self.training);
        let pairs = points.chunks_exact(2);
        // An odd point out goes back to the open sums.
        if let [rest] = pairs.remainder() {
            let steps = 1 << self.halvings;
            let total = steps as f64;
            self.open = (rest.loss * total, rest.accuracy * total, steps);
        }
        self.training = pairs
            .map(|pair| Point {
                step: pair[1].step,
                loss: (pair[0].loss + pair[1].loss) / 2.0,
                accuracy: (pair[0].accuracy + pair[1].accuracy) / 2.0,
            })
            .collect();
        self.halvings += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn step(step: u64, loss: f64) -> StepMetrics {
        StepMetrics {
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
        let steps = 20_000;
        for index in 1..=steps {
            history.push(&step(index, index as f64));
        }
        let points = &history.training;
        assert!((CAPACITY / 2..=CAPACITY).contains(&points.len()));
        // Equal strides, every step counted once: the mean of a stride is its middle.
        let stride = points[0].step;
        for (index, point) in points.iter().enumerate() {
            assert_eq!(point.step, stride * (index as u64 + 1));
            let middle = point.step as f64 - (stride as f64 - 1.0) / 2.0;
            assert!((point.loss - middle).abs() < 1e-6, "{point:?}");
        }
        assert!(steps - history.last_step() < stride);
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
