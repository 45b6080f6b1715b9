//! Resumes a run from a checkpoint; some settings may be changed.

use std::path::{Path, PathBuf};

use strata_settings::diff;
use strata_training::{Checkpoint, Experiment, TrainingConfig};

use crate::base::error::Error;
use crate::display::format::significant;
use crate::model::checkpoint_file;
use crate::model::experiment::{ExperimentArguments, asked_for};
use crate::run::moved;
use crate::run::run_folder::RunFolder;

/// Advice on data that are not found.
pub const SAY_WHERE: &str = "if the data lie elsewhere now, say where, for example `task.source=…`";

/// A checkpoint to resume from.
pub struct Resumed {
    /// Path of the checkpoint file.
    pub path: PathBuf,
    /// Bytes of the checkpoint, with the requested changes.
    pub checkpoint: Vec<u8>,
    /// The experiment before the changes.
    pub before: Experiment,
    /// Folder to which the paths of the data are relative, if it is not the current one.
    pub counts_from: Option<PathBuf>,
}

/// Reads a checkpoint and compares its experiment with the requested one. `run` is the run in whose
/// folder the file is, if any.
///
/// # Errors
/// If the file is no checkpoint, belongs to another experiment, or leaves no step to take, or if
/// the data are not found.
pub fn read(
    path: &Path,
    run: Option<&RunFolder>,
    asked: &ExperimentArguments,
) -> Result<Resumed, Error> {
    let path = path.to_owned();
    let bytes = checkpoint_file::read(&path)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&path))?;
    let step = checkpoint.step();
    let before = checkpoint.experiment().clone();
    let mut after = asked_for(&before, asked)?;
    let of_file = |source| Error::InRun {
        path: path.clone(),
        source,
    };
    before.can_go_on_as(&after).map_err(of_file)?;
    let mut changed = before.clone();
    changed.change_as(&after);
    changed.check().map_err(of_file)?;
    let training = &changed.training;
    // With other epochs, the number of steps is unknown until the data are read.
    if training.epochs == before.training.epochs || training.epochs == 0 {
        has_steps_left(&path, training, step)?;
    }
    let patience = training.patience;
    if checkpoint.standing().is_hopeless(patience) {
        return Err(Error::NoHope {
            path,
            step,
            patience,
        });
    }
    let counts_from = moved::find(&mut after.task, &asked.overrides, run, SAY_WHERE)?;
    let checkpoint = if after == before {
        bytes
    } else {
        checkpoint.going_on_as(&after)
    };
    Ok(Resumed {
        path,
        checkpoint,
        before,
        counts_from,
    })
}

/// Refuses a run that has taken all its steps.
///
/// # Errors
/// If no step is left to take.
pub fn has_steps_left(path: &Path, training: &TrainingConfig, step: u64) -> Result<(), Error> {
    if step < training.steps {
        return Ok(());
    }
    Err(Error::NothingLeft {
        path: path.to_owned(),
        step,
        steps: training.steps,
        more: step.saturating_mul(2).max(1),
    })
}

/// Returns remarks on changed settings, and on a jump of the learning rate; `step` steps are taken.
pub fn remarks(before: &Experiment, after: &Experiment, step: u64) -> Vec<String> {
    let settings = diff::differences(before, after).into_iter().map(|it| {
        let (key, value) = (it.dotted(), it.value());
        match diff::get(&diff::table(before), &key) {
            Some(old) => format!("`{key}` was {old} and is {value} from here on."),
            None => format!("`{key}` is {value} from here on."),
        }
    });
    let rate = jump(&before.training, &after.training, step);
    settings.chain(rate).collect()
}

/// Returns a note on the settings that are other ones than before the run went on, beside its length
/// and the paths of its data.
pub fn changed(before: &Experiment, after: &Experiment) -> Option<String> {
    let table = diff::table(before);
    let settings = diff::differences(before, after).into_iter();
    let settings = settings.filter_map(|it| {
        let (key, value) = (it.dotted(), it.value());
        if key.starts_with("task.") || ["training.steps", "training.epochs"].contains(&&*key) {
            return None;
        }
        Some(match diff::get(&table, &key) {
            Some(old) => format!("`{key}` is {value} and was {old}"),
            None => format!("`{key}` is {value}"),
        })
    });
    let settings: Vec<String> = settings.collect();
    (!settings.is_empty()).then(|| {
        format!(
            "note: the run goes on with other settings from here on: {}.",
            settings.join(", ")
        )
    })
}

/// Returns a remark on the learning rates before and after the resumption, if the changes make it
/// jump.
fn jump(before: &TrainingConfig, after: &TrainingConfig, step: u64) -> Option<String> {
    let next = after.learning_rate(step + 1);
    if next == before.learning_rate(step + 1) {
        return None;
    }
    let last = before.learning_rate(step);
    let mut sentence = format!(
        "The learning rate goes from {} in step {step} to {} in step {}",
        significant(last),
        significant(next),
        step + 1,
    );
    if after.schedule == before.schedule && after.steps != before.steps {
        sentence += &format!(
            ": the {} schedule now ends at step {} instead of {}",
            after.schedule.description().words.name,
            after.steps,
            before.steps
        );
    }
    sentence += ".";
    if next > last {
        sentence += &format!(
            " To go on without a rise: `training.schedule.kind=constant \
             training.schedule.warmup=0 training.optimizer.learning_rate=…`, at most {}.",
            significant(if last > 0.0 { last } else { next / 10.0 })
        );
    }
    Some(sentence)
}

#[cfg(test)]
mod tests {
    use strata_training::Schedule;

    use super::*;

    fn training(schedule: Schedule, steps: u64) -> TrainingConfig {
        TrainingConfig {
            schedule,
            steps,
            ..TrainingConfig::default()
        }
    }

    #[test]
    fn a_rate_that_rises_again_is_told_with_both_numbers() {
        let cosine = Schedule::Cosine { warmup: 5 };
        let told = jump(&training(cosine, 50), &training(cosine, 100), 50);
        let told = told.unwrap_or_default();
        assert!(
            told.contains("from 0 in step 50 to 0.00157 in step 51"),
            "{told}"
        );
        assert!(
            told.contains("cosine schedule now ends at step 100 instead of 50"),
            "{told}"
        );
    }

    #[test]
    fn a_rate_that_does_not_depend_on_the_steps_is_not_told_of() {
        for schedule in [
            Schedule::Constant { warmup: 5 },
            Schedule::Noam { warmup: 5 },
        ] {
            assert_eq!(
                jump(&training(schedule, 50), &training(schedule, 100), 50),
                None
            );
        }
        let cosine = training(Schedule::Cosine { warmup: 5 }, 50);
        assert_eq!(jump(&cosine, &cosine, 20), None);
    }

    #[test]
    fn other_settings_are_named_in_one_note() {
        let before = Experiment::default();
        let mut after = before.clone();
        after.training.steps += 1;
        assert_eq!(changed(&before, &after), None);
        after.training.clip_norm = 2.0;
        after.training.keep_best += 3;
        *after.model.dropout_mut() = 0.25;
        let told = changed(&before, &after).unwrap_or_default();
        for key in ["training.clip_norm", "training.keep_best", "model.dropout"] {
            assert!(told.contains(&format!("`{key}` is ")), "{key}: {told}");
        }
        assert!(!told.contains("training.steps"), "{told}");
    }

    #[test]
    fn another_peak_is_told_of() {
        let before = training(Schedule::Constant { warmup: 0 }, 50);
        let mut after = before.clone();
        after.optimizer.learning_rate = 1e-5;
        let told = jump(&before, &after, 20).unwrap_or_default();
        assert_eq!(
            told,
            "The learning rate goes from 0.003 in step 20 to 0.00001 in step 21."
        );
    }
}
