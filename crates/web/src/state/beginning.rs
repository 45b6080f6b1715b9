//! Changes of the state when a run begins or goes on.

use super::history::History;
use super::overlay::{Earlier, MOST};
use super::pipeline;
use super::speed::Speed;
use super::{LeftRun, Phase, Resumed, Snapshot, State, name_of, preset_of};
use crate::by_pointer::ByPointer;
use crate::sentence::sentence;
use strata_session::protocol::{Activity, LacksView, Ready};
use strata_tasks::TaskConfig;

impl State {
    /// Takes in a prepared run: another run, or the same run in another worker.
    pub(super) fn begin(&mut self, ready: Ready) {
        // The last view has tokens of other data.
        if ready.experiment.task != self.experiment.task {
            self.watch.update = None;
        }
        let before = self.present();
        let name = self.keeping.name.clone();
        let opening = self.keeping.ready(&ready);
        if self.keeping.id != before.id {
            self.left = Some(before).filter(|it| it.step > 0);
            self.resumed = None;
        }
        // A run that begins or is opened replaces the present one, whose curves stay for
        // comparison. Otherwise the same run goes on, in another worker or from an earlier step.
        let is_other = opening.is_some() || ready.step == 0;
        if is_other {
            self.keep_for_comparison(name);
        }
        if let Some(opening) = &opening {
            self.history = ByPointer::new(opening.history.clone());
            self.milliseconds = opening.milliseconds;
            self.latest = opening.latest;
            self.validation.clone_from(&opening.validation);
            self.resumed = opening.resumed.map(|(kept_at, left)| Resumed {
                step: ready.step,
                kept_at,
                left,
            });
        }
        self.muted = ByPointer::new(ready.muted.clone());
        self.asked = self.muted.clone();
        self.without = self.without.take().filter(|_| !ready.muted.is_empty());
        // Steps that the worker takes again are reported again, so their points go.
        self.change_history(|history| {
            if ready.step == 0 {
                *history = History::default();
            } else {
                history.go_back_to(ready.step);
            }
        });
        if is_other {
            self.watch.forget();
            self.pipeline.forget_outputs();
        } else {
            self.watch.go_back_to(ready.step);
        }
        self.pipeline.stop_waiting();
        if ready.step == 0 {
            self.milliseconds = 0.0;
            self.validation = None;
        }
        self.tell_what_is_lacking(&ready, opening.is_none());
        self.latest = self.latest.filter(|latest| latest.step == ready.step);
        self.speed = Speed::default();
        if *self.applied != ready.experiment {
            self.applied = ByPointer::new(ready.experiment.clone());
        }
        if *self.experiment != ready.experiment {
            self.experiment = self.applied.clone();
        }
        self.preset = preset_of(&self.experiment);
        self.prepared = self.preset;
        self.phase = Phase::Active(Activity::Paused);
        self.ready = Some(ByPointer::new(ready));
        self.preparations += 1;
    }

    /// Tells the user that the model lacks its data, or that the data have come.
    fn tell_what_is_lacking(&mut self, ready: &Ready, is_same: bool) {
        let before = self.lacks().cloned();
        if let Some(before) = &before {
            self.messages
                .retain(|message| !is_on_lacking(&message.text, before));
        }
        match (&ready.lacks, before) {
            (Some(lacks), _) => self.tell(on_what_is_lacking(lacks, &ready.experiment.task)),
            (None, Some(_)) if is_same => {
                let found =
                    "These are the data that the model has learned from: it can be trained on";
                self.tell(found.to_owned());
            }
            (None, _) => {}
        }
    }

    /// Returns the present run, as the run that may be left.
    fn present(&self) -> LeftRun {
        let ready = self.ready.as_ref();
        let name = || ready.map(|ready| name_of(&ready.experiment));
        LeftRun {
            id: self.keeping.id.clone(),
            title: self.keeping.name.clone().or_else(name).unwrap_or_default(),
            step: ready.map_or(0, |_| self.step()),
        }
    }

    /// Keeps the curves of the run that ends, under this name, beside those of the next.
    fn keep_for_comparison(&mut self, name: Option<String>) {
        let Some(ready) = self.ready.as_ref().filter(|_| !self.history.is_empty()) else {
            return;
        };
        let mut earlier = (*self.earlier).clone();
        earlier.push(Earlier {
            name,
            experiment: ByPointer::new(ready.experiment.clone()),
            history: self.history.clone(),
        });
        let surplus = earlier.len().saturating_sub(MOST);
        earlier.drain(..surplus);
        self.earlier = ByPointer::new(earlier);
    }

    /// Keeps a snapshot of the run with this checkpoint, to be stored. The steps have been reported
    /// before.
    pub(super) fn snapshot(&mut self, step: u64, checkpoint: Vec<u8>) {
        if step == 0 {
            return;
        }
        self.keeping.snapshot = Some(ByPointer::new(Snapshot {
            id: self.keeping.id.clone(),
            name: self.keeping.name.clone(),
            experiment: (*self.applied).clone(),
            step,
            checkpoint: ByPointer::new(checkpoint),
            texts: self.keeping.texts.clone(),
            history: self.history.clone(),
            milliseconds: self.milliseconds,
            latest: self.latest.filter(|latest| latest.step == step),
            validation: self.validation,
        }));
    }
}

/// True for every message that asks for the data of a model: when it is opened, when it should be
/// trained, and when only some of the files were given.
fn is_on_lacking(message: &str, lacks: &LacksView) -> bool {
    let reason = sentence(&lacks.reason);
    message.starts_with(reason.trim_end_matches('.'))
        || message.starts_with(FURTHER_FILES) && lacks.files.iter().any(|it| message.contains(it))
}

/// Beginning of the message on files that are still missing.
pub const FURTHER_FILES: &str = "The model has learned from ";

/// Returns a message on a model that lacks its data: what to give, and what the model does without.
fn on_what_is_lacking(lacks: &LacksView, task: &TaskConfig) -> String {
    let where_to = if lacks.files.is_empty() {
        ""
    } else {
        " under “Your own data”"
    };
    let does = pipeline::does(task.pipeline());
    let reason = lacks.reason.trim_end_matches('.');
    format!("{reason}{where_to}. Until then it {does}, and can be looked at and saved")
}
