//! Beginnings that the tests of the page share.

use strata_session::protocol::StepReport;

/// Creates the report of a training step of 10 tokens, which took 5 ms.
pub fn step_report(step: u64, loss: f64, accuracy: f64) -> StepReport {
    StepReport {
        step,
        loss,
        accuracy,
        learning_rate: 0.1,
        gradient_norm: 1.0,
        tokens: 10,
        milliseconds: 5.0,
        overflows: 0,
    }
}
