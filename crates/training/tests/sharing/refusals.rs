//! Processes that cannot share a run.

use std::sync::Arc;

use pollster::block_on;
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;
use strata_training::{Exchange, Experiment, TrainingError};

use crate::{alone, drawing, experiment, threads, trainer};

/// Returns the error of two processes with these experiments, and asserts that both have the same
/// one.
fn refused(experiments: [Experiment; 2]) -> String {
    let mut said = threads::run(2, |exchange| {
        let mut trainer = trainer(&experiments[exchange.rank()]);
        let joined = block_on(trainer.join(exchange));
        joined.expect_err("they cannot share a run").to_string()
    });
    assert_eq!(said[0], said[1]);
    said.remove(0)
}

#[test]
fn batches_that_cannot_be_shared_evenly_are_refused_with_what_can() {
    let _alone = alone();
    let said = refused([3, 3].map(|accumulate| experiment(drawing(), accumulate)));
    for part in [
        "`training.accumulate` is 3",
        "2 processes",
        "`training.accumulate=2`, 4 or another multiple of 2",
        "one of the numbers 1, 3",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let said = refused([1, 1].map(|accumulate| experiment(drawing(), accumulate)));
    assert!(said.contains("the number 1 of processes"), "{said}");
}

#[test]
fn a_state_that_is_carried_is_refused() {
    let _alone = alone();
    let mut experiment = experiment(drawing(), 2);
    experiment.task = TaskConfig::of_kind("sentences").expect("a task of this name");
    experiment.model = ModelConfig::all()
        .into_iter()
        .find(|model| model.name() == "recurrent_lm")
        .expect("an architecture of this name");
    let said = refused([experiment.clone(), experiment]);
    assert!(said.contains("recurrent_lm"), "{said}");
    assert!(said.contains("transformer_lm"), "{said}");
}

#[test]
fn other_experiments_and_data_are_refused() {
    let _alone = alone();
    let one = experiment(drawing(), 2);
    let mut other = one.clone();
    other.training.clip_norm = 0.5;
    let said = refused([one.clone(), other]);
    assert!(
        said.starts_with("process 1 has another experiment than process 0"),
        "{said}"
    );
}

/// Exchange that returns a changed sum in process 1.
struct Tampering(Arc<dyn Exchange>);

impl Exchange for Tampering {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn sum(&self, row: &mut [f32]) {
        self.0.sum(row);
        // Changes the long row of a step, not the short rows by which processes compare themselves.
        if self.rank() == 1 && row.len() > 1000 {
            row[0] += 1e-3;
        }
    }

    fn spread(&self, bytes: &mut [u8]) {
        self.0.spread(bytes);
    }
}

#[test]
fn parameters_that_drift_apart_end_the_run() {
    let _alone = alone();
    let experiment = experiment(drawing(), 2);
    let ends = threads::run(2, |exchange| {
        let mut trainer = trainer(&experiment);
        block_on(trainer.join(Arc::new(Tampering(exchange)))).expect("they are alike at first");
        for step in 1..100 {
            assert_eq!(
                block_on(trainer.step()).expect("not noticed yet").step,
                step
            );
        }
        let position = trainer.position();
        let end = block_on(trainer.step());
        assert_eq!(trainer.position(), position);
        assert_eq!(trainer.step_count(), 99);
        end
    });
    for end in ends {
        assert!(
            matches!(end, Err(TrainingError::Apart { step: 100, rank: 1 })),
            "{end:?}"
        );
    }
}
