//! Stages of a curriculum: the steps at which settings change, marked in the charts and told in
//! words.

use super::series::Range;
use crate::page::base::format::count;
use crate::state::what_differs;
use std::rc::Rc;
use strata_training::Experiment;
use yew::prelude::*;

/// The most stages that are marked; a curriculum that repeats may have any number.
const MOST: usize = 40;
/// The most stages that are listed below the charts.
const LISTED: usize = 8;

/// Beginning of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Number of the stage in the run, from 1.
    pub number: usize,
    /// Number of steps that are taken before the stage begins.
    pub from: u64,
    /// Settings that change, with the new values; of the first stage, all settings that change later.
    pub settings: String,
}

impl Stage {
    /// Returns the stage in words: `Stage 2 from step 100: hops 4, levels 3`.
    pub fn words(&self) -> String {
        let Self {
            number,
            from,
            settings,
        } = self;
        format!("Stage {number} from step {}: {settings}", count(*from))
    }
}

/// The stages of a run, in the order of steps; shared by all charts.
pub type Stages = Rc<[Stage]>;

/// Returns the stages that begin within the steps of an experiment; none without a curriculum.
pub fn stages(experiment: &Experiment) -> Stages {
    let curriculum = &experiment.training.curriculum;
    if curriculum.is_empty() {
        return Rc::from([]);
    }
    let steps = experiment.training.steps;
    let begins = (1..=steps).filter(|step| curriculum.begins_at(*step));
    let begins: Vec<u64> = begins.take(MOST).collect();
    let Some(first) = begins.first() else {
        return Rc::from([]);
    };
    let at = |step| experiment.at_step(step).ok();
    let change = |from: Option<Experiment>, to: Option<Experiment>| {
        let differs = what_differs(&from?, &to?);
        Some(differs.unwrap_or_else(|| "as before".to_owned()))
    };
    let mut stages = vec![Stage {
        number: 1,
        from: 0,
        settings: change(at(*first), at(0)).unwrap_or_default(),
    }];
    for (place, from) in begins.iter().enumerate() {
        stages.push(Stage {
            number: place + 2,
            from: *from,
            settings: change(at(from - 1), at(*from)).unwrap_or_default(),
        });
    }
    stages.into()
}

/// Returns the stages that begin within the steps in view, which are marked; the first stage begins
/// with the run, and gets no mark.
pub fn marked(stages: &[Stage], (from, to): Range) -> impl Iterator<Item = &Stage> {
    let is_marked = move |stage: &&Stage| stage.from > 0 && (from..=to).contains(&stage.from);
    stages.iter().filter(is_marked)
}

/// Returns the stage that holds after a step; `None` without a curriculum.
pub fn stage_at(stages: &[Stage], step: u64) -> Option<&Stage> {
    stages.iter().rev().find(|stage| stage.from <= step)
}

/// Returns the words on the stages, for below the charts and for a file; empty without a curriculum.
pub fn list(stages: &[Stage]) -> Vec<String> {
    let mut lines: Vec<String> = stages.iter().take(LISTED).map(Stage::words).collect();
    if let Some(more) = stages.len().checked_sub(LISTED + 1) {
        lines.push(format!("and {} more stages", more + 1));
    }
    lines
}

/// Renders the list of stages; nothing without a curriculum.
pub fn legend(stages: &[Stage]) -> Html {
    let lines = list(stages);
    if lines.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="curve-stages note" id="curve-stages" aria-label="Stages of the curriculum">
            { for lines.into_iter().map(|line| html! { <li>{ line }</li> }) }
        </ul>
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;

    fn staged(curriculum: &str) -> Stages {
        let mut experiment = Preset::Arrows.experiment();
        experiment.training.curriculum = curriculum.parse().unwrap();
        experiment.check().unwrap();
        stages(&experiment)
    }

    #[test]
    fn a_stage_tells_its_step_and_what_changes_then() {
        assert!(stages(&Preset::Arrows.experiment()).is_empty());
        let stages = staged(
            "0: task.hops=1 model.encoder_self.levels=1; 100: task.hops=3; \
             300: task.hops=3 model.encoder_self.levels=3",
        );
        let froms: Vec<u64> = stages.iter().map(|it| it.from).collect();
        assert_eq!(froms, [0, 100, 300]);
        let words = list(&stages);
        assert!(words[1].starts_with("Stage 2 from step 100: "), "{words:?}");
        assert!(
            words[1].contains('3') && words[1].to_lowercase().contains("hops"),
            "{words:?}"
        );
        assert!(words[2].contains("levels"), "{words:?}");
        assert!(!words[2].to_lowercase().contains("hops"), "{words:?}");
        let numbers: Vec<usize> = marked(&stages, (50, 200)).map(|it| it.number).collect();
        assert_eq!(numbers, [2]);
        assert_eq!(stage_at(&stages, 99).unwrap().number, 1);
        assert_eq!(stage_at(&stages, 100).unwrap().number, 2);
    }

    #[test]
    fn a_curriculum_that_repeats_has_a_mark_at_each_change() {
        let stages = staged("0: task.hops=1; 10: task.hops=2; 20: repeat");
        assert_eq!(stages[2].from, 20);
        assert_eq!(stages[3].from, 30);
        assert_eq!(stages.len(), MOST + 1);
        let words = list(&stages);
        assert_eq!(words.len(), LISTED + 1);
        assert_eq!(
            words[LISTED],
            format!("and {} more stages", MOST + 1 - LISTED)
        );
    }
}
