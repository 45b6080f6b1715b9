//! Shifts of blocks of a hypothesis: greedily, as long as they bring it closer to the reference.

use super::distance::{Distances, Edit};

/// Longest block that is shifted, in words, as in Tercom.
const LONGEST: usize = 10;
/// Farthest shift, in words, as in Tercom.
const FARTHEST: usize = 50;
/// Number of shifts of a sentence that are tried, as in sacreBLEU.
const MOST: usize = 1000;

/// Number of edits, shifts included, that make the reference of the hypothesis.
pub fn edits(hypothesis: &[u32], reference: &[u32]) -> u32 {
    if reference.is_empty() {
        return hypothesis.len() as u32;
    }
    let mut words = hypothesis.to_vec();
    let (mut shifts, mut tried) = (0, 0);
    loop {
        let mut distances = Distances::new(reference);
        distances.complete(&words, reference);
        let best = best(&words, reference, &distances, &mut tried);
        match best.filter(|it| it.gain > 0 && tried < MOST) {
            Some(shift) => {
                shifts += 1;
                words = shift.words;
            }
            None => return shifts + distances.last(),
        }
    }
}

/// A shift that was tried.
struct Shift {
    /// Edits that it saves.
    gain: i64,
    length: usize,
    start: usize,
    target: usize,
    words: Vec<u32>,
}

impl Shift {
    /// Tercom's order: more saved, longer, from further left, to further left.
    fn is_better_than(&self, other: &Self) -> bool {
        let rank = |it: &Self| (it.gain, it.length, -(it.start as i64), -(it.target as i64));
        rank(self) > rank(other)
    }
}

/// Places of edits.
struct Alignment {
    /// For each word of the reference the last word of the hypothesis up to it, counted from 1.
    places: Vec<usize>,
    /// Words of the reference that are not matched.
    reference_errors: Vec<bool>,
    /// Words of the hypothesis that are not matched.
    hypothesis_errors: Vec<bool>,
}

impl Alignment {
    fn of(edits: &[Edit]) -> Self {
        let mut alignment = Self {
            places: Vec::new(),
            reference_errors: Vec::new(),
            hypothesis_errors: Vec::new(),
        };
        for &edit in edits {
            let is_error = edit != Edit::Keep;
            if edit != Edit::Insert {
                alignment.hypothesis_errors.push(is_error);
            }
            if edit != Edit::Delete {
                alignment.places.push(alignment.hypothesis_errors.len());
                alignment.reference_errors.push(is_error);
            }
        }
        alignment
    }
}

/// The best shift, if any is tried.
fn best(
    words: &[u32],
    reference: &[u32],
    distances: &Distances,
    tried: &mut usize,
) -> Option<Shift> {
    let before = i64::from(distances.last());
    let alignment = Alignment::of(&distances.edits());
    let mut best: Option<Shift> = None;
    for (start, place, length) in blocks(words, reference) {
        let is_wrong = alignment.hypothesis_errors[start..start + length].contains(&true);
        let is_missed = alignment.reference_errors[place..place + length].contains(&true);
        // Not into itself.
        let inside = (start + 1..=start + length).contains(&alignment.places[place]);
        if !is_wrong || !is_missed || inside {
            continue;
        }
        let mut last = None;
        // Before the block's place in the reference, and after each of its words.
        for at in place..=place + length {
            let target = match at.checked_sub(1) {
                None => 0,
                Some(at) => match alignment.places.get(at) {
                    Some(&target) => target,
                    None => break,
                },
            };
            if last.replace(target) == Some(target) {
                continue;
            }
            let shifted = shifted(words, start, length, target);
            let same = words.iter().zip(&shifted).take_while(|(a, b)| a == b);
            let changed = distances.changed(same.count(), &shifted, reference);
            let shift = Shift {
                gain: before - i64::from(changed.last()),
                length,
                start,
                target,
                words: shifted,
            };
            *tried += 1;
            if best.as_ref().is_none_or(|best| shift.is_better_than(best)) {
                best = Some(shift);
            }
        }
        if *tried >= MOST {
            break;
        }
    }
    best
}

/// Blocks that stand in both: start in the hypothesis, place in the reference, length.
fn blocks<'a>(
    words: &'a [u32],
    reference: &'a [u32],
) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
    let places = (0..words.len()).flat_map(|start| {
        let near = (0..reference.len()).filter(move |place| place.abs_diff(start) <= FARTHEST);
        near.map(move |place| (start, place))
    });
    places.flat_map(|(start, place)| {
        let both = words[start..].iter().zip(&reference[place..]);
        let length = both.take(LONGEST).take_while(|(a, b)| a == b).count();
        (1..=length).map(move |length| (start, place, length))
    })
}

/// The words with a block moved before the word at `target`.
fn shifted(words: &[u32], start: usize, length: usize, target: usize) -> Vec<u32> {
    let end = start + length;
    let (block, rest) = (
        &words[start..end],
        [&words[..start], &words[end..]].concat(),
    );
    let place = match target {
        _ if target <= start => target,
        _ if target > end => target - length,
        // Inside of the block: as many words behind its start.
        _ => target.min(rest.len()),
    };
    [&rest[..place], block, &rest[place..]].concat()
}
