//! Runs a workload: a Strata model, stepped by the code of training.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use strata_models::{Model, ModelConfig, SequenceModel, Vocabularies};

use super::decoding::Decoder;
use super::definition::{LayerMode, Workload, WorkloadKind, WorkloadOptimizer};
use super::layer::Layer;
use super::numbers::{Numbers, copy_batch, filled};
use super::reader;
use super::{WorkloadError, WorkloadReport};
use crate::pipeline::TrainingBatch;
use crate::step::clip_scale;
use crate::step::measure::read;
use crate::step::optimizer::Optimizer;
use crate::step::pass::{StepBatch, pass_all};
use crate::step::precision::in_precision;
use crate::{OptimizerConfig, Precision, TrainingConfig};

/// Loss scale in F16, so that small gradients do not vanish. Fixed, since adjusting the scale as in
/// training may repeat a step.
const F16_SCALE: f64 = 1024.0;

/// Runs a workload step by step.
pub struct Workbench {
    workload: Workload,
    device: Device,
    precision: Precision,
    runner: Runner,
    /// Number of trained elements.
    parameters: usize,
}

/// Input of a step on the host; its preparation is not timed.
#[derive(Clone, Debug)]
pub struct StepInput {
    step: u32,
    batch: Option<TrainingBatch>,
}

enum Runner {
    Model(Box<Learner>),
    Search(Decoder),
    Layer {
        layer: Box<Layer>,
        /// Coefficients C by which the context is multiplied.
        coefficients: Tensor<3>,
        backward: bool,
    },
}

/// Model that is trained.
struct Learner {
    model: Model,
    optimizer: Optimizer,
    training: TrainingConfig,
}

/// Runs every step of a workload and times each by `clock`, which returns milliseconds. `name` is
/// the device's name in the report.
///
/// # Errors
/// If the model cannot be built, a loss is not finite or the device fails.
pub async fn measure(
    workload: &Workload,
    precision: Precision,
    device: &Device,
    name: &str,
    clock: impl Fn() -> f64,
) -> Result<WorkloadReport, WorkloadError> {
    let mut bench = Workbench::new(workload, precision, device)?;
    let (mut milliseconds, mut losses) = (Vec::new(), Vec::new());
    for step in 0..workload.warmup + workload.steps {
        let input = bench.input(step);
        let start = clock();
        losses.push(bench.step(&input).await?);
        milliseconds.push(clock() - start);
    }
    let parameters = bench.parameters();
    let described = (name, precision);
    Ok(WorkloadReport::new(
        workload,
        described,
        parameters,
        &milliseconds,
        &losses,
    ))
}

impl Workbench {
    /// Builds the workload's model with its initial parameters. Passes compute in `precision`;
    /// workloads are defined for F32.
    ///
    /// # Errors
    /// If the model cannot be built, or the device does not compute in that precision.
    pub fn new(
        workload: &Workload,
        precision: Precision,
        device: &Device,
    ) -> Result<Self, WorkloadError> {
        precision.check(device)?;
        let forward_alone = match &workload.kind {
            WorkloadKind::AttentionLayer(layer) => layer.mode == LayerMode::Forward,
            WorkloadKind::Decoding(_) => true,
            _ => false,
        };
        let device = if forward_alone {
            device.clone().without_autodiff()
        } else {
            device.clone().autodiff()
        };
        let numbers = &mut Numbers::new(workload.seed, &device);
        let (runner, parameters) = match &workload.kind {
            WorkloadKind::Transformer(it) => {
                let mut model = model(&it.config(), vocabularies(it.vocab), &device)?;
                if let Model::Sequence(SequenceModel::Transformer(transformer)) = &mut model {
                    it.fill(transformer, numbers, &device);
                }
                let parameters = model.num_params();
                (learner(model, &it.optimizer, 0.0, precision), parameters)
            }
            WorkloadKind::LstmSeq2Seq(it) => {
                let mut model = model(&it.config(), vocabularies(it.vocab), &device)?;
                let mut without = 0;
                if let Model::Sequence(SequenceModel::Seq2Seq(seq2seq)) = &mut model {
                    without = it.fill(seq2seq, numbers);
                }
                let parameters = model.num_params() - without;
                (learner(model, &it.optimizer, 0.0, precision), parameters)
            }
            WorkloadKind::Reader(it) => {
                let model = model(&it.model, it.vocabularies(), &device)?;
                let model = filled(model, workload.seed, reader::BOUND, &device);
                let parameters = model.num_params();
                let learner = learner(model, &it.optimizer, it.clip_norm, precision);
                (learner, parameters)
            }
            WorkloadKind::Decoding(it) => {
                let (decoder, parameters) = it.build(workload.seed, precision, &device)?;
                (Runner::Search(decoder), parameters)
            }
            WorkloadKind::AttentionLayer(it) => {
                let (layer, coefficients) = it.build(workload.batch, numbers, &device)?;
                let parameters = layer.num_params();
                let runner = Runner::Layer {
                    layer: Box::new(layer),
                    coefficients,
                    backward: it.mode == LayerMode::ForwardBackward,
                };
                (runner, parameters)
            }
        };
        Ok(Self {
            workload: workload.clone(),
            device,
            precision,
            runner,
            parameters,
        })
    }

    /// Workload that is run.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// Number of elements that have gradients, or would have them in training.
    pub fn parameters(&self) -> usize {
        self.parameters
    }

    /// Prepares the input of a step, counted from 0, warm-up included.
    pub fn input(&self, step: u32) -> StepInput {
        let Workload { seed, batch, .. } = self.workload;
        let copy = |length, vocabulary| {
            let batch = copy_batch(seed, step, [batch, length], vocabulary);
            TrainingBatch::Sequences(batch)
        };
        StepInput {
            step,
            batch: match &self.workload.kind {
                WorkloadKind::Transformer(it) => Some(copy(it.source_len, it.vocab)),
                WorkloadKind::LstmSeq2Seq(it) => Some(copy(it.source_len, it.vocab)),
                WorkloadKind::Reader(it) => Some(TrainingBatch::Spans(it.batch(seed, step, batch))),
                WorkloadKind::Decoding(it) => Some(copy(it.source_len, it.vocab)),
                WorkloadKind::AttentionLayer(_) => None,
            },
        }
    }

    /// Runs one step to its end: ids to the device, forward, loss, backward, Adam, and last the
    /// loss read back. If gradients are clipped, their norm is read before Adam, as in training. A
    /// step of decoding is a search for the targets of a batch.
    ///
    /// # Errors
    /// If the loss is not finite or the device fails.
    pub async fn step(&mut self, input: &StepInput) -> Result<f64, WorkloadError> {
        if let (Runner::Search(decoder), Some(TrainingBatch::Sequences(batch))) =
            (&self.runner, &input.batch)
        {
            let loss = decoder.decode(&batch.source, &self.device).await?;
            return self.checked(loss, input);
        }
        let (loss, gradients) = match (&mut self.runner, &input.batch) {
            (Runner::Model(learner), Some(batch)) => {
                (learner.step(batch, &self.device).await?, None)
            }
            (Runner::Model(_) | Runner::Search(_), _) => {
                unreachable!("the inputs of a model have a batch of its kind")
            }
            (
                Runner::Layer {
                    layer,
                    coefficients,
                    backward,
                },
                _,
            ) => in_precision(&**layer, self.precision).pass(coefficients, *backward),
        };
        // The step's only GPU–CPU sync point.
        let [loss] = read([loss]).await?;
        drop(gradients);
        self.checked(loss, input)
    }

    /// Returns a loss that is finite.
    fn checked(&self, loss: f64, input: &StepInput) -> Result<f64, WorkloadError> {
        if loss.is_finite() {
            return Ok(loss);
        }
        Err(WorkloadError::Diverged {
            name: self.workload.name.clone(),
            step: input.step,
        })
    }
}

impl Learner {
    /// Takes a step of the optimiser. Returns the loss before the update, still on the device.
    async fn step(
        &mut self,
        batch: &TrainingBatch,
        device: &Device,
    ) -> Result<Tensor<1>, WorkloadError> {
        let batches = [StepBatch {
            batch,
            draws: None,
            seed: None,
        }];
        let scale = match self.training.precision {
            Precision::F16 => F16_SCALE,
            Precision::F32 | Precision::Bf16 => 1.0,
        };
        let passed = pass_all(
            &self.model,
            &batches,
            None,
            batch.weight(),
            &self.training,
            scale,
            device,
        );
        let rate = self.training.optimizer.learning_rate;
        let gradients = self.optimizer.gather(&self.model, passed.gradients);
        let clipped = match self.training.clip_norm {
            0.0 => 1.0,
            limit => {
                let [norm] = read([gradients.norm(&device.clone().inner())]).await?;
                clip_scale(norm / scale, limit)
            }
        };
        let model = self.model.clone();
        self.model = self
            .optimizer
            .update(model, gradients, clipped / scale, rate);
        Ok(passed.loss)
    }
}

/// Builds a model of a checked configuration, whose parameters are to be replaced.
pub(super) fn model(
    config: &ModelConfig,
    vocabularies: Vocabularies,
    device: &Device,
) -> Result<Model, WorkloadError> {
    Ok(config.init(vocabularies, 0, device)?)
}

/// Vocabularies of one size on both sides.
pub(super) fn vocabularies(size: usize) -> Vocabularies {
    Vocabularies {
        source: size,
        target: size,
    }
}

fn learner(
    model: Model,
    optimizer: &WorkloadOptimizer,
    clip_norm: f64,
    precision: Precision,
) -> Runner {
    let training = TrainingConfig {
        optimizer: OptimizerConfig {
            learning_rate: optimizer.lr,
            beta_1: optimizer.beta1,
            beta_2: optimizer.beta2,
            epsilon: optimizer.eps,
            weight_decay: 0.0,
        },
        precision,
        clip_norm,
        ..TrainingConfig::default()
    };
    Runner::Model(Box::new(Learner {
        model,
        optimizer: Optimizer::new(&training.optimizer),
        training,
    }))
}
