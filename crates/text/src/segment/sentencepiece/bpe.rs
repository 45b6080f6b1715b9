//! Byte-pair encoding (Sennrich et al. 2016): the best pair is merged first, in the order of
//! SentencePiece.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

use ahash::AHashMap;

use super::{Cut, SentencePiece};

/// A part of the text, a character or merged characters.
struct Symbol {
    /// Range of bytes; empty if the symbol was merged into the one before.
    place: Range<usize>,
    before: Option<usize>,
    after: Option<usize>,
    /// True for a user-defined piece.
    is_whole: bool,
}

/// Two neighbours that can be merged to a piece.
struct Pair {
    score: f32,
    left: usize,
    right: usize,
    /// Number of bytes of the piece; if the neighbours have another length now, one of them has
    /// changed.
    length: usize,
}

impl Ord for Pair {
    /// Orders pairs by score; among equal scores, the leftmost is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then_with(|| Reverse(self.left).cmp(&Reverse(other.left)))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

/// State of a text while its pairs are merged.
struct Merging<'a> {
    model: &'a SentencePiece,
    text: &'a str,
    symbols: Vec<Symbol>,
    agenda: BinaryHeap<Pair>,
    /// Length of the first part of each merged piece that is never part of the result.
    halves: AHashMap<&'a str, usize>,
}

impl SentencePiece {
    pub(super) fn bpe(&self, text: &str) -> Cut {
        let mut merging = Merging {
            model: self,
            text,
            symbols: self.symbols_of(text),
            agenda: BinaryHeap::new(),
            halves: AHashMap::new(),
        };
        for left in 1..merging.symbols.len() {
            merging.note(Some(left - 1), Some(left));
        }
        while let Some(pair) = merging.agenda.pop() {
            merging.merge(&pair);
        }
        merging.cut()
    }

    /// Cuts a text into characters and user-defined pieces.
    fn symbols_of(&self, text: &str) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::with_capacity(text.len());
        let mut start = 0;
        while let Some(character) = text[start..].chars().next() {
            let whole = self.symbols.at_start_of(&text[start..]);
            let end = start + whole.unwrap_or(character.len_utf8());
            let index = symbols.len();
            symbols.push(Symbol {
                place: start..end,
                before: index.checked_sub(1),
                after: (end < text.len()).then_some(index + 1),
                is_whole: whole.is_some(),
            });
            start = end;
        }
        symbols
    }
}

impl<'a> Merging<'a> {
    /// Adds two neighbours to the agenda, if they form a piece.
    fn note(&mut self, left: Option<usize>, right: Option<usize>) {
        let Some((left, right)) = left.zip(right) else {
            return;
        };
        let [first, second] = [&self.symbols[left], &self.symbols[right]];
        if first.is_whole || second.is_whole {
            return;
        }
        let place = first.place.start..second.place.end;
        let piece = &self.text[place];
        let Some(&id) = self.model.plain.get(piece) else {
            return;
        };
        if self.model.is_unused(id) {
            self.halves.insert(piece, first.place.len());
        }
        self.agenda.push(Pair {
            // Adding 0 turns −0 into 0, so that equal scores compare as equal.
            score: self.model.pieces[id as usize].score + 0.0,
            left,
            right,
            length: piece.len(),
        });
    }

    fn merge(&mut self, pair: &Pair) {
        let [left, right] = [&self.symbols[pair.left], &self.symbols[pair.right]];
        let is_past = left.place.is_empty() || right.place.is_empty();
        if is_past || left.place.len() + right.place.len() != pair.length {
            return;
        }
        let (end, after) = (right.place.end, right.after);
        let left = &mut self.symbols[pair.left];
        left.place.end = end;
        left.after = after;
        let before = left.before;
        self.symbols[pair.right].place = end..end;
        if let Some(after) = after {
            self.symbols[after].before = Some(pair.left);
        }
        self.note(before, Some(pair.left));
        self.note(Some(pair.left), after);
    }

    fn cut(&self) -> Cut {
        let mut cut = Vec::new();
        let left = self.symbols.iter().filter(|it| !it.place.is_empty());
        for symbol in left {
            // Unused pieces are split into the parts from which they were merged.
            let mut parts = vec![symbol.place.clone()];
            while let Some(place) = parts.pop() {
                let piece = &self.text[place.clone()];
                let id = self.model.id(piece);
                match self.halves.get(piece).filter(|_| self.model.is_unused(id)) {
                    Some(&half) => {
                        let middle = place.start + half;
                        parts.extend([middle..place.end, place.start..middle]);
                    }
                    None => cut.push((place, id)),
                }
            }
        }
        cut
    }
}
