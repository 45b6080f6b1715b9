//! The player on the first lesson, with the events that a session would send.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::keeping::RunCommand;
use crate::page::lesson::progress::Completion;
use strata_lessons::model_name;
use strata_session::protocol::{StepReport, TokenView, Validation, ViewData, ViewUpdate};

fn lesson() -> Compiled {
    let text = include_str!("../../../../../../www/lessons/bottleneck/en.json");
    let lesson: Compiled = serde_json::from_str(text).unwrap();
    Compiled {
        recorded: None,
        ..lesson
    }
}

fn player() -> Player {
    with_models(lesson(), &[])
}

fn with_models(lesson: Compiled, models: &[String]) -> Player {
    let mut player = Player::new(lesson, Progress::read(None, 1), models.to_vec());
    player.set_kept_runs(None);
    player
}

fn fetched(effects: &[Effect]) -> Option<&Fetched> {
    effects.iter().find_map(|effect| match effect {
        Effect::Fetch(fetched) => Some(&**fetched),
        _ => None,
    })
}

/// Returns the experiment that the player has asked for, and sends its command as the page would.
fn applied(player: &mut Player, effects: &[Effect]) -> Experiment {
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Follow(Intent::Apply(experiment)) => Some((**experiment).clone()),
        _ => None,
    });
    let experiment = asked.unwrap();
    player.on_command(&Command::Load {
        experiment: Box::new(experiment.clone()),
    });
    experiment
}

fn ready(experiment: &Experiment, step: u64) -> Event {
    Event::Ready(Ready {
        experiment: experiment.clone(),
        step,
        parameters: 1000,
        target_vocabulary: 24,
        ..Ready::default()
    })
}

fn steps(to: u64) -> Event {
    Event::Progress {
        steps: vec![StepReport {
            step: to,
            loss: 1.0,
            accuracy: 0.5,
            learning_rate: 1e-3,
            gradient_norm: 1.0,
            tokens: 10,
            milliseconds: 5.0,
            overflows: 0,
        }],
    }
}

fn validated(step: u64, accuracy: f64) -> Event {
    Event::Validated(Validation {
        step,
        accuracy,
        ..Validation::default()
    })
}

fn finished() -> Event {
    Event::Activity {
        activity: Activity::Finished,
    }
}

fn view_event(request: ViewRequest, probability: f32) -> Event {
    let token = |index: usize| TokenView {
        probability,
        choice: index.to_string(),
        choice_probability: probability,
    };
    Event::View(ViewUpdate {
        request,
        source: (0..24).map(|it| it.to_string()).collect(),
        data: ViewData::Probabilities((0..25).map(token).collect()),
        ..ViewUpdate::default()
    })
}

/// Returns the player with its first step set up, and the step's experiment.
fn set_up() -> (Player, Experiment) {
    let mut player = player();
    let effects = player.open(0);
    let experiment = applied(&mut player, &effects);
    player.on_event(&ready(&experiment, 0), 1.0);
    let request = player.view_request();
    player.on_event(&view_event(request, 0.04), 2.0);
    (player, experiment)
}

#[test]
fn a_step_is_set_up_guessed_done_and_remembered() {
    let (mut player, _) = set_up();
    assert_eq!(player.stage, Stage::Guess);
    player.take_guess(Value::Number(0.5), 3.0);
    assert_eq!(player.stage, Stage::Act);
    let effects = player.on_event(&steps(1), 5_000.0);
    assert_eq!(player.stage, Stage::Done);
    assert!(effects.iter().any(|it| matches!(it, Effect::StoreProgress)));
    let met = player.step_record().unwrap();
    assert_eq!((met.how, met.seconds), (Completion::Did, 5.0));
    assert_eq!(met.guess, Some(Value::Number(0.5)));
    assert_eq!(player.measured(), Some(&Value::Number(24.0)));
    assert_eq!(
        player.text("probability", true).as_deref(),
        Some("4.0\u{202f}%")
    );
    assert_eq!(
        player.text("model.encoder_hidden", true).as_deref(),
        Some("128")
    );
    assert_eq!(player.outcome(), Some("after"));
}

#[test]
fn what_the_run_before_does_is_not_noticed() {
    let mut player = player();
    let effects = player.open(0);
    let experiment = applied(&mut player, &effects);
    // A late event of the learner's own run is ignored.
    player.on_event(&steps(7), 0.0);
    assert_eq!(player.stage, Stage::Opening);
    player.on_event(&ready(&experiment, 0), 1.0);
    let request = player.view_request();
    player.on_event(&view_event(request, 0.04), 2.0);
    assert_eq!(player.stage, Stage::Guess);
}

#[test]
fn without_a_guess_the_action_is_noticed_too() {
    let (mut player, _) = set_up();
    player.on_event(&steps(1), 5.0);
    assert_eq!(player.stage, Stage::Done);
    assert_eq!(player.step_record().unwrap().guess, None);
}

#[test]
fn a_step_at_the_end_of_a_run_trains_it_unless_it_is_there() {
    let mut alone = player();
    let effects = alone.open(2);
    let experiment = applied(&mut alone, &effects);
    let effects = alone.on_event(&ready(&experiment, 0), 1.0);
    let trains = |it: &Effect| matches!(it, Effect::Follow(Intent::Train));
    assert!(effects.iter().any(trains));
    assert_eq!(alone.stage, Stage::Training(800));
    alone.on_event(&steps(800), 2.0);
    alone.on_event(&validated(800, 0.6), 2.0);
    alone.on_event(&finished(), 3.0);
    assert!(matches!(alone.stage, Stage::AwaitingView { .. }));
    assert_eq!(alone.progress.runs["narrow"].validations[0].accuracy, 0.6);

    // The next step uses the same run.
    let effects = alone.open(3);
    let begins =
        |it: &Effect| matches!(it, Effect::Follow(Intent::Apply(_) | Intent::RunCommand(_)));
    assert!(!effects.iter().any(begins));
    assert!(matches!(alone.stage, Stage::AwaitingView { .. }));
}

#[test]
fn a_run_that_is_kept_is_gone_on_with_as_another() {
    let mut player = player();
    let experiment = lesson().lesson.experiment("narrow").unwrap();
    let kept = KeptRun {
        id: "page-1".to_owned(),
        name: None,
        label: String::new(),
        experiment: experiment.clone(),
        step: 800,
        milliseconds: 0.0,
        latest: None,
        validation: None,
        begun_at: 0.0,
        changed_at: 0.0,
        bytes: 0,
        revision: 0,
    };
    player.set_kept_runs(Some(ByPointer::new(vec![kept])));
    let effects = player.open(2);
    let branches = |it: &Effect| matches!(it, Effect::Follow(Intent::RunCommand(RunCommand::Branch(id))) if id == "page-1");
    assert!(effects.iter().any(branches));
    player.on_event(&ready(&experiment, 800), 1.0);
    assert!(matches!(player.stage, Stage::AwaitingView { .. }));
}

#[test]
fn a_run_to_compare_with_is_trained_where_none_is_recorded() {
    let mut player = player();
    let number = player.number("wider").unwrap();
    let effects = player.open(number);
    let mut experiment = applied(&mut player, &effects);
    let first = experiment.clone();
    // The wide run, then the step's own.
    while player.waiting.len() > 1 {
        let all = experiment.training.steps;
        player.on_event(&ready(&experiment, 0), 1.0);
        player.on_event(&steps(all), 2.0);
        player.on_event(&validated(all, 0.9), 2.0);
        let effects = player.on_event(&finished(), 3.0);
        experiment = applied(&mut player, &effects);
    }
    let second = experiment;
    assert_ne!(first, second);
    player.on_event(&ready(&second, 0), 4.0);
    player.on_event(&steps(800), 5.0);
    player.on_event(&validated(800, 0.6), 5.0);
    let effects = player.on_event(&finished(), 6.0);
    let offers =
        |it: &Effect| matches!(it, Effect::Offer(runs) if runs.iter().any(|it| it.id == "wide"));
    assert!(effects.iter().any(offers));
    let request = player.view_request();
    player.on_event(&view_event(request, 0.5), 7.0);
    player.laid_beside("wide", 8.0);
    assert_eq!(player.stage, Stage::Done);
    assert_eq!(player.measured(), Some(&Value::Number(0.9)));
    assert!(player.text("wide", true).unwrap().starts_with("90.0"));
}

#[test]
fn a_learner_who_does_not_get_there_is_helped() {
    let mut player = player();
    let number = player.number("attending").unwrap();
    let effects = player.open(number);
    let mut experiment = applied(&mut player, &effects);
    // Runs for comparison are trained first.
    while player.waiting.len() > 1 {
        player.on_event(&ready(&experiment, 0), 1.0);
        player.on_event(&steps(800), 2.0);
        player.on_event(&validated(800, 0.6), 2.0);
        let effects = player.on_event(&finished(), 3.0);
        experiment = applied(&mut player, &effects);
    }
    player.on_event(&ready(&experiment, 0), 4.0);
    let request = player.view_request();
    player.on_event(&view_event(request, 0.1), 5.0);
    player.take_guess(Value::Number(0.9), 6.0);
    player.tick(7.0);
    assert!(!player.is_hinted);
    player.tick(100_000.0);
    assert!(player.is_hinted);
    player.on_event(
        &Event::Activity {
            activity: Activity::Training,
        },
        7.0,
    );
    player.on_event(&steps(800), 8.0);
    player.on_event(&validated(800, 0.7), 8.0);
    player.on_event(&finished(), 9.0);
    assert!(player.is_late);
    assert_eq!(player.with_more(400).unwrap().training.steps, 1200);
    let how = player.demonstration();
    assert!(matches!(how[..], [Intent::Train]));
    player.on_event(&validated(900, 0.99), 10.0);
    assert_eq!(player.step_record().unwrap().how, Completion::Shown);
}

#[test]
fn skipping_is_possible_anywhere_and_noted() {
    let mut player = player();
    player.open(0);
    player.skip();
    assert_eq!(player.at, 1);
    assert_eq!(player.progress.steps["untrained"].how, Completion::Skipped);
    assert_eq!(player.first_open(), 0);
    let last = player.count() - 1;
    player.open(last);
    player.skip();
    assert_eq!(player.stage, Stage::Free);
    player.open(99);
    assert_eq!(player.stage, Stage::Free);
    player.start_again();
    assert_eq!((player.at, player.progress.steps.len()), (0, 0));
}

#[test]
fn a_refusal_is_no_dead_end() {
    let mut player = player();
    player.open(0);
    let reason = "no room".to_owned();
    player.on_event(&Event::Refused { reason }, 1.0);
    assert_eq!(player.stage, Stage::Refused("no room".to_owned()));
    let effects = player.open(0);
    applied(&mut player, &effects);
}

#[test]
fn a_recorded_model_that_is_served_need_not_be_trained() {
    let model = model_name("bottleneck", "narrow", 800);
    let mut player = with_models(lesson(), std::slice::from_ref(&model));
    let number = player.number("where").unwrap();
    let effects = player.open(number);
    let asked = fetched(&effects).unwrap();
    assert_eq!(asked.model, model);
    let experiment = player.experiments["narrow"].clone();
    // If the model cannot be fetched, the run is trained.
    assert!(matches!(&asked.otherwise, Intent::Apply(it) if **it == experiment));
    assert!(player.awaits(&model));
    player.on_command(&Command::Restore {
        checkpoint: Vec::new(),
    });
    player.on_event(&ready(&experiment, 800), 1.0);
    assert!(matches!(player.stage, Stage::AwaitingView { .. }));
    assert!(!player.awaits(&model));
    // A step that trains needs the optimiser's state, which is not recorded.
    let effects = player.open(player.number("training").unwrap());
    assert!(fetched(&effects).is_none());
}

#[test]
fn a_model_that_comes_too_late_is_not_awaited() {
    let model = model_name("bottleneck", "narrow", 800);
    let mut player = with_models(lesson(), std::slice::from_ref(&model));
    player.open(player.number("where").unwrap());
    player.open(0);
    assert!(!player.awaits(&model));
}

#[test]
fn who_is_late_may_take_the_recorded_model() {
    let model = model_name("bottleneck", "attending", 800);
    let run = |accuracy: f64| {
        let validation = Validation {
            step: 800,
            accuracy,
            ..Validation::default()
        };
        let validation = serde_json::to_value(validation).unwrap();
        serde_json::json!({ "step": 800, "parameters": 9, "vocabulary": 24,
            "training": [[800, 0.1, accuracy]], "validations": [validation] })
    };
    let recorded = serde_json::json!({ "date": "", "commit": "", "device": "", "steps": {},
        "runs": { "narrow": run(0.6), "attending": run(0.99) } });
    let lesson = Compiled {
        recorded: serde_json::from_value(recorded).unwrap(),
        ..lesson()
    };
    let mut player = with_models(lesson, std::slice::from_ref(&model));
    let effects = player.open(player.number("attending").unwrap());
    // The other run is recorded, so it is not trained.
    let experiment = applied(&mut player, &effects);
    assert_eq!(experiment, player.experiments["attending"]);
    player.on_event(&ready(&experiment, 0), 1.0);
    player.begin(1.0);
    player.skip_guess(1.0);
    assert_eq!(player.recorded(), Some(model.clone()));
    let effects = player.take_recorded();
    assert_eq!(fetched(&effects).unwrap().model, model);
    player.on_command(&Command::Restore {
        checkpoint: Vec::new(),
    });
    player.on_event(&ready(&experiment, 800), 2.0);
    assert_eq!(player.stage, Stage::Done);
    assert_eq!(player.step_record().unwrap().how, Completion::Shown);
}

#[test]
fn what_training_changes_is_outlined_while_it_trains() {
    let (mut player, experiment) = set_up();
    assert_eq!(player.highlighted(), None);
    player.skip_guess(3.0);
    assert_eq!(player.highlighted().as_deref(), Some("step"));
    // A single training step is over at once: no panel is watched while it trains.
    assert_eq!(player.changing(), None);

    player.open(1);
    player.on_event(&ready(&experiment, 0), 4.0);
    let request = player.view_request();
    player.on_event(&view_event(request, 0.04), 5.0);
    player.skip_guess(6.0);
    assert_eq!(player.highlighted().as_deref(), Some("train"));
    player.on_event(
        &Event::Activity {
            activity: Activity::Training,
        },
        7.0,
    );
    assert_eq!(player.highlighted().as_deref(), Some("seeing"));
    // If other runs are drawn beside, the curves tell more than the view.
    player.at = player.number("order").unwrap();
    assert_eq!(player.changing(), Some("curves-title"));
}
