//! Copy of a run at one step, from which a checkpoint is written while the run continues.

use std::collections::BTreeMap;

use burn::optim::AdamWState;
use burn::tensor::{Tensor, TensorData, Transaction};
use safetensors::Dtype;
use safetensors::tensor::TensorView;
use strata_poems::StoredPlanner;
use strata_tasks::Learned;

use crate::checkpoint::parameters::{Parameter, parameters};
use crate::checkpoint::{Contents, FORMAT, carried, impossible, moments, serialize};
use crate::data::learned_before::{BEFORE, OWN};
use crate::pipeline::{StoredReading, WORD_VECTORS};
use crate::{Trainer, TrainingError};

/// Copy of a run at one step, which can be written while the next step is computed.
pub struct Snapshot {
    contents: Contents,
    named: Vec<(String, Vec<usize>, Tensor<1>)>,
    /// Sets of learned sentences, with the names of their tensors.
    learned: Vec<(&'static str, Learned)>,
}

impl Trainer {
    /// Serialises the run as a `.safetensors` file, with all that is needed to resume it exactly,
    /// or to translate.
    ///
    /// # Errors
    /// If the device fails, or if a parameter or moment is NaN or infinite, since such a run could
    /// not be resumed.
    pub async fn checkpoint(&self) -> Result<Vec<u8>, TrainingError> {
        self.snapshot().into_file().await
    }

    /// Takes a snapshot of the run at the present step. Reads and copies no tensor.
    pub fn snapshot(&self) -> Snapshot {
        let mut named = Vec::new();
        let mut times = BTreeMap::new();
        let mut states = self.optimizer.states();
        for Parameter {
            name,
            shape,
            values,
        } in parameters(&self.model)
        {
            if let Some(AdamWState { momentum }) = states.remove(&name) {
                let [first, second] = moments(&name);
                named.push((first, shape.clone(), momentum.moment_1));
                named.push((second, shape.clone(), momentum.moment_2));
                times.insert(name.clone(), momentum.time);
            }
            named.push((format!("model.{name}"), shape, values));
        }
        for (layer, state) in self.carried.iter().flat_map(|it| it.0.iter().enumerate()) {
            let parts = [
                ("hidden", Some(&state.hidden)),
                ("cell", state.cell.as_ref()),
            ];
            for (part, values) in parts {
                let Some(values) = values else { continue };
                let values = values.clone().inner();
                named.push((
                    carried(layer, part),
                    values.dims().to_vec(),
                    values.flatten(0, 1),
                ));
            }
        }
        let planner = self.data.examples.planner();
        if let Some(planner) = planner.filter(|it| !it.vectors().words().is_empty()) {
            let vectors = planner.vectors();
            let shape = [vectors.words().len(), vectors.width()];
            let data = TensorData::new(vectors.values().to_vec(), [shape[0] * shape[1]]);
            let device = self.device.clone().without_autodiff();
            let values = Tensor::from_data(data, &device);
            named.push((WORD_VECTORS.to_owned(), shape.to_vec(), values));
        }
        let contents = Contents {
            format: FORMAT,
            experiment: self.experiment.clone(),
            step: self.step,
            position: self.batches.position(),
            standing: self.standing.clone(),
            averaged: Vec::new(),
            fingerprint: self.data.fingerprint,
            longest: self.data.tokenizer.longest,
            source_vocabulary: self.data.tokenizer.source.clone(),
            target_vocabulary: self.data.tokenizer.target.clone(),
            source_subwords: self.data.tokenizer.source_segmenter.subwords().cloned(),
            target_subwords: self.data.tokenizer.target_segmenter.subwords().cloned(),
            reading: self.data.tokenizer.reader().map(StoredReading::of),
            planner: planner.map(StoredPlanner::from),
            loss_scale: self.loss_scale,
            learned_unknown: self.learned_before.is_unknown,
            times,
        };
        let own = self.data.identities.as_ref().map(|it| &it.training);
        let learned = [(OWN, own), (BEFORE, self.learned_before.learned.as_ref())];
        let learned = learned
            .into_iter()
            .filter_map(|(name, set)| Some((name, set?.clone())));
        Snapshot {
            contents,
            named,
            learned: learned.collect(),
        }
    }
}

/// Views a set as a tensor of bytes.
pub(crate) fn view_of(set: &Learned) -> TensorView<'_> {
    let bytes = set.bytes();
    TensorView::new(Dtype::U8, vec![bytes.len()], bytes).expect("each byte is an element")
}

impl Snapshot {
    /// Number of steps taken.
    pub fn step(&self) -> u64 {
        self.contents.step
    }

    /// Serialises the snapshot as a `.safetensors` file. Reads every tensor in one transaction: the
    /// only GPU–CPU sync point of a checkpoint.
    ///
    /// # Errors
    /// Those of [`Trainer::checkpoint`].
    pub async fn into_file(self) -> Result<Vec<u8>, TrainingError> {
        let Self {
            contents,
            named,
            learned,
        } = self;
        let mut transaction = Transaction::default();
        let mut heads = Vec::with_capacity(named.len());
        for (name, shape, values) in named {
            transaction = transaction.register(values);
            heads.push((name, shape));
        }
        let bytes: Vec<Vec<u8>> = transaction
            .execute_async()
            .await?
            .into_iter()
            .map(|data| data.iter::<f32>().flat_map(f32::to_le_bytes).collect())
            .collect();
        for ((name, _), bytes) in heads.iter().zip(&bytes) {
            if impossible(name, Dtype::F32, bytes) > 0 {
                return Err(TrainingError::Overflowed {
                    step: contents.step,
                    name: name.clone(),
                });
            }
        }
        let tensors = heads.into_iter().zip(&bytes).map(|((name, shape), bytes)| {
            let tensor = TensorView::new(Dtype::F32, shape, bytes)
                .expect("a parameter has as many numbers as its shape says");
            (name, tensor)
        });
        let learned = learned
            .iter()
            .map(|(name, set)| ((*name).to_owned(), view_of(set)));
        Ok(serialize(&contents, tensors.chain(learned)))
    }
}
