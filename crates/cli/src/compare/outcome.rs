//! Results of a run, read from its `metrics.jsonl`.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use strata_training::{Metric, Validation};

use crate::error::Error;
use crate::figures;
use crate::format::grouped;

/// A line of the file, without fields that are not needed here.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Step { step: u64 },
    Validation(Validation),
}

/// Results of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Number of steps taken.
    pub steps: u64,
    /// Number of steps asked for.
    asked: u64,
    /// The last validation.
    last: Option<Validation>,
}

/// Mean and standard deviation over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// Sample standard deviation, with n − 1; `None` for a single run.
    pub deviation: Option<f64>,
    pub values: Vec<f64>,
}

impl Outcome {
    /// Reads the metrics of a run that asks for `asked` steps. Truncated lines are skipped.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path, asked: u64) -> Result<Self, Error> {
        let mut outcome = Self {
            steps: 0,
            asked,
            last: None,
        };
        if !path.exists() {
            return Ok(outcome);
        }
        let bytes = fs::read(path).map_err(Error::reading(path))?;
        for line in bytes.split(|&byte| byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Line::Step { step }) => outcome.steps = step,
                Ok(Line::Validation(validation)) => outcome.last = Some(validation),
                Err(_) => {}
            }
        }
        Ok(outcome)
    }

    /// True if all steps are taken.
    pub fn is_done(&self) -> bool {
        self.steps >= self.asked
    }

    /// Note on a run that is not done.
    pub fn unfinished(&self) -> String {
        format!(
            "{} of {} steps are taken; its figures are those of its last validation",
            grouped(self.steps),
            grouped(self.asked)
        )
    }

    /// A figure of the last validation.
    pub fn measured(&self, metric: Metric) -> Option<f64> {
        metric.of(self.last.as_ref()?)
    }
}

/// Mean ± deviation, rounded for a user.
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

impl Spread {
    /// Mean and deviation of these values; `None` if there are none.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        Some(Self {
            mean,
            deviation: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let spread = Spread::of(vec![1.0, 2.0, 4.0]).unwrap();
        assert!((spread.mean - 7.0 / 3.0).abs() < 1e-12);
        assert!((spread.deviation.unwrap() - 1.527_525_231_65).abs() < 1e-9);
        assert_eq!(Spread::of(vec![3.0]).unwrap().deviation, None);
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn figures_have_the_digits_that_people_read() {
        let spread = Spread::of(vec![0.9, 0.91]).unwrap();
        assert_eq!(shown(Metric::Accuracy, &spread), "90.5 ± 0.7 %");
        let one = Spread::of(vec![0.12345]).unwrap();
        assert_eq!(shown(Metric::Loss, &one), "0.123");
    }
}
