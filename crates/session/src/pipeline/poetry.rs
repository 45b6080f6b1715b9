//! Poetry: a text in; its plan, and the poems by the present model and the model beside out.
//!
//! - `composer`: composition of a poem, shared by page and command line; `fault`: reasons why a
//!   poem cannot be written
//! - `poem_view`: characters of a poem, with attention and candidates

mod composer;
mod fault;
mod poem_view;

use strata_poems::Planner;
use strata_training::{Inference, Trainer};

use crate::error::SessionError;
use crate::protocol::{Event, Output, PlannedWord, PoemRequest, PoemView, Writers};
use crate::session::Session;
pub use composer::Composer;
pub use fault::PoemFault;

/// Carries out the request: plans a poem by the present model, and has the poem written by the
/// models that the request names.
pub(super) async fn run(
    session: &mut Session,
    request: &PoemRequest,
    emit: &mut dyn FnMut(Event),
) -> Result<(), SessionError> {
    let search = request.search.check();
    search.map_err(|error| SessionError::refused(error.to_string()))?;
    if request.writers == Writers::Beside && session.beside().is_none() {
        return Err(SessionError::refused(
            "no model lies beside the present one; choose one first",
        ));
    }
    let keywords = match request.writers {
        Writers::Beside => plan_only(session, request).await?,
        Writers::All | Writers::Present => write_present(session, request, emit).await?,
    };
    let beside = session.beside();
    let Some(beside) =
        beside.filter(|_| request.writers != Writers::Present && !request.plans_only)
    else {
        return Ok(());
    };
    let poem = write_beside(beside, keywords, request).await?;
    emit(Event::Done(Output::PoemBeside(poem)));
    Ok(())
}

/// Writes the poem by the present model, or plans it, and reports the result; returns the keywords.
async fn write_present(
    session: &mut Session,
    request: &PoemRequest,
    emit: &mut dyn FnMut(Event),
) -> Result<Vec<PlannedWord>, SessionError> {
    let poem = by_present(session, request).await?;
    let keywords = poem.keywords.clone();
    let (last, backwards) = (poem.lines.last().cloned(), poem.backwards);
    emit(Event::Done(Output::Poem(poem)));
    if let Some(line) = last {
        let put = |trainer: &mut Trainer| trainer.look_at_line(&line.source, &line.text, backwards);
        session.watch_instead(put, emit).await?;
    }
    Ok(keywords)
}

/// Returns the keywords of the request, or plans them by the present model.
async fn plan_only(
    session: &mut Session,
    request: &PoemRequest,
) -> Result<Vec<PlannedWord>, SessionError> {
    if !request.keywords.is_empty() {
        return Ok(request.keywords.clone());
    }
    let request = PoemRequest {
        plans_only: true,
        ..request.clone()
    };
    Ok(by_present(session, &request).await?.keywords)
}

/// Writes the poem by the model beside; a sentence, if that model cannot.
///
/// # Errors
/// If the device fails.
async fn write_beside(
    beside: &Inference,
    keywords: Vec<PlannedWord>,
    request: &PoemRequest,
) -> Result<Result<PoemView, String>, SessionError> {
    let request = PoemRequest {
        keywords,
        ..request.clone()
    };
    let Some(planner) = beside.planner() else {
        let reason = "the model beside writes no poems: choose one of the task `poems`";
        return Ok(Err(reason.to_owned()));
    };
    match write(beside, Some(planner), &request).await {
        Ok(poem) => Ok(Ok(poem)),
        Err(SessionError::Refused(reason)) => Ok(Err(reason)),
        Err(error) => Err(error),
    }
}

async fn by_present(
    session: &mut Session,
    request: &PoemRequest,
) -> Result<PoemView, SessionError> {
    let trainer = session.loaded()?;
    write(&trainer.inference(), trainer.planner(), request).await
}

/// Plans and writes a poem, and returns the poem's view.
async fn write(
    inference: &Inference,
    planner: Option<&Planner>,
    request: &PoemRequest,
) -> Result<PoemView, SessionError> {
    let composer = planner.and_then(|planner| Composer::new(inference, planner));
    let Some(composer) = composer else {
        return Err(SessionError::refused(
            "the present model writes no poems; load or train one of the task `poems`",
        ));
    };
    if request.plans_only && !composer.reads_keywords() {
        return Err(PoemFault::Unplanned.into());
    }
    let plan = composer.plan(request, None)?;
    let lines = if request.plans_only {
        None
    } else {
        inference
            .write_poem(&composer.prompt(request, &plan)?)
            .await?
    };
    let lines = lines.unwrap_or_default();
    Ok(composer.view(&plan, &lines, request.distinct).await?)
}
