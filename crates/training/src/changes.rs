//! What of a run may change when it goes on.

use crate::Experiment;

/// The settings that may change when a run goes on; all others belong to it from its first step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changes {
    /// `training.steps`: optimiser steps in all.
    pub steps: u64,
    /// `training.patience`: validations without a better one that end the run; 0: never.
    pub patience: u64,
    /// `model.dropout`: the share of features dropped from here on.
    pub dropout: f64,
}

impl Changes {
    /// As it is in the experiment.
    pub fn none(experiment: &Experiment) -> Self {
        Self {
            steps: experiment.training.steps,
            patience: experiment.training.patience,
            dropout: experiment.model.dropout(),
        }
    }

    /// Sets them.
    pub fn make(self, experiment: &mut Experiment) {
        let Self {
            steps,
            patience,
            dropout,
        } = self;
        experiment.training.steps = steps;
        experiment.training.patience = patience;
        *experiment.model.dropout_mut() = dropout;
    }
}
