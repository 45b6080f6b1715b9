//! A toy Chinese and its English: modifiers precede their noun, and the verb follows time and
//! place.
//!
//! A sentence is drawn once and put into words by either side's own rules, so that its translation
//! is exact and there is only one. Orders diverge as in earnest: time and place come before the
//! verb, relative clauses before their noun (`我 买 的 书`), `把` brings the object forward, words
//! that ask stand where their answer will, and every noun is counted by its measure word.
//!
//! - `words`: the lexicon; `phrase`, `clause`, `sentence`: the grammar
//!
//! Left out, because a form would have two translations: nouns without a determiner, `她们`, what
//! is past without `了` or a time.

mod clause;
mod phrase;
mod sentence;
#[cfg(test)]
mod tests;
mod words;

use crate::special::UNK;
use crate::toy::{ToyLanguage, toy_task, typed};
use crate::{Segmenter, Vocabulary};

toy_task!(
    /// Settings of the task `chinese_english`.
    ChineseEnglishConfig,
    "chinese_english",
    "Chinese to English",
    "Translate a toy Chinese: measure words, and what describes a noun stands before it.",
    language: LANGUAGE,
    of: "Sentences",
    at_most: (300_000, 50_000),
    by_default: 40_000,
    {
        /// Cut into words as a user leaves them uncut, with Chinese punctuation.
        fn normalise(&self, text: &str) -> String {
            normalise(text)
        }
    }
);

static LANGUAGE: ToyLanguage =
    ToyLanguage::new("chinese_english", Segmenter::of_words, |mut random| {
        Box::new(std::iter::repeat_with(move || {
            sentence::sentence(&mut random)
        }))
    });

/// Typed text, cut into words.
fn normalise(text: &str) -> String {
    let marks = [
        ('!', '。'),
        ('！', '。'),
        ('.', '。'),
        ('。', '。'),
        ('?', '？'),
        ('？', '？'),
        (',', '，'),
        ('，', '，'),
    ];
    let text = typed(text, &marks, ['。', '？']);
    let [chinese, _] = LANGUAGE.vocabularies();
    let cut: Vec<&str> = text
        .split_whitespace()
        .flat_map(|run| cut(run, chinese))
        .collect();
    cut.join(" ")
}

/// Segments a run of characters into words by longest match; unknown characters stay together.
fn cut<'a>(run: &'a str, vocabulary: &Vocabulary) -> Vec<&'a str> {
    let known = |text: &str| {
        let ends = text.char_indices().map(|(at, it)| at + it.len_utf8());
        let ends: Vec<usize> = ends.collect();
        let mut longest_first = ends.into_iter().rev();
        longest_first.find(|&end| vocabulary.id(&text[..end]) != UNK)
    };
    let mut words = Vec::new();
    let (mut unknown, mut at) = (0, 0);
    while let Some(character) = run[at..].chars().next() {
        match known(&run[at..]) {
            Some(end) => {
                words.extend([&run[unknown..at], &run[at..at + end]]);
                at += end;
                unknown = at;
            }
            None => at += character.len_utf8(),
        }
    }
    words.push(&run[unknown..]);
    words.retain(|word| !word.is_empty());
    words
}
