//! Content of a lesson that is under way, as it is shown.

use super::{Face, Player, Stage};
use crate::page::lesson::progress::Met;
use crate::page::settings;
use strata_lessons::{Action, LookKind, MEASURED, Unit, Value, written};
use strata_settings::diff::differences;

impl Player {
    /// True while a run is prepared that the step only compares with.
    pub fn prepares_other(&self) -> bool {
        self.waiting.front().is_some_and(|it| !it.is_own)
    }

    /// All that is shown of it and may change with an event.
    pub fn face(&self) -> Face {
        let step = match self.stage {
            Stage::Training(_) => self.step,
            _ => 0,
        };
        Face {
            stage: self.stage.clone(),
            marks: [self.is_hinted, self.is_late],
            step,
            values: self.after.len(),
            activity: self.activity,
            places: self.source.len(),
        }
    }

    /// Outcome of the present step, now or before.
    pub fn met(&self) -> Option<&Met> {
        self.progress.steps.get(&self.present()?.id)
    }

    /// A value that the words name, as it is written: before the action, or after it.
    pub fn text(&self, name: &str, is_after: bool) -> Option<String> {
        let step = self.present()?;
        let language = &self.lesson.language;
        if name.contains('.') {
            let setting = self.lesson.lesson.setting(&step.setup.experiment, name)?;
            let unit = match setting {
                Value::Word(_) => Unit::Word,
                Value::Number(_) => Unit::Number,
            };
            return Some(written(&setting, unit, language));
        }
        let live = match is_after {
            true => self.after.get(name).or_else(|| self.before.get(name)),
            false => self.before.get(name).or_else(|| self.after.get(name)),
        };
        let recorded = self.lesson.recorded.as_ref();
        let recorded = recorded.and_then(|it| it.steps.get(&step.id)?.values.get(name));
        let value = live.or(recorded)?;
        Some(written(value, step.unit(name), language))
    }

    /// The correct answer of the guess, as soon as the step is done.
    pub fn measured(&self) -> Option<&Value> {
        self.after
            .get(MEASURED)
            .filter(|_| self.stage == Stage::Done)
    }

    /// Name of the words that are said now that the step is done.
    pub fn outcome(&self) -> Option<&str> {
        (self.stage == Stage::Done).then(|| self.met().map(|it| it.outcome.as_str()))?
    }

    /// Tokens that a guess of a place chooses from.
    pub fn places(&self) -> Vec<String> {
        match self.present().map(|it| &it.action) {
            Some(Action::Translate(text)) => text.split_whitespace().map(str::to_owned).collect(),
            _ => self.source.clone(),
        }
    }

    /// Id of the control that the action is done with.
    pub fn target(&self) -> Option<String> {
        let step = self.present()?;
        let own = step
            .setup
            .point
            .as_deref()
            .map(|it| it.trim_start_matches('#'));
        let looked = &step.setup.look;
        Some(match &step.action {
            Action::Compare(name) => format!("compare-{name}"),
            Action::Look(look) if look.view != looked.view => {
                format!("tab-{}", tab(look.view))
            }
            Action::Experiment(name) => {
                let base = self.experiments.get(&step.setup.experiment)?;
                let changed = differences(base, self.experiments.get(name)?);
                // The first of several leads to the others.
                match changed.first() {
                    Some(setting) => settings::id(&setting.dotted()),
                    None => own?.to_owned(),
                }
            }
            Action::Guess => return None,
            Action::Bench(_) => "lesson-measure".to_owned(),
            _ => own?.to_owned(),
        })
    }
}

/// Name of the tab of a view.
fn tab(look: LookKind) -> &'static str {
    match look {
        LookKind::Site => "site",
        LookKind::Overview => "overview",
        LookKind::Shares => "shares",
        LookKind::Descent => "descent",
        LookKind::Probabilities => "probabilities",
        LookKind::Network => "network",
        LookKind::Norms => "norms",
    }
}
