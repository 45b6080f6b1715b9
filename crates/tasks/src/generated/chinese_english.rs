//! A toy Chinese and its English: modifiers precede their noun, and the verb follows time and
//! place.
//!
//! A sentence is drawn once and worded by the rules of each language, so that its translation is
//! exact and unique. Word orders differ as in the real languages: time and place come before the
//! verb, relative clauses before their noun (`我 买 的 书`), `把` moves the object before the verb,
//! question words stand in the place of their answer, and every noun is counted with its measure
//! word.
//!
//! - `words`: the lexicon; `phrase`, `clause`, `sentence`: the grammar
//!
//! Left out, because they have two translations: nouns without a determiner, `她们`, and the past
//! without `了` or a time.

mod clause;
mod phrase;
mod sentence;
#[cfg(test)]
mod tests;
mod words;

use strata_text::{Segmenter, Vocabulary, special::UNK};

use crate::generated::toy::{ToyLanguage, toy_task, typed};

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
        /// Cuts typed text into words, and writes Chinese punctuation marks.
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

/// Cuts typed text into words, and writes Chinese punctuation marks.
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

/// Segments a run of characters by longest match; adjacent unknown characters stay together.
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
