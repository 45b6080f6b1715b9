//! The model that lies beside the present one, and names that tell the two apart.

use super::{KeptRun, State, what_differs};
use crate::by_pointer::ByPointer;
use strata_training::Experiment;

/// A model that is compared with the present one: it “lies beside” the present model.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Title of the model.
    pub title: String,
    /// The model's kept run; `None` for a model from a file.
    pub run: Option<ByPointer<KeptRun>>,
    /// Properties of the model, or `None` while the worker loads it.
    pub model: Option<ByPointer<BesideModel>>,
}

/// A model that the worker has loaded beside the present one.
#[derive(Debug)]
pub struct BesideModel {
    /// Number of steps for which the model was trained.
    pub step: u64,
    /// The experiment that trained the model.
    pub experiment: Experiment,
}

impl Beside {
    /// Starts comparing with a kept run; the worker still loads its model.
    pub fn of_run(run: KeptRun) -> Self {
        Self {
            title: run.title(),
            run: Some(ByPointer::new(run)),
            model: None,
        }
    }

    /// Starts comparing with a model from a file; the worker still loads it.
    pub fn of_file(title: String) -> Self {
        Self {
            title,
            run: None,
            model: None,
        }
    }

    /// Returns the model's experiment, as soon as it is known.
    pub fn experiment(&self) -> Option<&Experiment> {
        let model = self.model.as_ref().map(|it| &it.experiment);
        model.or_else(|| self.run.as_ref().map(|it| &it.experiment))
    }

    /// Returns the number of steps for which the model was trained, as soon as it is known.
    pub fn step(&self) -> Option<u64> {
        let model = self.model.as_ref().map(|it| it.step);
        model.or_else(|| self.run.as_ref().map(|it| it.step))
    }

    /// Returns names of the present model and of this one: the settings that differ, or else their
    /// titles.
    pub fn names(&self, present: &Experiment, title: String) -> [String; 2] {
        let other = self.experiment();
        match other.and_then(|other| Some((other, what_differs(other, present)?))) {
            Some((other, ours)) => [ours, what_differs(present, other).unwrap_or_default()],
            None => [title, self.title.clone()],
        }
    }
}

impl State {
    /// Starts comparing with another model, or stops comparing (`None`).
    pub(super) fn lay_beside(&mut self, beside: Option<Beside>) {
        self.beside = beside;
        self.pipeline.poetry.forget_beside();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::Preset;

    #[test]
    fn models_are_named_by_what_differs_and_else_by_their_titles() {
        let present = Preset::Copy.experiment();
        let mut beside = Beside::of_file("file".to_owned());
        let names = |it: &Beside| it.names(&present, "run".to_owned());
        assert_eq!(names(&beside), ["run", "file"]);
        let with = |experiment| {
            Some(ByPointer::new(BesideModel {
                step: 3,
                experiment,
            }))
        };
        beside.model = with(present.clone());
        assert_eq!(names(&beside), ["run", "file"]);
        beside.model = with(Experiment {
            seed: 7,
            ..present.clone()
        });
        assert_eq!(
            names(&beside),
            [format!("seed {}", present.seed), "seed 7".to_owned()]
        );
        assert_eq!(beside.step(), Some(3));
    }
}
