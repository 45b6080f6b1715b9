//! Run of an experiment: a model, its optimiser and its place in the data.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, ExecutionError};
use strata_models::{CarriedState, ConfigError, Model, Part, SiteLevels, Vocabularies};
use strata_poems::Planner;
use strata_tasks::{BatchPosition, Example, Facts, Learned, LeftOut, PoemData, Question};
use strata_text::Uploads;

use crate::checkpoint::parameters::{adopt, parameters};
use crate::data::Data;
use crate::data::batch_source::BatchSource;
use crate::data::initial::with_initial_vectors;
use crate::data::learned_before::LearnedBefore;
use crate::evaluation::early_stopping::EarlyStopping;
use crate::pipeline::question_answering;
use crate::pipeline::translation::check_tied;
use crate::size::{check_lengths, check_memory, check_size, memory_note};
use crate::step::norms::GradientSizes;
use crate::step::optimizer::Optimizer;
use crate::step::precision::LossScale;
use crate::{
    Alone, Exchange, Experiment, HeldOut, Inference, Lacking, Tokenizer, TrainingConfig,
    TrainingError, Validation,
};

/// Run of an experiment: everything that changes from step to step.
///
/// The same experiment on the same device gives the same losses; on the native CPU, bit for bit.
pub struct Trainer {
    pub(crate) experiment: Experiment,
    /// Device of the model, with autodiff.
    pub(crate) device: Device,
    pub(crate) data: Data,
    pub(crate) batches: BatchSource,
    pub(crate) model: Model,
    /// Parts of the model that are muted now.
    pub(crate) muted: Vec<Part>,
    /// State after the last batch; `None` if the model carries no state.
    pub(crate) carried: Option<CarriedState>,
    pub(crate) optimizer: Optimizer,
    /// Loss scale; `None` unless the run computes in F16.
    pub(crate) loss_scale: Option<LossScale>,
    /// Number of steps taken.
    pub(crate) step: u64,
    pub(crate) standing: EarlyStopping,
    pub(crate) gradient_sizes: GradientSizes,
    /// Sentences that the model had learned before the run.
    pub(crate) learned_before: LearnedBefore,
    /// Communication with the other processes of the run.
    pub(crate) exchange: Arc<dyn Exchange>,
    /// Data that the model lacks; a model without data is not trained.
    pub(crate) lacking: Option<Lacking>,
}

impl Trainer {
    /// Loads the data, from `uploads` or from files, and builds a fresh model for `device`.
    ///
    /// # Errors
    /// If the experiment is invalid, or its data cannot be loaded.
    pub fn new(
        experiment: Experiment,
        uploads: &Uploads,
        device: &Device,
    ) -> Result<Self, TrainingError> {
        experiment.check()?;
        let experiment = experiment.at_step(0)?;
        let data = Data::load(&experiment, uploads)?;
        check_memory(&experiment, &data.tokenizer)?;
        check_tokens(&experiment, &data)?;
        let mut trainer = Self::with_data(experiment, data, device)?;
        trainer.model = with_initial_vectors(trainer.model, &trainer.data, &trainer.experiment)?;
        Ok(trainer)
    }

    /// Builds a fresh model for data that are loaded.
    pub(crate) fn with_data(
        mut experiment: Experiment,
        data: Data,
        device: &Device,
    ) -> Result<Self, TrainingError> {
        let batches = BatchSource::new(&data, &experiment)?;
        experiment
            .training
            .resolve_epochs(batches.batches_per_epoch());
        let training = &experiment.training;
        training.precision.check(device)?;
        let device = differentiating(device, training);
        Ok(Self {
            batches,
            carried: None,
            model: fresh_model(&experiment, &data, &device)?,
            optimizer: Optimizer::new(&training.optimizer),
            muted: Vec::new(),
            loss_scale: LossScale::new(training.precision),
            step: 0,
            standing: EarlyStopping::default(),
            gradient_sizes: GradientSizes::default(),
            learned_before: LearnedBefore::default(),
            exchange: Arc::new(Alone),
            lacking: None,
            experiment,
            device,
            data,
        })
    }

    /// Continues from the present step with the settings of `asked`: more steps, another learning
    /// rate, ….
    ///
    /// # Errors
    /// If `asked` is invalid, or differs in a setting that may not change. The trainer is then
    /// unchanged.
    pub fn go_on_as(&mut self, asked: &Experiment) -> Result<(), TrainingError> {
        self.experiment.can_go_on_as(asked)?;
        let mut experiment = self.experiment.clone();
        experiment.change_as(asked);
        // The data are loaded already, so their new paths do not matter.
        experiment.task = self.experiment.task.clone();
        experiment.check()?;
        let batches = self.batches.batches_per_epoch();
        experiment.training.resolve_epochs(batches);
        if experiment.model != self.experiment.model {
            // Modules hold their dropout rate, so a fresh model adopts the parameters.
            let fresh = fresh_model(&experiment, &self.data, &self.device)?;
            self.model = adopt(fresh, parameters(&self.model));
            self.model.mute(&self.muted)?;
        }
        self.experiment = experiment;
        Ok(())
    }

    /// Goes back to step 0, with the same initial parameters and the same data.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn reset(&mut self) -> Result<(), TrainingError> {
        self.enter_stage(0)?;
        let fresh = fresh_model(&self.experiment, &self.data, &self.device)?;
        self.model = with_initial_vectors(fresh, &self.data, &self.experiment)?;
        self.muted.clear();
        self.carried = None;
        self.batches = self.batches.clone().at(BatchPosition::default())?;
        self.optimizer = Optimizer::new(&self.experiment.training.optimizer);
        self.loss_scale = LossScale::new(self.experiment.training.precision);
        self.step = 0;
        self.standing = EarlyStopping::default();
        self.gradient_sizes = GradientSizes::default();
        Ok(())
    }

    /// Goes back to step 0 with another seed: data, initial parameters, order of batches and
    /// dropout are redrawn.
    ///
    /// # Errors
    /// If the data can no longer be loaded. The trainer is then unchanged.
    pub fn new_seed(&mut self, seed: u64, uploads: &Uploads) -> Result<(), TrainingError> {
        let experiment = Experiment {
            seed,
            ..self.experiment.at_beginning()
        };
        let exchange = Arc::clone(&self.exchange);
        *self = Self::new(experiment, uploads, &self.device)?;
        self.exchange = exchange;
        Ok(())
    }

    /// Begins the stage of the curriculum that is due before the next step, if one is. Returns true
    /// if settings have changed. [`step`](Self::step) does the same by itself.
    ///
    /// # Errors
    /// If the data of the stage cannot be drawn. The trainer is then unchanged.
    pub fn begin_stage(&mut self) -> Result<bool, TrainingError> {
        let curriculum = &self.experiment.training.curriculum;
        if !curriculum.begins_at(self.step) || self.is_finished() {
            return Ok(false);
        }
        self.enter_stage(self.step)
    }

    /// Takes over the settings that the curriculum gives the run after `step` steps: the model
    /// computes with other levels, or the data are drawn anew. Parameters and optimiser stay.
    /// Returns true if settings have changed.
    ///
    /// # Errors
    /// If the data of the stage cannot be drawn. The trainer is then unchanged.
    fn enter_stage(&mut self, step: u64) -> Result<bool, TrainingError> {
        let experiment = self.experiment.at_step(step)?;
        if experiment == self.experiment {
            return Ok(false);
        }
        if experiment.task != self.experiment.task {
            let data = Data::load(&experiment, &Uploads::default())?;
            if !has_tokens_of(&data, &self.data) {
                return Err(TrainingError::OtherTokens { from: step });
            }
            check_lengths(&experiment.model, data.tokenizer.longest)?;
            // Stages with equally many batches go through their data together, so that stages that
            // alternate do not learn from the same first batches again and again.
            let batches = BatchSource::new(&data, &experiment)?;
            let go_on = batches.batches_per_epoch() == self.batches.batches_per_epoch();
            self.batches = if go_on {
                batches.at(self.batches.position())?
            } else {
                batches
            };
            self.data = data;
            if let Some(learned) = &self.learned_before.learned {
                self.data.leave_out(learned, &experiment.task);
            }
            self.carried = None;
        }
        if experiment.model != self.experiment.model {
            let fresh = fresh_model(&experiment, &self.data, &self.device)?;
            self.model = adopt(fresh, parameters(&self.model));
            self.model.mute(&self.muted)?;
        }
        // Validations of an earlier stage measured another task or another model.
        self.standing = EarlyStopping::default();
        self.experiment = experiment;
        Ok(true)
    }

    /// Measures the validation set: loss and accuracy on all examples, exact match on the first
    /// `decode`, decoded greedily, and, if `bleu`, BLEU on the first `training.bleu_sentences`.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn validate(&self, decode: usize, bleu: bool) -> Result<Validation, ExecutionError> {
        if self.exchange.size() > 1 {
            return self.validate_together(decode, bleu).await;
        }
        let training = &self.experiment.training;
        let inference = self.inference();
        inference
            .validate(self.held_out(), training, decode, bleu)
            .await
    }

    /// Adds a validation to the ranking: it may be the best, or end the run. Validations that a
    /// user asks for must not be added, as they would change the run.
    pub fn note(&mut self, report: &Validation) {
        self.standing.note(report, &self.experiment.training);
    }

    /// Returns the model as it is now, to translate with.
    pub fn inference(&self) -> Inference {
        let tokenizer = Arc::clone(&self.data.tokenizer);
        Inference::new(&self.model, tokenizer, &self.device, self.step)
    }

    /// Mutes these parts of the model for steps, validations and translations. Replaces what an
    /// earlier call muted. Parameters, checkpoints and the experiment are unaffected.
    ///
    /// # Errors
    /// If the model lacks one of the parts, or if no level of a site would stay. Nothing changes
    /// then.
    pub fn mute(&mut self, parts: &[Part]) -> Result<(), ConfigError> {
        self.model.mute(parts)?;
        self.muted = parts.to_vec();
        Ok(())
    }

    /// Parts that are muted now.
    pub fn muted(&self) -> &[Part] {
        &self.muted
    }

    /// Parts of the model that can be muted.
    pub fn parts(&self) -> Vec<Part> {
        self.model.parts()
    }

    /// Sites of the model that can compute with another number of levels ([`Part::Levels`]).
    pub fn levels(&self) -> Vec<SiteLevels> {
        self.model.levels()
    }

    /// Experiment of the run.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Number of steps taken.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    /// True if all steps are taken, or `training.patience` is exhausted.
    pub fn is_finished(&self) -> bool {
        let training = &self.experiment.training;
        self.step >= training.steps || self.standing.is_hopeless(training.patience)
    }

    /// Ranking of the validations so far.
    pub fn standing(&self) -> &EarlyStopping {
        &self.standing
    }

    /// Number of complete passes over the training data, and of batches taken from the present
    /// pass.
    pub fn position(&self) -> BatchPosition {
        self.batches.position()
    }

    /// Approximate number of batches in one epoch.
    pub fn batches_per_epoch(&self) -> u64 {
        self.batches.batches_per_epoch()
    }

    /// Number of parameters that the model learns.
    pub fn parameters(&self) -> usize {
        self.model.num_params()
    }

    /// Warning if the largest batch may need more memory than is available.
    pub fn memory_note(&self) -> Option<String> {
        // Gradients exist only during a step, and the optimiser's moments from the first step on.
        let taken = if self.step == 0 { 1 } else { 3 };
        let examples = self.training_examples();
        memory_note(&self.experiment, &self.data.tokenizer, examples, taken)
    }

    /// Converter between text and token ids.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.data.tokenizer
    }

    /// Number of examples that the model learns from.
    pub fn training_examples(&self) -> usize {
        match &self.data.stored {
            Some(stored) => stored.examples(),
            None => self.data.examples.in_memory(),
        }
    }

    /// Training examples; empty for a reader, and if the corpus is too large for memory.
    pub fn training(&self) -> &[Example] {
        let examples = self.data.examples.sequences();
        examples.map_or(&[], |examples| &examples.training)
    }

    /// Training questions of a reader; empty for other models, and if the corpus is too large for
    /// memory.
    pub fn training_questions(&self) -> &[Question] {
        let data = self.data.examples.questions();
        data.map_or(&[], |data| &data.training)
    }

    /// Number of held-out examples.
    pub fn validation_examples(&self) -> usize {
        self.held_out().len()
    }

    /// Held-out examples as tokens; empty for a reader.
    pub fn validation(&self) -> &[Example] {
        self.held_out().examples()
    }

    /// Held-out examples, as tokens and as the text of the file.
    pub fn held_out(&self) -> HeldOut<'_> {
        self.data.examples.held_out(&self.data.tokenizer)
    }

    /// Test examples, from which the model neither learns nor chooses a checkpoint; `None` unless a
    /// reader has such a part.
    pub fn tested(&self) -> Option<HeldOut<'_>> {
        let data = self.data.examples.questions()?;
        let (_, tested) = data.measured();
        let held_out = HeldOut::of_questions(&self.data.tokenizer, data, tested);
        (!tested.is_empty()).then_some(held_out)
    }

    /// Identities of the held-out examples, in their order; for a text, of its lines. `None` if the
    /// examples are generated.
    pub fn held_out_identities(&self) -> Option<&[Vec<u64>]> {
        self.data.identities.as_ref().map(|it| &it.held_out[..])
    }

    /// Sentence about held-out examples that the model from which the run began had learned, but
    /// that stay because nothing would be left without them. `None` if there are none.
    pub fn remembered(&self) -> Option<String> {
        let count = self.data.remembered;
        (count > 0).then(|| {
            format!(
                "{count} of the held-out examples are among what the model from which the run began has \
                 learned, and without them nothing would be left: what is measured is what it has by heart. \
                 Hold out what it did (its `task.split` and `task.held_out`), or name others as \
                 `task.validation_source`."
            )
        })
    }

    /// Sentences that the models from which the run began had learned; `None` if the run began
    /// anew, or those models do not record it.
    pub fn learned_before(&self) -> Option<&Learned> {
        self.learned_before.learned.as_ref()
    }

    /// Numbers of examples that were left out of the data.
    pub fn dropped(&self) -> LeftOut {
        self.data.dropped
    }

    /// Poems from which the examples are made; `None` for other tasks.
    pub fn poems(&self) -> Option<&PoemData> {
        self.data.examples.poems()
    }

    /// Planner of poems, learned from the training poems on first use; `None` for other tasks. A
    /// model without its poems has the planner of its checkpoint.
    pub fn planner(&self) -> Option<&Planner> {
        self.data.examples.planner()
    }

    /// Further facts about the data to show before a run starts.
    pub fn facts(&self) -> &Facts {
        &self.data.facts
    }
}

/// Refuses a curriculum whose later tasks have other tokens than the first.
fn check_tokens(experiment: &Experiment, data: &Data) -> Result<(), TrainingError> {
    for stage in experiment.training.curriculum.stages() {
        let later = experiment.at_step(stage.from)?;
        if later.task != experiment.task
            && !has_tokens_of(&Data::load(&later, &Uploads::default())?, data)
        {
            return Err(TrainingError::OtherTokens { from: stage.from });
        }
    }
    Ok(())
}

/// True if two data sets have the same vocabularies.
fn has_tokens_of(one: &Data, other: &Data) -> bool {
    let [one, other] = [one, other].map(|data| &data.tokenizer);
    one.source == other.source && one.target == other.target
}

/// Adds autodiff to the device, with gradient checkpointing if the settings ask for it.
fn differentiating(device: &Device, training: &TrainingConfig) -> Device {
    let device = device.clone().without_autodiff().autodiff();
    if training.checkpointing {
        device.gradient_checkpointing()
    } else {
        device
    }
}

/// Builds the model that an experiment starts from; a reader with the pretrained vectors of its
/// words.
fn fresh_model(
    experiment: &Experiment,
    data: &Data,
    device: &Device,
) -> Result<Model, TrainingError> {
    let Some(questions) = data.examples.questions() else {
        return untrained(experiment, &data.tokenizer, device);
    };
    question_answering::check_questions(experiment, questions)?;
    let model = untrained(experiment, &data.tokenizer, device)?;
    question_answering::with_vectors(model, experiment, questions, device)
}

/// Builds a model with initial parameters.
pub(crate) fn untrained(
    experiment: &Experiment,
    tokenizer: &Tokenizer,
    device: &Device,
) -> Result<Model, TrainingError> {
    let vocabularies = checked_vocabularies(experiment, tokenizer)?;
    let Experiment { model, seed, .. } = experiment;
    Ok(model.init(vocabularies, *seed, device)?)
}

/// Builds the model of an experiment with parameters of 0, to be replaced by those of a file.
///
/// # Errors
/// Those of [`untrained`].
pub(crate) fn blank(
    experiment: &Experiment,
    tokenizer: &Tokenizer,
    device: &Device,
) -> Result<Model, TrainingError> {
    let vocabularies = checked_vocabularies(experiment, tokenizer)?;
    Ok(experiment.model.blank(vocabularies, device)?)
}

/// Checks that the model fits the data, and returns the sizes of the vocabularies.
fn checked_vocabularies(
    experiment: &Experiment,
    tokenizer: &Tokenizer,
) -> Result<Vocabularies, TrainingError> {
    let vocabularies = tokenizer.vocabularies();
    check_size(&experiment.model, vocabularies)?;
    check_lengths(&experiment.model, tokenizer.longest)?;
    check_tied(&experiment.model, tokenizer)?;
    Ok(vocabularies)
}
