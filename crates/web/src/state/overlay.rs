//! Earlier runs beside the present one, named by the settings that differ, or by their given names.

use super::history::History;
use super::{name_of, what_differs};
use crate::by_pointer::ByPointer;
use strata_settings::diff::differences;
use strata_settings::presets::Preset;
use strata_training::Experiment;

/// The most runs that are drawn beside the present one.
pub const MOST: usize = 5;

/// A run that is drawn beside the present one.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Name that tells the run from the present one.
    pub name: String,
    /// Curves of the run.
    pub history: ByPointer<History>,
    /// True if the run learns another task, whose numbers say nothing about those of the present
    /// run.
    pub is_of_other_task: bool,
}

/// A run of this visit that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// Name that a user or a file gave to the run.
    pub name: Option<String>,
    /// The experiment that was trained.
    pub experiment: ByPointer<Experiment>,
    /// Curves of the run.
    pub history: ByPointer<History>,
}

/// Returns the earlier runs, the last first, with names that tell them apart.
pub fn named(present: &Experiment, earlier: &[Earlier]) -> Vec<Overlay> {
    let mut overlays: Vec<Overlay> = Vec::with_capacity(earlier.len());
    for run in earlier.iter().rev().take(MOST) {
        let given = run.name.clone();
        let plain = given.unwrap_or_else(|| name(present, &run.experiment));
        let mut name = plain.clone();
        let mut number = 1;
        while overlays.iter().any(|other| other.name == name) {
            number += 1;
            name = format!("{plain} ({number})");
        }
        overlays.push(Overlay {
            name,
            history: run.history.clone(),
            is_of_other_task: run.experiment.task.name() != present.task.name(),
        });
    }
    overlays
}

/// The most settings by which a run is told from the present one. A run that differs in more is
/// another kind of run, named by its nearest preset.
const FEW: usize = 3;

/// Names a run by the settings in which it differs from the present one, `seed 7, levels 4`, or, if
/// these are many, by its nearest preset, `Copy, seed 7`.
pub fn name(present: &Experiment, other: &Experiment) -> String {
    let Some(differs) = what_differs(present, other) else {
        return "the same, before".to_owned();
    };
    let many = differences(present, other).len();
    let from_preset = differences(&Preset::nearest(other).experiment(), other).len();
    if many > FEW && from_preset < many {
        name_of(other)
    } else {
        differs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_what_differs_and_never_alike() {
        let present = Experiment::default();
        let with = |change: &dyn Fn(&mut Experiment)| {
            let mut experiment = present.clone();
            change(&mut experiment);
            Earlier {
                name: None,
                experiment: ByPointer::new(experiment),
                history: ByPointer::new(History::default()),
            }
        };
        let runs = [
            with(&|_| {}),
            with(&|_| {}),
            with(&|it| it.seed = 7),
            with(&|it| {
                it.seed = 8;
                it.training.batch_size = 3;
            }),
        ];
        let named = named(&present, &runs);
        let names: Vec<&str> = named.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "seed 8, batch size 3",
                "seed 7",
                "the same, before",
                "the same, before (2)"
            ]
        );
    }

    #[test]
    fn a_run_of_a_file_keeps_its_name_and_another_kind_of_run_is_called_what_it_is() {
        let present = Preset::Copy.experiment();
        let of = |name: Option<&str>, preset: Preset| Earlier {
            name: name.map(str::to_owned),
            experiment: ByPointer::new(preset.experiment()),
            history: ByPointer::new(History::default()),
        };
        let other = Preset::GermanEnglishGru;
        let runs = [of(None, other), of(Some("additive-lstm"), other)];
        let named = named(&present, &runs);
        assert_eq!(named[0].name, "additive-lstm");
        assert_eq!(named[1].name, other.title());
        assert!(named.iter().all(|it| it.is_of_other_task));
    }

    #[test]
    fn a_name_is_short_however_much_differs() {
        let mut other = Experiment {
            seed: 1,
            ..Experiment::default()
        };
        other.training.batch_size = 3;
        other.training.clip_norm = 0.5;
        other.training.label_smoothing = 0.1;
        let name = name(&Experiment::default(), &other);
        assert!(name.matches(", ").count() <= 3, "{name}");
    }
}
