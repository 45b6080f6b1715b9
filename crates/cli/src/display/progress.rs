//! Progress display of training: a bar in a terminal, occasional lines in a log, JSON for other
//! programs.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use strata_session::protocol::{StepReport, Validation};

use crate::base::output::{print, print_json, warn};
use crate::command::train::TrainArguments;
use crate::display::figures;
use crate::display::recent::Recent;

/// Shortest time between two lines of a log.
const SHORTEST: Duration = Duration::from_secs(1);
/// Longest time between two lines in the first minutes; later, a tenth of the time so far.
const CALM: Duration = Duration::from_secs(10);
/// Longest time between two lines of a log, however long the run.
const LONGEST: Duration = Duration::from_secs(300);
/// Number of equal parts of a run; a log has a line after each part, unless that is too soon.
const PARTS: u64 = 20;

/// Progress display of training.
pub struct Progress {
    style: Style,
    recent: Recent,
    /// Number of steps of the run.
    steps: u64,
}

enum Style {
    Bar(ProgressBar),
    Lines(Lines),
    /// Notes are JSON; steps and validations are printed by the log.
    Json,
    Quiet,
}

impl Progress {
    /// Opens the display that the arguments ask for, of a run that has taken `step` of `steps`
    /// steps. A quiet display shows nothing before the end of the run.
    pub fn new(arguments: &TrainArguments, step: u64, steps: u64) -> Self {
        let style = if arguments.quiet {
            Style::Quiet
        } else if arguments.json {
            Style::Json
        } else if io::stdout().is_terminal() {
            Style::Bar(bar(step, steps))
        } else {
            Style::Lines(Lines::new(Instant::now(), step, steps))
        };
        Self {
            style,
            recent: Recent::default(),
            steps,
        }
    }

    /// Shows new steps.
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
            Style::Json | Style::Quiet => {}
        }
    }

    /// Shows a validation.
    pub fn validated(&self, validation: &Validation) {
        if matches!(self.style, Style::Json) {
            return;
        }
        self.say(&format!(
            "validation after step {}: {}",
            validation.step,
            figures::of(validation, None)
        ));
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| print(line)),
            Style::Lines(_) => print(line),
            Style::Json => print_json(&json!({"kind": "note", "text": line})),
            Style::Quiet => {}
        }
    }

    /// Prints a warning on standard error, above the bar.
    pub fn warn(&self, line: &str) {
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| warn(line)),
            Style::Lines(_) | Style::Json | Style::Quiet => warn(line),
        }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        match &mut self.style {
            Style::Bar(bar) => bar.finish_and_clear(),
            Style::Lines(_) | Style::Json | Style::Quiet => {}
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

/// Schedule of the lines of a log, by time and by steps.
struct Lines {
    began: Instant,
    last: Instant,
    /// Part of the run in which the last line was written.
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

    /// True if a line is due after `step`; the line then counts as written.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the steps with a line in the log of a run whose `steps` steps take `seconds` each.
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
        // At most one line per second.
        assert_eq!(lines(2000, 0.001), [1000, 2000]);
    }

    #[test]
    fn a_long_run_has_a_line_every_few_minutes() {
        // Two days: a line every ten seconds at first, every five minutes later.
        let written = lines(172_800, 1.0);
        assert_eq!(written[..3], [10, 20, 30]);
        assert!((550..750).contains(&written.len()), "{}", written.len());
        assert!(written.windows(2).all(|two| two[1] - two[0] <= 300));
    }
}
