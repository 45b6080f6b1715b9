//! Checks that an experiment can be run, before any of it is built.

use crate::{Experiment, Measure, TrainingConfig, TrainingError, pipeline};
use strata_describe::{OutOfRange, Settings};

impl Experiment {
    /// Checks task, model and training, without looking at any data.
    ///
    /// # Errors
    /// A sentence that names the key, its value, and the values allowed.
    pub fn check(&self) -> Result<(), TrainingError> {
        self.check_settings()?;
        self.check_curriculum()
    }

    /// Checks task, model and training as set, before the curriculum changes a setting.
    pub(crate) fn check_settings(&self) -> Result<(), TrainingError> {
        self.task.validate()?;
        self.model.check()?;
        self.training.check()?;
        pipeline::check(self)
    }
}

impl TrainingConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// A sentence that names the key, its value, and the values allowed.
    pub fn check(&self) -> Result<(), TrainingError> {
        let tables: [(&str, &dyn Settings); 3] = [
            ("", self),
            ("optimizer.", &self.optimizer),
            ("schedule.", &self.schedule),
        ];
        for (table, settings) in tables {
            settings
                .check_ranges()
                .map_err(|found| TrainingError::out_of_range(table, found))?;
        }
        require(
            self.measure != Measure::Bleu || self.bleu_every > 0,
            "bleu_every",
            self.bleu_every,
            "at least 1 where `training.measure` is \"bleu\"",
        )
    }
}

impl TrainingError {
    /// Error for a number that is out of its range. `table` is the prefix of the setting's key
    /// below `training`.
    fn out_of_range(table: &str, found: OutOfRange) -> Self {
        let OutOfRange { setting, value } = found;
        Self::Setting {
            key: format!("{table}{}", setting.words.name),
            value: value.to_string(),
            allowed: setting.domain.to_string(),
        }
    }
}

/// Refuses BLEU for a model that translates nothing.
pub(crate) fn refuse_bleu(training: &TrainingConfig) -> Result<(), TrainingError> {
    require(
        training.bleu_every == 0,
        "bleu_every",
        training.bleu_every,
        "0 for a language model or a reader, which translate nothing",
    )
}

/// Refuses the measures of a reader's answers for other models.
pub(crate) fn refuse_measures_of_answers(training: &TrainingConfig) -> Result<(), TrainingError> {
    require(
        !matches!(training.measure, Measure::F1 | Measure::RougeL),
        "measure",
        format!("\"{}\"", training.measure.name()),
        "\"loss\", \"bleu\" or another one for a model that answers no questions",
    )
}

/// Refuses the value of a setting of `training` unless `holds`.
pub(crate) fn require(
    holds: bool,
    key: &'static str,
    value: impl ToString,
    allowed: &'static str,
) -> Result<(), TrainingError> {
    if holds {
        return Ok(());
    }
    Err(TrainingError::Setting {
        key: key.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_tasks::TaskConfig;

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
            "`training.batch_size` is 0, but must be 1 to 1000000"
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
            refused(|t| t.batch_tokens = 1_000_000_001),
            refused(|t| t.schedule = crate::Schedule::Noam { warmup: 1 << 40 }),
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
            "`training.schedule.warmup` is 1099511627776",
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
    fn questions_about_passages_need_a_reader_and_a_reader_needs_them() {
        for model in strata_models::ModelConfig::all() {
            let experiment = |task| Experiment {
                task: TaskConfig::of_kind(task).unwrap(),
                model: model.clone(),
                ..Experiment::default()
            };
            let asked = experiment("toy_reading").check();
            if model.is_reader() {
                asked.unwrap();
                let error = experiment("copy").check().unwrap_err().to_string();
                assert!(
                    error.contains("`copy`") && error.contains(model.name()),
                    "{error}"
                );
                continue;
            }
            let error = asked.unwrap_err().to_string();
            assert!(
                error.contains("`toy_reading`") && error.contains("no reader"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_continues_lines_needs_poems_without_keywords() {
        let check = |keywords: bool, task: fn(bool) -> TaskConfig| {
            let experiment = Experiment {
                task: task(keywords),
                model: strata_models::ModelConfig::Rnnpg(strata_models::RnnpgConfig::default()),
                ..Experiment::default()
            };
            experiment.check()
        };
        let poems = |keywords: bool| {
            TaskConfig::Poems(strata_tasks::PoemsConfig {
                source: "poems".into(),
                keywords,
                ..strata_tasks::PoemsConfig::default()
            })
        };
        check(false, poems).unwrap();
        let copy = |_| TaskConfig::of_kind("copy").unwrap();
        for error in [check(true, poems), check(false, copy)] {
            let error = error.unwrap_err().to_string();
            assert!(error.contains("`task.keywords=false`"), "{error}");
        }
    }

    #[test]
    fn f1_and_rouge_l_are_measures_of_readers() {
        let mut experiment = Experiment::default();
        for (measure, name) in [(Measure::F1, "f1"), (Measure::RougeL, "rouge_l")] {
            experiment.training.measure = measure;
            let error = experiment.check().unwrap_err().to_string();
            let begin = format!("`training.measure` is \"{name}\"");
            assert!(error.starts_with(&begin), "{error}");
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
