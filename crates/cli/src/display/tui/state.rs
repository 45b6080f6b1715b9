//! State of the terminal view.

use std::collections::VecDeque;

use strata_session::protocol::{StepReport, Validation};

use super::wish::Wish;
use crate::display::recent::Recent;

/// Most points of a curve; beyond, neighbours are merged.
const POINTS: usize = 1024;
/// Number of messages that are kept.
const MESSAGES: usize = 100;

/// State of the terminal view.
pub struct State {
    /// Number of steps of the run.
    pub steps: u64,
    /// Number of steps taken.
    pub step: u64,
    /// The last few steps.
    pub recent: Recent,
    pub loss: Curve,
    pub accuracy: Curve,
    pub validations: Vec<Validation>,
    /// Messages, the newest last.
    pub messages: VecDeque<String>,
    pub doing: &'static str,
    pub closing: bool,
}

/// A curve of means over equal numbers of steps, as (step, value).
#[derive(Default)]
pub struct Curve {
    pub points: Vec<(f64, f64)>,
    /// The incomplete last point: number of steps, sum of steps, sum of values.
    open: (usize, f64, f64),
    /// Number of steps per point; 0 before the first step.
    stretch: usize,
}

impl Curve {
    pub fn add(&mut self, step: u64, value: f64) {
        if !value.is_finite() {
            return;
        }
        let (count, steps, values) = self.open;
        self.open = (count + 1, steps + step as f64, values + value);
        if self.open.0 < self.stretch.max(1) {
            return;
        }
        let (count, steps, values) = std::mem::take(&mut self.open);
        self.points
            .push((steps / count as f64, values / count as f64));
        if self.points.len() >= POINTS {
            let pairs = self.points.chunks_exact(2);
            let mean = |a: f64, b: f64| (a + b) / 2.0;
            let halved = pairs.map(|two| (mean(two[0].0, two[1].0), mean(two[0].1, two[1].1)));
            self.points = halved.collect();
            self.stretch = 2 * self.stretch.max(1);
        }
    }
}

impl State {
    pub fn new(step: u64, steps: u64) -> Self {
        Self {
            steps,
            step,
            recent: Recent::default(),
            loss: Curve::default(),
            accuracy: Curve::default(),
            validations: Vec::new(),
            messages: VecDeque::new(),
            doing: "training",
            closing: false,
        }
    }

    pub fn steps(&mut self, steps: &[StepReport]) {
        self.recent.add(steps);
        for step in steps {
            self.step = step.step;
            self.loss.add(step.step, step.loss);
            self.accuracy.add(step.step, step.accuracy);
        }
    }

    pub fn validated(&mut self, validation: &Validation) {
        self.validations.push(*validation);
    }

    pub fn say(&mut self, line: &str) {
        self.messages.extend(line.lines().map(str::to_owned));
        let surplus = self.messages.len().saturating_sub(MESSAGES);
        self.messages.drain(..surplus);
    }

    /// Shows at once that a key was pressed; the request is handled after the present step.
    pub fn asked(&mut self, wish: Wish) {
        self.doing = match wish {
            Wish::Stop => "ends after this step, and saves (again: at once)",
            Wish::Pause => return,
            Wish::Validate => "validating",
            Wish::Save => "saving",
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_shape_in_few_points() {
        let mut curve = Curve::default();
        (1..=100_000).for_each(|step| curve.add(step, step as f64));
        curve.add(100_001, f64::NAN);
        assert!(curve.points.len() < POINTS && curve.points.len() >= POINTS / 2 - 1);
        for &(step, value) in &curve.points {
            assert!((step - value).abs() < 1e-6 * step);
        }
        assert!(curve.points.windows(2).all(|two| two[0].0 < two[1].0));
    }
}
