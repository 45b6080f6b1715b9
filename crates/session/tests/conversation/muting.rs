//! Parts of the model taken away in mid-run.

use strata_session::protocol::{Command, Event, Part, View};

use crate::{Conversation, experiment, losses, ready, watch};

fn heads(conversation: &mut Conversation) -> Vec<Part> {
    let events = conversation.load(experiment());
    let parts = ready(&events).parts.clone();
    assert!(ready(&events).muted.is_empty());
    let is_head = |part: &Part| matches!(part, Part::Head { .. });
    parts.into_iter().filter(is_head).collect()
}

#[test]
fn what_is_muted_is_missed_at_once_and_comes_back_as_it_was() {
    let mut conversation = Conversation::new();
    let heads = heads(&mut conversation);
    conversation.train(5);
    conversation.say(watch(0, View::Overview));
    let mut mute = |parts: &[Part]| {
        let events = conversation.say(Command::Mute {
            parts: parts.to_vec(),
        });
        let [
            Event::Muted {
                parts: told,
                validation,
            },
            Event::Attention(_),
        ] = &events[..]
        else {
            panic!("{events:?}");
        };
        assert_eq!(told, parts);
        validation.loss
    };
    let whole = mute(&[]);
    assert_ne!(mute(&heads[..1]), whole);
    assert_ne!(mute(&heads), whole);
    assert_eq!(mute(&[]), whole);
}

#[test]
fn checkpoints_know_nothing_of_it_and_another_run_begins_whole() {
    let mut conversation = Conversation::new();
    let heads = heads(&mut conversation);
    conversation.train(2);
    let before = conversation.save();
    conversation.say(Command::Mute {
        parts: heads.clone(),
    });
    assert_eq!(conversation.save(), before);
    let events = conversation.say(Command::Reset);
    assert!(ready(&events).muted.is_empty());
    let after_reset = losses(&conversation.train(2));
    let mut whole = Conversation::loaded();
    assert_eq!(after_reset, losses(&whole.train(2)));
}

#[test]
fn steps_are_taken_without_what_is_muted() {
    let mut conversation = Conversation::new();
    let heads = heads(&mut conversation);
    let mut whole = Conversation::loaded();
    conversation.say(Command::Mute { parts: heads });
    assert_ne!(losses(&conversation.train(1)), losses(&whole.train(1)));
}

#[test]
fn a_part_that_is_not_there_is_refused() {
    let mut conversation = Conversation::loaded();
    let refusal = conversation.refusal(Command::Mute {
        parts: vec![Part::FeedForward {
            layer: "encoder.99".parse().expect("a layer"),
        }],
    });
    assert!(refusal.contains("`encoder.99 feed-forward`"), "{refusal}");
}
