//! The last few steps of a run, and their means.

use std::collections::VecDeque;

use strata_session::protocol::StepReport;

use crate::display::format::{decimal, duration, grouped, percent};

/// Number of steps over which figures are averaged for display, since single steps are noisy.
const STEPS_SHOWN: usize = 50;

/// The last few steps.
#[derive(Default)]
pub struct Recent(VecDeque<StepReport>);

/// Means over the last few steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// Mean loss per token, in nats.
    pub loss: f64,
    /// Mean accuracy over tokens.
    pub accuracy: f64,
    /// Target tokens per second, without padding.
    pub tokens_per_second: f64,
    /// Seconds per step, without validations and checkpoints.
    pub seconds_per_step: f64,
}

impl Recent {
    /// Adds steps, and drops the oldest.
    pub fn add(&mut self, steps: &[StepReport]) {
        self.0.extend(steps);
        let surplus = self.0.len().saturating_sub(STEPS_SHOWN);
        self.0.drain(..surplus);
    }

    /// The last step.
    pub fn last(&self) -> Option<&StepReport> {
        self.0.back()
    }

    /// Returns the means over the steps; 0 if there are none.
    pub fn means(&self) -> Means {
        let tokens: f64 = self.0.iter().map(|step| step.tokens as f64).sum();
        let mean = |value: fn(&StepReport) -> f64| {
            let weighted = self.0.iter().map(|it| value(it) * it.tokens as f64);
            weighted.sum::<f64>() / tokens.max(1.0)
        };
        let seconds: f64 = self.0.iter().map(|step| step.milliseconds / 1000.0).sum();
        Means {
            loss: mean(|step| step.loss),
            accuracy: mean(|step| step.accuracy),
            tokens_per_second: tokens / seconds.max(1e-9),
            seconds_per_step: seconds / self.0.len().max(1) as f64,
        }
    }

    /// Writes the means over the steps, and the time left.
    pub fn message(&self, steps: u64) -> String {
        let means = self.means();
        let left = steps.saturating_sub(self.last().map_or(0, |step| step.step));
        format!(
            "loss {}, accuracy {}, {} tokens/s, {} left",
            decimal(means.loss),
            percent(means.accuracy),
            grouped(means.tokens_per_second as u64),
            duration(left as f64 * means.seconds_per_step),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_steps_are_averaged_by_their_tokens() {
        let step = |step, loss, tokens| StepReport {
            step,
            loss,
            accuracy: loss / 10.0,
            learning_rate: 0.1,
            gradient_norm: 1.0,
            tokens,
            milliseconds: 500.0,
            overflows: 0,
        };
        let mut recent = Recent::default();
        recent.add(&[step(1, 2.0, 3000), step(2, 4.0, 1000)]);
        assert_eq!(
            recent.message(10),
            "loss 2.500, accuracy 25.0 %, 4,000 tokens/s, 4.0 s left"
        );
    }
}
