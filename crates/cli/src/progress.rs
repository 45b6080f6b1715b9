//! Display while a model is trained: a bar in a terminal, calm lines elsewhere, live
//! curves on request.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use strata_session::protocol::{StepReport, Validation};

use crate::error::Error;
use crate::format::{decimal, duration, grouped, percent};
pub use crate::output::print;
use crate::tui::{View, Wish};
use crate::warn;

/// Single steps jump about; what is shown is their mean over this many.
const STEPS_SHOWN: usize = 50;
/// Lines of a log are at least this far apart,
const SHORTEST: Duration = Duration::from_secs(1);
/// and at most this far in the first minutes; later a tenth of the time that has passed,
const CALM: Duration = Duration::from_secs(10);
/// but never more than this.
const LONGEST: Duration = Duration::from_secs(300);
/// A log has a line at least after each of this many parts of a run, if that is not too soon.
const PARTS: u64 = 20;

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    /// A bar in a terminal, lines in a log.
    Usual,
    /// Nothing before the end.
    Quiet,
    /// Live curves.
    View,
}

/// Display while a model is trained.
pub struct Progress {
    style: Style,
    recent: Recent,
    /// Steps in all.
    steps: u64,
}

enum Style {
    Bar(ProgressBar),
    Lines(Lines),
    View(View),
    Quiet,
}

impl Progress {
    /// Shows nothing yet. `step` of `steps` are taken.
    ///
    /// # Errors
    /// If there is no terminal for live curves.
    pub fn new(appearance: Appearance, step: u64, steps: u64) -> Result<Self, Error> {
        let style = match appearance {
            Appearance::Quiet => Style::Quiet,
            Appearance::View => Style::View(View::open(step, steps)?),
            Appearance::Usual if io::stdout().is_terminal() => Style::Bar(bar(step, steps)),
            Appearance::Usual => Style::Lines(Lines::new(Instant::now(), step, steps)),
        };
        Ok(Self {
            style,
            recent: Recent::default(),
            steps,
        })
    }

    /// Shows steps that were taken.
    pub fn steps(&mut self, steps: &[StepReport]) {
        for step in steps.iter().filter(|step| step.overflows > 0) {
            self.say(&format!(
                "step {}: the gradient overflowed in f16, {} times; the loss scale was halved as \
                 often, and the step taken then",
                step.step, step.overflows
            ));
        }
        self.recent.add(steps);
        let Some(last) = self.recent.last() else {
            return;
        };
        let step = last.step;
        match &mut self.style {
            Style::Bar(bar) => {
                bar.set_message(self.recent.message(self.steps));
                bar.set_position(step);
            }
            Style::Lines(lines) => {
                if lines.is_due(Instant::now(), step) {
                    let message = self.recent.message(self.steps);
                    print(&format!("step {step} of {}: {message}", self.steps));
                }
            }
            Style::View(view) => view.steps(steps),
            Style::Quiet => {}
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
            bleu,
            bits_per_character,
        } = validation;
        if let Some(bits) = bits_per_character {
            return self.say(&format!(
                "validation after step {step}: loss {}, perplexity {}, {} bits per character, \
                 accuracy {}",
                decimal(*loss),
                decimal(*perplexity),
                decimal(*bits),
                percent(*accuracy),
            ));
        }
        let bleu = bleu.map(|bleu| format!(", BLEU {bleu:.2}"));
        self.say(&format!(
            "validation after step {step}: loss {}, perplexity {}, accuracy {}, exact match {} of \
             {decoded}{}",
            decimal(*loss),
            decimal(*perplexity),
            percent(*accuracy),
            percent(*exact_match),
            bleu.unwrap_or_default(),
        ));
        if let Style::View(view) = &self.style {
            view.validated(validation);
        }
    }

    /// Says something beside the bar.
    pub fn say(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| print(line)),
            Style::Lines(_) => print(line),
            Style::View(view) => view.say(line),
            Style::Quiet => {}
        }
    }

    /// Says something that is to be heard in any case: on standard error, or among a view's
    /// messages.
    pub fn warn(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| warn(line)),
            Style::View(view) => view.say(line),
            Style::Lines(_) | Style::Quiet => warn(line),
        }
    }

    /// Shows what the run is doing, where there is a place for it.
    pub fn doing(&self, what: &'static str) {
        if let Style::View(view) = &self.style {
            view.doing(what);
        }
    }

    /// What was asked for by keys since the last time.
    pub fn wishes(&self) -> Vec<Wish> {
        match &self.style {
            Style::View(view) => view.wishes(),
            _ => Vec::new(),
        }
    }

    /// Takes the bar or the view away.
    pub fn finish(&mut self) {
        match &mut self.style {
            Style::Bar(bar) => bar.finish_and_clear(),
            Style::View(view) => view.close(),
            Style::Lines(_) | Style::Quiet => {}
        }
    }
}

fn bar(step: u64, steps: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stdout());
    bar.set_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}")
            .expect("the template is well-formed")
            .progress_chars("━╸ "),
    );
    bar.set_position(step);
    bar
}

/// When a log gets its next line: by time, and by steps.
struct Lines {
    began: Instant,
    last: Instant,
    /// The part of the run that the last line was in.
    part: u64,
    steps: u64,
}

impl Lines {
    fn new(now: Instant, step: u64, steps: u64) -> Self {
        Self {
            began: now,
            last: now,
            part: part(step, steps),
            steps,
        }
    }

    /// True if a line is due after `step`; it is then counted as written.
    fn is_due(&mut self, now: Instant, step: u64) -> bool {
        let silence = now.duration_since(self.last);
        let most = (now.duration_since(self.began) / 10).clamp(CALM, LONGEST);
        let part = part(step, self.steps);
        let due = silence >= most || (part > self.part && silence >= SHORTEST);
        if due {
            self.last = now;
            self.part = part;
        }
        due
    }
}

fn part(step: u64, steps: u64) -> u64 {
    (u128::from(step) * u128::from(PARTS) / u128::from(steps.max(1))) as u64
}

/// The last few steps.
#[derive(Default)]
pub struct Recent(VecDeque<StepReport>);

/// Common parts of the last few steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Means {
    /// By tokens.
    pub loss: f64,
    /// By tokens.
    pub accuracy: f64,
    /// Real target tokens.
    pub tokens_per_second: f64,
    /// Within the steps.
    pub seconds_per_step: f64,
}

impl Recent {
    /// Takes further steps in.
    pub fn add(&mut self, steps: &[StepReport]) {
        self.0.extend(steps);
        let surplus = self.0.len().saturating_sub(STEPS_SHOWN);
        self.0.drain(..surplus);
    }

    /// The last one.
    pub fn last(&self) -> Option<&StepReport> {
        self.0.back()
    }

    /// Their means; 0 if there are none.
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

    /// Their means, and the time that the steps still to come will take.
    fn message(&self, steps: u64) -> String {
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

    /// The steps with a line, where each of `steps` takes `seconds`.
    fn lines(steps: u64, seconds: f64) -> Vec<u64> {
        let began = Instant::now();
        let mut lines = Lines::new(began, 0, steps);
        let at = |step: u64| began + Duration::from_secs_f64(step as f64 * seconds);
        (1..=steps)
            .filter(|&step| lines.is_due(at(step), step))
            .collect()
    }

    #[test]
    fn a_short_run_has_a_line_for_each_part() {
        assert_eq!(
            lines(100, 0.25),
            (1..=20).map(|part| 5 * part).collect::<Vec<_>>()
        );
        // Not many a second.
        assert_eq!(lines(2000, 0.001), [1000, 2000]);
    }

    #[test]
    fn a_long_run_has_a_line_every_few_minutes() {
        // Two days: every ten seconds at first, every five minutes later.
        let written = lines(172_800, 1.0);
        assert_eq!(written[..3], [10, 20, 30]);
        assert!((550..750).contains(&written.len()), "{}", written.len());
        assert!(written.windows(2).all(|two| two[1] - two[0] <= 300));
    }
}
