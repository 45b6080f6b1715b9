//! What a person sees while a model is trained: a bar in a terminal, calm lines elsewhere.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use strata_session::protocol::{StepMetrics, Validation};

use crate::wording::{decimal, duration, grouped, percent};

/// Single steps jump about; what is shown is their mean over this many.
const STEPS_SHOWN: usize = 50;
/// Time between two lines where there is no bar.
const CALM: Duration = Duration::from_secs(10);

/// What a person sees while a model is trained.
pub struct Progress {
    style: Style,
    /// The last few steps.
    recent: VecDeque<StepMetrics>,
    /// Steps in all.
    steps: u64,
}

enum Style {
    Bar(ProgressBar),
    Lines { last: Instant },
    Quiet,
}

impl Progress {
    /// Shows nothing yet. `step` of `steps` are taken.
    pub fn new(quiet: bool, step: u64, steps: u64) -> Self {
        let style = if quiet {
            Style::Quiet
        } else if io::stdout().is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stdout());
            let template = "{wide_bar} {pos}/{len} {msg}";
            bar.set_style(
                ProgressStyle::with_template(template)
                    .expect("the template is well-formed")
                    .progress_chars("━╸ "),
            );
            bar.set_position(step);
            Style::Bar(bar)
        } else {
            Style::Lines {
                last: Instant::now(),
            }
        };
        Self {
            style,
            recent: VecDeque::new(),
            steps,
        }
    }

    /// Shows steps that were taken.
    pub fn steps(&mut self, steps: &[StepMetrics]) {
        self.recent.extend(steps);
        let surplus = self.recent.len().saturating_sub(STEPS_SHOWN);
        self.recent.drain(..surplus);
        let Some(last) = self.recent.back() else {
            return;
        };
        let step = last.step;
        let message = message(self.recent.make_contiguous(), self.steps);
        match &mut self.style {
            Style::Bar(bar) => {
                bar.set_message(message);
                bar.set_position(step);
            }
            Style::Lines { last } if last.elapsed() >= CALM => {
                *last = Instant::now();
                print(&format!("step {step} of {}: {message}", self.steps));
            }
            Style::Lines { .. } | Style::Quiet => {}
        }
    }

    /// Shows a validation.
    pub fn validated(&self, validation: &Validation) {
        let Validation {
            step,
            loss,
            perplexity,
            accuracy,
            exact_match,
            decoded,
        } = validation;
        self.say(&format!(
            "validation after step {step}: loss {}, perplexity {}, accuracy {}, exact match {} of \
             {decoded}",
            decimal(*loss),
            decimal(*perplexity),
            percent(*accuracy),
            percent(*exact_match),
        ));
    }

    /// Says something beside the bar.
    pub fn say(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| print(line)),
            Style::Lines { .. } => print(line),
            Style::Quiet => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Style::Bar(bar) = &self.style {
            bar.finish_and_clear();
        }
    }
}

/// Prints a line. Nobody may be listening any more; training is to go on.
pub fn print(line: &str) {
    drop(writeln!(io::stdout(), "{line}"));
}

/// The mean of `recent` steps, and the time that those still to come will take.
fn message(recent: &[StepMetrics], steps: u64) -> String {
    let tokens: f64 = recent.iter().map(|step| step.tokens as f64).sum();
    let mean = |value: fn(&StepMetrics) -> f64| {
        let sum: f64 = recent
            .iter()
            .map(|step| value(step) * step.tokens as f64)
            .sum();
        sum / tokens.max(1.0)
    };
    let seconds: f64 = recent.iter().map(|step| step.milliseconds / 1000.0).sum();
    let left = steps - recent.last().map_or(0, |step| step.step).min(steps);
    format!(
        "loss {}, accuracy {}, {} tokens/s, {} left",
        decimal(mean(|step| step.loss)),
        percent(mean(|step| step.accuracy)),
        grouped((tokens / seconds.max(1e-9)) as u64),
        duration(left as f64 * seconds / recent.len().max(1) as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_steps_are_averaged_by_their_tokens() {
        let step = |step, loss, tokens| StepMetrics {
            step,
            loss,
            accuracy: loss / 10.0,
            learning_rate: 0.1,
            gradient_norm: 1.0,
            tokens,
            milliseconds: 500.0,
            overflows: 0,
        };
        let message = message(&[step(1, 2.0, 3000), step(2, 4.0, 1000)], 10);
        assert_eq!(
            message,
            "loss 2.500, accuracy 25.0 %, 4,000 tokens/s, 4.0 s left"
        );
    }
}
