//! From opening a step to the state that it begins with.

use super::{Effect, Fetched, MAX_VIEW_WAIT, Player, Stage};
use crate::by_pointer::ByPointer;
use crate::keeping::RunCommand;
use crate::page::lesson::curves::history;
use crate::page::lesson::preparation::{RequiredRun, required_runs};
use crate::page::run::intent::Intent;
use crate::state::{Compared, Opening, overlay};
use std::collections::BTreeMap;
use strata_lessons::{Facts, Run, model_name, plain};
use strata_session::protocol::{Activity, Event, Output, Ready, Request, TranslateRequest, View};

impl Player {
    /// Opens a step, and begins to set it up.
    pub fn open(&mut self, at: usize) -> Vec<Effect> {
        self.at = at.min(self.count());
        self.stage = Stage::Opening;
        (self.guess, self.is_hinted, self.is_late) = (None, false, false);
        (self.is_shown, self.is_try, self.tries) = (false, false, 0);
        self.awaited = None;
        self.run.open_step();
        self.before.clear();
        self.after.clear();
        let Some(step) = self.present() else {
            self.stage = Stage::Free;
            return vec![Effect::Tell("step")];
        };
        let known = self.known();
        match required_runs(step, &self.experiments, &known) {
            Some(required) => self.waiting = required,
            None => {
                self.stage = Stage::Refused("its experiment cannot be read".to_owned());
                return Vec::new();
            }
        }
        let mut effects = vec![Effect::Tell("step")];
        if !self.progress.steps.is_empty() {
            // Opening a step is no progress: a lesson that was only looked at does not replace
            // earlier progress.
            effects.push(Effect::StoreProgress);
        }
        effects.extend(self.start(known));
        effects
    }

    /// Returns curves of the lesson's runs: those trained in this browser, otherwise recorded ones.
    pub(super) fn known(&self) -> BTreeMap<String, Run> {
        let recorded = self.lesson.recorded.as_ref();
        let mut known = recorded.map_or_else(BTreeMap::new, |it| it.runs.clone());
        known.extend(self.progress.runs.clone());
        known
    }

    /// Begins with the first run that waits.
    fn start(&mut self, known: BTreeMap<String, Run>) -> Vec<Effect> {
        let past = std::mem::replace(&mut self.facts, Facts::at_step_of(known));
        let Some(first) = self.waiting.front().cloned() else {
            return Vec::new();
        };
        self.stage = Stage::Opening;
        self.is_restored = false;
        let experiment = first.trained_to_step();
        let present = self.ready.as_ref();
        let present = present.filter(|it| it.experiment == experiment && self.step == first.step);
        if let Some(ready) = present.filter(|_| first.step > 0 && self.muted.is_empty()) {
            // The step before has left the run just as this step needs it.
            let ready = Ready {
                step: first.step,
                ..ready.clone()
            };
            self.facts.event(&Event::Ready(ready));
            self.facts.restored(past.run());
            self.facts.event(&Event::Activity {
                activity: self.activity,
            });
            return self.reached();
        }
        // Nothing is known of the run that is about to be prepared.
        self.ready = None;
        let kept = self.kept.as_deref().map_or(&[][..], Vec::as_slice);
        // A kept run at the required step need not be trained again. It is branched, so that the kept
        // run stays as it is.
        if let Some(run) = first.kept(kept) {
            self.is_restored = true;
            self.validation = run.validation;
            let branch = RunCommand::Branch(run.id.clone());
            return vec![Effect::Follow(Intent::RunCommand(branch))];
        }
        let begin = Intent::Apply(Box::new(experiment));
        match self.model_of(&first) {
            Some(model) => {
                (self.is_restored, self.validation) = (true, None);
                vec![self.fetch(model, &first.name, begin)]
            }
            None => vec![Effect::Follow(begin)],
        }
    }

    /// Returns the name of the recorded model of a required run, if it is served and the step does
    /// not train: the optimiser's state is not recorded, so such a model cannot be trained on.
    fn model_of(&self, run: &RequiredRun) -> Option<String> {
        let is_only_seen = run.is_own && !self.present()?.action.trains();
        let model = model_name(&self.lesson.name, &run.name, run.step);
        // A learner with a seed of their own looks at a model of that seed.
        let is_own = self.progress.seed.is_some();
        let is_there = is_only_seen && !is_own && self.models.contains(&model);
        is_there.then_some(model)
    }

    /// Returns the effect that fetches a recorded model of the experiment `name`.
    pub(super) fn fetch(&mut self, model: String, name: &str, otherwise: Intent) -> Effect {
        let run = self.known().remove(name);
        self.awaited = Some(model.clone());
        Effect::Fetch(Box::new(Fetched {
            model,
            opening: Opening {
                name: Some(self.run_name()),
                validation: run.as_ref().and_then(|it| it.validations.last().copied()),
                history: run.as_ref().map(history).unwrap_or_default(),
                ..Opening::default()
            },
            otherwise,
        }))
    }

    /// True if this recorded model is still awaited.
    pub fn awaits(&self, model: &str) -> bool {
        self.awaited.as_deref() == Some(model)
    }

    pub(super) fn opening(&mut self, event: &Event) -> Vec<Effect> {
        let Some(first) = self.waiting.front() else {
            return Vec::new();
        };
        match event {
            Event::Ready(ready) if ready.experiment == first.trained_to_step() => {
                let to = first.step;
                self.muted.clone_from(&ready.muted);
                if self.is_restored {
                    self.awaited = None;
                    let known = match self.progress.seed {
                        // Recorded curves are those of another seed.
                        Some(_) => self.progress.runs.get(&first.name).cloned(),
                        None => self.known().remove(&first.name),
                    };
                    match (&known, self.validation) {
                        (Some(past), _) => self.facts.restored(past),
                        (None, Some(last)) => self.facts.event(&Event::Validated(last)),
                        (None, None) => {}
                    }
                }
                let mut effects = vec![Effect::Name(self.run_name())];
                if ready.step >= to {
                    effects.extend(self.reached());
                } else {
                    self.stage = Stage::Training(to);
                    effects.push(Effect::Follow(Intent::Train));
                }
                effects
            }
            Event::Refused { reason } => self.refuse(reason),
            _ => Vec::new(),
        }
    }

    pub(super) fn training(&mut self, event: &Event, to: u64) -> Vec<Effect> {
        match event {
            Event::Activity {
                activity: Activity::Finished,
            } if self.step >= to => self.reached(),
            Event::Diverged { reason, .. } | Event::Refused { reason } => self.refuse(reason),
            _ => Vec::new(),
        }
    }

    /// The first run that waited has reached its step: goes on to the next run, or to the set-up's
    /// view.
    fn reached(&mut self) -> Vec<Effect> {
        let Some(reached) = self.waiting.pop_front() else {
            return Vec::new();
        };
        if !reached.is_own {
            self.progress
                .runs
                .insert(reached.name, self.facts.run().thinned());
            let known = self.known();
            let mut effects = vec![Effect::StoreProgress];
            effects.extend(self.start(known));
            return effects;
        }
        if reached.trained_to_step() != reached.experiment {
            self.stage = Stage::GoingOn;
            let experiment = Box::new(reached.experiment);
            return vec![Effect::Follow(Intent::GoOn(experiment))];
        }
        self.show_setup(0.0)
    }

    /// Requests the view and the translation of the set-up, and draws other runs beside.
    pub(super) fn show_setup(&mut self, now: f64) -> Vec<Effect> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let setup = step.setup.clone();
        let mut effects = vec![Effect::Offer(self.offered())];
        let beside = setup.beside.iter();
        effects.extend(beside.map(|it| Effect::Follow(Intent::LayBeside(it.clone()))));
        effects.push(Effect::Follow(Intent::ViewRequest(setup.look.request())));
        let asks = setup.sentence.is_some();
        if let Some(text) = setup.sentence {
            let request = Request::Translate(TranslateRequest {
                text,
                prefix: setup.prefix,
                search: setup.search,
                details: true,
            });
            effects.push(Effect::Follow(Intent::Run(request)));
        }
        self.stage = Stage::AwaitingView {
            view: false,
            answer: !asks,
            since: now,
        };
        effects
    }

    /// Returns runs that can be drawn beside the present one, named by the settings that differ.
    fn offered(&self) -> Vec<Compared> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let known = self.known();
        let own = self.experiments.get(&step.setup.experiment);
        let others = step.others().into_iter().filter_map(|name| {
            let history = history(known.get(&name)?);
            let other = self.experiments.get(&name)?;
            Some(Compared {
                name: own.map_or_else(|| name.clone(), |own| overlay::name(own, other)),
                id: name,
                is_of_lesson: true,
                history: ByPointer::new(history),
            })
        });
        others.collect()
    }

    pub(super) fn awaiting_view(&mut self, event: &Event, now: f64) -> Vec<Effect> {
        let required = self.view_request();
        let Stage::AwaitingView {
            view,
            answer,
            since,
        } = &mut self.stage
        else {
            return Vec::new();
        };
        match event {
            Event::View(update) => {
                // A model without attention is shown as a drawing instead.
                let is_instead = matches!(update.request.view, View::Network { .. });
                *view |= update.request == required
                    || (is_instead && update.request.example == required.example);
            }
            Event::Done(Output::Translation(_)) => *answer = true,
            Event::Refused { .. } => (*view, *answer) = (true, true),
            _ => {}
        }
        if *since == 0.0 {
            *since = now;
        }
        let is_there = *view && *answer;
        let is_long = now - *since > MAX_VIEW_WAIT;
        if is_there || is_long {
            self.begin(now)
        } else {
            Vec::new()
        }
    }

    /// The set-up is complete: the learner may begin.
    pub(super) fn begin(&mut self, now: f64) -> Vec<Effect> {
        let Some(step) = self.present() else {
            return Vec::new();
        };
        let is_asked = step.guess.is_some();
        self.before = step.values(&self.facts);
        self.began = now;
        self.stage = if is_asked { Stage::Guess } else { Stage::Act };
        vec![Effect::Tell("ready")]
    }

    pub(super) fn refuse(&mut self, reason: &str) -> Vec<Effect> {
        self.stage = Stage::Refused(reason.to_owned());
        Vec::new()
    }

    /// Keeps the curves of a run that was trained to its end.
    pub(super) fn record(&mut self, event: &Event) {
        let is_end = matches!(event, Event::Activity { .. } | Event::Validated(_));
        let Some(ready) = self.ready.as_ref().filter(|_| is_end) else {
            return;
        };
        let steps = ready.experiment.training.steps;
        let run = self.facts.run();
        if run.step < steps || run.validations.is_empty() || run.training.is_empty() {
            return;
        }
        let mut names = self.experiments.iter();
        let name = names.find(|(_, it)| **it == ready.experiment);
        if let Some((name, _)) = name {
            self.progress.runs.insert(name.clone(), run.thinned());
        }
    }

    /// Returns the name under which a run of the lesson is kept.
    fn run_name(&self) -> String {
        format!("Lesson: {}", plain(&self.lesson.words.title))
    }
}
