//! Text cut into tokens and put together again: the levels of tasks, and the words of scores.

use proptest::prelude::*;
use proptest::sample::select;
use strata_metrics::{Bleu, BleuTokenizer, Chrf, rouge_l_f1, words};
use strata_tasks::TextConfig;
use strata_text::TokenUnit;

use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;
use crate::runs::read_dictionary;

/// A text to learn from, a text to cut, and the settings.
#[derive(Clone, Debug)]
struct Recipe {
    corpus: String,
    text: String,
    level: TokenUnit,
    lowercase: bool,
    maximum_vocabulary: usize,
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let level = select(vec![
        TokenUnit::Word,
        TokenUnit::Punctuation,
        TokenUnit::Character,
        TokenUnit::Bpe,
        TokenUnit::Unigram,
        TokenUnit::Jieba,
    ]);
    let corpus = prop::collection::vec(odd::text(20), 0..12);
    let corpus = corpus.prop_map(|lines| lines.join("\n"));
    (
        corpus,
        odd::text(40),
        level,
        any::<bool>(),
        select(vec![5, 12, 100]),
    )
        .prop_map(
            |(corpus, text, level, lowercase, maximum_vocabulary)| Recipe {
                corpus,
                text,
                level,
                lowercase,
                maximum_vocabulary,
            },
        )
}

/// Returns a text with single spaces for white space, and nothing else changed.
fn spaced(text: &str, recipe: &Recipe) -> String {
    let text = match recipe.lowercase {
        true => text.to_lowercase(),
        false => text.to_owned(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    match recipe.level {
        TokenUnit::Bpe | TokenUnit::Unigram => words.join(" ").replace('▁', "_"),
        _ => words.join(" "),
    }
}

/// Returns a text without white space.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn text_is_cut_and_put_together_again() {
    let alone = alone();
    read_dictionary();
    fuzz(&alone, "tokenisers", 200, recipes(), |recipe| {
        let config = TextConfig {
            level: recipe.level,
            lowercase: recipe.lowercase,
            maximum_vocabulary: recipe.maximum_vocabulary,
            ..TextConfig::default()
        };
        let bytes = recipe.corpus.len() + recipe.text.len();
        let bound = (32 << 20) + 4_000 * bytes;
        let learned = within(bound, || config.dataset(("corpus", &recipe.corpus), None));
        let segmenter = match learned {
            Ok(data) => data.source_segmenter,
            Err(error) => {
                is_sentence(&error.to_string());
                return Outcome::Refused;
            }
        };
        let (text, level) = (&recipe.text, recipe.level);
        let tokens = within(bound, || segmenter.split(text));
        assert!(tokens.iter().all(|token| !token.is_empty()), "{tokens:?}");
        let joined = segmenter.join(&tokens);
        match level {
            TokenUnit::Word | TokenUnit::Bpe | TokenUnit::Unigram => {
                assert_eq!(joined, spaced(text, &recipe));
            }
            // The tokeniser's sign for white space may also occur in a text.
            TokenUnit::Character => {
                let read = |text: &str| letters(&text.replace('␣', " "));
                assert_eq!(read(&joined), read(&spaced(text, &recipe)));
            }
            // The places of white space are not known any more.
            TokenUnit::Punctuation | TokenUnit::Jieba => {
                assert_eq!(letters(&joined), letters(&spaced(text, &recipe)));
            }
            TokenUnit::Sentencepiece => unreachable!("it needs a file, and no recipe has one"),
        }
        Outcome::Taken
    });
}

#[test]
fn scores_of_any_text_are_scores() {
    let alone = alone();
    let lines = || prop::collection::vec(odd::text(15), 1..5);
    let tokenizer = select(BleuTokenizer::ALL.to_vec());
    let strategy = (lines(), lines(), tokenizer, any::<bool>());
    fuzz(
        &alone,
        "scores",
        200,
        strategy,
        |(translations, references, tokenizer, lowercase)| {
            let bytes: usize = translations
                .iter()
                .chain(&references)
                .map(String::len)
                .sum();
            let bound = (1 << 20) + 2_000 * bytes;
            let bleu = Bleu {
                tokenizer,
                lowercase,
                ..Bleu::default()
            };
            let pairs = || {
                let references = references.iter().map(|it| [it.as_str()]);
                translations.iter().map(String::as_str).zip(references)
            };
            let score = within(bound, || bleu.corpus(pairs())).score;
            assert!((0.0..=100.000_001).contains(&score), "{score}");
            let chrf = within(bound, || Chrf::default().corpus(pairs())).score;
            assert!((0.0..=100.000_001).contains(&chrf), "{chrf}");
            for (translation, [reference]) in pairs() {
                let parted = |text| words(text).collect::<Vec<_>>();
                let (translation, reference) = (parted(translation), parted(reference));
                let rouge = within(bound, || rouge_l_f1(&translation, &[reference]));
                assert!((0.0..=1.000_001).contains(&rouge), "{rouge}");
            }
            // Nothing is more similar to a text than itself.
            let same = translations.iter().map(|it| (it, [it]));
            let same = bleu.corpus(same).score;
            assert!(same + 1e-6 >= score, "{same} {score}");
            Outcome::of(same > 50.0)
        },
    );
}
