//! Step that several processes share: their gradients, losses and correct predictions are summed.
//!
//! The way of `strata train --processes N` (paths leave out `crates/` and `src/`):
//! `cli/run/processes/launch.rs` starts `mpiexec`, which starts `cli/command/train.rs` N times.
//! Process 0 leads, the others follow (`train/following.rs`). The step of each process calls this
//! module, which sums gradients by [`Exchange`], and then the same step of the optimiser.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{ExecutionError, Tensor, TensorData, Transaction};

use crate::checkpoint::parameters::parameters;
use crate::step::exchange::{Exchange, WIDTH, gathered, odd_one};
use crate::step::pass::PassOutput;
use crate::{Tokenizer, Trainer, TrainingError};

/// Number of steps after which processes compare their parameters.
const COMPARED_EVERY: u64 = 100;

impl Trainer {
    /// Shares every further step with the other processes of `exchange`. All of them must call this
    /// method at the same step of the same run.
    ///
    /// # Errors
    /// If processes differ in the experiment, the data, the step or the parameters; if they cannot
    /// share the batches of a step evenly; if the model carries its state from batch to batch. All
    /// processes return the same error.
    pub async fn join(&mut self, exchange: Arc<dyn Exchange>) -> Result<(), TrainingError> {
        let size = exchange.size();
        if size > 1 {
            let experiment = serde_json::to_string(&self.experiment).unwrap_or_default();
            let position = self.batches.position();
            let place = [self.step, position.epoch, position.batch];
            // The fingerprint covers token ids; vocabularies of other words may have the same ids.
            let Tokenizer { source, target, .. } = &*self.data.tokenizer;
            let data = (self.data.fingerprint, source.tokens(), target.tokens());
            let present = [
                ("another experiment", hash(&experiment)),
                ("other data", hash(&data)),
                ("another step", hash(&place)),
                ("other parameters", self.digest().await?),
            ];
            for (what, number) in present {
                if let Some(rank) = exchange.odd_one(number) {
                    return Err(TrainingError::Unlike { rank, what });
                }
            }
            if self.experiment.model.carries_state() {
                return Err(TrainingError::CarriesState { processes: size });
            }
            let accumulate = self.experiment.training.accumulate;
            if !accumulate.is_multiple_of(size) {
                return Err(TrainingError::Uneven {
                    accumulate,
                    processes: size,
                });
            }
        }
        self.exchange = exchange;
        Ok(())
    }

    /// Sums losses, correct predictions and gradients over all processes for step `step`.
    ///
    /// Reads all gradients: a GPU–CPU sync point.
    pub(crate) async fn sum_over_processes(
        &self,
        found: PassOutput,
        step: u64,
    ) -> Result<PassOutput, TrainingError> {
        let exchange = &*self.exchange;
        let mut reading = Reading {
            gradients: &found.gradients,
            has: Vec::new(),
            transaction: Transaction::default(),
        };
        self.model.visit(&mut reading);
        let Reading {
            has, transaction, ..
        } = reading;
        let transaction = transaction.register(found.loss.clone());
        let transaction = transaction.register(found.correct.clone());
        let mut read = transaction.execute_async().await?.into_iter();
        // Layout of the row: gradients of all parameters, one flag per parameter that has a
        // gradient, loss, number of correct predictions, and, every hundredth step, a digest per
        // process.
        let numbers: usize = has.iter().map(|&(length, _)| length).sum();
        let mut row = Vec::with_capacity(numbers + has.len() + 2 + WIDTH * exchange.size());
        // A parameter may have a gradient in the batches of one process only, so rows have place
        // for all parameters.
        for &(length, has) in &has {
            match has.then(|| read.next()).flatten() {
                Some(gradient) => append(&mut row, &gradient),
                None => row.resize(row.len() + length, 0.0),
            }
        }
        row.extend(has.iter().map(|&(_, has)| f32::from(u8::from(has))));
        read.for_each(|number| append(&mut row, &number));
        let end = row.len();
        row.resize(end + WIDTH * exchange.size(), 0.0);
        if step.is_multiple_of(COMPARED_EVERY) {
            exchange.put(self.digest().await?, &mut row[end..]);
        }

        exchange.sum(&mut row);

        if let Some(rank) = odd_one(&gathered(&row[end..])) {
            return Err(TrainingError::Apart { step, rank });
        }
        let device = self.device.clone().inner();
        let single = |at: usize| Tensor::from_data([row[at]], &device);
        let mut writing = Writing {
            gradients: GradientsParams::new(),
            numbers: &row[..numbers],
            has: &row[numbers..end - 2],
        };
        self.model.visit(&mut writing);
        Ok(PassOutput {
            loss: single(end - 2),
            correct: single(end - 1),
            gradients: writing.gradients,
            carried: found.carried,
        })
    }

    /// 64-bit digest of all parameters; differs if any bit differs.
    async fn digest(&self) -> Result<u64, ExecutionError> {
        let parameters = parameters(&self.model).into_iter().map(|it| it.values);
        let transaction = parameters.fold(Transaction::default(), Transaction::register);
        let mut hasher = DefaultHasher::new();
        for values in transaction.execute_async().await? {
            let bits = values.iter::<f32>().map(f32::to_bits);
            bits.for_each(|bits| bits.hash(&mut hasher));
        }
        Ok(hasher.finish())
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Appends numbers of any precision to a row.
fn append(row: &mut Vec<f32>, numbers: &TensorData) {
    match numbers.as_slice::<f32>() {
        Ok(numbers) => row.extend_from_slice(numbers),
        Err(_) => row.extend(numbers.iter::<f32>()),
    }
}

/// Visitor that registers the gradient of each parameter for reading.
struct Reading<'a> {
    gradients: &'a GradientsParams,
    /// Number of elements of each parameter, and whether it has a gradient.
    has: Vec<(usize, bool)>,
    transaction: Transaction,
}

impl ModuleVisitor for Reading<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = self.gradients.get::<D>(param.id);
        self.has
            .push((param.val().dims().iter().product(), gradient.is_some()));
        if let Some(gradient) = gradient {
            let transaction = std::mem::take(&mut self.transaction);
            self.transaction = transaction.register(gradient);
        }
    }
}

/// Visitor that gives each parameter its gradient from a row.
struct Writing<'a> {
    gradients: GradientsParams,
    /// Gradients of the parameters that are not visited yet.
    numbers: &'a [f32],
    /// Number of processes in which each parameter that is not visited yet has a gradient.
    has: &'a [f32],
}

impl ModuleVisitor for Writing<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val();
        let (own, rest) = self.numbers.split_at(value.dims().iter().product());
        self.numbers = rest;
        let (has, rest) = self.has.split_at(1);
        self.has = rest;
        if has[0] > 0.0 {
            let data = TensorData::new(own.to_vec(), value.dims());
            let gradient = Tensor::<D>::from_data(data, &value.device().inner());
            self.gradients.register(param.id, gradient);
        }
    }
}
