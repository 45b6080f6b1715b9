//! Learning of subwords: the same words give the same subwords on every machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ahash::AHashMap;
use compact_str::CompactString;
use tokenizers::AddedToken;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::models::unigram::{Unigram, UnigramTrainer};

use super::subwords::SubwordModel;
use crate::special::{TEXTS, UNK};
use crate::{TextError, Vocabulary};

/// Most characters of a subword; the default of SentencePiece.
const LONGEST_PIECE: usize = 16;
/// Step between the scores that `tokenizers` gives to characters that the model has dropped.
const STEP_OF_DROPPED: f64 = 0.0001;

/// Learns byte-pair encoding with at most `most_pieces` pieces.
pub(super) fn bpe(
    words: Vec<(String, u64)>,
    minimum_count: usize,
    most_pieces: usize,
) -> Result<(SubwordModel, Vocabulary), TextError> {
    let mut counts: AHashMap<CompactString, u64> = AHashMap::with_capacity(words.len());
    for (word, count) in words {
        *counts.entry(word.into()).or_default() += count;
    }
    let trainer = BpeTrainer::builder()
        .vocab_size(most_pieces + 1)
        .min_frequency(minimum_count as u64)
        .max_token_length(Some(LONGEST_PIECE))
        .special_tokens(vec![unknown()])
        .show_progress(false)
        .build();
    let mut model = BPE::default();
    trainer
        .do_train(&counts, &mut model)
        .map_err(TextError::subwords)?;
    // The merges can only be read from the saved form of the model.
    let file = serde_json::to_value(&model).map_err(|error| TextError::subwords(error.into()))?;
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let mut pieces: Vec<(u64, String)> = file["vocab"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(piece, id)| Some((id.as_u64()?, piece.clone())))
        .collect();
    pieces.sort_unstable();
    let pieces = pieces.into_iter().map(|(_, piece)| piece);
    let vocabulary = Vocabulary::of_distinct(pieces.filter(|piece| piece != TEXTS[UNK as usize]));
    let merges = file["merges"].as_array().into_iter().flatten();
    let merges = merges
        .filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?)))
        .map(|(left, right)| (vocabulary.id(&left), vocabulary.id(&right)))
        .collect();
    Ok((SubwordModel::Bpe { merges }, vocabulary))
}

/// Learns the unigram language model with at most `most_pieces` pieces.
pub(super) fn unigram(
    mut words: Vec<(String, u64)>,
    most_pieces: usize,
) -> Result<(SubwordModel, Vocabulary), TextError> {
    // The words are sorted and read by a single thread, because sums of probabilities depend on the
    // order.
    words.sort_unstable();
    put_simple_word_last(&mut words);
    let sentences: Vec<(String, u32)> = words
        .into_iter()
        .map(|(word, count)| (word, u32::try_from(count).unwrap_or(u32::MAX)))
        .collect();
    let trainer = UnigramTrainer::builder()
        .vocab_size(most_pieces as u32 + 1)
        .max_piece_length(LONGEST_PIECE)
        .special_tokens(vec![unknown()])
        .unk_token(Some(TEXTS[UNK as usize].to_owned()))
        .show_progress(false)
        .build()
        .map_err(|error| TextError::subwords(error.into()))?;
    let mut model = Unigram::default();
    // A panic of the trainer is reported as an error, where it can be caught.
    catch_unwind(AssertUnwindSafe(|| {
        alone(|| trainer.do_train(sentences, &mut model))
    }))
    .unwrap_or_else(|_| Err("its list of suffixes is wrong".into()))
    .map_err(TextError::subwords)?;
    let unknown = |piece: &&(String, f64)| piece.0 == TEXTS[UNK as usize];
    let mut pieces: Vec<(String, f64)> = model
        .iter()
        .filter(|piece| !unknown(piece))
        .cloned()
        .collect();
    order_dropped(&mut pieces);
    pieces.sort_unstable_by(|(left, left_score), (right, right_score)| {
        right_score
            .total_cmp(left_score)
            .then_with(|| left.cmp(right))
    });
    let scores = pieces.iter().map(|&(_, score)| score as f32).collect();
    let vocabulary = Vocabulary::of_distinct(pieces.into_iter().map(|(piece, _)| piece));
    Ok((SubwordModel::Unigram { scores }, vocabulary))
}

/// Moves a word to the end whose characters rise and then fall once.
///
/// The suffix list that `tokenizers` builds over all words in a row (esaxx-rs 0.1.10) is wrong, or
/// never ends, if the row ends in a part, the same part again, and a larger part. Behind such a
/// word no part is followed by its like.
fn put_simple_word_last(words: &mut [(String, u64)]) {
    let is_simple = |word: &str| {
        let mut rest = word.chars().zip(word.chars().skip(1));
        rest.by_ref().find(|(before, after)| after < before);
        rest.all(|(before, after)| after <= before)
    };
    if let Some(at) = words.iter().rposition(|(word, _)| is_simple(word)) {
        words[at..].rotate_left(1);
    }
}

fn unknown() -> AddedToken {
    AddedToken::from(TEXTS[UNK as usize], true)
}

/// Runs `work` in a single thread.
fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    #[cfg(not(target_family = "wasm"))]
    if let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        return pool.install(work);
    }
    work()
}

/// Sorts characters that the model had dropped. They come back with scores from the lowest upwards
/// in the random order of a hash table; here they get these scores in the order of the characters.
fn order_dropped(pieces: &mut [(String, f64)]) {
    let is_character = |piece: &str| piece.chars().nth(1).is_none();
    let lowest = pieces
        .iter()
        .map(|&(_, score)| score)
        .fold(f64::INFINITY, f64::min);
    let mut expected = Vec::with_capacity(pieces.len());
    let mut above = 0.0;
    for _ in 0..pieces.len() {
        expected.push(lowest + above);
        above += STEP_OF_DROPPED;
    }
    let came_back = |(piece, score): &(String, f64)| {
        is_character(piece) && expected.binary_search_by(|it| it.total_cmp(score)).is_ok()
    };
    let mut places: Vec<usize> = (0..pieces.len())
        .filter(|&at| came_back(&pieces[at]))
        .collect();
    let mut scores: Vec<f64> = places.iter().map(|&at| pieces[at].1).collect();
    scores.sort_unstable_by(f64::total_cmp);
    places.sort_unstable_by(|&left, &right| pieces[left].0.cmp(&pieces[right].0));
    for (at, score) in places.into_iter().zip(scores) {
        pieces[at].1 = score;
    }
}
