//! Settings that may change when a run resumes.

use serde_json::Value;

use crate::checkpoint::difference::first_difference;
use crate::{Experiment, TrainingConfig, TrainingError};

/// Settings that may change when a run resumes, with all settings inside them. The paths of the
/// run's data may change too
/// ([`TaskConfig::take_paths_of`](strata_tasks::TaskConfig::take_paths_of)).
pub const CHANGEABLE: [&str; 12] = [
    "model.dropout",
    "training.steps",
    "training.epochs",
    "training.patience",
    "training.optimizer.learning_rate",
    "training.schedule",
    "training.clip_norm",
    "training.validate_every",
    "training.bleu_every",
    "training.bleu_sentences",
    "training.keep_best",
    "training.checkpoint_every",
];

impl Experiment {
    /// Takes from `other` all settings that may change when a run resumes: [`CHANGEABLE`], and the
    /// paths of the data. If only the number of steps changes, it replaces the number of epochs.
    pub fn change_as(&mut self, other: &Experiment) {
        let TrainingConfig {
            steps,
            epochs,
            optimizer,
            schedule,
            clip_norm,
            validate_every,
            bleu_every,
            bleu_sentences,
            patience,
            keep_best,
            checkpoint_every,
            // These settings hold for a run from its first step on.
            batch_size: _,
            batch_tokens: _,
            accumulate: _,
            precision: _,
            checkpointing: _,
            label_smoothing: _,
            bleu_words: _,
            measure: _,
            curriculum: _,
        } = other.training;
        let training = &mut self.training;
        let counts_steps = steps != training.steps && epochs == training.epochs;
        training.epochs = if counts_steps { 0 } else { epochs };
        training.steps = steps;
        training.optimizer.learning_rate = optimizer.learning_rate;
        training.schedule = schedule;
        training.clip_norm = clip_norm;
        training.validate_every = validate_every;
        training.bleu_every = bleu_every;
        training.bleu_sentences = bleu_sentences;
        training.patience = patience;
        training.keep_best = keep_best;
        training.checkpoint_every = checkpoint_every;
        *self.model.dropout_mut() = other.model.dropout();
        self.task.take_paths_of(&other.task);
    }

    /// Checks that a run of this experiment can be resumed as `asked`: the two may differ in
    /// [`CHANGEABLE`] settings and paths alone.
    ///
    /// # Errors
    /// [`TrainingError::Fixed`] names the first setting that differs but must not.
    pub fn can_go_on_as(&self, asked: &Experiment) -> Result<(), TrainingError> {
        // How far the curriculum has come makes no difference.
        let (mut changed, asked) = (self.at_beginning(), &asked.at_beginning());
        changed.change_as(asked);
        changed.training.epochs = asked.training.epochs;
        // Vectors are read only at the beginning, but decide which embeddings are trained.
        let mut vectors = self.task.vectors().into_iter().zip(asked.task.vectors());
        if let Some((found, asked)) = vectors.find(|(found, asked)| found != asked) {
            let is_set = |setting: Option<_>| setting.map_or("not set", |_| "set").to_owned();
            return Err(TrainingError::Fixed {
                key: format!("task.{}", found.or(asked).unwrap_or_default()),
                found: is_set(found),
                asked: is_set(asked),
            });
        }
        match changed.first_difference(asked) {
            None => Ok(()),
            Some((key, found, asked)) => Err(TrainingError::Fixed { key, found, asked }),
        }
    }

    /// Finds the first setting that differs. Returns its key, its value in `self` and its value in
    /// `other`.
    pub(crate) fn first_difference(&self, other: &Experiment) -> Option<(String, String, String)> {
        first_difference("", &as_value(self), &as_value(other))
    }
}

/// Converts an experiment through JSON text, so that messages show numbers as they were written.
fn as_value(experiment: &Experiment) -> Value {
    let text = serde_json::to_string(experiment).expect("an experiment is plain data");
    serde_json::from_str(&text).expect("it was just written")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;
    use strata_tasks::{FilesConfig, TaskConfig};

    use super::*;
    use crate::Schedule;

    /// The experiment with another value of one setting; `None` if the setting is neither a number
    /// nor a Boolean, or the new value is invalid.
    fn otherwise(experiment: &Experiment, key: &str) -> Option<Experiment> {
        let mut json = serde_json::to_value(experiment).unwrap();
        let value = json
            .pointer_mut(&format!("/{}", key.replace('.', "/")))
            .unwrap();
        *value = match &*value {
            Value::Bool(is_so) => json!(!*is_so),
            Value::Number(number) if number.is_f64() => json!(number.as_f64().unwrap() + 0.25),
            Value::Number(number) => json!(number.as_u64().unwrap() + 1),
            _ => return None,
        };
        serde_json::from_value(json).ok()
    }

    fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(inner) => inner.iter().for_each(|(name, value)| {
                leaves(value, &format!("{path}.{name}"), found);
            }),
            _ => found.push(path.trim_start_matches('.').to_owned()),
        }
    }

    #[test]
    fn what_may_change_is_what_the_list_says_and_nothing_else() {
        let present = Experiment::default();
        let mut keys = Vec::new();
        leaves(&serde_json::to_value(&present).unwrap(), "", &mut keys);
        let mut tried = 0;
        for key in keys {
            let Some(asked) = otherwise(&present, &key) else {
                continue;
            };
            let may = CHANGEABLE
                .iter()
                .any(|it| key == *it || key.starts_with(&format!("{it}.")));
            let can = present.can_go_on_as(&asked);
            assert_eq!(can.is_ok(), may, "{key}");
            let mut changed = present.clone();
            changed.change_as(&asked);
            assert_eq!(changed == asked, may, "{key}");
            if let Err(error) = can {
                assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
            }
            tried += 1;
        }
        assert!(tried > 25, "{tried}");
    }

    #[test]
    fn another_schedule_takes_the_place_of_the_old_one() {
        let present = Experiment::default();
        let mut asked = present.clone();
        asked.training.schedule = Schedule::Constant { warmup: 0 };
        present.can_go_on_as(&asked).unwrap();
        let mut changed = present;
        changed.change_as(&asked);
        assert_eq!(changed, asked);
    }

    #[test]
    fn steps_take_the_place_of_epochs_unless_these_change_too() {
        let mut present = Experiment::default();
        present.training.epochs = 3;
        let mut asked = present.clone();
        asked.training.steps += 1;
        present.can_go_on_as(&asked).unwrap();
        let mut changed = present.clone();
        changed.change_as(&asked);
        assert_eq!(changed.training.epochs, 0);
        asked.training.epochs = 5;
        let mut changed = present.clone();
        changed.change_as(&asked);
        assert_eq!(changed.training.epochs, 5);
    }

    #[test]
    fn data_may_lie_elsewhere_but_are_cut_alike() {
        let files = |source: &str, minimum_count| Experiment {
            task: TaskConfig::Files(FilesConfig {
                source: source.into(),
                minimum_count,
                ..FilesConfig::default()
            }),
            ..Experiment::default()
        };
        let present = files("a", 2);
        present.can_go_on_as(&files("b", 2)).unwrap();
        let error = present
            .can_go_on_as(&files("b", 3))
            .unwrap_err()
            .to_string();
        assert!(error.contains("`task.minimum_count` is 2"), "{error}");
        present.can_go_on_as(&Experiment::default()).unwrap_err();
    }
}
