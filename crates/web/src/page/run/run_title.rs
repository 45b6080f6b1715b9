//! Title of the present run, for pictures and curves that are saved.

use crate::state::name_of;
use strata_training::Experiment;
use yew::prelude::*;

/// Title of the present run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunTitle {
    /// The name that a user or a file gave the run.
    pub name: Option<AttrValue>,
    /// Name of the run, or a description if it has no name.
    pub words: AttrValue,
}

impl RunTitle {
    /// Returns the title of a run of this name and experiment.
    pub fn of(name: Option<&str>, experiment: &Experiment) -> Self {
        let name = name.map(|name| AttrValue::from(name.to_owned()));
        let words = name.clone();
        Self {
            words: words.unwrap_or_else(|| name_of(experiment).into()),
            name,
        }
    }
}

/// Returns the title of the present run, from the page's context provider.
#[hook]
pub fn use_run_title() -> RunTitle {
    use_context().unwrap_or_default()
}
