//! Split of a corpus into training and held-out sentences: by the sentences themselves, so that all
//! seeds and all runs hold out the same ones, or by the seed.

#[cfg(not(target_family = "wasm"))]
pub(crate) mod digest;
pub(crate) mod fingerprint;
pub(crate) mod held_out;
pub(crate) mod learned;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use crate::identity::rank;
use crate::random::Random;

/// Largest number of the setting `split`.
pub(crate) const MOST_SPLITS: u64 = u32::MAX as u64;

/// Returns the ranks of the sentences that are held out of a corpus.
///
/// `sentences` has the number of pairs for each rank. The sentences with the lowest ranks are
/// chosen until they have at least `held_out` pairs. A sentence is skipped if more than half of the
/// pairs of the corpus would be held out with it; the next one takes its place only if the skipped
/// sentence alone is more than half of the corpus. If the corpus grows, the held-out sentences that
/// are still among the lowest stay held out, and no other old sentence takes the place of one that
/// is not.
pub(crate) fn lowest(
    sentences: &BTreeMap<u64, usize>,
    held_out: usize,
    all: usize,
) -> HashSet<u64> {
    let (mut seen, mut pairs) = (0, 0);
    let mut chosen = HashSet::new();
    for (&rank, &count) in sentences {
        if seen >= held_out {
            break;
        }
        if count > all / 2 {
            continue;
        }
        // In a streamed corpus, only the pairs seen here are in memory.
        seen += count;
        if pairs + count <= all / 2 {
            pairs += count;
            chosen.insert(rank);
        }
    }
    chosen
}

/// Splits items by the identity of the sentence in each: by [`lowest`] if `split` is not 0, else at
/// random by the seed, as in [`split_by_sentence`]. Both parts keep their order.
pub(crate) fn split_by_identity<T, S: Eq + Hash + ?Sized>(
    items: Vec<T>,
    held_out: usize,
    (split, seed): (u64, u64),
    sentence: impl Fn(&T) -> &S,
    identity: impl Fn(&T) -> u64,
) -> (Vec<T>, Vec<T>) {
    if split == 0 {
        return split_by_sentence(items, held_out, seed, sentence);
    }
    let ranks: Vec<u64> = items.iter().map(|it| rank(identity(it), split)).collect();
    let mut counts = BTreeMap::new();
    for &rank in &ranks {
        *counts.entry(rank).or_default() += 1;
    }
    let chosen = lowest(&counts, held_out, items.len());
    apart(items, ranks.iter().map(|rank| chosen.contains(rank)))
}

fn apart<T>(items: Vec<T>, is_held_out: impl Iterator<Item = bool>) -> (Vec<T>, Vec<T>) {
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for (item, held) in items.into_iter().zip(is_held_out) {
        if held {
            validation.push(item)
        } else {
            training.push(item)
        }
    }
    (training, validation)
}

/// Splits `items` at random by the sentence that `sentence` finds in each, so that all items of a
/// sentence are on the same side.
///
/// Returns the items to train on and at least `held_out` items to validate on, both in their old
/// order. At most half of the sentences are held out.
pub(crate) fn split_by_sentence<T, S: Eq + Hash + ?Sized>(
    items: Vec<T>,
    held_out: usize,
    seed: u64,
    sentence: impl Fn(&T) -> &S,
) -> (Vec<T>, Vec<T>) {
    let mut counts: HashMap<&S, usize> = HashMap::new();
    let mut distinct = Vec::new();
    for item in &items {
        let count = counts.entry(sentence(item)).or_default();
        if *count == 0 {
            distinct.push(sentence(item));
        }
        *count += 1;
    }
    Random::new(seed, "held out", 0).shuffle(&mut distinct);
    let mut chosen = HashSet::new();
    let mut pairs = 0;
    for text in &distinct[..distinct.len() / 2] {
        if pairs >= held_out {
            break;
        }
        pairs += counts[text];
        chosen.insert(*text);
    }
    let is_chosen: Vec<bool> = items
        .iter()
        .map(|item| chosen.contains(sentence(item)))
        .collect();
    apart(items, is_chosen.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity;

    fn sentences(count: usize) -> Vec<String> {
        (0..count).map(|it| format!("sentence {it}")).collect()
    }

    fn split(items: Vec<String>, held_out: usize, split: u64, seed: u64) -> [Vec<String>; 2] {
        let (training, held_out) =
            split_by_identity(items, held_out, (split, seed), String::as_str, |it| {
                identity(it)
            });
        [training, held_out]
    }

    #[test]
    fn all_seeds_hold_out_the_same_and_each_split_others() {
        let of = |number, seed| split(sentences(300), 40, number, seed)[1].clone();
        for number in [1, 2, MOST_SPLITS] {
            assert_eq!(of(number, 1), of(number, 2));
            assert_eq!(of(number, 1).len(), 40);
        }
        assert_ne!(of(1, 1), of(2, 1));
        assert_ne!(of(0, 1), of(0, 2));
        // 8 of 40 sentences are expected to be in both by chance.
        let others = of(2, 0);
        let both = of(1, 0).iter().filter(|it| others.contains(it)).count();
        assert!(both < 20, "{both}");
    }

    /// When a corpus grows, sentences that are no longer held out become training sentences, and no
    /// earlier training sentence becomes held out, in whatever order the lines are.
    #[test]
    fn a_corpus_that_grows_holds_out_nothing_that_was_learned_before() {
        let all = sentences(900);
        for (before, after) in [(300, 301), (300, 500), (100, 900)] {
            let [learned, held_out] = split(all[..before].to_vec(), 40, 1, 0);
            let mut grown = all[..after].to_vec();
            grown.rotate_left(before / 3);
            let [_, later] = split(grown.clone(), 40, 1, 7);
            assert_eq!(later.len(), 40);
            assert!(later.iter().all(|it| !learned.contains(it)));
            assert!(later.iter().any(|it| held_out.contains(it)));
            // If more sentences are held out, the earlier ones are among them.
            let [_, more] = split(grown, 40 * after / before + 60, 1, 7);
            assert!(held_out.iter().all(|it| more.contains(it)));
        }
    }

    #[test]
    fn a_sentence_that_is_repeated_stays_whole_and_at_most_half_is_held_out() {
        for seed in 1..40 {
            let mut random = Random::new(seed, "split test", 0);
            let count = 1 + random.below(60) as usize;
            let mut item = |_| {
                let spelling = ["Ein Hund", "ein  hund"][random.below(2) as usize];
                format!("{spelling} {}", random.below(1 + seed as u32))
            };
            let items: Vec<String> = (0..count).map(&mut item).collect();
            let wanted = 1 + random.below(50) as usize;
            let [training, held_out] = split(items.clone(), wanted, seed, 0);
            assert_eq!(training.len() + held_out.len(), count);
            assert!(held_out.len() <= count / 2);
            let learned: HashSet<u64> = training.iter().map(|it| identity(it)).collect();
            assert!(held_out.iter().all(|it| !learned.contains(&identity(it))));
            let distinct: HashSet<u64> = items.iter().map(|it| identity(it)).collect();
            if distinct.len() == count {
                assert_eq!(held_out.len(), wanted.min(count / 2));
            }
        }
    }

    #[test]
    fn where_one_sentence_is_most_of_a_corpus_another_is_held_out() {
        for number in 1..20 {
            let items: Vec<String> = ["a", "a", "b", "a", "a", "a"].map(str::to_owned).into();
            assert_eq!(split(items, 500, number, 0)[1], ["b"]);
            let mut items = sentences(10);
            items.extend(vec!["frequent".to_owned(); 90]);
            assert_eq!(split(items, 5, number, 0)[1].len(), 5);
        }
        assert_eq!(split(vec!["a".to_owned(); 3], 1, 1, 0)[1], [""; 0]);
    }

    #[test]
    fn a_sentence_lands_on_one_side_only() {
        let items: Vec<(String, usize)> = (0..1000).map(|i| (format!("s{}", i % 300), i)).collect();
        let (training, validation) = split_by_sentence(items, 100, 1, |item| &item.0);
        assert_eq!(training.len() + validation.len(), 1000);
        assert!(
            (100..104).contains(&validation.len()),
            "{}",
            validation.len()
        );
        let trained: HashSet<&str> = training.iter().map(|item| item.0.as_str()).collect();
        assert!(
            validation
                .iter()
                .all(|item| !trained.contains(item.0.as_str()))
        );
    }

    #[test]
    fn at_most_half_of_the_sentences_are_held_out() {
        let items: Vec<String> = (0..9).map(|i| format!("s{i}")).collect();
        let (training, validation) = split_by_sentence(items, 500, 1, |item| item);
        assert_eq!((training.len(), validation.len()), (5, 4));
        let (training, validation) = split_by_sentence(vec!["a"; 3], 1, 1, |item| item);
        assert_eq!((training.len(), validation.len()), (3, 0));
    }

    #[test]
    fn the_seed_chooses_what_is_held_out() {
        let split = |seed| {
            let items: Vec<String> = (0..100).map(|i| format!("s{i}")).collect();
            split_by_sentence(items, 10, seed, |item| item).1
        };
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
    }
}
