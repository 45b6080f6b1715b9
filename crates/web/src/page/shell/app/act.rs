//! Consequences of a user's intent, which is followed at once, after changed settings are
//! applied, or not at all.

use crate::by_pointer::ByPointer;
use crate::page::form::settings::{Changes, Draft, Pending};
use crate::page::lesson::LessonController;
use crate::page::run::follow::{PageHandles, PresentView};
use crate::page::run::intent::Intent;
use crate::page::run::pressing::{Before, PreparedRun, before, on_other_data};
use crate::state::Action;
use crate::state::end::End;
use std::rc::Rc;
use strata_session::protocol::Command;
use strata_training::Experiment;
use yew::prelude::*;

/// All values that the consequences of an intent depend on: whenever one changes, the callback is a
/// new one.
#[derive(Clone, PartialEq)]
pub struct Situation {
    /// The view that is shown.
    pub view: PresentView,
    /// The draft of the settings.
    pub draft: UseStateHandle<Draft>,
    /// Effect of applying the draft.
    pub pending: Rc<Pending>,
    /// The experiment that is trained.
    pub applied: ByPointer<Experiment>,
    /// End of the run, if the run has ended.
    pub end: Option<End>,
    /// 0 before the first step of the run, 1 after that.
    pub step: u64,
    /// Reason why the model cannot be trained, if the page lacks the model's data.
    pub lacks: Option<AttrValue>,
}

/// Returns the callback that every component calls when a user acts.
#[hook]
pub fn use_act(
    situation: Situation,
    handles: &PageHandles,
    lesson: &LessonController,
) -> Callback<Intent> {
    let (handles, lesson) = (handles.clone(), lesson.clone());
    use_callback(situation, move |intent, situation| {
        let actor = Actor {
            situation,
            handles: &handles,
            lesson: &lesson,
        };
        actor.act(intent);
    })
}

/// A situation, with the handles to act on the page.
struct Actor<'a> {
    situation: &'a Situation,
    handles: &'a PageHandles,
    lesson: &'a LessonController,
}

impl Actor<'_> {
    fn act(&self, intent: Intent) {
        // Without its data a model can be looked at, but not trained: say why, and do nothing.
        if let Some(reason) = &self.situation.lacks
            && needs_data(&intent)
        {
            return self.tell(reason.to_string());
        }
        match intent {
            Intent::Discard => {
                let applied = (*self.situation.applied).clone();
                self.situation.draft.set(Draft::new(applied));
            }
            Intent::TrainOn(asked) => self.on_other_data(asked, Intent::TrainOn),
            Intent::Prepare(asked) => self.on_other_data(asked, Intent::Apply),
            Intent::Train => self.take_steps(intent, Command::Train),
            Intent::Step => self.take_steps(intent, Command::Step),
            other => self.follow(other),
        }
    }

    fn follow(&self, intent: Intent) {
        self.handles.follow(intent.clone(), &self.situation.view);
        self.lesson.on_intent(&intent);
    }

    /// Applies changed settings, then has the run take steps.
    fn take_steps(&self, intent: Intent, command: Command) {
        let run = PreparedRun {
            experiment: &self.situation.applied,
            end: self.situation.end,
            step: self.situation.step,
        };
        match before(self.changes(), run) {
            Before::Nothing => self.follow(intent),
            Before::First(first) => {
                self.follow(first);
                self.handles.worker.then(command);
            }
            Before::Refused(reason) => self.tell(reason),
        }
    }

    /// Loads the experiment `asked`, which is on other data, with the changed settings.
    fn on_other_data(&self, asked: Box<Experiment>, load: fn(Box<Experiment>) -> Intent) {
        match on_other_data(asked, self.changes()) {
            Ok(experiment) => self.follow(load(experiment)),
            Err(reason) => self.tell(reason),
        }
    }

    fn changes(&self) -> Changes<'_> {
        Changes {
            draft: &self.situation.draft,
            pending: &self.situation.pending,
        }
    }

    fn tell(&self, sentence: String) {
        self.handles.dispatch(Action::Tell(sentence));
    }
}

/// True if an intent trains the present run, which needs the data of that run.
fn needs_data(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Train | Intent::Step | Intent::Reset | Intent::NewSeed | Intent::GoOn(_)
    )
}
