//! Tests of the events and actions that change the state.
#![allow(clippy::unwrap_used)]

use super::end::End;
use super::*;
use crate::texts::Source;
use std::rc::Rc;
use strata_models::{Site, SiteName};
use strata_session::protocol::{Event, Part, View, ViewData, ViewRequest, ViewUpdate};
use yew::Reducible;

fn state() -> State {
    State::new(&Address::read(""), "page".to_owned())
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
        training_examples: 100,
        validation_examples: 10,
        device: "CPU (flex)".to_owned(),
        ..Ready::default()
    })
}

fn progress(steps: std::ops::RangeInclusive<u64>) -> Event {
    let metrics = |step| StepReport {
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
    // The curves stay for comparison; a run without curves leaves nothing to compare.
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
    assert!(state.messages[0].text.contains("“Batch size” is 0"));
}

#[test]
fn a_checkpoint_is_kept_with_what_led_to_it() {
    let saved = Event::Saved {
        step: 9,
        checkpoint: vec![1],
    };
    let state = after(trained(), [Action::Events(vec![saved, progress(10..=10)])]);
    let snapshot = state.keeping.snapshot.unwrap();
    assert_eq!(snapshot.id, state.keeping.id);
    assert_eq!(snapshot.history.last_step(), 9);
    assert_eq!(snapshot.latest.unwrap().step, 9);
    assert_eq!(*snapshot.checkpoint, [1]);
}

#[test]
fn an_opened_run_comes_with_its_curves() {
    let trained = trained();
    let opening = Opening {
        id: Some("other".to_owned()),
        history: (*trained.history).clone(),
        milliseconds: 7.0,
        latest: trained.latest,
        ..Opening::default()
    };
    let experiment = Preset::Reverse.experiment();
    let state = after(
        state(),
        [
            Action::Open(Box::new(opening)),
            Action::Events(vec![ready(experiment.clone(), 9), progress(10..=10)]),
        ],
    );
    assert_eq!(state.keeping.id, "other");
    assert_eq!(state.preset, Some(Preset::Reverse));
    assert_eq!(*state.experiment, experiment);
    assert_eq!(state.history.training.len(), 10);
    assert_eq!(state.milliseconds, 27.0);
}

#[test]
fn a_refused_file_changes_nothing() {
    let before = trained();
    let refused = Event::Refused {
        reason: "<script>".repeat(1000),
    };
    let state = after(
        before.clone(),
        [
            Action::Open(Box::default()),
            Action::Events(vec![refused, progress(10..=10)]),
        ],
    );
    assert_eq!(state.keeping.id, before.keeping.id);
    assert_eq!(state.phase, before.phase);
    assert_eq!(state.history.training.len(), 10);
    assert!(state.messages[0].text.chars().count() < 700);
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

#[test]
fn a_run_is_kept_with_the_texts_that_it_reads() {
    let texts = |name: &str| {
        let source = Source::Address {
            address: name.to_owned(),
            sha256: String::new(),
        };
        vec![(name.to_owned(), source)]
    };
    let saved = |step| Event::Saved {
        step,
        checkpoint: vec![7],
    };
    let experiment = Preset::DEFAULT.experiment();
    let state = after(
        state(),
        [
            Action::Texts(texts("first")),
            Action::Events(vec![ready(experiment.clone(), 0), saved(3)]),
        ],
    );
    let first = state.keeping.snapshot.clone().unwrap();
    assert_eq!(first.texts, texts("first"));
    // The other run is prepared before the present one has been written.
    let state = after(
        state,
        [
            Action::Texts(texts("second")),
            Action::Events(vec![ready(experiment, 0)]),
        ],
    );
    let id = first.id.clone();
    assert_eq!(state.keeping.snapshot.unwrap().texts, texts("first"));
    assert_ne!(state.keeping.id, id);
    assert_eq!(state.keeping.texts, texts("second"));
}

#[test]
fn the_run_before_is_told_of_until_the_next_one_takes_a_step() {
    let before = trained();
    let id = before.keeping.id.clone();
    let other = Preset::Reverse.experiment();
    let state = after(
        before,
        [
            Action::Load(Some(Preset::Reverse), Box::new(other.clone())),
            Action::Events(vec![ready(other.clone(), 0)]),
        ],
    );
    let left = LeftRun {
        id,
        title: "Copy".to_owned(),
        step: 9,
    };
    assert_eq!(state.left, Some(left));
    let state = after(state, [Action::Events(vec![progress(1..=1)])]);
    assert_eq!(state.left, None);
    // A run without a step is no loss.
    let fresh = after(
        self::state(),
        [Action::Events(vec![ready(other.clone(), 0)])],
    );
    let fresh = after(fresh, [Action::Events(vec![ready(other, 0)])]);
    assert_eq!(fresh.left, None);
}

#[test]
fn a_page_that_begins_with_a_run_knows_how_it_was_left() {
    let left = Some(Left { step: 12, at: 5.0 });
    let opening = Opening {
        id: Some("other".to_owned()),
        resumed: Some((3.0, left)),
        ..Opening::default()
    };
    let events = vec![ready(Preset::DEFAULT.experiment(), 9)];
    let state = after(
        state(),
        [Action::Open(Box::new(opening)), Action::Events(events)],
    );
    let resumed = Resumed {
        step: 9,
        kept_at: 3.0,
        left,
    };
    assert_eq!(state.resumed, Some(resumed));
    assert_eq!(state.left, None);
    let state = after(state, [Action::Events(vec![progress(10..=10)])]);
    assert_eq!(state.resumed, None);
}

#[test]
fn a_run_that_goes_on_with_more_steps_is_the_same_run() {
    let before = trained();
    let mut longer = Preset::DEFAULT.experiment();
    longer.training.steps += 500;
    let state = after(
        before.clone(),
        [Action::Events(vec![
            activity(Activity::Finished),
            ready(longer.clone(), 9),
            activity(Activity::Paused),
        ])],
    );
    assert_eq!(state.keeping.id, before.keeping.id);
    assert_eq!(state.history.training.len(), 9);
    assert_eq!((*state.applied).clone(), longer);
    assert_eq!((state.preset, &state.left), (None, &None));
    let saved = Event::Saved {
        step: 9,
        checkpoint: vec![1],
    };
    let state = after(state, [Action::Events(vec![saved])]);
    assert_eq!(state.keeping.snapshot.unwrap().experiment, longer);
}

#[test]
fn the_end_of_a_run_says_how_it_can_go_on() {
    let mut state = trained();
    assert_eq!(End::of(&state), None);
    state.phase = Phase::Active(Activity::Finished);
    assert_eq!(End::of(&state), Some(End::Patience));
    state.applied = ByPointer::new({
        let mut experiment = (*state.applied).clone();
        experiment.training.steps = 9;
        experiment
    });
    assert_eq!(End::of(&state), Some(End::Steps(9)));
    state.phase = Phase::Active(Activity::Diverged);
    assert!(matches!(End::of(&state), Some(End::Diverged(rate)) if rate > 0.0));
}

#[test]
fn views_of_one_kind_can_be_wound_back_until_a_reset() {
    let view = |step, view: View| {
        Action::Events(vec![Event::View(ViewUpdate {
            step,
            request: ViewRequest { example: 0, view },
            data: ViewData::Norms(Vec::new()),
            ..ViewUpdate::default()
        })])
    };
    let steps = |state: &State| {
        state
            .watch
            .past
            .iter()
            .map(|(step, _)| step)
            .collect::<Vec<_>>()
    };
    let seen = after(trained(), [1, 2, 3].map(|step| view(step, View::Norms)));
    assert_eq!(steps(&seen), [1, 2, 3]);
    // A view of another kind begins a new past.
    let other = after(seen.clone(), [view(3, View::Overview)]);
    assert_eq!(steps(&other), [3]);
    let experiment = (*seen.experiment).clone();
    let back = after(
        seen.clone(),
        [Action::Events(vec![ready(experiment.clone(), 2)])],
    );
    assert_eq!(steps(&back), [1, 2]);
    let reset = after(seen, [Action::Events(vec![ready(experiment, 0)])]);
    assert_eq!(steps(&reset), [0; 0]);
}

#[test]
fn what_was_wrong_with_texts_is_said_until_they_are_read_in_another_way() {
    let refused = |reason: &str| {
        Action::Events(vec![Event::Refused {
            reason: reason.to_owned(),
        }])
    };
    let other = Action::Tell("Another sentence.".to_owned());
    let state = after(
        trained(),
        [other, Action::Examine, refused("no TAB in line 1")],
    );
    assert!(state.complains());
    assert_eq!(state.messages.len(), 2);
    // A complaint replaces the complaint before.
    let state = after(state, [Action::Complain("one file".to_owned())]);
    let texts: Vec<_> = state.messages.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Another sentence.", "One file."]);
    let state = after(state, [Action::Examine]);
    assert!(!state.complains());
    assert_eq!(state.messages.len(), 1);
    // Messages about other refusals stay.
    let state = after(trained(), [refused("no such head"), Action::Examine]);
    assert_eq!(state.messages.len(), 1);
}

#[test]
fn a_model_that_was_opened_without_its_data_says_when_they_have_come() {
    let opened = |lacks: Option<LacksView>| {
        Action::Events(vec![Event::Ready(Ready {
            experiment: Preset::DEFAULT.experiment(),
            step: 9,
            lacks,
            ..Ready::default()
        })])
    };
    let lacks = LacksView {
        files: vec!["m.de".to_owned()],
        reason: "to train on, give m.de".to_owned(),
    };
    let opening = Opening {
        name: Some("mine".to_owned()),
        ..Opening::default()
    };
    let state = after(
        trained(),
        [Action::Open(Box::new(opening)), opened(Some(lacks))],
    );
    let id = state.keeping.id.clone();
    assert_eq!(state.opened(), Some("mine".to_owned()));
    let say = |text: &str| Action::Tell(text.to_owned());
    let state = after(
        state,
        [
            say("To train on, give m.de."),
            say("The model has learned from m.de, too: give it as well."),
            say("Another sentence."),
            opened(None),
        ],
    );
    assert_eq!((state.opened(), &state.keeping.id), (None, &id));
    assert_eq!(state.keeping.name.as_deref(), Some("mine"));
    let text = &state.messages.last().unwrap().text;
    assert!(text.contains("can be trained on"), "{text}");
    let left = state.messages.iter().map(|it| it.text.as_str());
    let left: Vec<_> = left.filter(|it| !it.contains("trained on")).collect();
    assert_eq!(left, ["Another sentence."]);
}

#[test]
fn what_is_asked_to_be_muted_stays_asked_until_the_worker_follows_or_refuses() {
    let [one, two] = [0, 1].map(|layer| Part::Site {
        site: SiteName::in_layer(layer, Site::Cross),
    });
    let muted = |parts: &[Part]| {
        let parts = parts.to_vec();
        let validation = None;
        Action::Events(vec![Event::Muted { parts, validation }])
    };
    let asked = [Action::Mute(vec![one]), Action::Mute(vec![one, two])];
    let state = after(trained(), asked);
    assert_eq!((state.muted.len(), state.asked.len()), (0, 2));
    // The answer to the first press does not take back the second.
    let state = after(state, [muted(&[one])]);
    assert_eq!((state.muted.len(), state.asked.len()), (1, 2));
    let reason = "all levels would be muted".to_owned();
    let refused = Action::Events(vec![Event::Refused { reason }]);
    let refused = after(state.clone(), [refused]);
    assert_eq!(*refused.asked, [one]);
    let state = after(state, [muted(&[one, two])]);
    assert_eq!(
        (&*state.muted, &*state.asked),
        (&vec![one, two], &vec![one, two])
    );
    let again = after(
        state,
        [Action::Events(vec![ready(Preset::Copy.experiment(), 0)])],
    );
    assert_eq!((again.muted.len(), again.asked.len()), (0, 0));
}

#[test]
fn an_address_with_many_faults_tells_each() {
    let address = Address::read("?preset=nix&device=nix&moon=1&seed=x&model.width=y");
    assert!(address.complaints.len() > 3, "{:?}", address.complaints);
    let state = State::new(&address, "page".to_owned());
    let all: Vec<_> = state.messages.iter().map(|it| it.text.as_str()).collect();
    for name in ["the preset", "the device", "“moon”", "seed", "width"] {
        assert!(all.join(" ").contains(name), "{name}: {all:?}");
    }
}

#[test]
fn a_changed_model_is_seen_on_the_same_sentence() {
    let shown = |changed: Experiment| {
        let present = Preset::DEFAULT.experiment();
        let request = ViewRequest {
            example: 2,
            ..FIRST_VIEW
        };
        let loaded = [
            Action::Load(None, Box::new(present)),
            Action::ViewRequest(request),
            Action::Load(None, Box::new(changed)),
        ];
        after(state(), loaded).watch.request.example
    };
    let same = Preset::DEFAULT.experiment();
    let mut longer = same.clone();
    longer.training.steps += 1;
    assert_eq!(shown(longer), 2);
    // Another task or seed has other sentences.
    assert_eq!(shown(Preset::Dates.experiment()), 0);
    let seed = same.seed + 1;
    assert_eq!(shown(Experiment { seed, ..same }), 0);
}
