//! Shifts blocks of a hypothesis, greedily, as long as shifts bring the hypothesis closer to the
//! reference.

use super::distance::{Distances, Edit};

/// Largest length of a block that is shifted, in words, as in Tercom.
const LONGEST: usize = 10;
/// Largest distance of a shift, in words, as in Tercom.
const FARTHEST: usize = 50;
/// Largest number of shifts of a sentence that are tried, as in sacreBLEU.
const MOST: usize = 1000;

/// Counts the edits, shifts included, that turn the hypothesis into the reference.
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

/// Shift that was tried.
struct Shift {
    /// Number of edits that the shift saves.
    gain: i64,
    length: usize,
    start: usize,
    target: usize,
    words: Vec<u32>,
}

impl Shift {
    /// Compares shifts in Tercom's order: more edits saved, then longer, then from further left,
    /// then to further left.
    fn is_better_than(&self, other: &Self) -> bool {
        let rank = |it: &Self| (it.gain, it.length, -(it.start as i64), -(it.target as i64));
        rank(self) > rank(other)
    }
}

/// Places of edits in hypothesis and reference.
struct Alignment {
    /// For each word of the reference, the last word of the hypothesis aligned so far, counted from
    /// 1.
    places: Vec<usize>,
    /// True for each word of the reference without a match.
    reference_errors: Vec<bool>,
    /// True for each word of the hypothesis without a match.
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

/// Finds the best shift; `None` if no shift is tried.
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
        // A block is not shifted into itself.
        let inside = (start + 1..=start + length).contains(&alignment.places[place]);
        if !is_wrong || !is_missed || inside {
            continue;
        }
        let mut last = None;
        // Try the place before the block's match in the reference, and after each of its words.
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

/// Iterates over blocks that occur in both sequences: start in the hypothesis, start in the
/// reference, length.
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

/// Returns the words with a block moved before the word at `target`.
fn shifted(words: &[u32], start: usize, length: usize, target: usize) -> Vec<u32> {
    let end = start + length;
    let (block, rest) = (
        &words[start..end],
        [&words[..start], &words[end..]].concat(),
    );
    let place = match target {
        _ if target <= start => target,
        _ if target > end => target - length,
        // A target inside of the block: move the block by as many words as the target is behind its
        // start.
        _ => target.min(rest.len()),
    };
    [&rest[..place], block, &rest[place..]].concat()
}
