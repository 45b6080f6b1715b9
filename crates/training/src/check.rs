//! Refuses an experiment that cannot be run, before any of it is.

use strata_tasks::Form;

use crate::{Experiment, Measure, OptimizerConfig, TrainingConfig, TrainingError};

/// Above this, a step is longer than any useful parameter; a slip of the pen, not a choice.
const LARGEST_RATE: f64 = 1000.0;
/// More batches a step than anybody waits for.
const MOST_BATCHES: usize = 1 << 16;
/// More tokens a batch than any memory holds.
const MOST_TOKENS: usize = 1_000_000_000;
/// More checkpoints than a disk should be filled with.
const MOST_KEPT: usize = 100;

impl Experiment {
    /// Checks task, model and training, without looking at any data.
    ///
    /// # Errors
    /// A sentence that names the key, its value, and what it may be.
    pub fn check(&self) -> Result<(), TrainingError> {
        self.task.validate()?;
        self.model.check()?;
        self.training.check()?;
        let (needed, other) = match self.model.is_language_model() {
            true => (Form::Text, Form::Pairs),
            false => (Form::Pairs, Form::Text),
        };
        if self.task.form() == other {
            return Err(TrainingError::Unfit {
                architecture: self.model.name(),
                task: self.task.description().name,
                needed,
            });
        }
        require(
            needed == Form::Pairs || self.training.bleu_every == 0,
            "bleu_every",
            self.training.bleu_every,
            "0 for a language model, whose text nobody has translated",
        )
    }
}

impl TrainingConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// A sentence that names the key, its value, and what it may be.
    pub fn check(&self) -> Result<(), TrainingError> {
        let OptimizerConfig {
            learning_rate,
            beta_1,
            beta_2,
            epsilon,
            weight_decay,
        } = self.optimizer;
        let below_one = 0.0..1.0;
        require(self.steps >= 1, "steps", self.steps, "at least 1")?;
        require(
            self.batch_size >= 1,
            "batch_size",
            self.batch_size,
            "at least 1",
        )?;
        require(
            self.batch_tokens <= MOST_TOKENS,
            "batch_tokens",
            self.batch_tokens,
            "at most 1000000000 (0: as many examples as batch_size says)",
        )?;
        require(
            (1..=MOST_BATCHES).contains(&self.accumulate),
            "accumulate",
            self.accumulate,
            "1 to 65536",
        )?;
        require(
            self.bleu_sentences >= 1,
            "bleu_sentences",
            self.bleu_sentences,
            "at least 1",
        )?;
        require(
            self.keep_best <= MOST_KEPT,
            "keep_best",
            self.keep_best,
            "at most 100 (0: none)",
        )?;
        require(
            self.measure == Measure::Loss || self.bleu_every > 0,
            "bleu_every",
            self.bleu_every,
            "at least 1 where `training.measure` is \"bleu\"",
        )?;
        require(
            learning_rate > 0.0 && learning_rate <= LARGEST_RATE,
            "optimizer.learning_rate",
            learning_rate,
            "above 0 and at most 1000",
        )?;
        for (key, beta) in [("optimizer.beta_1", beta_1), ("optimizer.beta_2", beta_2)] {
            require(
                (0.0..1.0).contains(&beta),
                key,
                beta,
                "at least 0 and below 1",
            )?;
        }
        require(
            epsilon > 0.0 && epsilon.is_finite(),
            "optimizer.epsilon",
            epsilon,
            "above 0",
        )?;
        require(
            weight_decay >= 0.0 && weight_decay.is_finite(),
            "optimizer.weight_decay",
            weight_decay,
            "at least 0 (0: none)",
        )?;
        require(
            self.clip_norm >= 0.0 && self.clip_norm.is_finite(),
            "clip_norm",
            self.clip_norm,
            "at least 0 (0: no limit)",
        )?;
        require(
            below_one.contains(&self.label_smoothing),
            "label_smoothing",
            self.label_smoothing,
            "at least 0 and below 1",
        )
    }
}

fn require(
    holds: bool,
    key: &'static str,
    value: impl ToString,
    allowed: &'static str,
) -> Result<(), TrainingError> {
    if holds {
        return Ok(());
    }
    Err(TrainingError::Setting {
        key,
        value: value.to_string(),
        allowed,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn refused(change: impl FnOnce(&mut TrainingConfig)) -> String {
        let mut training = TrainingConfig::default();
        change(&mut training);
        training.check().unwrap_err().to_string()
    }

    #[test]
    fn the_default_is_allowed() {
        Experiment::default().check().unwrap();
    }

    #[test]
    fn each_value_is_refused_by_name() {
        assert_eq!(
            refused(|training| training.batch_size = 0),
            "`training.batch_size` is 0, but must be at least 1"
        );
        let names = [
            refused(|t| t.steps = 0),
            refused(|t| t.optimizer.learning_rate = 0.0),
            refused(|t| t.optimizer.learning_rate = f64::NAN),
            refused(|t| t.optimizer.learning_rate = f64::INFINITY),
            refused(|t| t.optimizer.beta_1 = 1.0),
            refused(|t| t.optimizer.beta_2 = -0.1),
            refused(|t| t.optimizer.epsilon = 0.0),
            refused(|t| t.optimizer.weight_decay = f64::NAN),
            refused(|t| t.clip_norm = -1.0),
            refused(|t| t.label_smoothing = 1.0),
            refused(|t| t.batch_tokens = MOST_TOKENS + 1),
            refused(|t| t.accumulate = 0),
            refused(|t| t.bleu_sentences = 0),
            refused(|t| t.keep_best = 101),
            refused(|t| t.measure = Measure::Bleu),
        ];
        let expected = [
            "`training.steps` is 0",
            "`training.optimizer.learning_rate` is 0",
            "`training.optimizer.learning_rate` is NaN",
            "`training.optimizer.learning_rate` is inf",
            "`training.optimizer.beta_1` is 1",
            "`training.optimizer.beta_2` is -0.1",
            "`training.optimizer.epsilon` is 0",
            "`training.optimizer.weight_decay` is NaN",
            "`training.clip_norm` is -1",
            "`training.label_smoothing` is 1",
            "`training.batch_tokens` is 1000000001",
            "`training.accumulate` is 0",
            "`training.bleu_sentences` is 0",
            "`training.keep_best` is 101",
            "`training.bleu_every` is 0",
        ];
        for (error, expected) in names.iter().zip(expected) {
            assert!(
                error.starts_with(&format!("{expected}, but must be")),
                "{error}"
            );
        }
    }

    #[test]
    fn task_and_model_are_checked_too() {
        let mut experiment = Experiment::default();
        if let strata_models::ModelConfig::Transformer(config) = &mut experiment.model {
            config.heads = 7;
        }
        assert!(matches!(experiment.check(), Err(TrainingError::Model(_))));
    }
}
