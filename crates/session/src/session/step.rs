//! One training step, and the reports of the step.

use strata_training::StepReport;

use super::{DECODED, DECODED_IN_FULL, Session};
use crate::error::SessionError;
use crate::protocol::{Activity, Event, View};
use crate::ready::ready;

impl Session {
    /// Takes one step with its reports and validations. `alone`: the step was requested by itself.
    pub(super) async fn take_step(
        &mut self,
        alone: bool,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let clock = self.clock;
        let began = clock();
        let shows = alone || self.throttle.view_is_due(began);
        if self.loaded()?.begin_stage()? {
            self.throttle.flush(began, emit);
            let label = self.device_label.clone();
            emit(Event::Ready(ready(self.loaded()?, label)));
            self.set_activity(self.activity, emit);
        }
        let shows_norms = matches!(&self.watched, Some(request) if request.view == View::Norms);
        let trainer = self.loaded()?;
        // Gradients are gone after the step, so they are noted while it is taken.
        if shows && shows_norms {
            trainer.note_gradients();
        }
        let report = trainer.step().await?;
        let now = clock();
        let report = StepReport {
            milliseconds: now - began,
            ..report
        };
        self.throttle.step(report, now, emit);
        self.validate_if_due(report.step, emit).await?;
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

    /// Measures the validation set if the experiment asks for that after this step.
    async fn validate_if_due(
        &mut self,
        step: u64,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let clock = self.clock;
        let trainer = self.loaded()?;
        let last = trainer.is_finished();
        let training = &trainer.experiment().training;
        let due = |every: u64| every > 0 && step.is_multiple_of(every);
        let translates = due(training.bleu_every) || (last && training.bleu_every > 0);
        if !(last || translates || due(training.validate_every)) {
            return Ok(());
        }
        let decode = if last { DECODED_IN_FULL } else { DECODED };
        let report = trainer.validate(decode, translates).await?;
        // A validation without some parts of the model is not one of the run.
        if trainer.muted().is_empty() {
            trainer.note(&report);
        }
        let telemetry = trainer.telemetry().await?;
        self.throttle.flush(clock(), emit);
        if let Some(telemetry) = telemetry {
            emit(Event::Telemetry(telemetry));
        }
        emit(Event::Validated(report));
        Ok(())
    }

    /// Stops training after the present step.
    pub(super) async fn pause(&mut self, emit: &mut dyn FnMut(Event)) -> Result<(), SessionError> {
        self.loaded()?;
        if self.activity != Activity::Training {
            self.set_activity(self.activity, emit);
            return Ok(());
        }
        self.set_activity(Activity::Paused, emit);
        // The last view may be some steps old.
        self.show_watched(emit).await
    }
}
