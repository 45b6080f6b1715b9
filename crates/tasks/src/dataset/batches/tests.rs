#![allow(clippy::unwrap_used)]

use super::*;

fn examples(count: u32) -> Vec<Example> {
    let sequence = |length| vec![4; length as usize];
    (0..count)
        .map(|i| Example {
            source: sequence(1 + i * 7 % 40),
            target: sequence(1),
        })
        .collect()
}

fn take(batches: &mut Batches, count: u64) -> Vec<Vec<usize>> {
    (0..count).map(|_| batches.next_batch()).collect()
}

#[test]
fn an_epoch_takes_each_example_once() {
    let mut batches = Batches::new(&examples(1003), BatchSize::Examples(8), 1).unwrap();
    assert_eq!(batches.batches_per_epoch(), 126);
    for epoch in 0..2 {
        assert_eq!(batches.position(), BatchPosition { epoch, batch: 0 });
        let mut seen = take(&mut batches, 126).concat();
        seen.sort_unstable();
        assert_eq!(seen, (0..1003).collect::<Vec<_>>());
    }
}

#[test]
fn a_position_goes_on_exactly() {
    let examples = examples(500);
    let start = || Batches::new(&examples, BatchSize::Examples(8), 9).unwrap();
    let mut whole = start();
    take(&mut whole, 100);
    let mut resumed = start().at(whole.position()).unwrap();
    assert_eq!(take(&mut whole, 70), take(&mut resumed, 70));
    assert_eq!(whole.position(), resumed.position());
}

#[test]
fn epochs_and_seeds_differ() {
    let examples = examples(500);
    let mut batches = Batches::new(&examples, BatchSize::Examples(8), 9).unwrap();
    let first = take(&mut batches, 63);
    assert_ne!(first, take(&mut batches, 63));
    assert_ne!(
        first,
        take(
            &mut Batches::new(&examples, BatchSize::Examples(8), 10).unwrap(),
            63
        )
    );
}

#[test]
fn batches_hold_sequences_of_nearly_one_length() {
    let examples = examples(2000);
    let mut batches = Batches::new(&examples, BatchSize::Examples(16), 0).unwrap();
    let (mut padded, mut real) = (0, 0);
    for batch in take(&mut batches, 125) {
        let lengths: Vec<usize> = batch.iter().map(|&i| examples[i].source.len()).collect();
        padded += lengths.iter().max().unwrap() * lengths.len();
        real += lengths.iter().sum::<usize>();
    }
    assert!(
        padded * 100 < real * 110,
        "{padded} positions for {real} tokens"
    );
}

#[test]
fn examples_can_be_taken_as_they_come() {
    let mut batches = Batches::new(&examples(10), BatchSize::Examples(4), 5)
        .unwrap()
        .in_order();
    let epoch = [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]];
    assert_eq!(take(&mut batches, 3), epoch);
    assert_eq!(take(&mut batches, 3), epoch);
    assert_eq!(batches.position(), BatchPosition { epoch: 2, batch: 0 });
}

#[test]
fn batches_of_tokens_fit_their_budget_and_fill_it() {
    let examples: Vec<Example> = (0..2000)
        .map(|i| Example {
            source: vec![4; 1 + i * 7 % 40],
            target: vec![4; 1 + i * 11 % 30],
        })
        .collect();
    let budget = 600;
    let mut batches = Batches::new(&examples, BatchSize::Tokens(budget), 3).unwrap();
    let count = batches.batches_per_epoch();
    let epoch = take(&mut batches, count);
    assert_eq!(batches.position(), BatchPosition { epoch: 1, batch: 0 });
    let longest = |batch: &[usize], length: fn(&Example) -> usize| {
        batch.iter().map(|&i| length(&examples[i])).max().unwrap()
    };
    let mut padded = 0;
    for batch in &epoch {
        let columns = longest(batch, |it| it.source.len()) + longest(batch, |it| it.target.len());
        let tokens = batch.len() * (columns + 1);
        assert!(tokens <= budget, "{tokens}");
        padded += tokens;
    }
    assert!(padded > epoch.len() * budget * 9 / 10, "{padded}");
    let mut seen = epoch.concat();
    seen.sort_unstable();
    assert_eq!(seen, (0..2000).collect::<Vec<_>>());
}

#[test]
fn batches_of_tokens_go_on_exactly() {
    let examples = examples(500);
    let start = || Batches::new(&examples, BatchSize::Tokens(300), 9).unwrap();
    let mut whole = start();
    take(&mut whole, 100);
    let mut resumed = start().at(whole.position()).unwrap();
    assert_eq!(take(&mut whole, 70), take(&mut resumed, 70));
}

#[test]
fn an_example_beyond_the_budget_is_a_batch_alone() {
    let mut batches = Batches::new(&examples(6), BatchSize::Tokens(1), 0).unwrap();
    assert!(take(&mut batches, 6).iter().all(|batch| batch.len() == 1));
}

/// The expected order was written down once: it must not change with the platform or a dependency.
#[test]
fn the_order_is_pinned() {
    let mut batches = Batches::new(&examples(100), BatchSize::Examples(4), 5).unwrap();
    assert_eq!(batches.next_batch(), [34, 97, 57, 17]);
    assert_eq!(batches.next_batch(), [5, 85, 28, 68]);
}

#[test]
fn impossible_batches_are_refused() {
    assert!(Batches::new(&[], BatchSize::Examples(8), 0).is_err());
    assert!(Batches::new(&examples(3), BatchSize::Examples(0), 0).is_err());
    let batches = Batches::new(&examples(3), BatchSize::Examples(usize::MAX), 0).unwrap();
    assert_eq!(batches.batches_per_epoch(), 1);
    assert!(batches.at(BatchPosition { epoch: 0, batch: 1 }).is_err());
}

#[test]
fn a_batch_has_examples_of_one_group() {
    let examples = examples(1003);
    let groups: Vec<u32> = (0..1003).map(|index| index * index % 3).collect();
    for size in [BatchSize::Examples(8), BatchSize::Tokens(120)] {
        let start = || {
            let batches = Batches::new(&examples, size, 9).unwrap();
            batches.of_groups(groups.clone())
        };
        let mut batches = start();
        let count = batches.batches_per_epoch();
        let taken = take(&mut batches, count);
        let mut changes = 0;
        let mut before = 0;
        for batch in &taken {
            let group = groups[batch[0]];
            assert!(batch.iter().all(|&index| groups[index] == group));
            changes += u64::from(group != before);
            before = group;
        }
        // The groups do not come one after another.
        assert!(changes > count / 5, "{changes} changes in {count} batches");
        let mut seen = taken.concat();
        seen.sort_unstable();
        assert_eq!(seen, (0..1003).collect::<Vec<_>>());
        let mut whole = start();
        take(&mut whole, 20);
        let mut resumed = start().at(whole.position()).unwrap();
        assert_eq!(take(&mut whole, count), take(&mut resumed, count));
    }
    let plain = || Batches::new(&examples, BatchSize::Examples(8), 9).unwrap();
    let mut of_none = plain().of_groups(Vec::new());
    assert_eq!(take(&mut of_none, 50), take(&mut plain(), 50));
}
