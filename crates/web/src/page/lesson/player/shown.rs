//! View of a lesson that is under way, as the region shows the lesson.

use super::{Appearance, Player, Stage};
use crate::by_pointer::ByPointer;
use crate::page::form::settings;
use crate::page::lesson::progress::StepRecord;
use crate::page::lesson::values::value;
use strata_lessons::{Action, LookKind, MEASURED, Value};
use strata_session::protocol::Activity;
use strata_settings::diff::differences;
use strata_training::Experiment;

impl Player {
    /// True while a run is prepared that the step only compares with.
    pub fn prepares_other(&self) -> bool {
        self.waiting.front().is_some_and(|it| !it.is_own)
    }

    /// Returns the visible state, which an event may change.
    pub fn appearance(&self) -> Appearance {
        let step = match self.stage {
            Stage::Training(_) => self.step,
            _ => 0,
        };
        Appearance {
            stage: self.stage.clone(),
            marks: [self.is_hinted, self.is_late],
            step,
            values: self.after.len(),
            activity: self.activity,
            places: self.source.len(),
        }
    }

    /// Returns the experiment that the session last prepared for this lesson.
    pub fn experiment(&self) -> Option<ByPointer<Experiment>> {
        let ready = self.ready.as_ref();
        ready.map(|it| ByPointer::new(it.experiment.clone()))
    }

    /// Returns the rows of the map in view, each with its strongest column and that weight.
    pub fn rows(&self) -> Vec<(String, String, f64)> {
        self.facts.strongest()
    }

    /// Returns how the learner got past the present step, now or before.
    pub fn step_record(&self) -> Option<&StepRecord> {
        self.progress.steps.get(&self.present()?.id)
    }

    /// Writes a value that the step's texts name: as it was before the action, or after.
    pub fn text(&self, name: &str, is_after: bool) -> Option<String> {
        let step = self.present()?;
        let measured = if is_after {
            [&self.after, &self.before]
        } else {
            [&self.before, &self.after]
        };
        value(&self.lesson, step, &measured, name)
    }

    /// Returns the correct answer to the guess once the step is done.
    pub fn measured(&self) -> Option<&Value> {
        self.after
            .get(MEASURED)
            .filter(|_| self.stage == Stage::Done)
    }

    /// Returns the name of the outcome, which chooses the explanation, once the step is done.
    pub fn outcome(&self) -> Option<&str> {
        (self.stage == Stage::Done).then(|| self.step_record().map(|it| it.outcome.as_str()))?
    }

    /// Returns the tokens among which a guess of a place chooses.
    pub fn places(&self) -> Vec<String> {
        match self.present().map(|step| &step.action) {
            Some(Action::Translate(text)) => text.split_whitespace().map(str::to_owned).collect(),
            _ => self.source.clone(),
        }
    }

    /// Returns the id of the highlighted element: the control of the action or, while the run
    /// trains, the picture that changes.
    pub fn highlighted(&self) -> Option<String> {
        let trains = self.activity == Activity::Training;
        let changing = self.changing().filter(|_| trains);
        let highlighted = changing.map(str::to_owned).or_else(|| self.target());
        highlighted.filter(|_| self.stage == Stage::Act)
    }

    /// Returns the id of the panel that a training step changes: the curves if other runs are drawn
    /// beside, otherwise the view.
    pub fn changing(&self) -> Option<&'static str> {
        let step = self.present().filter(|it| it.action.trains())?;
        Some(if step.setup.beside.is_empty() {
            "seeing"
        } else {
            "curves-title"
        })
    }

    /// Returns the id of the control by which the step's action is done.
    pub fn target(&self) -> Option<String> {
        let step = self.present()?;
        let own = step
            .setup
            .point
            .as_deref()
            .map(|it| it.trim_start_matches('#'));
        let present = &step.setup.look;
        Some(match &step.action {
            Action::Compare(name) => format!("compare-{name}"),
            Action::Look(view) if view.view != present.view => {
                format!("tab-{}", tab(view.view))
            }
            Action::Experiment(name) => {
                let base = self.experiments.get(&step.setup.experiment)?;
                let changed = differences(base, self.experiments.get(name)?);
                // If several settings differ, the first is highlighted.
                match changed.first() {
                    Some(setting) => settings::id(&setting.dotted()),
                    None => own?.to_owned(),
                }
            }
            // The words below the answer can be replaced, the line of the answer cannot.
            Action::Choose { .. } => "translation-tokens".to_owned(),
            Action::Guess => return None,
            Action::Bench(_) => "lesson-measure".to_owned(),
            _ => own?.to_owned(),
        })
    }
}

/// Returns the name of a view's tab.
fn tab(kind: LookKind) -> &'static str {
    match kind {
        LookKind::Site => "site",
        LookKind::Overview => "overview",
        LookKind::Shares => "shares",
        LookKind::Descent => "descent",
        LookKind::Probabilities => "probabilities",
        LookKind::Network => "network",
        LookKind::Norms => "norms",
        LookKind::Arrows => "arrows",
    }
}
