//! Receipts of runs, checked by running again.

use strata_session::protocol::{Command, Event};
use strata_session::receipt::{Quantity, Receipt, Rerun, Verdict, digest};
use strata_training::Experiment;

use super::{Conversation, experiment, steps};

/// Repeats a run by the commands of a rerun.
fn repeat(experiment: Experiment, steps: &[u64]) -> Rerun {
    let mut conversation = Conversation::new();
    let mut rerun = Rerun::to(steps.iter().copied());
    let mut commands = vec![Rerun::begin(experiment)];
    while !commands.is_empty() {
        let events: Vec<Event> = commands
            .into_iter()
            .flat_map(|it| conversation.say(it))
            .collect();
        commands = events.iter().flat_map(|it| rerun.event(it)).collect();
    }
    rerun
}

/// Trains and pauses, and returns the receipt of what was seen.
fn receipt(experiment: Experiment, count: usize) -> Receipt {
    let mut conversation = Conversation::new();
    conversation.load(experiment);
    let mut events = conversation.say(Command::Train);
    events.extend(conversation.advance(count));
    events.extend(conversation.say(Command::Pause));
    let training: Vec<_> = steps(&events).iter().map(|it| (it.step, it.loss)).collect();
    let validations = events.iter().filter_map(|event| match event {
        Event::Validated(it) => Some((it.step, it.loss, it.accuracy)),
        _ => None,
    });
    let validations: Vec<_> = validations.collect();
    let digest = digest(&conversation.save()).expect("a checkpoint has parameters");
    let step = count as u64;
    Receipt::of(
        "?v=1".to_owned(),
        step,
        digest,
        "CPU",
        &training,
        &validations,
    )
}

#[test]
fn a_run_that_is_repeated_is_the_same_at_any_step() {
    let (long, short) = (receipt(experiment(), 30), receipt(experiment(), 13));
    assert_eq!((long.validations.len(), short.validations.len()), (3, 1));
    let rerun = repeat(experiment(), &[13, 30]);
    assert!(rerun.is_over() && rerun.failure().is_none());
    assert_eq!(Verdict::of(&long, &rerun), Verdict::Same);
    assert_eq!(Verdict::of(&short, &rerun), Verdict::Same);
    // A short code has half of the digest.
    let mut coded = short;
    coded.digest.truncate(8);
    assert_eq!(Verdict::of(&coded, &rerun), Verdict::Same);
}

#[test]
fn what_was_changed_by_hand_is_told() {
    let honest = receipt(experiment(), 20);
    let rerun = repeat(experiment(), &[20]);
    let changed = |change: fn(&mut Receipt)| {
        let mut changed = honest.clone();
        change(&mut changed);
        Verdict::of(&changed, &rerun)
    };
    let of = |verdict: Verdict| match verdict {
        Verdict::Differs(it) => (it.quantity, it.step),
        other => panic!("{other:?}"),
    };
    let other_digest = changed(|it| it.digest = "0123456789abcdef".to_owned());
    match other_digest {
        Verdict::Near(compared) => {
            assert!(
                compared.count > 20 && compared.largest < 1e-2,
                "{compared:?}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        of(changed(|it| it.training[0].1 *= 1.01)),
        (Quantity::Training, 1)
    );
    let better = changed(|it| it.validations[1].1 = 0.01);
    assert_eq!(of(better), (Quantity::Validation, 20));
    let better = changed(|it| it.validations[1].2 = 1.0);
    assert_eq!(of(better), (Quantity::Accuracy, 20));
    let empty = changed(|it| {
        it.digest = "0123456789abcdef".to_owned();
        (it.training, it.validations) = (Vec::new(), Vec::new());
    });
    assert_eq!(empty, Verdict::Unknown);
    // Another seed is another run from its first step on.
    let seeded = Experiment {
        seed: 7,
        ..experiment()
    };
    let other = Verdict::of(&receipt(seeded, 20), &rerun);
    assert_eq!(of(other), (Quantity::Training, 1));
}

#[test]
fn a_run_that_ends_before_its_receipt_is_not_checked() {
    let mut long = receipt(experiment(), 10);
    long.step = 40;
    let rerun = repeat(experiment(), &[10, 40]);
    let failure = rerun.failure().expect("the run has 30 steps");
    assert!(failure.contains("30 steps"), "{failure}");
    assert_eq!(Verdict::of(&long, &rerun), Verdict::Unchecked);
    assert_eq!(
        Verdict::of(&receipt(experiment(), 10), &rerun),
        Verdict::Same
    );
}
