//! Learning rate of each step.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Domain, Number, OutOfRange, Setting, Settings, Words};

use crate::TrainingConfig;
use crate::config::MOST_STEPS;

/// Schedule of the learning rate, as a share of its peak.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Schedule {
    /// Linear warm-up, then the peak.
    Constant {
        /// Number of warm-up steps.
        #[serde(default = "constant_warmup")]
        warmup: u64,
    },
    /// Linear warm-up, then half a cosine down to 0 at the last step.
    Cosine {
        /// Number of warm-up steps.
        #[serde(default = "cosine_warmup")]
        warmup: u64,
    },
    /// Linear warm-up, then 1/√step (Vaswani et al. 2017, 5.3); the peak is at the last warm-up
    /// step.
    Noam {
        /// Number of warm-up steps.
        #[serde(default = "noam_warmup")]
        warmup: u64,
    },
}

const fn constant_warmup() -> u64 {
    0
}

const fn cosine_warmup() -> u64 {
    200
}

/// Warm-up steps as published (Vaswani et al. 2017, 5.3).
const fn noam_warmup() -> u64 {
    4000
}

const fn warmup(default: u64) -> Setting {
    Setting {
        words: Words {
            name: "warmup",
            title: "Warm-up",
            help: "Steps in which the rate rises in a straight line.",
            formula: "η t / w",
            source: "Vaswani et al. 2017, 5.3",
        },
        domain: Domain::Whole {
            minimum: 0,
            maximum: MOST_STEPS,
            default,
            special: None,
        },
    }
}

static CONSTANT: Description = Description {
    words: Words {
        name: "constant",
        title: "Constant",
        help: "After the warm-up the rate stays.",
        formula: "η",
        source: "Goyal et al. 2017, 2.2",
    },
    settings: &[warmup(constant_warmup())],
};

static COSINE: Description = Description {
    words: Words {
        name: "cosine",
        title: "Cosine",
        help: "After the warm-up half a cosine, down to 0 at the last step.",
        formula: "η (1 + cos(π t / T)) / 2",
        source: "Loshchilov and Hutter 2017",
    },
    settings: &[warmup(cosine_warmup())],
};

static NOAM: Description = Description {
    words: Words {
        name: "noam",
        title: "Inverse root",
        help: "After the warm-up the rate falls with the root of the step.",
        formula: "η √(w / t)",
        source: "Vaswani et al. 2017, 5.3",
    },
    settings: &[warmup(noam_warmup())],
};

impl Default for Schedule {
    fn default() -> Self {
        Self::Cosine {
            warmup: cosine_warmup(),
        }
    }
}

impl Settings for Schedule {
    fn check_ranges(&self) -> Result<(), OutOfRange> {
        let warmup = Number::Whole(self.warmup());
        let mut settings = self.description().settings.iter();
        settings.try_for_each(|setting| setting.check(warmup))
    }
}

impl Schedule {
    /// All schedules with default settings, in the order in which to offer them.
    pub fn all() -> [Self; 3] {
        [
            Self::default(),
            Self::Constant {
                warmup: constant_warmup(),
            },
            Self::Noam {
                warmup: noam_warmup(),
            },
        ]
    }

    /// Name and help text of the schedule.
    pub fn description(self) -> &'static Description {
        match self {
            Self::Constant { .. } => &CONSTANT,
            Self::Cosine { .. } => &COSINE,
            Self::Noam { .. } => &NOAM,
        }
    }

    /// Number of warm-up steps.
    pub fn warmup(self) -> u64 {
        match self {
            Self::Constant { warmup } | Self::Cosine { warmup } | Self::Noam { warmup } => warmup,
        }
    }

    /// Learning rate of step `step` (from 1) of `steps`, as a share of its peak.
    pub fn share(self, step: u64, steps: u64) -> f64 {
        match self {
            Self::Constant { warmup } => rise(step, warmup),
            Self::Cosine { warmup } if step <= warmup || steps <= warmup => rise(step, warmup),
            Self::Cosine { warmup } => {
                let done = (step - warmup) as f64 / (steps - warmup) as f64;
                0.5 * (1.0 + (PI * done.min(1.0)).cos())
            }
            Self::Noam { warmup } if step <= warmup => rise(step, warmup),
            Self::Noam { warmup } => (warmup.max(1) as f64 / step as f64).sqrt(),
        }
    }
}

impl TrainingConfig {
    /// Sets the number of steps from the number of epochs, if that is not 0.
    pub(crate) fn resolve_epochs(&mut self, batches_per_epoch: u64) {
        if self.epochs > 0 {
            let batches = self.epochs.saturating_mul(batches_per_epoch);
            self.steps = batches.div_ceil(self.accumulate.max(1) as u64);
        }
    }

    /// Warning before the first step, if the run ends in its warm-up.
    pub fn remark(&self) -> Option<String> {
        let warmup = self.schedule.warmup();
        (warmup > self.steps).then(|| {
            format!(
                "The warm-up takes {warmup} steps, the run {}: the learning rate only rises, and \
                 only to {:.0} % of `training.optimizer.learning_rate`. Lower \
                 `training.schedule.warmup`, or raise `training.steps`.",
                self.steps,
                100.0 * self.schedule.share(self.steps, self.steps),
            )
        })
    }

    /// Learning rate of step `step`, from 1.
    pub fn learning_rate(&self, step: u64) -> f64 {
        self.optimizer.learning_rate * self.schedule.share(step, self.steps)
    }
}

/// Linear warm-up: rises from nearly 0 to 1 at step `warmup`, then stays 1.
fn rise(step: u64, warmup: u64) -> f64 {
    if step >= warmup {
        return 1.0;
    }
    step as f64 / warmup as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(schedule: Schedule, steps: u64, at: &[u64]) -> Vec<f64> {
        at.iter().map(|&step| schedule.share(step, steps)).collect()
    }

    #[test]
    fn constant_rises_and_stays() {
        let schedule = Schedule::Constant { warmup: 4 };
        assert_eq!(
            shares(schedule, 10, &[1, 2, 4, 5, 10]),
            [0.25, 0.5, 1.0, 1.0, 1.0]
        );
        let schedule = Schedule::Constant { warmup: 0 };
        assert_eq!(shares(schedule, 10, &[1, 10]), [1.0, 1.0]);
    }

    #[test]
    fn cosine_falls_to_zero_at_the_last_step() {
        let schedule = Schedule::Cosine { warmup: 2 };
        let shares = shares(schedule, 6, &[1, 2, 3, 4, 5, 6, 7]);
        let half = std::f64::consts::FRAC_1_SQRT_2 / 2.0;
        let expected = [0.5, 1.0, 0.5 + half, 0.5, 0.5 - half, 0.0, 0.0];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-15, "{shares:?}");
        }
    }

    #[test]
    fn a_run_shorter_than_its_warm_up_only_rises() {
        let schedule = Schedule::Cosine { warmup: 100 };
        assert_eq!(shares(schedule, 10, &[1, 10]), [0.01, 0.1]);
    }

    #[test]
    fn a_warm_up_longer_than_the_run_is_remarked() {
        let of = |steps, schedule| {
            TrainingConfig {
                steps,
                schedule,
                ..TrainingConfig::default()
            }
            .remark()
        };
        let remark = of(50, Schedule::Cosine { warmup: 200 }).unwrap_or_default();
        assert!(remark.contains("only to 25 %"), "{remark}");
        assert!(of(50, Schedule::Noam { warmup: 4000 }).is_some());
        assert_eq!(of(200, Schedule::Cosine { warmup: 200 }), None);
        assert_eq!(of(1, Schedule::Constant { warmup: 0 }), None);
    }

    #[test]
    fn noam_peaks_at_the_last_warm_up_step_and_falls_with_the_root() {
        let schedule = Schedule::Noam { warmup: 4 };
        assert_eq!(
            shares(schedule, 100, &[1, 4, 16, 64, 100]),
            [0.25, 1.0, 0.5, 0.25, 0.2]
        );
        let schedule = Schedule::Noam { warmup: 0 };
        assert_eq!(shares(schedule, 100, &[1, 4]), [1.0, 0.5]);
    }

    #[test]
    fn the_rate_is_a_share_of_the_peak() {
        let training = TrainingConfig {
            schedule: Schedule::Noam { warmup: 4 },
            ..TrainingConfig::default()
        };
        let peak = training.optimizer.learning_rate;
        assert_eq!(training.learning_rate(16), 0.5 * peak);
    }
}
