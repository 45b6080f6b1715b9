//! Begin, change, save and compare a run.

use strata_models::Part;
use strata_tasks::{CorpusReport, TaskConfig};
use strata_text::UploadedText;
use strata_training::{Checkpoint, Experiment, Inference, Trainer};

use super::watching::examples;
use super::{DECODED, Session};
use crate::error::SessionError;
use crate::protocol::{Activity, Event};
use crate::ready::ready;

impl Session {
    /// Replaces the present run by another one.
    pub(super) async fn begin(
        &mut self,
        trainer: Trainer,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let examples = examples(&trainer);
        let watched = self.watched.take();
        self.watched = watched.filter(|request| request.example < examples);
        self.trainer = Some(trainer);
        self.announce(emit).await
    }

    /// Reports the run, its activity, and the watched view.
    pub(super) async fn announce(
        &mut self,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let label = self.device_label.clone();
        let trainer = self.loaded()?;
        let activity = if trainer.is_finished() && trainer.lacking().is_none() {
            Activity::Finished
        } else {
            Activity::Paused
        };
        emit(Event::Ready(ready(trainer, label)));
        self.set_activity(activity, emit);
        self.show_watched(emit).await
    }

    /// Continues the run under a changed experiment.
    pub(super) async fn go_on_as(
        &mut self,
        experiment: &Experiment,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        self.with_data()?;
        if self.activity == Activity::Diverged {
            self.can_go_on()?;
        }
        self.loaded()?.go_on_as(experiment)?;
        self.announce(emit).await
    }

    /// Begins a run of the same experiment with another seed.
    pub(super) async fn new_seed(
        &mut self,
        seed: u64,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let experiment = Experiment {
            seed,
            ..self.with_data()?.experiment().clone()
        };
        let trainer = Trainer::new(experiment, &self.uploads, &self.device)?;
        self.begin(trainer, emit).await
    }

    /// Checks that the run can take a step.
    ///
    /// # Errors
    /// If the run lacks its data, has ended or has diverged.
    pub(super) fn can_go_on(&mut self) -> Result<(), SessionError> {
        let trainer = self.with_data()?;
        let taken = trainer.step_count();
        let training = &trainer.experiment().training;
        let (steps, patience) = (training.steps, training.patience);
        match self.activity {
            Activity::Finished if taken < steps => Err(SessionError::refused(format!(
                "the run ended after {taken} steps, for {patience} validations brought no better \
                 one; go on with more `training.patience`, or reset"
            ))),
            Activity::Finished => Err(SessionError::refused(format!(
                "all {steps} steps are taken; go on with more `training.steps`, or reset"
            ))),
            Activity::Diverged => Err(SessionError::refused(
                "the run has diverged and would do so again; reset it, draw a new seed, or load \
                 the experiment with a lower `training.optimizer.learning_rate`",
            )),
            Activity::Paused | Activity::Training => Ok(()),
        }
    }

    /// Examines texts and keeps them; begins the run anew with its data if the model lacked these
    /// texts.
    pub(super) async fn examine(
        &mut self,
        task: TaskConfig,
        texts: Vec<UploadedText>,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let present = self.trainer.as_ref().map(Trainer::experiment);
        // A run on these texts will have the seed of the present run.
        let seed = present.map_or(0, |experiment| experiment.seed);
        let examined = CorpusReport::of(task, seed, texts, &mut self.uploads)?;
        let present = present.map(|experiment| &experiment.task);
        let tasks = present.into_iter().chain([&examined.task]);
        let kept: Vec<_> = tasks.flat_map(|task| task.paths()).collect();
        self.uploads.keep_only(&kept);
        emit(Event::Examined(examined));
        // A model that was opened without its data may lack these texts.
        let present = self.trainer.as_ref();
        let found = present.map(|trainer| trainer.with_data_of(&self.uploads));
        match found.transpose()?.flatten() {
            Some(trainer) => self.begin(trainer, emit).await,
            None => Ok(()),
        }
    }

    /// Mutes exactly these parts of the model.
    pub(super) async fn mute(
        &mut self,
        parts: Vec<Part>,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let trainer = self.loaded()?;
        let muted = trainer.mute(&parts);
        muted.map_err(|error| SessionError::refused(error.to_string()))?;
        let validation = match trainer.lacking() {
            None => Some(trainer.validate(DECODED, false).await?),
            Some(_) => None,
        };
        emit(Event::Muted { parts, validation });
        self.throttle.view_changed();
        self.show_watched(emit).await
    }

    /// Loads the model of another run beside the present one; `None` removes that model.
    pub(super) async fn lay_beside(
        &mut self,
        checkpoint: Option<&[u8]>,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let loaded = match checkpoint {
            Some(bytes) => {
                let experiment = Checkpoint::open(bytes)?.experiment().clone();
                let model = Inference::from_checkpoint(bytes, &self.device)?;
                Some((model, Box::new(experiment)))
            }
            None => None,
        };
        let experiment;
        (self.beside, experiment) = loaded.unzip();
        let step = self.beside.as_ref().map(Inference::step);
        emit(Event::Beside { step, experiment });
        if self.trainer.is_none() {
            return Ok(());
        }
        self.throttle.view_changed();
        self.show_watched(emit).await
    }

    /// Reports a checkpoint of the run; of a model that lacks its data, the file that was opened.
    pub(super) async fn save(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), SessionError> {
        let trainer = self.loaded()?;
        let checkpoint = match trainer.lacking() {
            None => trainer.checkpoint().await?,
            Some(lacking) => lacking.checkpoint().to_vec(),
        };
        emit(Event::Saved {
            step: trainer.step_count(),
            checkpoint,
        });
        Ok(())
    }
}
