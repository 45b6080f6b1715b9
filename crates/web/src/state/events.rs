//! Changes of the state by events of the worker.

use super::pipeline::RunName;
use super::{BesideModel, Phase, State, name_of};
use crate::by_pointer::ByPointer;
use strata_session::protocol::{Activity, Event, Output, StepReport};

impl State {
    /// Takes in an event of the worker.
    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Ready(ready) => self.begin(ready),
            Event::Activity { activity } => {
                self.activity = activity;
                self.phase = Phase::Active(activity);
            }
            Event::Progress { steps } => self.take_steps(&steps),
            Event::Telemetry(telemetry) => self.watch.measure(telemetry),
            Event::Validated(validation) => {
                self.change_history(|history| history.validate(&validation));
                self.validation = Some(validation);
            }
            Event::Muted { parts, validation } => {
                // The model's validation in `validation` stays that of the whole model.
                self.without = validation.filter(|_| !parts.is_empty());
                self.muted = ByPointer::new(parts);
            }
            Event::View(update) => self.watch.receive(update),
            Event::Beside {
                step: Some(step),
                experiment: Some(experiment),
            } => {
                if let Some(beside) = &mut self.beside {
                    let experiment = *experiment;
                    beside.model = Some(ByPointer::new(BesideModel { step, experiment }));
                }
            }
            Event::Beside { .. } => self.lay_beside(None),
            Event::Done(output) => self.take_output(output),
            Event::Examined(examined) => {
                self.examined = Some(ByPointer::new(examined));
                self.examining = false;
            }
            Event::Saved { step, checkpoint } => self.snapshot(step, checkpoint),
            // The page `bench` runs workloads and shows their results; this page never asks for
            // any.
            Event::Benched(_) => {}
            Event::Refused { reason } => {
                self.asked = self.muted.clone();
                self.refuse(reason);
            }
            Event::Diverged { reason, .. } => {
                self.phase = Phase::Active(Activity::Diverged);
                self.tell_of_failure(reason);
            }
            Event::Lost { reason } => {
                self.phase = Phase::Lost;
                self.pipeline.stop_waiting();
                self.examining = false;
                self.tell_of_failure(reason);
            }
        }
    }

    fn take_steps(&mut self, steps: &[StepReport]) {
        self.change_history(|history| steps.iter().for_each(|step| history.push(step)));
        for step in steps {
            self.speed.push(step);
            self.milliseconds += step.milliseconds;
        }
        self.latest = steps.last().copied().or(self.latest);
        // A run that has taken a step replaces the run before: that run is no longer offered.
        if !steps.is_empty() {
            (self.left, self.resumed) = (None, None);
        }
    }

    fn take_output(&mut self, output: Output) {
        let name = self.keeping.name.clone();
        let run = RunName {
            id: self.keeping.id.clone(),
            name: name.unwrap_or_else(|| name_of(&self.applied)),
        };
        self.pipeline.finish(output, run);
    }

    fn refuse(&mut self, reason: String) {
        // The worker does not say which request it refuses, so the page stops waiting for any.
        self.pipeline.stop_waiting();
        let was_examining = std::mem::take(&mut self.examining);
        self.keeping.give_up();
        if self.beside.as_ref().is_some_and(|it| it.model.is_none()) {
            self.lay_beside(None);
        }
        if self.phase == Phase::Loading {
            // A refused request leaves the session as it was, so the page shows the prepared run
            // again.
            self.preset = self.prepared;
            if let Some(ready) = &self.ready {
                self.experiment = ByPointer::new(ready.experiment.clone());
            }
            self.phase = Phase::Active(self.activity);
            self.tell_of_failure(reason);
        } else if was_examining {
            self.complain(reason);
        } else {
            self.tell_of_failure(reason);
        }
    }
}
