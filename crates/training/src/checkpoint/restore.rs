//! Restores a run from a checkpoint, or a model to translate with.

use std::collections::BTreeMap;
use std::sync::Arc;

use burn::optim::{AdamWState, AdaptiveMomentumState};
use burn::tensor::{Device, Tensor};
use strata_models::{CarriedState, CellKind, Model, ModelConfig, State};
use strata_tasks::TaskConfig;
use strata_text::Uploads;

use crate::checkpoint::parameters::{parameters, replace};
use crate::data::Data;
use crate::trainer::blank;
use crate::{
    Checkpoint, CheckpointError, Experiment, Inference, Tokenizer, Trainer, TrainingError,
};

impl Trainer {
    /// Resumes the run of a checkpoint file: its next losses equal those of the uninterrupted run.
    ///
    /// # Errors
    /// If the file is not a whole checkpoint of Strata, or its data can no longer be loaded.
    pub fn restore(
        bytes: &[u8],
        uploads: &Uploads,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        let averaged = &checkpoint.contents.averaged;
        if !averaged.is_empty() {
            return Err(CheckpointError::Averaged {
                steps: averaged.clone(),
            });
        }
        Self::of_checkpoint(&checkpoint, uploads, device)
    }

    /// Loads the model of a checkpoint file with its data, to measure the model. The file may be
    /// one that cannot be resumed, such as the mean of several checkpoints.
    ///
    /// # Errors
    /// Those of [`restore`](Self::restore).
    pub fn to_measure(
        bytes: &[u8],
        uploads: &Uploads,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let opened = Self::of_checkpoint(&Checkpoint::open(bytes)?, uploads, device);
        opened.map_err(|error| match error {
            CheckpointError::DataChanged { what } => CheckpointError::OtherData { what },
            error => error,
        })
    }

    /// Loads the model of a checkpoint file with the data of another task, to measure the model on
    /// what it was not trained for: longer sequences, more hops. The two tasks must have the same
    /// vocabularies.
    ///
    /// # Errors
    /// Those of [`to_measure`](Self::to_measure), and if the task does not fit the model.
    pub fn to_measure_on(
        bytes: &[u8],
        task: TaskConfig,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        let experiment = Experiment {
            task,
            ..checkpoint.contents.experiment.clone()
        };
        experiment.check()?;
        let stored = checkpoint.tokenizer()?;
        checkpoint.check_size(&stored)?;
        checkpoint.check_numbers()?;
        let data = Data::load(&experiment, &Uploads::default()).map_err(TrainingError::from)?;
        let present = &data.tokenizer;
        if stored.source != present.source || stored.target != present.target {
            return Err(CheckpointError::OtherVocabulary);
        }
        let mut trainer = Self::with_data(experiment, data, device)?;
        trainer.model = load(&checkpoint, trainer.model)?;
        trainer.step = checkpoint.contents.step;
        // What another task holds out, the model may have learned.
        trainer.begin_after(&checkpoint)?;
        Ok(trainer)
    }

    fn of_checkpoint(
        checkpoint: &Checkpoint<'_>,
        uploads: &Uploads,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let contents = &checkpoint.contents;
        let mut experiment = contents.experiment.clone();
        experiment.check()?;
        experiment.task.name_uploads(uploads);
        let stored = checkpoint.tokenizer()?;
        checkpoint.check_size(&stored)?;
        checkpoint.check_numbers()?;
        let data = Data::reload(&experiment, uploads, &stored).map_err(TrainingError::from)?;
        let mut trainer = Self::with_data(experiment, data, device)?;
        let present = trainer.tokenizer();
        let same = [
            (
                stored.source == present.source,
                "the source vocabulary differs from that stored",
            ),
            (
                stored.target == present.target,
                "the target vocabulary differs from that stored",
            ),
            (
                contents.fingerprint == trainer.data.fingerprint,
                "the examples differ from those stored",
            ),
        ];
        if let Some((_, what)) = same.into_iter().find(|(same, _)| !same) {
            return Err(CheckpointError::DataChanged {
                what: what.to_owned(),
            });
        }
        trainer.learned_before = checkpoint.learned_before()?;
        if let Some(learned) = &trainer.learned_before.learned {
            let task = &trainer.experiment.task;
            trainer.data.leave_out(learned, task);
        }
        trainer.model = load(checkpoint, trainer.model)?;
        let states = load_states(checkpoint, &trainer.model, device)?;
        trainer.optimizer = trainer.optimizer.with_states(states);
        trainer.batches = trainer
            .batches
            .at(contents.position)
            .map_err(TrainingError::from)?;
        if contents.loss_scale.is_some_and(|scale| !scale.is_sound())
            || contents.loss_scale.is_some() != trainer.loss_scale.is_some()
        {
            return Err(CheckpointError::Damaged {
                reason: "its loss scale makes no sense".to_owned(),
            });
        }
        trainer.loss_scale = contents.loss_scale;
        trainer.carried = carried(checkpoint, &trainer)?;
        trainer.step = contents.step;
        trainer.standing = contents.standing.clone();
        Ok(trainer)
    }
}

impl Inference {
    /// Loads the model of a checkpoint file to translate with. The data are not needed.
    ///
    /// # Errors
    /// If the file is not a whole checkpoint of Strata.
    pub fn from_checkpoint(bytes: &[u8], device: &Device) -> Result<Self, CheckpointError> {
        let checkpoint = Checkpoint::open(bytes)?;
        let device = device.clone().without_autodiff();
        let experiment = checkpoint.experiment();
        experiment.check()?;
        let tokenizer: Tokenizer = checkpoint.tokenizer()?;
        checkpoint.check_size(&tokenizer)?;
        checkpoint.check_numbers()?;
        let model = load(&checkpoint, blank(experiment, &tokenizer, &device)?)?;
        let inference = Self::new(&model, Arc::new(tokenizer), &device, checkpoint.step());
        Ok(inference.with_planner(checkpoint.planner()?))
    }
}

/// Replaces the parameters of a model by those of the file.
pub(crate) fn load(checkpoint: &Checkpoint<'_>, model: Model) -> Result<Model, CheckpointError> {
    let model = replace(model, |name, shape| checkpoint.parameter(name, shape))?;
    checkpoint.has_only(&parameters(&model))?;
    Ok(model)
}

/// Loads the state that the model carried out of the last batch; `None` at the beginning of an
/// epoch.
fn carried(
    checkpoint: &Checkpoint<'_>,
    trainer: &Trainer,
) -> Result<Option<CarriedState>, CheckpointError> {
    let ModelConfig::RecurrentLm(config) = &trainer.experiment.model else {
        return Ok(None);
    };
    if checkpoint.contents.position.batch == 0 {
        return Ok(None);
    }
    let streams = trainer.experiment.training.batch_size;
    let shape = [streams.min(trainer.training_examples()), config.hidden];
    let part = |layer, part| -> Result<Tensor<2>, CheckpointError> {
        let data = checkpoint.carried(layer, part, shape)?;
        Ok(Tensor::from_data(data, &trainer.device))
    };
    let state = |layer| -> Result<State, CheckpointError> {
        Ok(State {
            hidden: part(layer, "hidden")?,
            cell: match config.cell {
                CellKind::Lstm => Some(part(layer, "cell")?),
                CellKind::Rnn | CellKind::Gru => None,
            },
        })
    };
    let states = (0..config.layers).map(state).collect::<Result<_, _>>()?;
    Ok(Some(CarriedState(states)))
}

/// Loads the moments of every parameter that was updated.
fn load_states(
    checkpoint: &Checkpoint<'_>,
    model: &Model,
    device: &Device,
) -> Result<BTreeMap<String, AdamWState<1>>, CheckpointError> {
    let device = device.clone().without_autodiff();
    let mut states = BTreeMap::new();
    for parameter in parameters(model) {
        let Some(&time) = checkpoint.times().get(&parameter.name) else {
            continue;
        };
        if time == 0 || time as u64 > checkpoint.step() {
            return Err(CheckpointError::Damaged {
                reason: format!(
                    "`{}` was updated {time} times in {} steps",
                    parameter.name,
                    checkpoint.step()
                ),
            });
        }
        let [first, second] = checkpoint
            .moments(&parameter.name, &parameter.shape)?
            .map(|moment| Tensor::from_data(moment, &device));
        let momentum = AdaptiveMomentumState::new(time, first, second);
        states.insert(parameter.name, AdamWState::new(momentum));
    }
    Ok(states)
}
