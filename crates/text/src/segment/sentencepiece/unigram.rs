//! Most probable pieces by a unigram language model (Kudo 2018), with SentencePiece's arithmetic.

use super::file::Kind;
use super::{Cut, SentencePiece};

/// Amount by which an unknown character is less likely than the least likely piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Best segmentation of the text before a place.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    /// Start of the last piece.
    start: usize,
    id: u32,
}

impl SentencePiece {
    pub(super) fn unigram(&self, text: &str) -> Cut {
        let unknown_score = self.lowest - UNKNOWN_PENALTY;
        let mut best: Vec<Option<Best>> = vec![None; text.len() + 1];
        for (start, character) in text.char_indices() {
            let before = best[start].map_or(0.0, |it| it.score);
            let mut is_alone = false;
            let first = character.len_utf8();
            for length in first..=self.longest.min(text.len() - start) {
                let end = start + length;
                if !text.is_char_boundary(end) {
                    continue;
                }
                let Some(&id) = self.plain.get(&text[start..end]) else {
                    continue;
                };
                let piece = &self.pieces[id as usize];
                let score = match piece.kind {
                    Kind::Unused => continue,
                    // Higher than the score of any other segmentation, as in version 0.2.3.
                    Kind::UserDefined => 0.1 * (length - 1) as f32,
                    _ => piece.score,
                };
                let score = score + before;
                keep(&mut best[end], Best { score, start, id });
                is_alone |= length == first;
            }
            if !is_alone {
                let (score, id) = (unknown_score + before, self.unknown);
                keep(&mut best[start + first], Best { score, start, id });
            }
        }
        let mut cut = Vec::new();
        let mut end = text.len();
        while let Some(Best { start, id, .. }) = best[end] {
            cut.push((start..end, id));
            end = start;
        }
        cut.reverse();
        cut
    }
}

fn keep(place: &mut Option<Best>, candidate: Best) {
    if place.is_none_or(|it| candidate.score > it.score) {
        *place = Some(candidate);
    }
}
