//! Muting of parts of the model during a run.

use strata_models::{GivenWeights, SiteName};
use strata_session::protocol::{Command, Event, Part, View, ViewData};

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
                validation: Some(validation),
            },
            Event::View(_),
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

#[test]
fn a_forced_row_is_shown_as_it_is_forced_and_put_back() {
    let mut conversation = Conversation::loaded();
    conversation.train(3);
    let site: SiteName = "decoder.0.cross".parse().expect("a site");
    let (head, level) = (None, None);
    let view = View::Site {
        site: Some(site),
        head,
        level,
    };
    let map = |events: &[Event]| -> Vec<f32> {
        let shown = events.iter().rev().find_map(|event| match event {
            Event::View(update) => Some(&update.data),
            _ => None,
        });
        match shown {
            Some(ViewData::Sites(sites)) => sites[0].weights.clone(),
            other => panic!("{other:?}"),
        }
    };
    let loss = |events: &[Event]| match &events[0] {
        Event::Muted {
            validation: Some(validation),
            ..
        } => validation.loss,
        other => panic!("{other:?}"),
    };
    let computed = map(&conversation.say(watch(0, view)));
    let whole = loss(&conversation.say(Command::Mute { parts: Vec::new() }));
    let row = Some(1);
    for (to, places) in [
        (GivenWeights::Uniform, 0..usize::MAX),
        (GivenWeights::Diagonal, 1..2),
        (GivenWeights::Key(0), 0..1),
    ] {
        let part = Part::Row {
            site,
            head,
            row,
            to,
        };
        let events = conversation.say(Command::Mute { parts: vec![part] });
        assert_ne!(loss(&events), whole, "{to:?}");
        let forced = map(&events);
        let columns = columns_of(&events);
        let count = places.clone().take(columns).count().min(columns) as f32;
        for (at, (now, before)) in forced.iter().zip(&computed).enumerate() {
            let expected = match at / columns {
                1 if places.contains(&(at % columns)) => 1.0 / count,
                1 => 0.0,
                _ => *before,
            };
            assert!(
                (now - expected).abs() < 1e-6,
                "{to:?} at {at}: {now} {expected}"
            );
        }
    }
    let events = conversation.say(Command::Mute { parts: Vec::new() });
    assert_eq!((map(&events), loss(&events)), (computed, whole));
    let later = Part::Row {
        site: "decoder.0.self".parse().expect("a site"),
        head,
        row,
        to: GivenWeights::Key(4),
    };
    let parts = vec![later];
    let refusal = conversation.refusal(Command::Mute { parts });
    assert!(
        refusal.contains("row 2 of decoder.0.self may not see key 5"),
        "{refusal}"
    );
}

fn columns_of(events: &[Event]) -> usize {
    let sites = events.iter().find_map(|event| match event {
        Event::View(update) => Some(&update.sites),
        _ => None,
    });
    let name = "decoder.0.cross".parse().expect("a site");
    let mut sites = sites.expect("a view came").iter();
    sites.find(|it| it.site == name).map_or(0, |it| it.columns)
}
