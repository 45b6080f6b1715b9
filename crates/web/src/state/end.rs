//! The end of a run, and how training can go on: with more steps, without patience, or as a new run
//! at a lower rate.

use super::{Phase, State};
use strata_session::protocol::Activity;
use strata_training::Experiment;

/// The most further steps that are offered at once.
const MORE: u64 = 1000;
/// Factor by which the learning rate is lowered after a run has diverged.
const LOWER: f64 = 0.1;

/// End of a run, with the offer by which training goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// All steps are taken; offers this many more.
    Steps(u64),
    /// Validations have not improved for too long; offers to go on without patience.
    Patience,
    /// The loss is no longer finite, and another rate would not mend the parameters: offers a new
    /// run at this learning rate.
    Diverged(f64),
}

impl End {
    /// Returns the end of the present run; `None` if it has not ended.
    pub fn of(state: &State) -> Option<Self> {
        let training = &state.applied.training;
        match state.phase {
            Phase::Active(Activity::Finished) if state.step() < training.steps => {
                Some(Self::Patience)
            }
            Phase::Active(Activity::Finished) => Some(Self::Steps(training.steps.clamp(1, MORE))),
            Phase::Active(Activity::Diverged) => Some(Self::Diverged(rounded(
                training.optimizer.learning_rate * LOWER,
            ))),
            _ => None,
        }
    }

    /// Returns the experiment with which training goes on.
    pub fn then(self, experiment: &Experiment) -> Experiment {
        let mut experiment = experiment.clone();
        let training = &mut experiment.training;
        match self {
            Self::Steps(more) => training.steps = training.steps.saturating_add(more),
            Self::Patience => training.patience = 0,
            Self::Diverged(rate) => training.optimizer.learning_rate = rate,
        }
        experiment
    }
}

/// Rounds a rate to two significant digits: a tenth of 0.003 is 0.0003, not 0.00030000000000000003.
fn rounded(rate: f64) -> f64 {
    format!("{rate:.1e}").parse().unwrap_or(rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    #[test]
    fn what_is_offered_is_what_a_run_can_go_on_as() {
        let mut experiment = Preset::Copy.experiment();
        for end in [End::Steps(1000), End::Patience] {
            experiment.training.patience = 3;
            let on = end.then(&experiment);
            assert_ne!(on, experiment);
            assert!(experiment.can_go_on_as(&on).is_ok(), "{end:?}");
        }
    }

    #[test]
    fn a_tenth_is_a_short_number() {
        assert_eq!(rounded(0.003 * LOWER).to_string(), "0.0003");
        assert_eq!(rounded(100.0 * LOWER).to_string(), "10");
    }
}
