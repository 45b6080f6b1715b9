//! Earlier runs beside the present one, named by the settings that differ.

use super::history::History;
use super::what_differs;
use crate::by_pointer::ByPointer;
use strata_training::Experiment;

/// The most runs that are drawn beside the present one.
pub const MOST: usize = 5;

/// A run that is drawn beside the present one.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Its name: the settings that differ from the present run.
    pub name: String,
    /// Its curves.
    pub history: ByPointer<History>,
}

/// A run of this visit that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// The experiment that was trained.
    pub experiment: ByPointer<Experiment>,
    /// Its curves.
    pub history: ByPointer<History>,
}

/// The earlier runs, the last first, with names that tell them apart.
pub fn named(present: &Experiment, earlier: &[Earlier]) -> Vec<Overlay> {
    let mut overlays: Vec<Overlay> = Vec::with_capacity(earlier.len());
    for run in earlier.iter().rev().take(MOST) {
        let plain = name(present, &run.experiment);
        let mut name = plain.clone();
        let mut number = 1;
        while overlays.iter().any(|other| other.name == name) {
            number += 1;
            name = format!("{plain} ({number})");
        }
        overlays.push(Overlay {
            name,
            history: run.history.clone(),
        });
    }
    overlays
}

/// Settings of another run that differ from the present one: `seed 7, levels 4`.
pub fn name(present: &Experiment, other: &Experiment) -> String {
    what_differs(present, other).unwrap_or_else(|| "the same, before".to_owned())
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
    fn a_name_is_short_however_much_differs() {
        let mut other = Experiment {
            seed: 1,
            ..Experiment::default()
        };
        other.training.batch_size = 3;
        other.training.clip_norm = 0.5;
        other.training.label_smoothing = 0.1;
        let name = name(&Experiment::default(), &other);
        assert!(name.ends_with("and 1 more"), "{name}");
    }
}
