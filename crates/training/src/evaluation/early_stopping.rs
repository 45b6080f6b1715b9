//! Ranks a run's validations: the best one, the checkpoints to keep, and early stopping.

use serde::{Deserialize, Serialize};

use crate::{Measure, Metric, TrainingConfig, Validation};

/// Ranking of a run's validations by `training.measure`.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct EarlyStopping {
    /// Best validation so far.
    pub best: Option<Validation>,
    /// Number of validations since the best one.
    #[serde(default)]
    pub since_best: u64,
    /// The best `training.keep_best` validations, best first; of equal ones the earlier comes
    /// first.
    #[serde(default)]
    pub kept: Vec<BestCheckpoint>,
}

/// Validation whose checkpoint is kept.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct BestCheckpoint {
    /// Number of steps taken before the validation.
    pub step: u64,
    /// Value of the measure in `training.measure`.
    pub value: f64,
}

impl Measure {
    /// Value by which validations are compared; `None` if the validation did not measure it.
    fn of(self, report: &Validation) -> Option<f64> {
        let metric = match self {
            Self::Loss => Metric::Loss,
            Self::Bleu => Metric::Bleu,
            Self::Accuracy => Metric::Accuracy,
            Self::ExactMatch => Metric::ExactMatch,
            Self::F1 => Metric::F1,
            Self::RougeL => Metric::RougeL,
        };
        metric.of(report)
    }

    /// True if `value` is better than `other`; NaN is never better.
    fn is_better(self, value: f64, other: f64) -> bool {
        match self {
            Self::Loss => value < other,
            Self::Bleu | Self::Accuracy | Self::ExactMatch | Self::F1 | Self::RougeL => {
                value > other
            }
        }
    }
}

impl EarlyStopping {
    /// Adds a validation to the ranking. Ignores one that lacks the measure.
    pub(crate) fn note(&mut self, report: &Validation, training: &TrainingConfig) {
        let measure = training.measure;
        let Some(value) = measure.of(report) else {
            return;
        };
        let best = self.best.as_ref().and_then(|best| measure.of(best));
        if value.is_finite() && best.is_none_or(|best| measure.is_better(value, best)) {
            self.best = Some(*report);
            self.since_best = 0;
        } else {
            self.since_best += 1;
        }
        if value.is_finite() {
            let better = |kept: &BestCheckpoint| !measure.is_better(value, kept.value);
            let place = self.kept.partition_point(better);
            let step = report.step;
            self.kept.insert(place, BestCheckpoint { step, value });
        }
        self.kept.truncate(training.keep_best);
    }

    /// True if the last `patience` validations were no better than the best one; always false for
    /// 0.
    pub fn is_hopeless(&self, patience: u64) -> bool {
        patience > 0 && self.since_best >= patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(step: u64, loss: f64, bleu: Option<f64>) -> Validation {
        Validation {
            step,
            loss,
            perplexity: loss.exp(),
            bleu,
            ..Validation::default()
        }
    }

    fn after(measure: Measure, reports: &[Validation]) -> EarlyStopping {
        let training = TrainingConfig {
            measure,
            keep_best: 2,
            ..TrainingConfig::default()
        };
        let mut standing = EarlyStopping::default();
        reports.iter().for_each(|it| standing.note(it, &training));
        standing
    }

    fn steps(standing: &EarlyStopping) -> Vec<u64> {
        standing.kept.iter().map(|kept| kept.step).collect()
    }

    #[test]
    fn the_lowest_losses_are_kept_and_counted_from() {
        let losses = [3.0, 2.0, 2.5, f64::NAN, 2.0];
        let reports: Vec<_> = (1..)
            .zip(losses)
            .map(|(step, loss)| report(step, loss, None))
            .collect();
        let standing = after(Measure::Loss, &reports);
        assert_eq!(standing.best.map(|best| best.step), Some(2));
        assert_eq!(steps(&standing), [2, 5]);
        assert_eq!(standing.since_best, 3);
        assert!(standing.is_hopeless(3) && !standing.is_hopeless(4) && !standing.is_hopeless(0));
    }

    #[test]
    fn by_bleu_only_those_count_that_measured_it() {
        let reports = [
            report(1, 3.0, Some(10.0)),
            report(2, 1.0, None),
            report(3, 2.0, Some(12.0)),
            report(4, 2.0, Some(11.0)),
            report(5, 0.5, None),
        ];
        let standing = after(Measure::Bleu, &reports);
        assert_eq!(standing.best.map(|best| best.step), Some(3));
        assert_eq!(steps(&standing), [3, 4]);
        assert_eq!(standing.since_best, 1);
    }
}
