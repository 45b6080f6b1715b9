//! Poems by the run's model and by the model beside.

use strata_training::Trainer;

use super::Session;
use crate::composer::written;
use crate::error::SessionError;
use crate::protocol::{Event, PoemView, PoemWish, Writers};

impl Session {
    /// Plans a poem by the present model, and has it written by the models that the wish names.
    pub(super) async fn write_poems(
        &mut self,
        wish: &PoemWish,
        emit: &mut dyn FnMut(Event),
    ) -> Result<(), SessionError> {
        wish.search
            .check()
            .map_err(|it| SessionError::refused(it.to_string()))?;
        let alone = wish.writers == Writers::Beside;
        if alone && self.beside.is_none() {
            return Err(SessionError::refused(
                "no model lies beside the present one; choose one first",
            ));
        }
        let mut keywords = wish.keywords.clone();
        if !alone || keywords.is_empty() {
            let plans_only = wish.plans_only || alone;
            let asked = PoemWish {
                plans_only,
                ..wish.clone()
            };
            let poem = self.present_poem(&asked).await?;
            keywords.clone_from(&poem.keywords);
            if !alone {
                let (last, backwards) = (poem.lines.last().cloned(), poem.backwards);
                emit(Event::Poem(poem));
                if let Some(line) = last {
                    let put = |trainer: &mut Trainer| {
                        trainer.look_at_line(&line.source, &line.text, backwards);
                    };
                    self.watch_instead(put, emit).await?;
                }
            }
        }
        let other = self.beside.as_ref();
        let other = other.filter(|_| wish.writers != Writers::Present && !wish.plans_only);
        let Some(other) = other else {
            return Ok(());
        };
        let asked = PoemWish {
            keywords,
            ..wish.clone()
        };
        let written = match other.planner() {
            None => Err(SessionError::refused(
                "the model beside writes no poems: choose one of the task `poems`",
            )),
            planner => written(other, planner, &asked).await,
        };
        let written = match written {
            Ok(poem) => Ok(poem),
            Err(SessionError::Refused(reason)) => Err(reason),
            Err(trouble) => return Err(trouble),
        };
        emit(Event::PoemBeside { written });
        Ok(())
    }

    /// Writes a poem by the run's model.
    async fn present_poem(&mut self, wish: &PoemWish) -> Result<PoemView, SessionError> {
        let trainer = self.loaded()?;
        written(&trainer.inference(), trainer.planner(), wish).await
    }
}
