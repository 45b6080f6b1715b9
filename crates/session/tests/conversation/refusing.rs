//! Commands that a session refuses.

use strata_models::{BeamConfig, ModelConfig, Search};
use strata_session::protocol::{Activity, Command, Event, Request, TranslateRequest, View};
use strata_training::Schedule;

use super::{Conversation, activity, experiment, losses, ready, steps, translate, watch};

#[test]
fn before_anything_is_loaded_there_is_nothing_to_do() {
    let commands = [
        Command::Train,
        Command::Pause,
        Command::Step,
        Command::Reset,
        Command::GoOn {
            experiment: Box::new(experiment()),
        },
        Command::NewSeed { seed: 1 },
        watch(0, View::Overview),
        translate("a"),
        Command::Validate,
        Command::Save,
    ];
    let mut conversation = Conversation::new();
    for command in commands {
        assert!(conversation.refusal(command).contains("load one first"));
    }
}

/// Training continues after refused commands as if they had not been given.
#[test]
fn hostile_commands_change_nothing() {
    let mut undisturbed = Conversation::loaded();
    let expected = losses(&undisturbed.train(13));
    let file = undisturbed.save();

    let mut conversation = Conversation::loaded();
    let mut broken = experiment();
    broken.training.batch_size = 0;
    let mut impossible = experiment();
    if let ModelConfig::Transformer(config) = &mut impossible.model {
        config.heads = 3;
    }
    let mut other = experiment();
    other.seed = 1;
    let hostile = [
        Command::GoOn {
            experiment: Box::new(other),
        },
        Command::GoOn {
            experiment: Box::new(broken.clone()),
        },
        Command::Load {
            experiment: Box::new(broken),
        },
        Command::Load {
            experiment: Box::new(impossible),
        },
        Command::Restore {
            checkpoint: file[..file.len() - 3].to_vec(),
        },
        Command::Restore {
            checkpoint: b"<!doctype html><title>404</title>".to_vec(),
        },
        Command::Bench {
            name: "tiny-transformer".into(),
            steps: Some(u32::MAX),
            warmup: Some(2),
        },
        watch(20, View::default()),
        watch(usize::MAX, View::Norms),
        translate(" \n"),
        translate(&"a ".repeat(100_000)),
        Command::Run(Request::Translate(TranslateRequest {
            text: "a".into(),
            prefix: Vec::new(),
            search: Search::Beam(BeamConfig {
                width: 1_000_000,
                ..BeamConfig::default()
            }),
            details: true,
        })),
    ];
    conversation.say(Command::Train);
    let mut taken = Vec::new();
    for command in hostile {
        taken.extend(steps(&conversation.advance(1)));
        let events = conversation.say(command);
        taken.extend(steps(&events));
        match events.last() {
            Some(Event::Refused { reason }) => assert!(reason.len() > 20, "{reason}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(conversation.session.activity(), Activity::Training);
    }
    taken.extend(steps(&conversation.advance(1)));
    taken.extend(steps(&conversation.say(Command::Pause)));
    assert_eq!(losses(&taken), expected);
}

#[test]
fn a_diverged_run_stops_with_its_step_and_can_be_reset() {
    let mut conversation = Conversation::new();
    let mut experiment = experiment();
    // A gradient of nearly 0 after a larger one, divided by its own size, makes an infinite step.
    experiment.training.steps = 1000;
    experiment.training.batch_size = 1;
    experiment.training.clip_norm = 0.0;
    experiment.training.optimizer.beta_2 = 0.0;
    experiment.training.optimizer.epsilon = 1e-30;
    experiment.training.schedule = Schedule::Constant { warmup: 0 };
    conversation.load(experiment.clone());
    conversation.say(Command::Train);
    let events = conversation.advance(1000);
    let diverged = events.iter().find_map(|event| match event {
        Event::Diverged { step, reason } => Some((*step, reason.clone())),
        _ => None,
    });
    let (step, reason) = diverged.expect("no step is endless");
    assert_eq!(
        steps(&events).last().map(|metrics| metrics.step),
        Some(step - 1)
    );
    assert!(reason.contains(&format!("step {step}")), "{reason}");
    assert_eq!(activity(&events), Some(Activity::Diverged));
    assert!(conversation.refusal(Command::Train).contains("diverged"));
    assert!(conversation.refusal(Command::Step).contains("diverged"));
    // A run that has diverged stays diverged at another rate.
    let mut slower = experiment;
    slower.training.optimizer.learning_rate = 1e-9;
    let experiment = Box::new(slower);
    let refusal = conversation.refusal(Command::GoOn { experiment });
    assert!(refusal.contains("diverged"), "{refusal}");
    // The last good state can be saved and viewed.
    conversation.save();
    let events = conversation.say(Command::Reset);
    assert_eq!(
        (ready(&events).step, activity(&events)),
        (0, Some(Activity::Paused))
    );
    assert_eq!(conversation.train(1).len(), 1);
}
