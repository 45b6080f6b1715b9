//! Poems of two models by the same plan.

use strata_session::protocol::{Command, Event, Output, PoemRequest, PoemView, Writers};

use super::super::Conversation;
use super::{lines, poem, poems, request, trained, trained_on, write};

fn beside(events: &[Event]) -> Result<&PoemView, &String> {
    match events {
        [.., Event::Done(Output::PoemBeside(written))] => written.as_ref(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_depths_write_by_one_plan() {
    let mut conversation = trained(true);
    let mut deeper = trained_on(&poems(600), true, 5);
    let asked = request("春江");
    let (own, theirs) = (poem(&mut conversation, &asked), poem(&mut deeper, &asked));
    let lay = |checkpoint| Command::Beside { checkpoint };
    conversation.say(lay(Some(deeper.save())));
    let events = conversation.say(write(&asked));
    let [Event::Done(Output::Poem(first)), _] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(*first, own);
    let second = beside(&events).expect("a poem");
    assert_eq!(lines(second), lines(&theirs));
    assert_eq!(second.perplexity, theirs.perplexity);
    assert_eq!(
        [
            own.shares[0].shares[0].len(),
            second.shares[0].shares[0].len()
        ],
        [3, 5]
    );

    // Random words come from the present model's planner; alternatives come from each model's own.
    let drawn = PoemRequest {
        seed: 4,
        ..request("暖冬")
    };
    let events = conversation.say(write(&drawn));
    let [Event::Done(Output::Poem(first)), _] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(beside(&events).expect("a poem").keywords, first.keywords);
    let by = |writers| PoemRequest {
        writers,
        keywords: first.keywords.clone(),
        ..asked.clone()
    };
    let alone = conversation.say(write(&by(Writers::Present)));
    assert!(
        matches!(alone[..], [Event::Done(Output::Poem(_))]),
        "{alone:?}"
    );
    let alone = conversation.say(write(&by(Writers::Beside)));
    assert!(
        matches!(alone[..], [Event::Done(Output::PoemBeside(Ok(_)))]),
        "{alone:?}"
    );
    let plan = PoemRequest {
        plans_only: true,
        ..asked.clone()
    };
    assert!(matches!(
        conversation.say(write(&plan))[..],
        [Event::Done(Output::Poem(_))]
    ));
    // Without given keywords, the model beside uses those of the present model.
    let unplanned = PoemRequest {
        writers: Writers::Beside,
        ..asked.clone()
    };
    let alone = conversation.say(write(&unplanned));
    assert_eq!(beside(&alone).expect("a poem").keywords, own.keywords);

    conversation.say(lay(None));
    assert!(matches!(
        conversation.say(write(&asked))[..],
        [Event::Done(Output::Poem(_))]
    ));
    let refused = conversation.refusal(write(&unplanned));
    assert!(refused.contains("no model lies beside"), "{refused}");
}

#[test]
fn what_the_model_beside_cannot_write_is_a_sentence_and_the_first_poem_stands() {
    let mut conversation = trained(true);
    let lay = |checkpoint| Command::Beside {
        checkpoint: Some(checkpoint),
    };
    let said = |events: &[Event]| {
        assert!(
            matches!(events, [Event::Done(Output::Poem(_)), _]),
            "{events:?}"
        );
        beside(events).expect_err("a sentence").clone()
    };
    // The poems of the model beside have another character instead of 江.
    let mut other = trained_on(&poems(600).replace('江', "河"), true, 1);
    conversation.say(lay(other.save()));
    let lacks = said(&conversation.say(write(&request("春江"))));
    assert!(lacks.contains("does not know 江"), "{lacks}");
    let events = conversation.say(write(&request("山水云风")));
    assert!(beside(&events).is_ok(), "{events:?}");
    conversation.say(lay(Conversation::loaded().save()));
    let lacks = said(&conversation.say(write(&request("春江"))));
    assert!(lacks.contains("writes no poems"), "{lacks}");
    assert_eq!(conversation.train(1).len(), 1);
}
