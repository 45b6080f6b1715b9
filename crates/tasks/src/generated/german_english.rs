//! A toy German and its English: the task that shows the purpose of attention.
//!
//! The language is a phrase grammar of a few hundred words. The content of a sentence is drawn at
//! random as a clause that both languages share, and worded by the rules of each language, so that
//! the translation is exact and unique. Word orders differ as in the real languages: the German
//! verb is second in main clauses and last in dependent ones, participles and infinitives come at
//! the end, prefixes separate from their verbs (`er ruft den arzt an`), objects may come first
//! where their case shows it, and `gefallen` swaps subject and object.
//!
//! - the lexicon: `nouns`, `verbs`, `words`
//! - the grammar: `morphology`, `phrase`, `clause`, and a clause in `german` and in `english`
//! - random choices: `draw`, `draw_phrases`, `draw_clauses`; and the kinds of sentences,
//!   `sentence`, `questions`, `dependent`, `relative`
//!
//! Left out, because they have two translations: `sie` as an object, `ihr` as a subject, `ihr` and
//! `Sie` as polite forms, and objects in front if nominative and accusative are the same.

mod clause;
mod dependent;
mod draw;
mod draw_clauses;
mod draw_phrases;
mod english;
mod german;
mod morphology;
mod nouns;
mod phrase;
mod questions;
mod relative;
mod sentence;
mod verbs;
mod words;

use draw::Draw;
use strata_text::Segmenter;

use crate::generated::toy::{ToyLanguage, toy_task, typed};

toy_task!(
    /// Settings of the task `german_english`.
    GermanEnglishConfig,
    "german_english",
    "German to English",
    "Translate a toy German with real word order: the verb waits at the end of clauses.",
    language: LANGUAGE,
    of: "Sentences",
    at_most: (500_000, 50_000),
    by_default: 40_000,
    {
        fn normalise(&self, text: &str) -> String {
            normalise(text)
        }
    }
);

/// Converts typed text to lower case with punctuation set apart, and adds a missing full stop.
pub(crate) fn normalise(text: &str) -> String {
    let marks = [('!', '.'), (',', ','), ('.', '.'), ('?', '?')];
    typed(text, &marks, ['.', '?'])
}

/// Generator of German sentences with their English translations.
pub(crate) static LANGUAGE: ToyLanguage =
    ToyLanguage::new("german_english", Segmenter::of_words, |random| {
        let mut draw = Draw { random };
        Box::new(std::iter::repeat_with(move || draw.sentence().into_sides()))
    });

#[cfg(test)]
mod grammar_tests;
#[cfg(test)]
mod tests;
