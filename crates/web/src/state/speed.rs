//! Training speed of a run.

use strata_session::protocol::StepReport;

/// Training speed, an average that decays with a time constant of one second of training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    tokens: f64,
    milliseconds: f64,
    steps: f64,
}

impl Speed {
    /// Takes a step into the average.
    pub fn push(&mut self, step: &StepReport) {
        // Steps of more than a few seconds ago hardly count.
        let keep = (-step.milliseconds / 1000.0).exp();
        self.tokens = self.tokens * keep + step.tokens as f64;
        self.milliseconds = self.milliseconds * keep + step.milliseconds;
        self.steps = self.steps * keep + 1.0;
    }

    /// Returns target tokens per second; `None` before the first step.
    pub fn tokens_per_second(&self) -> Option<f64> {
        (self.milliseconds > 0.0).then(|| 1000.0 * self.tokens / self.milliseconds)
    }

    /// Returns milliseconds per step; `None` before the first step.
    pub fn step_milliseconds(&self) -> Option<f64> {
        (self.milliseconds > 0.0).then(|| self.milliseconds / self.steps)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn step(tokens: usize, milliseconds: f64) -> StepReport {
        StepReport {
            step: 1,
            loss: 1.0,
            accuracy: 0.0,
            learning_rate: 0.1,
            gradient_norm: 1.0,
            tokens,
            milliseconds,
            overflows: 0,
        }
    }

    #[test]
    fn what_was_long_ago_hardly_counts() {
        let mut speed = Speed::default();
        assert_eq!(speed.tokens_per_second(), None);
        (0..10).for_each(|_| speed.push(&step(100, 1000.0)));
        assert!((speed.tokens_per_second().unwrap() - 100.0).abs() < 1e-9);
        (0..400).for_each(|_| speed.push(&step(100, 20.0)));
        assert!((speed.tokens_per_second().unwrap() - 5000.0).abs() < 50.0);
        assert!((speed.step_milliseconds().unwrap() - 20.0).abs() < 1.0);
    }
}
