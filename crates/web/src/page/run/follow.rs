//! Carries out a user's intents, with worker, keeper and state.

use crate::keeping::{Keeper, RunCommand};
use crate::link::worker_handle::WorkerHandle;
use crate::page::base::focus::focus;
use crate::page::run::intent::Intent;
use crate::presets::Preset;
use crate::state::{Action, Beside, Change, FIRST_VIEW, Opening};
use crate::texts::WorkerRequest;
use strata_session::protocol::{Command, ViewRequest};
use strata_training::Experiment;
use yew::Callback;

/// Tells worker, keeper (where runs are kept) and state of a user's intent. `look` is the present
/// view, asked for if `watching`.
pub fn follow(
    intent: Intent,
    (worker, keeper): (&WorkerHandle, Option<&Keeper>),
    (look, watching): (&ViewRequest, bool),
    dispatch: &dyn Fn(Action),
) {
    let looked = watching.then_some(look);
    match intent {
        Intent::Train => worker.send(Command::Train),
        Intent::Pause => worker.send(Command::Pause),
        Intent::Step => worker.send(Command::Step),
        Intent::Reset => worker.send(Command::Reset),
        Intent::NewSeed => worker.send(Command::NewSeed {
            // A seed of at most six digits can be read and typed again.
            seed: (js_sys::Math::random() * 1e6) as u64,
        }),
        Intent::Preset(preset) if Preset::WITH_FILE.contains(&preset) => {
            dispatch(Action::BringPoems);
            dispatch(Action::Tell(
                "A model of poems learns from quatrains that you bring: choose a file under “Your own \
                 data”, a poem a line or in the last of four columns, then press “Train on this”."
                    .to_owned(),
            ));
        }
        Intent::Preset(preset) => {
            let experiment = preset.experiment();
            dispatch(Action::Load(Some(preset), Box::new(experiment.clone())));
            load(worker, experiment, looked);
        }
        Intent::Apply(experiment) | Intent::Prepare(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment, looked);
        }
        Intent::TrainOn(experiment) => {
            dispatch(Action::Load(None, experiment.clone()));
            load(worker, *experiment, looked);
            worker.then(Command::Train);
            // The button that was pressed may be far below the curves.
            focus("pause");
        }
        Intent::GoOn(experiment) => worker.go_on_as(*experiment),
        // `App` keeps the draft, and discards it there.
        Intent::Discard => {}
        Intent::Device(device) => worker.choose(device),
        Intent::ViewRequest(look) => {
            dispatch(Action::ViewRequest(look.clone()));
            worker.send(Command::Watch { view: Some(look) });
        }
        Intent::Watching(false) => {
            dispatch(Action::Watching(false));
            worker.send(Command::Watch { view: None });
        }
        Intent::Watching(true) => {
            dispatch(Action::Watching(true));
            worker.send(Command::Watch {
                view: Some(look.clone()),
            });
        }
        Intent::Mute(parts) => worker.send(Command::Mute { parts }),
        Intent::Beside(None) => dispatch(Action::Beside(None)),
        Intent::Beside(Some(id)) => {
            if let Some(keeper) = keeper {
                let worker = worker.clone();
                let read = Callback::from(move |(run, checkpoint)| {
                    worker.lay_beside(Beside::of_run(run), checkpoint);
                });
                keeper.run(RunCommand::Read { id, read });
            }
        }
        Intent::BesideFile(name, checkpoint) => {
            worker.lay_beside(Beside::of_file(name), checkpoint.to_vec());
        }
        Intent::Run(request) => {
            dispatch(Action::Run(request.clone()));
            worker.send(Command::Run(request));
        }
        Intent::Examine(task, texts) => {
            dispatch(Action::Examine);
            worker.send(WorkerRequest::giving(*task, texts));
        }
        Intent::RunCommand(wish) => {
            if let Some(keeper) = keeper {
                keeper.run(wish);
            }
        }
        Intent::Uncompare(id) => {
            dispatch(Action::Keeping(Box::new(Change::Uncompare(id))));
        }
        Intent::LayBeside(name) => {
            dispatch(Action::Keeping(Box::new(Change::LayBeside(name))));
        }
        Intent::Bench(names) => {
            for name in names {
                worker.send(Command::Bench {
                    name,
                    steps: None,
                    warmup: None,
                });
            }
        }
        Intent::SaveFile(name) => {
            if !worker.save_to_file(name) {
                dispatch(Action::Tell(
                    "There is no model to save yet: wait until it is prepared.".to_owned(),
                ));
            }
        }
        Intent::LoadFile(name, checkpoint) => {
            dispatch(Action::Open(Box::new(Opening {
                name: Some(name),
                ..Opening::default()
            })));
            go_on_from(worker, checkpoint.to_vec());
        }
        Intent::Tell(text) => dispatch(Action::Tell(text)),
        Intent::Complain(text) => dispatch(Action::Complain(text)),
    }
}

/// Loads another experiment, and requests the same view of its first held-out example.
pub fn load(worker: &WorkerHandle, experiment: Experiment, look: Option<&ViewRequest>) {
    worker.send(Command::Load {
        experiment: Box::new(experiment),
    });
    let view = look.map(|look| ViewRequest {
        example: 0,
        ..look.clone()
    });
    worker.send(Command::Watch { view });
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
