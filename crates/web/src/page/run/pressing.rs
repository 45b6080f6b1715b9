//! Effect of Train and Step if settings are changed, or if the run has ended: either the settings
//! in the form are trained, or the user is told why not.

use crate::page::form::settings::{Changes, Pending};
use crate::page::pipeline::experiment_on;
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

/// The run that the worker has prepared.
#[derive(Clone, Copy, Debug)]
pub struct PreparedRun<'a> {
    /// Experiment of the run.
    pub experiment: &'a Experiment,
    /// End of the run, if the run has ended.
    pub end: Option<End>,
    /// Number of steps that the run has taken; any number above 0 may stand for the exact one.
    pub step: u64,
}

/// Decides the action before the run takes steps, given the changes in the form.
pub fn before(changes: Changes<'_>, run: PreparedRun<'_>) -> Before {
    match changes.pending {
        Pending::Wrong(reason) if run.step == 0 => Before::Refused(mended(reason)),
        // The changes would begin another run, and the present one would be gone: only Apply does
        // that.
        Pending::Begins | Pending::Wrong(_) if run.step > 0 => at_the_end(run),
        Pending::Nothing => at_the_end(run),
        _ => changes
            .apply(run.step)
            .map_or(Before::Nothing, Before::First),
    }
}

/// Returns the experiment `asked`, which is on other data, with the changes in the form.
///
/// # Errors
/// A sentence, if the changes cannot be trained.
pub fn on_other_data(
    asked: Box<Experiment>,
    changes: Changes<'_>,
) -> Result<Box<Experiment>, String> {
    match changes.pending {
        Pending::Nothing => Ok(asked),
        Pending::Wrong(reason) => Err(mended(reason)),
        Pending::GoesOn | Pending::Begins => Ok(Box::new(experiment_on(
            &changes.draft.experiment,
            &asked.task,
        ))),
    }
}

fn mended(reason: &str) -> String {
    format!("{reason} Mend that under Settings or discard the changes, then train.")
}

fn at_the_end(run: PreparedRun<'_>) -> Before {
    let goes_on = |end: End| Box::new(end.then(run.experiment));
    match run.end {
        Some(end @ End::Diverged(_)) => Before::First(Intent::Apply(goes_on(end))),
        Some(end) => Before::First(Intent::GoOn(goes_on(end))),
        None => Before::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::form::settings::Draft;
    use crate::presets::Preset;

    fn pressed(draft: &Draft, end: Option<End>, step: u64) -> Before {
        let applied = Preset::Copy.experiment();
        let pending = draft.pending(&applied);
        let changes = Changes {
            draft,
            pending: &pending,
        };
        let run = PreparedRun {
            experiment: &applied,
            end,
            step,
        };
        before(changes, run)
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
        let on = |draft: &Draft| {
            let pending = &draft.pending(&applied);
            on_other_data(asked(), Changes { draft, pending })
        };
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
