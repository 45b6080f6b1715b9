//! Carries out a user's intents, by worker, keeper and state.

use crate::by_pointer::ByPointer;
use crate::keeping::{Keeper, RunCommand};
use crate::link::worker_handle::WorkerHandle;
use crate::page::base::focus::focus;
use crate::page::run::intent::Intent;
use crate::page::shell::location;
use crate::presets::{Preset, Sample};
use crate::state::{Action, Beside, Change, FIRST_VIEW, Opening, State, example_on_load};
use crate::texts::{Source, WorkerRequest};
use strata_session::protocol::{Command, ViewRequest};
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::{Callback, UseReducerDispatcher};

/// Handles by which the page acts: worker, kept runs and state. Clones share all three.
#[derive(Clone)]
pub struct PageHandles {
    /// The worker, which trains and computes.
    pub worker: WorkerHandle,
    /// The keeper, which stores runs; `None` in a frame, which stores none.
    pub keeper: Option<Keeper>,
    /// The state, which all components show.
    pub dispatcher: UseReducerDispatcher<State>,
}

/// The view of a held-out example that the page shows at present.
#[derive(Clone, Debug, PartialEq)]
pub struct PresentView {
    /// Request of the view.
    pub request: ViewRequest,
    /// True if the worker is asked for the view.
    pub is_watched: bool,
    /// Experiment whose held-out example is shown; `None` before there is any.
    pub experiment: Option<ByPointer<Experiment>>,
}

impl PresentView {
    /// Returns the request, if the worker is asked for the view.
    fn watched(&self) -> Option<&ViewRequest> {
        self.is_watched.then_some(&self.request)
    }

    /// Returns the view in which `experiment` is shown once it is loaded.
    fn on_load(&self, experiment: &Experiment) -> Option<ViewRequest> {
        self.watched().map(|request| ViewRequest {
            example: match &self.experiment {
                Some(present) => example_on_load(request.example, present, experiment),
                None => 0,
            },
            ..request.clone()
        })
    }
}

impl PageHandles {
    /// Changes the state.
    pub fn dispatch(&self, action: Action) {
        self.dispatcher.dispatch(action);
    }

    /// Carries out an intent. A run that the intent loads is shown in the view `present`.
    pub fn follow(&self, intent: Intent, present: &PresentView) {
        let worker = &self.worker;
        match intent {
            Intent::Train => worker.send(Command::Train),
            Intent::Pause => worker.send(Command::Pause),
            Intent::Step => worker.send(Command::Step),
            Intent::Reset => worker.send(Command::Reset),
            Intent::NewSeed => worker.send(Command::NewSeed {
                // A seed of at most six digits can be read and typed again.
                seed: (js_sys::Math::random() * 1e6) as u64,
            }),
            Intent::Preset(preset) => self.load_preset(preset, present),
            Intent::Apply(experiment) | Intent::Prepare(experiment) => {
                self.load_own(*experiment, present);
            }
            Intent::TrainOn(experiment) => {
                self.load_own(*experiment, present);
                worker.then(Command::Train);
                // The button that was pressed may be far below the curves.
                focus("pause");
            }
            Intent::GoOn(experiment) => worker.go_on_as(*experiment),
            // `App` keeps the draft, and discards it there.
            Intent::Discard => {}
            Intent::Device(device) => worker.choose(device),
            Intent::ViewRequest(request) => {
                self.dispatch(Action::ViewRequest(request.clone()));
                self.watch(Some(request));
            }
            Intent::Watching(is_watched) => {
                self.dispatch(Action::Watching(is_watched));
                self.watch(is_watched.then(|| present.request.clone()));
            }
            Intent::Mute(parts) => {
                self.dispatch(Action::Mute(parts.clone()));
                worker.send(Command::Mute { parts });
            }
            Intent::Beside(id) => self.compare_with(id),
            Intent::BesideFile(name, checkpoint) => {
                worker.lay_beside(Beside::of_file(name), checkpoint.to_vec());
            }
            Intent::OpenAttention(file) => self.dispatch(Action::OpenAttention(file)),
            Intent::CloseAttention => self.dispatch(Action::CloseAttention),
            Intent::Run(request) => {
                self.dispatch(Action::Run(request.clone()));
                worker.send(Command::Run(request));
            }
            Intent::Examine(task, texts) => {
                self.dispatch(Action::Examine);
                worker.send(WorkerRequest::giving(*task, texts));
            }
            Intent::RunCommand(command) => self.keep(command),
            Intent::Uncompare(id) => self.change_kept(Change::Uncompare(id)),
            Intent::LayBeside(name) => self.change_kept(Change::LayBeside(name)),
            Intent::Bench(names) => {
                for name in names {
                    worker.send(Command::Bench {
                        name,
                        steps: None,
                        warmup: None,
                    });
                }
            }
            Intent::SaveFile(name) => self.save_file(name),
            Intent::LoadFile(name, checkpoint) => {
                self.dispatch(Action::Open(Box::new(Opening {
                    name: Some(name),
                    ..Opening::default()
                })));
                go_on_from(worker, checkpoint.to_vec());
            }
            Intent::Tell(text) => self.dispatch(Action::Tell(text)),
            Intent::Complain(text) => self.dispatch(Action::Complain(text)),
        }
    }

    /// Loads a preset. A preset whose data the user must bring opens the panel for own data.
    fn load_preset(&self, preset: Preset, present: &PresentView) {
        if Preset::WITH_FILE.contains(&preset) {
            self.dispatch(Action::BringPoems);
            self.dispatch(Action::Tell(
                "A model of poems learns from quatrains that you bring: choose a file under “Your own \
                 data”, a poem a line or in the last of four columns, then press “Train on this”."
                    .to_owned(),
            ));
            return;
        }
        let experiment = preset.experiment();
        self.dispatch(Action::Load(Some(preset), Box::new(experiment.clone())));
        let view = present.on_load(&experiment);
        load(&self.worker, experiment, view);
    }

    /// Loads an experiment with the user's own settings or data.
    fn load_own(&self, experiment: Experiment, present: &PresentView) {
        self.dispatch(Action::Load(None, Box::new(experiment.clone())));
        let view = present.on_load(&experiment);
        load(&self.worker, experiment, view);
    }

    /// Asks the worker for a view, or for none.
    fn watch(&self, view: Option<ViewRequest>) {
        self.worker.send(Command::Watch { view });
    }

    /// Compares with the kept run of this id; `None` ends the comparison.
    fn compare_with(&self, id: Option<String>) {
        let Some(id) = id else {
            return self.dispatch(Action::Beside(None));
        };
        let worker = self.worker.clone();
        let read = Callback::from(move |(run, checkpoint)| {
            worker.lay_beside(Beside::of_run(run), checkpoint);
        });
        self.keep(RunCommand::Read { id, read });
    }

    /// Carries out a command on the kept runs.
    fn keep(&self, command: RunCommand) {
        if let Some(keeper) = &self.keeper {
            keeper.run(command);
        }
    }

    fn change_kept(&self, change: Change) {
        self.dispatch(Action::Keeping(Box::new(change)));
    }

    fn save_file(&self, name: String) {
        if !self.worker.save_to_file(name) {
            self.dispatch(Action::Tell(
                "There is no model to save yet: wait until it is prepared.".to_owned(),
            ));
        }
    }
}

/// Loads another experiment, and requests a view of it.
pub fn load(worker: &WorkerHandle, experiment: Experiment, view: Option<ViewRequest>) {
    give_sample(worker, &experiment.task);
    worker.send(Command::Load {
        experiment: Box::new(experiment),
    });
    worker.send(Command::Watch { view });
}

/// Has the worker fetch the sample that a task reads, unless the worker has the sample.
fn give_sample(worker: &WorkerHandle, task: &TaskConfig) {
    let Some(Sample { name, sha256 }) = Sample::of(task) else {
        return;
    };
    if !worker.has_texts_of(task) {
        let source = Source::Address {
            address: location::beside(name),
            sha256: sha256.to_owned(),
        };
        let texts = vec![(name.to_owned(), source)];
        worker.send(WorkerRequest::giving(task.clone(), texts));
    }
}

/// Makes the worker continue from a checkpoint, or open the model if the page lacks its data.
pub fn go_on_from(worker: &WorkerHandle, checkpoint: Vec<u8>) {
    let is_first = !worker.has_run();
    worker.send(Command::Open { checkpoint });
    if is_first {
        // Only the first run needs a view: later runs keep the view that is requested.
        let view = Some(FIRST_VIEW);
        worker.send(Command::Watch { view });
    }
}
