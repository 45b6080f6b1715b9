//! Effect of Train and Step if settings are changed, or if the run has ended: either the settings
//! in the form are trained, or the user is told why not.

use crate::page::form::data::on_task;
use crate::page::form::settings::{Draft, Pending, apply};
use crate::page::run::intent::Intent;
use crate::state::end::End;
use strata_training::Experiment;

/// Action to take before the run takes steps.
#[derive(Clone, Debug)]
pub enum Before {
    /// No action: train the run as it is.
    Nothing,
    /// Follow this intent first.
    First(Intent),
    /// No step can be taken, for this reason, a sentence.
    Refused(String),
}

/// Decides the action before a run of the experiment `applied` takes steps; `end` is the run's end,
/// if it has ended.
pub fn before(
    (draft, pending): (&Draft, &Pending),
    (applied, end): (&Experiment, Option<End>),
    step: u64,
) -> Before {
    match pending {
        Pending::Wrong(reason) if step == 0 => Before::Refused(mended(reason)),
        // The changes would begin another run, and the present one would be gone: only Apply does
        // that.
        Pending::Begins | Pending::Wrong(_) if step > 0 => at_the_end(applied, end),
        Pending::Nothing => at_the_end(applied, end),
        pending => apply(draft, pending, step).map_or(Before::Nothing, Before::First),
    }
}

/// Returns the experiment `asked`, which is on other data, with the changes in the form.
///
/// # Errors
/// A sentence, if the changes cannot be trained.
pub fn on_other_data(
    asked: Box<Experiment>,
    (draft, pending): (&Draft, &Pending),
) -> Result<Box<Experiment>, String> {
    match pending {
        Pending::Nothing => Ok(asked),
        Pending::Wrong(reason) => Err(mended(reason)),
        Pending::GoesOn | Pending::Begins => Ok(Box::new(on_task(&draft.experiment, &asked.task))),
    }
}

fn mended(reason: &str) -> String {
    format!("{reason} Mend that under Settings or discard the changes, then train.")
}

fn at_the_end(applied: &Experiment, end: Option<End>) -> Before {
    match end {
        Some(end @ End::Diverged(_)) => Before::First(Intent::Apply(Box::new(end.then(applied)))),
        Some(end) => Before::First(Intent::GoOn(Box::new(end.then(applied)))),
        None => Before::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    fn pressed(draft: &Draft, end: Option<End>, step: u64) -> Before {
        let applied = Preset::Copy.experiment();
        let pending = draft.pending(&applied);
        before((draft, &pending), (&applied, end), step)
    }

    #[test]
    fn what_stands_in_the_form_is_trained_where_nothing_is_lost() {
        let draft = Draft::new(Preset::Copy.experiment());
        assert!(matches!(pressed(&draft, None, 0), Before::Nothing));
        let wide = draft.set("model.width", 64);
        let first = pressed(&wide, None, 0);
        assert!(matches!(first, Before::First(Intent::Apply(it)) if *it == wide.experiment));
        // The present run stays until the user applies the changes.
        assert!(matches!(pressed(&wide, None, 9), Before::Nothing));
        let longer = draft.set("training.steps", 5000);
        let first = pressed(&longer, None, 9);
        assert!(matches!(first, Before::First(Intent::GoOn(it)) if it.training.steps == 5000));
    }

    #[test]
    fn what_cannot_be_trained_is_not_replaced_by_the_old() {
        let draft = Draft::new(Preset::Copy.experiment()).set("model.heads", 3);
        let Before::Refused(reason) = pressed(&draft, None, 0) else {
            panic!("3 heads do not fit")
        };
        assert!(
            reason.contains("“Heads”") && reason.contains("discard"),
            "{reason}"
        );
        assert!(matches!(pressed(&draft, None, 9), Before::Nothing));
    }

    #[test]
    fn other_data_are_trained_on_as_the_form_says() {
        let applied = Preset::Copy.experiment();
        let asked = || Box::new(Preset::Reverse.experiment());
        let draft = Draft::new(applied.clone());
        let on = |draft: &Draft| on_other_data(asked(), (draft, &draft.pending(&applied)));
        assert_eq!(on(&draft), Ok(asked()));
        let wide = draft.set("model.width", 48);
        let found = on(&wide).map(|it| (it.task, it.model));
        assert_eq!(found, Ok((asked().task, wide.experiment.model.clone())));
        assert!(on(&draft.set("model.heads", 3)).is_err());
    }

    #[test]
    fn a_run_that_diverged_begins_anew_at_a_lower_rate() {
        let draft = Draft::new(Preset::Copy.experiment());
        let first = pressed(&draft, Some(End::Diverged(1e-4)), 9);
        let rate = |it: &Experiment| it.training.optimizer.learning_rate;
        assert!(matches!(first, Before::First(Intent::Apply(it)) if rate(&it) == 1e-4));
    }

    #[test]
    fn a_finished_run_goes_on_with_more_steps() {
        let draft = Draft::new(Preset::Copy.experiment());
        let first = pressed(&draft, Some(End::Steps(1000)), 1000);
        assert!(matches!(first, Before::First(Intent::GoOn(it)) if it.training.steps == 2000));
    }
}
