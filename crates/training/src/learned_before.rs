//! Sentences that models have learned: a held-out example must not be among these.

use safetensors::Dtype;
use strata_tasks::{Learned, TaskConfig, Written};

use crate::checkpoint::Contents;
use crate::data::Data;
use crate::{Checkpoint, CheckpointError, Trainer};

/// Tensors of a checkpoint with what a model has learned: of its own data, and with the models from
/// which it began.
pub(crate) const OWN: &str = "learned.own";
pub(crate) const BEFORE: &str = "learned.before";
/// First checkpoint format that has the tensors [`OWN`] and [`BEFORE`].
const SINCE: u64 = 3;

/// Sentences that a model had learned before its run began, with the parameters that the run took over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LearnedBefore {
    pub learned: Option<Learned>,
    /// True if a model among those that it began from does not say what it has learned.
    pub is_unknown: bool,
}

/// Held-out examples of a run that begins with the parameters of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldOutBefore {
    /// Number of held-out examples that the other one has learned: they are left out. Of a text, number
    /// of its lines, which stay.
    pub learned: usize,
    /// Number of all.
    pub all: usize,
    /// True if they stay, as nothing would be left to measure, or to test, without them.
    pub is_kept: bool,
    /// True if the other one does not say what it has learned: its checkpoint is of an older program.
    pub is_unknown: bool,
}

impl Checkpoint<'_> {
    /// All that the model has learned, by itself and in the models from which it began; `None` if it
    /// does not say, as its checkpoint is of an older program.
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

    /// True if the data of both are the same, and so is what is held out of them.
    pub fn has_data_of(&self, other: &Self) -> bool {
        self.contents.fingerprint == other.contents.fingerprint
            && self.contents.experiment.task == other.contents.experiment.task
    }

    /// Sentences of its own data that the model has learned.
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
    /// Takes what a model has learned whose parameters the run begins with: of what is held out, it is
    /// left out.
    pub(crate) fn begin_after(
        &mut self,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<HeldOutBefore, CheckpointError> {
        let mut before = checkpoint.learned_before()?;
        let own = checkpoint.learned_by_itself()?;
        // Of the same data the same is held out, and nothing else is learned.
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
    /// Number of held-out examples, or lines, that can be told from others.
    fn held_out_identities(&self) -> usize {
        self.identities.as_ref().map_or(0, |it| it.held_out.len())
    }

    /// Leaves out of the held-out examples those that were learned before, but where they are in the
    /// training data, too, because somebody asked for it, or where nothing would be left; returns their
    /// number. A text stays whole, and the number is that of its lines.
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
        let tested = self.reading.as_ref().map_or(0, |it| it.tested);
        let (of_validation, of_tested) = is_learned.split_at(is_learned.len() - tested);
        let is_whole = |part: &[bool]| !part.is_empty() && part.iter().all(|&it| it);
        if is_whole(of_validation) || is_whole(of_tested) {
            self.remembered = count;
            return count;
        }
        retain(&mut identities.held_out, &is_learned);
        if !self.validation.is_empty() {
            retain(&mut self.validation, &is_learned);
        }
        if let Written::Pairs(pairs) = &mut self.written {
            retain(pairs, &is_learned);
        }
        if let Some(reading) = &mut self.reading {
            let tested = is_learned.len() - reading.tested;
            reading.tested -= is_learned[tested..].iter().filter(|&&it| it).count();
            retain(&mut reading.validation, &is_learned);
        }
        self.dropped.validation.learned += count;
        count
    }
}

/// True if a checkpoint does not say all that its model had learned before its run: programs before did
/// not write down with which parameters a run began.
pub(crate) fn is_unknown(contents: &Contents) -> bool {
    let is_old = contents.format < SINCE && is_read(&contents.experiment.task);
    contents.learned_unknown || is_old
}

/// True if a task is read from files, so that one may hold out what another has learned.
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

/// Joins what one model has learned to what others have.
pub(crate) fn join(sum: &mut Option<Learned>, further: Option<Learned>) {
    *sum = joined(sum.take(), further);
}

/// Keeps the items that are not left out.
fn retain<T>(items: &mut Vec<T>, is_left_out: &[bool]) {
    let mut is_left_out = is_left_out.iter();
    items.retain(|_| !is_left_out.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests;
