//! Reader of a workload: Strata's model with the initial parameters of the definition, and the
//! questions for it.

use strata_models::reader::{ReadText, Spelling};
use strata_models::{SpanBatch, Tokens, Vocabularies};

use super::definition::ReaderWorkload;
use super::numbers::{fmix32, frequent};

/// Bound of all initial parameters.
pub(super) const BOUND: f64 = 0.1;
/// Smallest word id; lower ids are padding and unknown words.
const FIRST: u32 = 2;
/// Distance from an answer's first word to its last, if the passage is long enough.
const SPAN: usize = 2;

impl ReaderWorkload {
    /// Sizes of the vocabularies of words and of characters.
    pub(super) fn vocabularies(&self) -> Vocabularies {
        Vocabularies {
            source: self.vocab,
            target: self.characters,
        }
    }

    /// Draws the questions of step `step` (from 0), with one passage each; all texts have full
    /// length. Frequent words have low ids, roughly as in a text.
    pub(super) fn batch(&self, seed: u32, step: u32, questions: usize) -> SpanBatch {
        let key = fmix32(seed ^ 0x51ed_270b);
        let lengths = [self.passage_len, self.question_len];
        let [passages, asked] = lengths.map(|length| questions * length);
        let first = step.wrapping_mul((passages + asked) as u32);
        let symbols = self.vocab as u32 - FIRST;
        let id = |place: usize| {
            let place = first.wrapping_add(place as u32);
            FIRST + frequent(key.wrapping_add(place), symbols)
        };
        let text = |places: std::ops::Range<usize>, length: usize| {
            let ids: Vec<u32> = places.map(id).collect();
            let rows: Vec<&[u32]> = ids.chunks(length).collect();
            ReadText {
                words: Tokens::pad(&rows),
                spelling: self
                    .model
                    .reads_characters()
                    .then(|| self.spelling(seed, &ids)),
            }
        };
        let target = |question: usize| {
            let place = step.wrapping_mul(questions as u32) + question as u32;
            let start = fmix32(place.wrapping_add(fmix32(key))) as usize % self.passage_len;
            [start, (start + SPAN).min(self.passage_len - 1)]
        };
        SpanBatch {
            passages: text(0..passages, self.passage_len),
            questions: text(passages..passages + asked, self.question_len),
            each: 1,
            targets: (0..questions).map(target).collect(),
        }
    }

    /// Spells these words with characters drawn by a hash.
    fn spelling(&self, seed: u32, words: &[u32]) -> Spelling {
        let key = fmix32(seed ^ 0x2545_f491);
        let symbols = self.characters as u32 - FIRST;
        let length = self.word_len as u32;
        let of_word = |&word: &u32| -> Vec<u32> {
            let places = (0..length).map(|at| word.wrapping_mul(length).wrapping_add(at));
            places
                .map(|place| FIRST + fmix32(key.wrapping_add(place)) % symbols)
                .collect()
        };
        let spelt: Vec<Vec<u32>> = words.iter().map(of_word).collect();
        Spelling::of(spelt.iter().map(Vec::as_slice))
    }
}
