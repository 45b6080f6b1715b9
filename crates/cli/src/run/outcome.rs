//! Results of a run, read from its `metrics.jsonl`.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use strata_training::{Metric, Telemetry, Validation};

use crate::base::error::Error;
use crate::display::figures;
use crate::display::format::grouped;
use crate::display::spread::Spread;

/// Number of steps whose training losses tell whether another program computes the same run.
pub const FIRST_STEPS: u64 = 20;

/// Most points of [`Outcome::training_curve`].
pub const CURVE_POINTS: usize = 50;

/// Mean loss and accuracy of some training steps.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TrainingPoint {
    /// The last of the steps.
    pub step: u64,
    pub loss: f64,
    pub accuracy: f64,
}

impl TrainingPoint {
    /// Returns the mean over steps, given by number, loss and accuracy; `None` for no step.
    fn mean(steps: &[(u64, f64, f64)]) -> Option<Self> {
        let mean = |of: fn(&(u64, f64, f64)) -> f64| {
            steps.iter().map(of).sum::<f64>() / steps.len() as f64
        };
        Some(Self {
            step: steps.last()?.0,
            loss: mean(|it| it.1),
            accuracy: mean(|it| it.2),
        })
    }
}

/// A line of the file, without unneeded fields.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Step {
        step: u64,
        loss: Option<f64>,
        accuracy: Option<f64>,
        #[serde(default)]
        milliseconds: f64,
        #[serde(default)]
        tokens: f64,
    },
    Validation(Validation),
    Telemetry(Telemetry),
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of steps that the run has taken.
    pub steps: u64,
    /// Training losses of the first [`FIRST_STEPS`] steps.
    pub first_losses: Vec<f64>,
    /// Step, training loss and accuracy of each step that has both.
    training: Vec<(u64, f64, f64)>,
    /// Number of steps that the run asks for.
    asked: u64,
    /// All validations, the earliest first.
    pub validations: Vec<Validation>,
    /// All measurements of the attention weights, the earliest first; empty for a model without
    /// attention, and for a run of an earlier strata.
    pub telemetry: Vec<Telemetry>,
    /// Duration of each step in milliseconds.
    milliseconds: Vec<f64>,
    /// Number of target tokens in all steps.
    tokens: f64,
    /// Lines that are no measurement, counted from 1. The end of a killed process is none of them.
    unreadable: Vec<usize>,
}

impl Outcome {
    /// Reads the metrics of a run that asks for `asked` steps. Lines that are no measurement are
    /// skipped, and [`Self::note`] names them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path, asked: u64) -> Result<Self, Error> {
        let mut outcome = Self {
            steps: 0,
            first_losses: Vec::new(),
            training: Vec::new(),
            asked,
            validations: Vec::new(),
            telemetry: Vec::new(),
            milliseconds: Vec::new(),
            tokens: 0.0,
            unreadable: Vec::new(),
        };
        if !path.exists() {
            return Ok(outcome);
        }
        let bytes = fs::read(path).map_err(Error::reading(path))?;
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            match serde_json::from_slice(line) {
                Ok(Line::Step {
                    step,
                    loss,
                    accuracy,
                    milliseconds,
                    tokens,
                }) => {
                    outcome.steps = step;
                    outcome
                        .first_losses
                        .extend(loss.filter(|_| step <= FIRST_STEPS));
                    let measured = loss.zip(accuracy);
                    let measured = measured.map(|(loss, accuracy)| (step, loss, accuracy));
                    outcome.training.extend(measured);
                    outcome.milliseconds.push(milliseconds);
                    outcome.tokens += tokens;
                }
                Ok(Line::Validation(validation)) => outcome.validations.push(validation),
                Ok(Line::Telemetry(telemetry)) => outcome.telemetry.push(telemetry),
                // A process that is killed leaves its last line without an end.
                Err(_) if !line.ends_with(b"\n") => {}
                Err(_) => outcome.unreadable.push(index + 1),
            }
        }
        Ok(outcome)
    }

    /// True if all steps are taken.
    pub fn is_done(&self) -> bool {
        self.steps >= self.asked
    }

    /// True if a validation is recorded.
    pub fn is_measured(&self) -> bool {
        !self.validations.is_empty()
    }

    /// Returns a note on a run that is not finished, whose figures are missing, or whose file is
    /// damaged.
    pub fn note(&self) -> Option<String> {
        let notes = [self.unfinished(), self.damage()];
        let notes: Vec<_> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Returns a note on lines of the file that are no measurement.
    fn damage(&self) -> Option<String> {
        let first = self.unreadable.first()?;
        Some(match self.unreadable.len() {
            1 => format!("line {first} of `metrics.jsonl` is damaged and left out"),
            count => format!(
                "{} lines of `metrics.jsonl`, line {first} the first, are damaged and left out",
                grouped(count as u64)
            ),
        })
    }

    /// Returns a note on a run that is not finished, or whose figures are missing.
    fn unfinished(&self) -> Option<String> {
        let steps = || {
            format!(
                "{} of {} steps are taken",
                grouped(self.steps),
                grouped(self.asked)
            )
        };
        match (self.is_done(), self.is_measured()) {
            (true, true) => None,
            (false, true) => Some(format!(
                "{}; its figures are those of its last validation",
                steps()
            )),
            (false, false) => Some(format!(
                "{}, and no validation is made yet; the run is in no figure",
                steps()
            )),
            (true, false) => Some(
                "`metrics.jsonl` has no validation of the run; the run is in no figure".to_owned(),
            ),
        }
    }

    /// Returns the number of unknown tokens in the text of the last validation, whose spelling is
    /// in no bit.
    pub fn unspelt_tokens(&self) -> u64 {
        self.validations.last().map_or(0, |it| it.unspelt_tokens())
    }

    /// Returns a figure of the last validation.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        metric.of(self.validations.last()?)
    }

    /// Returns the step of the first validation with 99 % of tokens right; `None` if there is none.
    pub fn step_of_99(&self) -> Option<u64> {
        let mut validations = self.validations.iter();
        Some(validations.find(|it| it.accuracy >= 0.99)?.step)
    }

    /// Returns the loss and accuracy of training as at most [`CURVE_POINTS`] means over the same number
    /// of steps; the last mean may be over fewer.
    pub fn training_curve(&self) -> Vec<TrainingPoint> {
        let steps = self.training.len().div_ceil(CURVE_POINTS).max(1);
        let points = self.training.chunks(steps);
        points.filter_map(TrainingPoint::mean).collect()
    }

    /// Returns the mean loss and accuracy of the last tenth of the training steps; `None` if no step
    /// has both.
    pub fn at_end_of_training(&self) -> Option<TrainingPoint> {
        let steps = self.training.len();
        TrainingPoint::mean(&self.training[steps - steps.div_ceil(10)..])
    }

    /// Returns the seconds spent in steps.
    pub fn seconds(&self) -> f64 {
        self.milliseconds.iter().sum::<f64>() / 1000.0
    }

    /// Returns the median duration of a step; `None` without steps.
    pub fn median_milliseconds(&self) -> Option<f64> {
        let mut sorted = self.milliseconds.clone();
        sorted.sort_by(f64::total_cmp);
        let upper = *sorted.get(sorted.len() / 2)?;
        let lower = sorted[(sorted.len() - 1) / 2];
        Some((lower + upper) / 2.0)
    }

    /// Returns target tokens per second of steps; `None` without steps.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let seconds = self.seconds();
        (seconds > 0.0).then(|| self.tokens / seconds)
    }
}

/// Writes mean ± deviation, rounded for users.
pub fn shown(metric: Metric, spread: &Spread) -> String {
    let mean = figures::shown(metric, spread.mean);
    match spread.deviation {
        Some(deviation) => {
            let number = mean.trim_end_matches(" %");
            let deviation = figures::shown(metric, deviation);
            format!("{number} ± {deviation}")
        }
        None => mean,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn figures_have_the_digits_that_people_read() {
        let spread = Spread::of(vec![0.9, 0.91]).unwrap();
        assert_eq!(shown(Metric::Accuracy, &spread), "90.5 ± 0.7 %");
        let one = Spread::of(vec![0.12345]).unwrap();
        assert_eq!(shown(Metric::Loss, &one), "0.123");
    }

    #[test]
    fn a_torn_line_is_left_out() {
        let folder = std::env::temp_dir().join(format!("strata-outcome-{}", std::process::id()));
        let text = "{\"kind\":\"step\",\"step\":1,\"milliseconds\":30.0,\"tokens\":90}\n\
                    {\"kind\":\"step\",\"step\":2,\"milliseconds\":10.0,\"tokens\":30}\n\
                    {\"kind\":\"step\",\"step\":3,\"millis";
        fs::write(&folder, text).unwrap();
        let outcome = Outcome::read(&folder, 3).unwrap();
        fs::remove_file(&folder).unwrap();
        assert!(!outcome.is_done());
        let note = outcome.note().unwrap();
        assert!(
            note.contains("2 of 3 steps") && note.contains("no validation"),
            "{note}"
        );
        assert_eq!(outcome.steps, 2);
        assert_eq!(outcome.seconds(), 0.04);
        assert_eq!(outcome.median_milliseconds(), Some(20.0));
        assert_eq!(outcome.tokens_per_second(), Some(3000.0));
        assert!(!note.contains("damaged"), "{note}");
    }

    #[test]
    fn the_training_curve_is_of_means_of_all_steps() {
        let folder = std::env::temp_dir().join(format!("strata-curve-{}", std::process::id()));
        let read = |steps: u64| {
            // A step that diverged has no loss, and a run of an earlier strata no accuracy.
            let mut text = "{\"kind\":\"step\",\"step\":1,\"loss\":null,\"accuracy\":0.5}\n\
                            {\"kind\":\"step\",\"step\":1,\"loss\":9.0}\n"
                .to_owned();
            for step in 1..=steps {
                let accuracy = step as f64 / steps as f64;
                text += &format!(
                    "{{\"kind\":\"step\",\"step\":{step},\"loss\":{step}.0,\"accuracy\":{accuracy}}}\n"
                );
            }
            fs::write(&folder, text).unwrap();
            Outcome::read(&folder, steps).unwrap()
        };
        let none = read(0);
        assert_eq!(none.training_curve(), []);
        assert_eq!(none.at_end_of_training(), None);
        let short = read(3).training_curve();
        let losses: Vec<f64> = short.iter().map(|it| it.loss).collect();
        assert_eq!(losses, [1.0, 2.0, 3.0]);
        // Means of three steps: 1, 2, 3; 4, 5, 6; … and the last two.
        let long = read(101);
        // Of the last eleven steps.
        let end = long.at_end_of_training().unwrap();
        assert_eq!((end.step, end.loss), (101, 96.0));
        let long = long.training_curve();
        assert_eq!(long.len(), 34);
        assert_eq!((long[0].step, long[0].loss), (3, 2.0));
        assert_eq!((long[33].step, long[33].loss), (101, 100.5));
        assert!((long[0].accuracy - 2.0 / 101.0).abs() < 1e-12);
        fs::remove_file(&folder).unwrap();
    }

    #[test]
    fn damaged_lines_are_named() {
        let folder = std::env::temp_dir().join(format!("strata-damaged-{}", std::process::id()));
        let step = "{\"kind\":\"step\",\"step\":1,\"milliseconds\":30.0,\"tokens\":90}\n";
        let noted = |text: String| {
            fs::write(&folder, text).unwrap();
            Outcome::read(&folder, 1).unwrap().note().unwrap()
        };
        let one = noted(format!("{step}{{\"kind\":\"st\0\n{step}"));
        assert!(
            one.contains("line 2 of `metrics.jsonl` is damaged"),
            "{one}"
        );
        let two = noted(format!("\n{step}[]\n"));
        assert!(
            two.contains("2 lines") && two.contains("line 1 the first"),
            "{two}"
        );
        fs::remove_file(&folder).unwrap();
    }
}
