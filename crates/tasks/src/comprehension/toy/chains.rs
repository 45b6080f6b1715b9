//! Passages of chains: who has a thing is told in several facts, and where that person is in the
//! last one.
//!
//! `anna gave the red ball to ben . ben is with clara . clara is in the park .`: the ball is in the
//! park. Facts are shuffled, those of other things among them.

use super::{COLOURS, PLACES, THINGS};
use crate::random::Random;

/// Names of persons beside those of passages of one link.
pub(super) const OTHER_NAMES: [&str; 16] = [
    "ida", "jacob", "karl", "lena", "martin", "nora", "oscar", "paula", "quentin", "rosa", "simon",
    "tina", "ulrich", "vera", "walter", "yara",
];
/// Words of chains that passages of one link lack.
pub(super) const OTHER_WORDS: [&str; 4] = ["gave", "to", "is", "with"];

/// A drawn passage and a question about the passage.
pub(super) struct Drawn {
    pub(super) passage: String,
    pub(super) question: String,
    /// First and last token of the answer, `in the park`.
    pub(super) answer: [usize; 2],
}

/// Draws a passage of `1 + distractors` chains of `links` facts each, at least 2, and the question
/// where the thing of the first chain is. `names` are enough for all chains.
pub(super) fn draw(
    random: &mut Random,
    links: usize,
    distractors: usize,
    names: &mut [&'static str],
) -> Drawn {
    let mut places = PLACES;
    let mut things: Vec<usize> = (0..COLOURS.len() * THINGS.len()).collect();
    random.shuffle(names);
    random.shuffle(&mut places);
    random.shuffle(&mut things);
    let thing = |chain: usize| {
        let thing = things[chain];
        format!(
            "{} {}",
            COLOURS[thing / THINGS.len()],
            THINGS[thing % THINGS.len()]
        )
    };
    // The last fact of each chain tells the place; that of chain 0 is the answer.
    let mut facts: Vec<(bool, String)> = Vec::new();
    for (chain, names) in names.chunks(links).take(1 + distractors).enumerate() {
        let [giver, holders @ ..] = names else {
            continue;
        };
        facts.push((
            false,
            format!("{giver} gave the {} to {} .", thing(chain), holders[0]),
        ));
        for pair in holders.windows(2) {
            facts.push((false, format!("{} is with {} .", pair[0], pair[1])));
        }
        let last = holders[holders.len() - 1];
        facts.push((chain == 0, format!("{last} is in the {} .", places[chain])));
    }
    random.shuffle(&mut facts);
    let before = facts.iter().take_while(|(answers, _)| !answers);
    let before: usize = before.map(|(_, fact)| fact.split(' ').count()).sum();
    let facts: Vec<String> = facts.into_iter().map(|(_, fact)| fact).collect();
    Drawn {
        passage: facts.join(" "),
        question: format!("where is the {} ?", thing(0)),
        // `clara is in the park .`
        answer: [before + 2, before + 4],
    }
}
