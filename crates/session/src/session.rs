//! Session: the training loop that worker, command line and tests share.

mod poems;

use std::sync::Arc;

use burn::tensor::Device;
use strata_tasks::CorpusReport;
use strata_text::Uploads;
use strata_training::workload::{self, WorkloadReport, Workloads};
use strata_training::{
    Checkpoint, Exchange, Experiment, Inference, Precision, StepReport, Trainer,
};

use crate::error::SessionError;
use crate::event_throttle::EventThrottle;
use crate::notes::notes;
use crate::picture;
use crate::protocol::{Activity, Command, Event, LacksView, Ready, View, ViewRequest};

/// Number of held-out sentences that a validation during training decodes.
const DECODED: usize = 64;
/// Number of held-out sentences that the last validation, or a requested one, decodes.
const DECODED_IN_FULL: usize = 1000;
/// Largest number of steps of a workload.
const MOST_BENCHED: u32 = 1_000_000;
/// Number of held-out sentences that are offered to users to try.
const SAMPLES: usize = 8;

/// A session: one experiment that is trained.
///
/// The owner passes each [`Command`] to [`handle`](Self::handle), and between commands calls
/// [`advance`](Self::advance) as long as that returns [`Activity::Training`].
pub struct Session {
    device: Device,
    device_label: String,
    clock: fn() -> f64,
    trainer: Option<Trainer>,
    /// Model of another run, for comparison with the present one.
    beside: Option<Inference>,
    /// Texts that the run reads, and the texts that were examined last.
    uploads: Uploads,
    activity: Activity,
    /// View that is shown while training, if there is one.
    look: Option<ViewRequest>,
    pulse: EventThrottle,
    /// Reason why the device was lost, if it was.
    lost: Option<String>,
}

impl Session {
    /// Creates a session without an experiment. `device_label` names the device to a user; `clock`
    /// returns milliseconds since any fixed time.
    pub fn new(device: Device, device_label: String, clock: fn() -> f64) -> Self {
        Self {
            device,
            device_label,
            clock,
            trainer: None,
            beside: None,
            uploads: Uploads::default(),
            activity: Activity::Paused,
            look: None,
            pulse: EventThrottle::default(),
            lost: None,
        }
    }

    /// Returns the present activity of the session.
    pub fn activity(&self) -> Activity {
        self.activity
    }

    /// Returns the trainer of the run, if an experiment is loaded.
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
                // A step that fails once would fail again and again.
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
                let trainer = Trainer::restore(&checkpoint, &self.uploads, &self.device)?;
                self.begin(trainer, emit).await
            }
            Command::Open { checkpoint } => {
                let trainer = Trainer::open(&checkpoint, &self.uploads, &self.device)?;
                self.begin(trainer, emit).await
            }
            Command::GoOn { experiment } => {
                self.with_data()?;
                if self.activity == Activity::Diverged {
                    self.can_go_on()?;
                }
                self.loaded()?.go_on_as(&experiment)?;
                self.announce(emit).await
            }
            Command::Reset => {
                self.with_data()?.reset()?;
                self.announce(emit).await
            }
            Command::NewSeed { seed } => {
                let experiment = Experiment {
                    seed,
                    ..self.with_data()?.experiment().clone()
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
                // The last picture may be some steps old.
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
                let examples = examples(self.loaded()?);
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
                // During training, many requests in a row must not keep the session from training.
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
                let (picture, source, found) =
                    picture::of_text(&inference, &text, &prefix, &search, details).await?;
                emit(Event::Translated(picture));
                let put = |trainer: &mut Trainer| trainer.look_at(&source, &found);
                self.watch_instead(put, emit).await
            }
            Command::Answer { question, passage } => {
                let inference = self.loaded()?.inference();
                let (answer, attention, asked) =
                    picture::of_question(&inference, &question, &passage).await?;
                emit(Event::Answered { answer, attention });
                let put = |trainer: &mut Trainer| trainer.look_at_question(asked);
                self.watch_instead(put, emit).await
            }
            Command::WritePoem { wish } => self.write_poems(&wish, emit).await,
            Command::Examine { task, texts } => {
                let present = self.trainer.as_ref().map(Trainer::experiment);
                // A run on these texts will have the seed of the present run.
                let seed = present.map_or(0, |it| it.seed);
                let examined = CorpusReport::of(*task, seed, texts, &mut self.uploads)?;
                let present = present.map(|it| &it.task);
                let tasks = present.into_iter().chain([&examined.task]);
                let kept: Vec<_> = tasks.flat_map(|task| task.paths()).collect();
                self.uploads.keep_only(&kept);
                emit(Event::Examined(examined));
                // A model that was opened without its data may lack these texts.
                let present = self.trainer.as_ref();
                let found = present.map(|it| it.with_data_of(&self.uploads));
                match found.transpose()?.flatten() {
                    Some(trainer) => self.begin(trainer, emit).await,
                    None => Ok(()),
                }
            }
            Command::Validate => {
                let trainer = self.with_data()?;
                let bleu = trainer.experiment().training.bleu_every > 0;
                let report = trainer.validate(DECODED_IN_FULL, bleu).await?;
                emit(Event::Validated(report));
                Ok(())
            }
            Command::Mute { parts } => {
                let trainer = self.loaded()?;
                let muted = trainer.mute(&parts);
                muted.map_err(|it| SessionError::refused(it.to_string()))?;
                let validation = match trainer.lacking() {
                    None => Some(trainer.validate(DECODED, false).await?),
                    Some(_) => None,
                };
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

    /// Times a workload's steps; the run stays as it is.
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

    /// Returns the trainer, if the run has its data.
    ///
    /// # Errors
    /// If the model was opened without the data on which it was trained.
    fn with_data(&mut self) -> Result<&mut Trainer, SessionError> {
        let trainer = self.loaded()?;
        match trainer.lacking() {
            None => Ok(trainer),
            Some(lacking) => Err(SessionError::Refused(lacking.reason())),
        }
    }

    fn can_go_on(&mut self) -> Result<(), SessionError> {
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

    /// Replaces the present run by another one.
    async fn begin(
        &mut self,
        trainer: Trainer,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let examples = examples(&trainer);
        self.look = self.look.take().filter(|look| look.example < examples);
        self.trainer = Some(trainer);
        self.announce(emit).await
    }

    /// Reports the run, its activity, and the watched view.
    async fn announce(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), SessionError> {
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

    /// Takes one step with its reports and validations. `alone`: the step was requested by itself.
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
            // A validation without some parts of the model is not one of the run.
            if trainer.muted().is_empty() {
                trainer.note(&report);
            }
            self.pulse.flush(clock(), emit);
            emit(Event::Validated(report));
        }
        // Training may end early, if the validation has not improved for long.
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
        let lacks = trainer.lacking().is_some();
        if lacks && trainer.held_out().is_empty() {
            // The user has entered nothing yet.
            return Ok(());
        }
        let mut sight = picture::of_example(trainer, self.beside.as_ref(), &look).await?;
        if lacks {
            // The model's own output is no reference.
            (sight.reference, sight.is_right) = (String::new(), false);
        }
        self.pulse.flush((self.clock)(), emit);
        emit(Event::Attention(sight));
        // Serializing thousands of numbers takes time, too.
        self.pulse.picture_shown(began, (self.clock)());
        Ok(())
    }

    /// Shows the user's input instead of held-out examples, if the model lacks these.
    async fn watch_instead(
        &mut self,
        put: impl FnOnce(&mut Trainer),
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let trainer = self.loaded()?;
        if trainer.lacking().is_none() {
            return Ok(());
        }
        put(trainer);
        self.pulse.picture_changed();
        self.show_watched(emit).await
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
                (self.trainer, self.beside) = (None, None);
                self.activity = Activity::Paused;
                self.lost = Some(reason.clone());
                emit(Event::Lost { reason });
            }
        }
    }
}

/// Returns the number of examples that can be watched; 1 for a model that lacks its data, the
/// user's last input.
fn examples(trainer: &Trainer) -> usize {
    match trainer.lacking() {
        None => trainer.validation_examples(),
        Some(_) => 1,
    }
}

/// Returns the notes that a user reads before training begins.
fn told(trainer: &Trainer) -> Vec<String> {
    if trainer.lacking().is_some() {
        return Vec::new();
    }
    let facts = trainer.facts();
    notes(trainer)
        .into_iter()
        .chain(facts.sentences(&trainer.experiment().task))
        .chain(trainer.experiment().training.remark())
        .chain(trainer.memory_note())
        .collect()
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
        notes: told(trainer),
        parts: trainer.parts(),
        muted: trainer.muted().to_vec(),
        lacks: trainer.lacking().map(|it| LacksView {
            files: it.files().to_vec(),
            reason: it.reason(),
        }),
        device,
    }
}
