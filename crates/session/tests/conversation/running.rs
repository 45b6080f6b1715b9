//! Training, pausing, stepping, starting over, saving and continuing.

use strata_session::protocol::{Activity, Command, Event};
use strata_training::{Checkpoint, Schedule};

use super::{Conversation, activity, experiment, losses, ready, steps};

#[test]
fn loading_tells_what_there_is() {
    let mut conversation = Conversation::new();
    let events = conversation.load(experiment());
    let ready = ready(&events);
    assert_eq!(ready.experiment, experiment());
    assert_eq!((ready.step, ready.device.as_str()), (0, "CPU (flex)"));
    assert_eq!((ready.source_vocabulary, ready.target_vocabulary), (10, 10));
    assert_eq!(
        (ready.training_examples, ready.validation_examples),
        (200, 20)
    );
    assert_eq!(ready.samples.len(), 8);
    assert!(ready.parameters > 1000);
    assert_eq!(activity(&events), Some(Activity::Paused));
    assert!(
        conversation.advance(5).is_empty(),
        "a paused session does nothing"
    );
}

#[test]
fn a_reset_run_repeats_its_losses_and_a_new_seed_does_not() {
    let mut conversation = Conversation::loaded();
    let first = conversation.train(7);
    assert_eq!(first.len(), 7);
    let events = conversation.say(Command::Reset);
    assert_eq!(ready(&events).step, 0);
    assert_eq!(losses(&conversation.train(7)), losses(&first));
    let events = conversation.say(Command::NewSeed { seed: 5 });
    assert_eq!(ready(&events).experiment.seed, 5);
    assert_ne!(losses(&conversation.train(7)), losses(&first));
    conversation.say(Command::NewSeed { seed: 0 });
    assert_eq!(losses(&conversation.train(7)), losses(&first));
}

#[test]
fn single_steps_are_those_of_training() {
    let mut conversation = Conversation::loaded();
    let trained = conversation.train(5);
    conversation.say(Command::Reset);
    let mut stepped = Vec::new();
    for _ in 0..5 {
        let events = conversation.say(Command::Step);
        assert_eq!(activity(&events), Some(Activity::Paused));
        stepped.extend(steps(&events));
    }
    assert_eq!(losses(&stepped), losses(&trained));
    // A step while training ends the training.
    conversation.say(Command::Train);
    assert_eq!(steps(&conversation.say(Command::Step)).len(), 1);
    assert!(conversation.advance(1).is_empty());
}

#[test]
fn a_saved_run_goes_on_as_if_never_stopped() {
    let mut conversation = Conversation::loaded();
    conversation.train(6);
    let checkpoint = conversation.save();
    let on = conversation.train(9);

    let mut elsewhere = Conversation::new();
    let events = elsewhere.say(Command::Restore { checkpoint });
    assert_eq!(
        (ready(&events).step, activity(&events)),
        (6, Some(Activity::Paused))
    );
    assert_eq!(losses(&elsewhere.train(9)), losses(&on));
}

#[test]
fn a_run_is_validated_on_the_way_and_finished_at_the_end() {
    let mut conversation = Conversation::loaded();
    conversation.say(Command::Train);
    let events = conversation.advance(100);
    assert_eq!(
        steps(&events).iter().map(|it| it.step).collect::<Vec<_>>(),
        (1..=30).collect::<Vec<_>>()
    );
    let validated: Vec<(u64, usize)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Validated(validation) => Some((validation.step, validation.decoded)),
            _ => None,
        })
        .collect();
    assert_eq!(validated, [(10, 20), (20, 20), (30, 20)]);
    assert_eq!(activity(&events), Some(Activity::Finished));

    // A validation is reported after the step that it follows.
    let mut step = 0;
    for event in &events {
        match event {
            Event::Progress { steps } => step = steps.last().expect("no empty progress").step,
            Event::Validated(validation) => assert_eq!(validation.step, step),
            _ => {}
        }
    }
    assert!(
        conversation
            .refusal(Command::Train)
            .contains("all 30 steps")
    );
    assert!(conversation.refusal(Command::Step).contains("all 30 steps"));
    let checkpoint = conversation.save();
    let events = conversation.say(Command::Restore { checkpoint });
    assert_eq!(activity(&events), Some(Activity::Finished));
    assert_eq!(
        activity(&conversation.say(Command::Reset)),
        Some(Activity::Paused)
    );
}

/// The losses equal those of a run whose file was changed in the same way.
#[test]
fn a_finished_run_goes_on_with_more_steps_at_another_rate() {
    let mut conversation = Conversation::loaded();
    conversation.say(Command::Train);
    conversation.advance(100);
    let file = conversation.save();
    let mut asked = experiment();
    asked.training.steps = 50;
    asked.training.optimizer.learning_rate = 1e-3;
    asked.training.schedule = Schedule::Constant { warmup: 0 };
    *asked.model.dropout_mut() = 0.3;
    let go_on = Command::GoOn {
        experiment: Box::new(asked.clone()),
    };
    let events = conversation.say(go_on);
    assert_eq!(ready(&events).experiment, asked);
    assert_eq!(ready(&events).step, 30);
    assert_eq!(activity(&events), Some(Activity::Paused));
    let on = conversation.train(100);
    let numbers: Vec<u64> = on.iter().map(|it| it.step).collect();
    assert_eq!(numbers, (31..=50).collect::<Vec<_>>());
    assert!(on.iter().all(|it| it.learning_rate == 1e-3));

    let checkpoint = Checkpoint::open(&file).expect("a whole file");
    let checkpoint = checkpoint.going_on_as(&asked);
    let mut elsewhere = Conversation::new();
    elsewhere.say(Command::Restore { checkpoint });
    assert_eq!(losses(&elsewhere.train(100)), losses(&on));
    // The saved file contains the changed experiment.
    let saved = conversation.save();
    let saved = Checkpoint::open(&saved).expect("a whole file");
    assert_eq!(saved.experiment(), &asked);
}

#[test]
fn quick_steps_are_told_of_together() {
    let mut conversation = Conversation::loaded();
    conversation.say(Command::Train);
    let events = conversation.advance(9);
    let progress = events
        .iter()
        .filter(|event| matches!(event, Event::Progress { .. }))
        .count();
    assert!(progress < 4, "{progress} events");
    let rest = conversation.say(Command::Pause);
    assert!(
        matches!(rest[0], Event::Progress { .. }),
        "first what was done, then the answer"
    );
    assert_eq!(steps(&events).len() + steps(&rest).len(), 9);
}
