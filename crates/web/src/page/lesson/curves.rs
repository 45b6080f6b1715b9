//! Curves of a lesson's run, as the page draws them.

use crate::state::history::History;
use strata_lessons::Run;
use strata_session::protocol::StepReport;

/// Converts a recorded run into curves.
pub fn history(run: &Run) -> History {
    let mut history = History::default();
    for (step, loss, accuracy) in &run.training {
        history.push(&StepReport {
            step: *step,
            loss: *loss,
            accuracy: *accuracy,
            learning_rate: 0.0,
            gradient_norm: 0.0,
            tokens: 0,
            // The run was recorded on another machine: its speed says nothing here.
            milliseconds: 0.0,
            overflows: 0,
        });
    }
    for validation in &run.validations {
        history.validate(validation);
    }
    history
}

#[cfg(test)]
mod tests {
    // `Run` has private fields, so struct update syntax is not possible.
    #![allow(clippy::field_reassign_with_default)]
    use super::*;
    use strata_session::protocol::Validation;

    #[test]
    fn a_run_has_its_curves_and_no_speed() {
        let mut run = Run::default();
        run.training = vec![(8, 2.0, 0.25), (16, 1.0, 0.5)];
        run.validations = vec![Validation {
            step: 16,
            loss: 1.5,
            accuracy: 0.4,
            ..Validation::default()
        }];
        let drawn = history(&run);
        assert_eq!(drawn.training.len(), 2);
        assert_eq!(drawn.training[1].step, 16);
        assert_eq!(drawn.training[1].speed, None);
        assert_eq!(drawn.validation[0].accuracy, 0.4);
    }
}
