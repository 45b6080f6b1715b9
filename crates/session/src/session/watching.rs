//! The view of the watched example, or of the user's input if the model lacks its data.

use strata_training::Trainer;

use super::Session;
use crate::error::SessionError;
use crate::pipeline;
use crate::protocol::{Activity, Event, ViewRequest};

impl Session {
    /// Shows this view from now on; `None` to show no more views.
    pub(super) async fn watch(
        &mut self,
        request: Option<ViewRequest>,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let examples = examples(self.loaded()?);
        if let Some(ViewRequest { example, .. }) = request
            && example >= examples
        {
            return Err(SessionError::refused(format!(
                "there is no held-out example {example}: choose one from 0 to {}",
                examples - 1
            )));
        }
        self.watched = request;
        self.throttle.view_changed();
        // During training, many requests in a row must not keep the session from training.
        let training = self.activity == Activity::Training;
        if training && !self.throttle.view_is_due((self.clock)()) {
            return Ok(());
        }
        self.show_watched(emit).await
    }

    /// Reports the requested view, if there is one.
    pub(super) async fn show_watched(
        &mut self,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let Some(request) = self.watched.clone() else {
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
        let beside = self.beside.as_ref();
        let mut update = pipeline::view_of_example(trainer, beside, &request).await?;
        if lacks {
            // The model's own output is no reference.
            (update.reference, update.is_right) = (String::new(), false);
        }
        self.throttle.flush((self.clock)(), emit);
        emit(Event::View(update));
        // Serializing thousands of numbers takes time, too.
        self.throttle.view_sent(began, (self.clock)());
        Ok(())
    }

    /// Shows the user's input instead of held-out examples, if the model lacks these. `put` hands
    /// the input to the trainer.
    pub(crate) async fn watch_instead(
        &mut self,
        put: impl FnOnce(&mut Trainer),
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        let trainer = self.loaded()?;
        if trainer.lacking().is_none() {
            return Ok(());
        }
        put(trainer);
        self.throttle.view_changed();
        self.show_watched(emit).await
    }
}

/// Returns the number of examples that can be watched; 1 for a model that lacks its data, the
/// user's last input.
pub(super) fn examples(trainer: &Trainer) -> usize {
    match trainer.lacking() {
        None => trainer.validation_examples(),
        Some(_) => 1,
    }
}
