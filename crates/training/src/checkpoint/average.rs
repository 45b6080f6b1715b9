//! Mean of several checkpoints of one run (Vaswani et al. 2017, 6.1): a model to translate with,
//! often better than each of the checkpoints.

use std::collections::BTreeMap;

use safetensors::Dtype;
use safetensors::tensor::TensorView;

use strata_tasks::Learned;

use crate::checkpoint::snapshot::view_of;
use crate::checkpoint::{Contents, serialize};
use crate::data::learned_before::{BEFORE, OWN, join};
use crate::pipeline::WORD_VECTORS;
use crate::{Checkpoint, CheckpointError};

/// Mean of checkpoints that are added one after the other.
pub struct Average {
    contents: Contents,
    steps: Vec<u64>,
    /// Shape and bytes of the vectors that plan poems, if there are any.
    plan: Option<(Vec<usize>, Vec<u8>)>,
    /// Sentences that any of the averaged models has learned: from its own data, and with the
    /// models from which it began.
    learned: [Option<Learned>; 2],
    /// Shape and sum of every parameter.
    sums: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
}

impl Average {
    /// Starts the mean with one checkpoint.
    ///
    /// # Errors
    /// If the checkpoint's parameters cannot be read, or are not finite.
    pub fn new(first: &Checkpoint<'_>) -> Result<Self, CheckpointError> {
        first.check_numbers()?;
        let mut average = Self {
            contents: first.contents.renewed(),
            steps: vec![first.step()],
            plan: first
                .tensors
                .tensor(WORD_VECTORS)
                .ok()
                .map(|it| (it.shape().to_vec(), it.data().to_vec())),
            learned: [first.learned_by_itself()?, first.learned_before()?.learned],
            sums: BTreeMap::new(),
        };
        for (name, shape) in first.parameters() {
            let values = first.parameter(&name, &shape)?;
            let values = values.into_iter().map(f64::from).collect();
            average.sums.insert(name, (shape, values));
        }
        Ok(average)
    }

    /// Adds a checkpoint to the mean.
    ///
    /// # Errors
    /// If the checkpoint is of another experiment or other data, or its parameters cannot be read.
    pub fn add(&mut self, further: &Checkpoint<'_>) -> Result<(), CheckpointError> {
        let mut asked = self.contents.experiment.clone();
        // Settings of training and paths of data may differ: they do not change what the model is.
        asked.training = further.experiment().training.clone();
        asked.change_as(further.experiment());
        further.matches(&asked).map_err(|error| match error {
            CheckpointError::OtherExperiment {
                key,
                found,
                expected,
            } => CheckpointError::NoMean {
                difference: match key.as_str() {
                    "seed" => format!(
                        "`seed` is {found} in it, and {expected} in the first: they began with other \
                         parameters, and the mean of two beginnings is no model"
                    ),
                    _ => format!("`{key}` is {found} in it, and {expected} in the first"),
                },
            },
            error => error,
        })?;
        further.check_numbers()?;
        if !further.contents.has_vocabularies_of(&self.contents) {
            return Err(CheckpointError::NoMean {
                difference: "its vocabularies are others than those of the first".to_owned(),
            });
        }
        for (name, (shape, sums)) in &mut self.sums {
            let values = further.parameter(name, shape)?;
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += f64::from(value);
            }
        }
        let before = further.learned_before()?;
        let is_known = !self.contents.learned_unknown && !before.is_unknown;
        if is_known && before.learned != self.learned[1] {
            return Err(CheckpointError::of_other_beginning());
        }
        let is_unknown = self.contents.learned_unknown || before.is_unknown;
        join(&mut self.learned[0], further.learned_by_itself()?);
        join(&mut self.learned[1], before.learned);
        self.steps.push(further.step());
        if further.step() > self.contents.step {
            self.contents = further.contents.renewed();
        }
        self.contents.learned_unknown = is_unknown;
        Ok(())
    }

    /// Steps of the checkpoints, in the order in which they were added.
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// Serialises the mean as a `.safetensors` file, which can translate but not resume training.
    pub fn file(mut self) -> Vec<u8> {
        let count = self.steps.len() as f64;
        self.contents.averaged = self.steps;
        self.contents.forget_run();
        let plan = self
            .plan
            .map(|(shape, bytes)| (WORD_VECTORS.to_owned(), shape, bytes));
        let means: Vec<(String, Vec<usize>, Vec<u8>)> = self
            .sums
            .into_iter()
            .map(|(name, (shape, sums))| {
                let means = sums.iter().map(|sum| (sum / count) as f32);
                let bytes = means.flat_map(f32::to_le_bytes).collect();
                (format!("model.{name}"), shape, bytes)
            })
            .chain(plan)
            .collect();
        let views = means.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
                .expect("a parameter has as many numbers as its shape says");
            (name.clone(), view)
        });
        let names = [OWN, BEFORE].map(str::to_owned);
        let learned = names.into_iter().zip(&self.learned);
        let learned = learned.filter_map(|(name, set)| Some((name, view_of(set.as_ref()?))));
        serialize(&self.contents, views.chain(learned))
    }
}
