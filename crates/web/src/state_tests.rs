//! Events in, state out.
#![allow(clippy::unwrap_used)]

use super::*;

fn state() -> State {
    State::new(&Address::read(""))
}

fn after(state: State, actions: impl IntoIterator<Item = Action>) -> State {
    let state = actions
        .into_iter()
        .fold(Rc::new(state), |state, action| state.reduce(action));
    Rc::unwrap_or_clone(state)
}

fn ready(experiment: Experiment, step: u64) -> Event {
    Event::Ready(Ready {
        experiment,
        step,
        parameters: 1234,
        source_vocabulary: 24,
        target_vocabulary: 24,
        training_examples: 100,
        validation_examples: 10,
        samples: Vec::new(),
        notes: Vec::new(),
        device: "CPU (flex)".to_owned(),
    })
}

fn progress(steps: std::ops::RangeInclusive<u64>) -> Event {
    let metrics = |step| StepMetrics {
        step,
        loss: 3.0 / step as f64,
        accuracy: 0.1,
        learning_rate: 1e-3,
        gradient_norm: 1.0,
        tokens: 500,
        milliseconds: 20.0,
        overflows: 0,
    };
    Event::Progress {
        steps: steps.map(metrics).collect(),
    }
}

fn activity(activity: Activity) -> Event {
    Event::Activity { activity }
}

fn trained() -> State {
    let experiment = Preset::DEFAULT.experiment();
    after(
        state(),
        [Action::Events(vec![
            ready(experiment, 0),
            activity(Activity::Training),
            progress(1..=4),
            progress(5..=9),
        ])],
    )
}

#[test]
fn training_fills_the_curves_and_the_instruments() {
    let state = trained();
    assert_eq!(state.phase, Phase::Active(Activity::Training));
    assert_eq!(state.step(), 9);
    assert_eq!(state.history.training.len(), 9);
    assert_eq!(state.milliseconds, 180.0);
    assert!((state.speed.tokens_per_second().unwrap() - 25_000.0).abs() < 1e-6);
    assert!((state.speed.step_milliseconds().unwrap() - 20.0).abs() < 1e-9);
}

#[test]
fn a_reset_clears_them() {
    let again = ready(Preset::DEFAULT.experiment(), 0);
    let state = after(trained(), [Action::Events(vec![again])]);
    assert_eq!(state.step(), 0);
    assert_eq!(state.phase, Phase::Active(Activity::Paused));
    assert!(state.history.training.is_empty());
    assert_eq!(state.latest, None);
    assert_eq!(state.speed.tokens_per_second(), None);
    // The curves stay to be compared with; a run without any has nothing to compare.
    assert_eq!(state.earlier.len(), 1);
    assert_eq!(state.earlier[0].history.training.len(), 9);
    let again = ready(Preset::DEFAULT.experiment(), 0);
    let state = after(state, [Action::Events(vec![again])]);
    assert_eq!(state.earlier.len(), 1);
}

#[test]
fn a_restored_run_keeps_its_curves_up_to_the_checkpoint() {
    let restored = ready(Preset::DEFAULT.experiment(), 6);
    let state = after(
        trained(),
        [
            Action::Move(Device::WebGpu),
            Action::Events(vec![restored, progress(7..=7)]),
        ],
    );
    assert_eq!(state.device, Device::WebGpu);
    assert_eq!(state.step(), 7);
    assert_eq!(state.history.training.len(), 7);
}

#[test]
fn a_refused_experiment_leaves_the_old_one() {
    let mut wanted = Preset::DEFAULT.experiment();
    wanted.training.batch_size = 0;
    let refused = Event::Refused {
        reason: "`batch_size` is 0, but must be at least 1.".to_owned(),
    };
    let state = after(
        trained(),
        [
            Action::Load(None, Box::new(wanted)),
            Action::Events(vec![refused]),
        ],
    );
    assert_eq!(*state.experiment, Preset::DEFAULT.experiment());
    assert_eq!(state.preset, Some(Preset::DEFAULT));
    assert_eq!(state.phase, Phase::Active(Activity::Training));
    assert_eq!(state.history.training.len(), 9);
    assert!(state.messages[0].text.contains("batch_size"));
}

#[test]
fn messages_are_few_and_not_said_twice() {
    let say = |text: &str| Action::Tell(text.to_owned());
    let state = after(state(), [say("a"), say("b"), say("a"), say("c"), say("d")]);
    let texts: Vec<_> = state.messages.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["A.", "C.", "D."]);
    let first = state.messages[0].number;
    let state = after(state, [Action::PutAway(first)]);
    assert_eq!(state.messages.len(), 2);
}
