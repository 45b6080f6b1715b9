//! The model that lies beside the present one, and names by which the two are told apart.

use super::{KeptRun, what_differs};
use crate::by_pointer::ByPointer;
use strata_training::Experiment;

/// A model that lies beside the present one, to be compared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Its title.
    pub title: String,
    /// The kept run that it is; `None`: it comes from a file.
    pub run: Option<ByPointer<KeptRun>>,
    /// The model, once the worker has it.
    pub model: Option<ByPointer<BesideModel>>,
}

/// A model that the worker has, beside the present one.
#[derive(Debug)]
pub struct BesideModel {
    /// Steps that it was trained for.
    pub step: u64,
    /// The experiment that it was trained by.
    pub experiment: Experiment,
}

impl Beside {
    /// A kept run, whose model is on its way.
    pub fn of_run(run: KeptRun) -> Self {
        Self {
            title: run.title(),
            run: Some(ByPointer::new(run)),
            model: None,
        }
    }

    /// A file, whose model is on its way.
    pub fn of_file(title: String) -> Self {
        Self {
            title,
            run: None,
            model: None,
        }
    }

    /// Its experiment, as soon as that is known.
    pub fn experiment(&self) -> Option<&Experiment> {
        let model = self.model.as_ref().map(|it| &it.experiment);
        model.or_else(|| self.run.as_ref().map(|it| &it.experiment))
    }

    /// Steps that it was trained for, as soon as they are known.
    pub fn step(&self) -> Option<u64> {
        let model = self.model.as_ref().map(|it| it.step);
        model.or_else(|| self.run.as_ref().map(|it| it.step))
    }

    /// Names of a present model and of this one: what differs between them, else their titles.
    pub fn names(&self, present: &Experiment, title: String) -> [String; 2] {
        let other = self.experiment();
        match other.and_then(|other| Some((other, what_differs(other, present)?))) {
            Some((other, ours)) => [ours, what_differs(present, other).unwrap_or_default()],
            None => [title, self.title.clone()],
        }
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
