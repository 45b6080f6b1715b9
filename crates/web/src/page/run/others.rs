//! Models that the present one can be compared with.

use crate::page::base::format;
use crate::page::run::intent::Intent;
use crate::state::{KeptRun, State};
use strata_tasks::Pipeline;
use yew::prelude::*;

/// Id that stands for a model from a file; no run has it.
const FILE: &str = "file";

/// Models that the present one can be compared with, and the chosen one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Others {
    /// Ids and titles of the models.
    models: Vec<(String, String)>,
    /// Id of the model that lies beside the present one.
    pub chosen: Option<String>,
    /// Title of the model that lies beside.
    pub title: Option<String>,
    /// Names of the present model and the one beside, made of the settings in which they differ.
    pub names: [String; 2],
}

impl Others {
    /// Returns all models that the page knows.
    pub fn of(state: &State) -> Self {
        let is_other = |run: &KeptRun| run.id != state.keeping.id;
        Self::new(state, is_other)
    }

    /// Returns the models that write poems.
    pub fn of_poems(state: &State) -> Self {
        let is_other = |run: &KeptRun| {
            run.id != state.keeping.id && run.experiment.task.pipeline() == Pipeline::Poetry
        };
        let mut others = Self::new(state, is_other);
        // Users know models from files by the files' names, so these come first.
        let own = state.opened();
        let beside = state.beside.as_ref().filter(|it| it.run.is_none());
        let titles = [own.as_ref(), beside.map(|it| &it.title)];
        for (name, title) in others.names.iter_mut().zip(titles) {
            if let Some(title) = title.filter(|title| **title != *name) {
                *name = if name.is_empty() {
                    title.clone()
                } else {
                    format!("{title}, {name}")
                };
            }
        }
        others
    }

    /// Returns the models of the kept runs that are others, and the compared model.
    fn new(state: &State, is_other: impl Fn(&KeptRun) -> bool) -> Self {
        let (present, name) = state.present_model();
        let kept = state.keeping.runs.as_deref().map_or(&[][..], Vec::as_slice);
        let listed = kept.iter().filter(|run| is_other(run));
        let mut models: Vec<(String, String)> = listed
            .map(|run| (run.id.clone(), title(&run.title(), Some(run.step))))
            .collect();
        let Some(beside) = &state.beside else {
            return Self {
                models,
                ..Self::default()
            };
        };
        let id = match &beside.run {
            Some(run) => run.id.clone(),
            None => FILE.to_owned(),
        };
        if models.iter().all(|(other, _)| *other != id) {
            models.push((id.clone(), title(&beside.title, beside.step())));
        }
        Self {
            models,
            chosen: Some(id),
            title: Some(beside.title.clone()),
            names: beside.names(present, name),
        }
    }

    /// True if there is no model to compare with.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// Returns the options of a field: none, and each model by id and title.
    pub fn options(&self) -> Vec<(AttrValue, AttrValue)> {
        let models = self.models.iter();
        let models = models.map(|(id, title)| (id.clone().into(), title.clone().into()));
        std::iter::once(("".into(), "none".into()))
            .chain(models)
            .collect()
    }

    /// Returns the handler of a choice among the options.
    pub fn choice(&self, act: &Callback<Intent>) -> Callback<String> {
        let act = act.clone();
        Callback::from(move |id: String| match id.as_str() {
            // The model from the file lies beside already.
            FILE => {}
            "" => act.emit(Intent::Beside(None)),
            _ => act.emit(Intent::Beside(Some(id))),
        })
    }
}

fn title(name: &str, step: Option<u64>) -> String {
    match step {
        Some(step) => format!("{name}, step {}", format::count(step)),
        None => name.to_owned(),
    }
}
