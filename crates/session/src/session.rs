//! Session: the training loop that worker, command line and tests share.
//!
//! - here: [`Session`], and which command is carried out by which function
//! - `run`: a run begins, goes on and is compared; `step`: one training step
//! - `watching`: the view of the watched example

mod run;
mod step;
mod watching;

use std::sync::Arc;

use burn::tensor::Device;
use strata_text::Uploads;
use strata_training::workload::{self, WorkloadReport, Workloads};
use strata_training::{Exchange, Inference, Precision, Trainer};

use crate::error::SessionError;
use crate::event_throttle::EventThrottle;
use crate::pipeline;
use crate::protocol::{Activity, Command, Event, ViewRequest};

/// Number of held-out sentences that a validation during training decodes.
const DECODED: usize = 64;
/// Number of held-out sentences that the last validation, or a requested one, decodes.
const DECODED_IN_FULL: usize = 1000;
/// Largest number of steps of a workload.
const MOST_BENCHED: u32 = 1_000_000;

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
    watched: Option<ViewRequest>,
    throttle: EventThrottle,
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
            watched: None,
            throttle: EventThrottle::default(),
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
        self.throttle.flush((self.clock)(), emit);
        if let Err(error) = self.execute(command, emit).await {
            self.report(error, emit);
        }
    }

    /// Takes one step if the session trains; does nothing otherwise.
    pub async fn advance(&mut self, emit: &mut dyn FnMut(Event)) -> Activity {
        if self.activity == Activity::Training
            && let Err(error) = self.take_step(false, emit).await
        {
            self.report(error, emit);
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
            Command::GoOn { experiment } => self.go_on_as(&experiment, emit).await,
            Command::Reset => {
                self.with_data()?.reset()?;
                self.announce(emit).await
            }
            Command::NewSeed { seed } => self.new_seed(seed, emit).await,
            Command::Train => {
                self.can_go_on()?;
                self.set_activity(Activity::Training, emit);
                Ok(())
            }
            Command::Pause => self.pause(emit).await,
            Command::Step => {
                self.can_go_on()?;
                self.take_step(true, emit).await?;
                if self.activity == Activity::Training || self.activity == Activity::Paused {
                    self.set_activity(Activity::Paused, emit);
                }
                Ok(())
            }
            Command::Watch { view } => self.watch(view, emit).await,
            Command::Run(request) => pipeline::run(self, request, emit).await,
            Command::Examine { task, texts } => self.examine(*task, texts, emit).await,
            Command::Validate => {
                let trainer = self.with_data()?;
                let bleu = trainer.experiment().training.bleu_every > 0;
                let report = trainer.validate(DECODED_IN_FULL, bleu).await?;
                emit(Event::Validated(report));
                Ok(())
            }
            Command::Mute { parts } => self.mute(parts, emit).await,
            Command::Beside { checkpoint } => self.lay_beside(checkpoint.as_deref(), emit).await,
            Command::Save => self.save(emit).await,
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

    /// Model of another run that lies beside the present one, if there is one.
    pub(crate) fn beside(&self) -> Option<&Inference> {
        self.beside.as_ref()
    }

    /// Returns the trainer of the run.
    ///
    /// # Errors
    /// If no experiment is loaded.
    pub(crate) fn loaded(&mut self) -> Result<&mut Trainer, SessionError> {
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

    fn set_activity(&mut self, activity: Activity, emit: &mut dyn FnMut(Event)) {
        self.throttle.flush((self.clock)(), emit);
        self.activity = activity;
        emit(Event::Activity { activity });
    }

    fn report(&mut self, error: SessionError, emit: &mut dyn FnMut(Event)) {
        self.throttle.flush((self.clock)(), emit);
        match error {
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
