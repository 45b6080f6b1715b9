//! Sentences that models have learned, none of which may be held out.

use safetensors::Dtype;
use strata_tasks::{Learned, TaskConfig};

use crate::checkpoint::Contents;
use crate::data::Data;
use crate::pipeline::retain;
use crate::{Checkpoint, CheckpointError, Trainer};

/// Names of a checkpoint's tensors of what the model has learned: [`OWN`] from its own data,
/// [`BEFORE`] with the models from which it began.
pub(crate) const OWN: &str = "learned.own";
pub(crate) const BEFORE: &str = "learned.before";
/// First format of checkpoints that has the tensors [`OWN`] and [`BEFORE`].
const SINCE: u64 = 3;

/// Sentences that a model had learned before its run began, by the run whose parameters it took
/// over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LearnedBefore {
    pub learned: Option<Learned>,
    /// True if a model from which the run began does not record what it has learned.
    pub is_unknown: bool,
}

/// Held-out examples of a run that begins with the parameters of an earlier model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldOutBefore {
    /// Number of held-out examples that the earlier model has learned; these are left out. For a
    /// text, number of such lines, which stay.
    pub learned: usize,
    /// Number of all held-out examples.
    pub all: usize,
    /// True if the learned examples stay, because without them nothing would be left to measure or
    /// test.
    pub is_kept: bool,
    /// True if the earlier model does not record what it has learned: an older program wrote its
    /// checkpoint.
    pub is_unknown: bool,
}

impl Checkpoint<'_> {
    /// Returns all that the model has learned, from its own data and with the models from which it
    /// began. Returns `None` if an older program wrote the checkpoint, without recording it.
    ///
    /// # Errors
    /// If the checkpoint is damaged.
    pub fn learned(&self) -> Result<Option<Learned>, CheckpointError> {
        let before = self.learned_before()?;
        let own = self.learned_by_itself()?;
        let is_missing = own.is_none() && is_read(&self.contents.experiment.task);
        if before.is_unknown || is_missing {
            return Ok(None);
        }
        Ok(Some(joined(own, before.learned).unwrap_or_default()))
    }

    /// True if both checkpoints have the same data, and so the same held-out examples.
    pub fn has_data_of(&self, other: &Self) -> bool {
        self.contents.fingerprint == other.contents.fingerprint
            && self.contents.experiment.task == other.contents.experiment.task
    }

    /// Sentences of the model's own data, which it has learned.
    pub(crate) fn learned_by_itself(&self) -> Result<Option<Learned>, CheckpointError> {
        self.set(OWN)
    }

    pub(crate) fn learned_before(&self) -> Result<LearnedBefore, CheckpointError> {
        Ok(LearnedBefore {
            learned: self.set(BEFORE)?,
            is_unknown: is_unknown(&self.contents),
        })
    }

    fn set(&self, name: &str) -> Result<Option<Learned>, CheckpointError> {
        let Ok(tensor) = self.tensors.tensor(name) else {
            return Ok(None);
        };
        let read = (tensor.dtype() == Dtype::U8).then(|| Learned::read(tensor.data()));
        match read.flatten() {
            Some(set) => Ok(Some(set)),
            None => Err(CheckpointError::Damaged {
                reason: format!("`{name}` does not say what was learned"),
            }),
        }
    }
}

impl Trainer {
    /// Takes over what the model has learned whose parameters begin this run, and leaves it out of
    /// the held-out examples.
    pub(crate) fn begin_after(
        &mut self,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<HeldOutBefore, CheckpointError> {
        let mut before = checkpoint.learned_before()?;
        let own = checkpoint.learned_by_itself()?;
        // With the same data the same examples are held out, so that none of them was learned.
        let is_same = checkpoint.contents.fingerprint == self.data.fingerprint;
        before.is_unknown |=
            own.is_none() && is_read(&checkpoint.contents.experiment.task) && !is_same;
        if !is_same {
            before.learned = joined(own, before.learned);
        }
        let all = self.data.held_out_identities();
        let learned = match &before.learned {
            Some(learned) => self.data.leave_out(learned, &self.experiment.task),
            None => 0,
        };
        let is_unknown = before.is_unknown && is_read(&self.experiment.task);
        self.learned_before = before;
        Ok(HeldOutBefore {
            learned,
            all,
            is_kept: self.data.remembered > 0,
            is_unknown,
        })
    }
}

impl Data {
    /// Number of held-out examples, or lines, that have an identity.
    fn held_out_identities(&self) -> usize {
        self.identities.as_ref().map_or(0, |it| it.held_out.len())
    }

    /// Leaves out those held-out examples that were learned before, and returns their number. They
    /// stay if the settings allow held-out examples in the training data, or if nothing would be
    /// left. A text stays whole; the number is that of its lines.
    pub(crate) fn leave_out(&mut self, learned: &Learned, task: &TaskConfig) -> usize {
        let keeps_overlap = matches!(task, TaskConfig::Files(task) if task.keep_overlap);
        let Some(identities) = self.identities.as_mut().filter(|_| !keeps_overlap) else {
            return 0;
        };
        let is_learned = learned.holds_any(&identities.held_out);
        let count = is_learned.iter().filter(|&&it| it).count();
        if matches!(task, TaskConfig::Text(_)) || count == 0 {
            return count;
        }
        let tested = self.examples.questions().map_or(0, |data| data.tested);
        let (of_validation, of_tested) = is_learned.split_at(is_learned.len() - tested);
        let is_whole = |part: &[bool]| !part.is_empty() && part.iter().all(|&it| it);
        if is_whole(of_validation) || is_whole(of_tested) {
            self.remembered = count;
            return count;
        }
        retain(&mut identities.held_out, &is_learned);
        self.examples.leave_out(&is_learned);
        self.dropped.validation.learned += count;
        count
    }
}

/// True if a checkpoint does not record all that its model had learned before its run: older
/// programs did not record from which parameters a run began.
pub(crate) fn is_unknown(contents: &Contents) -> bool {
    let is_old = contents.format < SINCE && is_read(&contents.experiment.task);
    contents.learned_unknown || is_old
}

/// True if a task is read from files, so that its held-out examples may have been learned by
/// another model.
fn is_read(task: &TaskConfig) -> bool {
    matches!(
        task,
        TaskConfig::Files(_) | TaskConfig::Text(_) | TaskConfig::Reading(_)
    )
}

fn joined(one: Option<Learned>, other: Option<Learned>) -> Option<Learned> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.with(&other)),
        (one, other) => one.or(other),
    }
}

/// Adds what one model has learned to what others have learned.
pub(crate) fn join(sum: &mut Option<Learned>, further: Option<Learned>) {
    *sum = joined(sum.take(), further);
}

#[cfg(test)]
mod tests;
