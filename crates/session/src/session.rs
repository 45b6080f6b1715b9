//! The loop that worker, command line and tests share.

mod poems;

use std::sync::Arc;

use burn::tensor::Device;
use strata_tasks::{CorpusReport, Uploads};
use strata_training::workload::{self, WorkloadReport, Workloads};
use strata_training::{
    Checkpoint, Exchange, Experiment, Inference, Precision, StepReport, Trainer,
};

use crate::error::SessionError;
use crate::event_throttle::EventThrottle;
use crate::notes::notes;
use crate::picture;
use crate::protocol::{Activity, Command, Event, Ready, View, ViewRequest};

/// Number of held-out sentences that a validation during training decodes.
const DECODED: usize = 64;
/// Number of held-out sentences that the last validation, or a requested one, decodes.
const DECODED_IN_FULL: usize = 1000;
/// Largest number of steps of a workload.
const MOST_BENCHED: u32 = 1_000_000;
/// Held-out sentences offered to try.
const SAMPLES: usize = 8;

/// One experiment being trained.
///
/// The owner hands each [`Command`] to [`handle`](Self::handle), and between commands calls
/// [`advance`](Self::advance) as long as that says [`Activity::Training`].
pub struct Session {
    device: Device,
    device_label: String,
    clock: fn() -> f64,
    trainer: Option<Trainer>,
    /// A model of poems whose data are not here; it writes the poems while it is there.
    poet: Option<Inference>,
    /// The model of another run, beside the present one.
    beside: Option<Inference>,
    /// Texts that the run reads, and those that were looked at last.
    uploads: Uploads,
    activity: Activity,
    /// The view that is shown while training.
    look: Option<ViewRequest>,
    pulse: EventThrottle,
    /// Reason why the device was lost.
    lost: Option<String>,
}

impl Session {
    /// A session without an experiment. `device_label` names the device to a user; `clock`
    /// gives milliseconds from any beginning.
    pub fn new(device: Device, device_label: String, clock: fn() -> f64) -> Self {
        Self {
            device,
            device_label,
            clock,
            trainer: None,
            poet: None,
            beside: None,
            uploads: Uploads::default(),
            activity: Activity::Paused,
            look: None,
            pulse: EventThrottle::default(),
            lost: None,
        }
    }

    /// Present activity of the session.
    pub fn activity(&self) -> Activity {
        self.activity
    }

    /// The run, if an experiment is loaded.
    pub fn trainer(&self) -> Option<&Trainer> {
        self.trainer.as_ref()
    }

    /// Shares every further step of the run with the other processes of `exchange`, until another run
    /// begins.
    ///
    /// # Errors
    /// A sentence, the same in all processes, if they cannot share the run.
    pub async fn join(&mut self, exchange: Arc<dyn Exchange>) -> Result<(), String> {
        let Some(trainer) = &mut self.trainer else {
            return Err("no experiment is loaded; load one first".to_owned());
        };
        let joined = trainer.join(exchange).await;
        joined.map_err(|failure| failure.to_string())
    }

    /// Carries out a command. A command that cannot be carried out is answered by
    /// [`Event::Refused`] and changes nothing.
    pub async fn handle(&mut self, command: Command, emit: &mut dyn FnMut(Event)) {
        if let Some(reason) = self.lost.clone() {
            return emit(Event::Lost { reason });
        }
        self.pulse.flush((self.clock)(), emit);
        if let Err(trouble) = self.execute(command, emit).await {
            self.report(trouble, emit);
        }
    }

    /// Takes one step if the session trains; does nothing otherwise.
    pub async fn advance(&mut self, emit: &mut dyn FnMut(Event)) -> Activity {
        if self.activity == Activity::Training
            && let Err(trouble) = self.take_step(false, emit).await
        {
            self.report(trouble, emit);
            if self.activity == Activity::Training {
                // What could not be done once would be tried again forever.
                self.set_activity(Activity::Paused, emit);
            }
        }
        self.activity
    }

    async fn execute(
        &mut self,
        command: Command,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        match command {
            Command::Load { experiment } => {
                let trainer = Trainer::new(*experiment, &self.uploads, &self.device)?;
                self.begin(trainer, emit).await
            }
            Command::Restore { checkpoint } => {
                let restored = Trainer::restore(&checkpoint, &self.uploads, &self.device);
                match restored {
                    Ok(trainer) => self.begin(trainer, emit).await,
                    Err(error) => self.take_poet(&checkpoint, error, emit),
                }
            }
            Command::GoOn { experiment } => {
                self.loaded()?;
                if self.activity == Activity::Diverged {
                    self.can_go_on()?;
                }
                self.loaded()?.go_on_as(&experiment)?;
                self.announce(emit).await
            }
            Command::Reset => {
                self.loaded()?.reset()?;
                self.announce(emit).await
            }
            Command::NewSeed { seed } => {
                let experiment = Experiment {
                    seed,
                    ..self.loaded()?.experiment().clone()
                };
                let trainer = Trainer::new(experiment, &self.uploads, &self.device)?;
                self.begin(trainer, emit).await
            }
            Command::Train => {
                self.can_go_on()?;
                self.set_activity(Activity::Training, emit);
                Ok(())
            }
            Command::Pause => {
                self.loaded()?;
                if self.activity != Activity::Training {
                    self.set_activity(self.activity, emit);
                    return Ok(());
                }
                self.set_activity(Activity::Paused, emit);
                // The picture may be some steps old.
                self.show_watched(emit).await
            }
            Command::Step => {
                self.can_go_on()?;
                self.take_step(true, emit).await?;
                if self.activity == Activity::Training || self.activity == Activity::Paused {
                    self.set_activity(Activity::Paused, emit);
                }
                Ok(())
            }
            Command::Watch { look } => {
                let examples = self.loaded()?.validation_examples();
                if let Some(ViewRequest { example, .. }) = look
                    && example >= examples
                {
                    return Err(SessionError::refused(format!(
                        "there is no held-out example {example}: choose one from 0 to {}",
                        examples - 1
                    )));
                }
                self.look = look;
                self.pulse.picture_changed();
                // While it trains, many looks in a row must not keep it from training.
                let training = self.activity == Activity::Training;
                if training && !self.pulse.picture_is_due((self.clock)()) {
                    return Ok(());
                }
                self.show_watched(emit).await
            }
            Command::Translate {
                text,
                prefix,
                search,
                details,
            } => {
                let inference = self.loaded()?.inference();
                search
                    .check()
                    .map_err(|it| SessionError::refused(it.to_string()))?;
                let picture =
                    picture::of_text(&inference, &text, &prefix, &search, details).await?;
                emit(Event::Translated(picture));
                Ok(())
            }
            Command::Answer { question, passage } => {
                let inference = self.loaded()?.inference();
                let (answer, attention) =
                    picture::of_question(&inference, &question, &passage).await?;
                emit(Event::Answered { answer, attention });
                Ok(())
            }
            Command::WritePoem { wish } => self.write_poems(&wish, emit).await,
            Command::Examine { task, texts } => {
                let examined = CorpusReport::of(*task, texts, &mut self.uploads)?;
                let present = self.trainer.as_ref().map(|it| &it.experiment().task);
                let kept: Vec<_> = present.into_iter().chain([&examined.task]).collect();
                self.uploads.keep_only(&kept);
                emit(Event::Examined(examined));
                Ok(())
            }
            Command::Validate => {
                let trainer = self.loaded()?;
                let bleu = trainer.experiment().training.bleu_every > 0;
                let report = trainer.validate(DECODED_IN_FULL, bleu).await?;
                emit(Event::Validated(report));
                Ok(())
            }
            Command::Mute { parts } => {
                let trainer = self.loaded()?;
                let muted = trainer.mute(&parts);
                muted.map_err(|it| SessionError::refused(it.to_string()))?;
                let validation = trainer.validate(DECODED, false).await?;
                emit(Event::Muted { parts, validation });
                self.pulse.picture_changed();
                self.show_watched(emit).await
            }
            Command::Beside { checkpoint } => {
                let laid = match &checkpoint {
                    Some(bytes) => {
                        let experiment = Checkpoint::open(bytes)?.experiment().clone();
                        let model = Inference::from_checkpoint(bytes, &self.device)?;
                        Some((model, Box::new(experiment)))
                    }
                    None => None,
                };
                let experiment;
                (self.beside, experiment) = laid.unzip();
                let step = self.beside.as_ref().map(Inference::step);
                emit(Event::Beside { step, experiment });
                if self.trainer.is_none() {
                    return Ok(());
                }
                self.pulse.picture_changed();
                self.show_watched(emit).await
            }
            Command::Save => {
                let trainer = self.loaded()?;
                let checkpoint = trainer.checkpoint().await?;
                emit(Event::Saved {
                    step: trainer.step_count(),
                    checkpoint,
                });
                Ok(())
            }
            Command::Bench {
                name,
                steps,
                warmup,
            } => {
                emit(Event::Benched(self.bench(&name, steps, warmup).await?));
                Ok(())
            }
        }
    }

    /// Takes a workload's steps; the run stays where it is.
    async fn bench(
        &self,
        name: &str,
        steps: Option<u32>,
        warmup: Option<u32>,
    ) -> Result<WorkloadReport, SessionError> {
        let mut workload = Workloads::known().get(name)?;
        workload.steps = steps.unwrap_or(workload.steps);
        workload.warmup = warmup.unwrap_or(workload.warmup);
        if !(1..=MOST_BENCHED).contains(&workload.steps) || workload.warmup > MOST_BENCHED {
            return Err(SessionError::refused(format!(
                "`{name}` cannot be timed with {} steps after {}; choose 1 to {MOST_BENCHED} steps, \
                 after 0 to {MOST_BENCHED}",
                workload.steps, workload.warmup
            )));
        }
        let (device, label) = (&self.device, &self.device_label);
        Ok(workload::measure(&workload, Precision::F32, device, label, self.clock).await?)
    }

    fn loaded(&mut self) -> Result<&mut Trainer, SessionError> {
        let nothing = || SessionError::refused("no experiment is loaded; load one first");
        self.trainer.as_mut().ok_or_else(nothing)
    }

    fn can_go_on(&mut self) -> Result<(), SessionError> {
        let trainer = self.loaded()?;
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

    /// Takes up another run in the place of the present one.
    async fn begin(
        &mut self,
        trainer: Trainer,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let examples = trainer.validation_examples();
        self.look = self.look.take().filter(|look| look.example < examples);
        self.trainer = Some(trainer);
        self.poet = None;
        self.announce(emit).await
    }

    /// Reports the run, its activity, and the watched view.
    async fn announce(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), SessionError> {
        let label = self.device_label.clone();
        let trainer = self.loaded()?;
        let activity = if trainer.is_finished() {
            Activity::Finished
        } else {
            Activity::Paused
        };
        emit(Event::Ready(ready(trainer, label)));
        self.set_activity(activity, emit);
        self.show_watched(emit).await
    }

    /// One step and all that follows from it. `alone`: it was asked for, not one of many.
    async fn take_step(
        &mut self,
        alone: bool,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let clock = self.clock;
        let began = clock();
        let shows = alone || self.pulse.picture_is_due(began);
        let looks_at_norms = matches!(&self.look, Some(look) if look.view == View::Norms);
        let trainer = self.loaded()?;
        if shows && looks_at_norms {
            trainer.note_gradients();
        }
        let report = trainer.step().await?;
        let now = clock();
        let report = StepReport {
            milliseconds: now - began,
            ..report
        };
        self.pulse.step(report, now, emit);
        let trainer = self.loaded()?;
        let last = trainer.is_finished();
        let training = &trainer.experiment().training;
        let due = |every: u64| every > 0 && report.step.is_multiple_of(every);
        let translates = due(training.bleu_every) || (last && training.bleu_every > 0);
        if last || translates || due(training.validate_every) {
            let decode = if last { DECODED_IN_FULL } else { DECODED };
            let report = trainer.validate(decode, translates).await?;
            // What a model is worth without a part of it says nothing of the run.
            if trainer.muted().is_empty() {
                trainer.note(&report);
            }
            self.pulse.flush(clock(), emit);
            emit(Event::Validated(report));
        }
        // Patience may have come to its end.
        let finished = self.loaded()?.is_finished();
        if shows || finished {
            self.show_watched(emit).await?;
        }
        if finished {
            self.set_activity(Activity::Finished, emit);
        }
        Ok(())
    }

    async fn show_watched(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), SessionError> {
        let Some(look) = self.look.clone() else {
            return Ok(());
        };
        let began = (self.clock)();
        self.loaded()?;
        let Some(trainer) = &self.trainer else {
            return Ok(());
        };
        let sight = picture::of_example(trainer, self.beside.as_ref(), &look).await?;
        self.pulse.flush((self.clock)(), emit);
        emit(Event::Attention(sight));
        // To write thousands of numbers into a message takes time, too.
        self.pulse.picture_shown(began, (self.clock)());
        Ok(())
    }

    fn set_activity(&mut self, activity: Activity, emit: &mut dyn FnMut(Event)) {
        self.pulse.flush((self.clock)(), emit);
        self.activity = activity;
        emit(Event::Activity { activity });
    }

    fn report(&mut self, trouble: SessionError, emit: &mut dyn FnMut(Event)) {
        self.pulse.flush((self.clock)(), emit);
        match trouble {
            SessionError::Refused(reason) => emit(Event::Refused { reason }),
            SessionError::Diverged { step, reason } => {
                emit(Event::Diverged { step, reason });
                self.set_activity(Activity::Diverged, emit);
            }
            SessionError::Lost(reason) => {
                (self.trainer, self.poet, self.beside) = (None, None, None);
                self.activity = Activity::Paused;
                self.lost = Some(reason.clone());
                emit(Event::Lost { reason });
            }
        }
    }
}

fn ready(trainer: &Trainer, device: String) -> Ready {
    let tokenizer = trainer.tokenizer();
    let vocabularies = tokenizer.vocabularies();
    let samples = 0..SAMPLES.min(trainer.validation_examples());
    Ready {
        experiment: trainer.experiment().clone(),
        step: trainer.step_count(),
        parameters: trainer.parameters(),
        source_vocabulary: vocabularies.source,
        target_vocabulary: vocabularies.target,
        training_examples: trainer.training_examples(),
        validation_examples: trainer.validation_examples(),
        samples: samples
            .clone()
            .map(|at| trainer.held_out().prompt_text(at))
            .collect(),
        passages: samples
            .filter_map(|at| trainer.held_out().passage_text(at))
            .collect(),
        notes: notes(trainer)
            .into_iter()
            .chain(trainer.facts().sentences(&trainer.experiment().task))
            .chain(trainer.experiment().training.remark())
            .chain(trainer.memory_note())
            .collect(),
        parts: trainer.parts(),
        muted: trainer.muted().to_vec(),
        device,
    }
}
