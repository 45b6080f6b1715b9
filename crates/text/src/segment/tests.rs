#![allow(clippy::unwrap_used)]

use strata_describe::Words;

use super::*;
use crate::special::UNK;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Sentences with repeated words, from which subwords can be learned.
const TEXT: &[&str] = &[
    "Der alte Mann sieht den alten Hund.",
    "Die alte Frau sieht den Mann, und der Hund sieht die Frau.",
    "Ein Hund läuft; zwei Hunde laufen!",
    "Wer läuft? Der Mann läuft, die Männer laufen.",
];

fn learned(level: TokenUnit, lowercase: bool) -> (Segmenter, Vocabulary) {
    let mut learner = Learner::new(level, lowercase).unwrap();
    TEXT.iter().for_each(|text| learner.add(text));
    learner.learn(1, 60).unwrap()
}

/// Returns the levels that this build has, except the one that needs a file.
fn levels() -> Vec<TokenUnit> {
    let read = |it: &Words| serde_json::from_value::<TokenUnit>(it.name.into()).unwrap();
    let levels = TokenUnit::OPTIONS.iter().map(read);
    let is_here = |it: &TokenUnit| *it != TokenUnit::Sentencepiece && it.check().is_ok();
    levels.filter(is_here).collect()
}

#[test]
fn words_are_what_stands_between_white_space() {
    let (segmenter, _) = learned(TokenUnit::Word, false);
    let tokens = segmenter.split("  der alte\tmann\u{3000}. ");
    assert_eq!(tokens, ["der", "alte", "mann", "."]);
    assert_eq!(segmenter.join(&tokens), "der alte mann .");
}

#[test]
fn characters_keep_white_space_visible() {
    let (segmenter, _) = learned(TokenUnit::Character, false);
    let tokens = segmenter.split(" 春 eé\r\n");
    assert_eq!(tokens, ["春", "␣", "e", "é"]);
    assert_eq!(segmenter.join(&tokens), "春 eé");
}

/// Texts found by fuzzing, on which the learner failed or never ended.
#[test]
fn pieces_are_learned_from_any_words() {
    let texts = [
        "HundKatze.Katze Katze sieht <script> seesHundsiehtKatzederdersiehtderder der",
        "bab bbabccaa c cacaa",
        "abababb bb bbaab",
        "a\0aa\0aa\0\0ba\0\0ba\0",
    ];
    for text in texts {
        let mut learner = Learner::new(TokenUnit::Unigram, false).unwrap();
        learner.add(text);
        let (segmenter, vocabulary) = learner.learn(1, 12).unwrap();
        assert!(!vocabulary.has_only_special_tokens(), "{text}");
        let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(segmenter.join(&segmenter.split(text)), spaced);
    }
}

#[test]
fn every_level_gives_written_text_back() {
    for level in levels() {
        let (segmenter, vocabulary) = learned(level, false);
        for text in TEXT {
            // Chinese words are joined without spaces, except words of Latin letters.
            assert_eq!(segmenter.join(&segmenter.split(text)), *text, "{level:?}");
        }
        if level.is_subword() {
            // No subword of the training text is unknown.
            let tokens = segmenter.split(&TEXT.join(" "));
            assert!(!vocabulary.encode(&tokens).contains(&UNK), "{level:?}");
        }
    }
}

#[test]
fn nothing_gives_no_tokens() {
    for level in levels() {
        let (segmenter, _) = learned(level, false);
        for text in ["", " \t", "\r\n", "\u{3000}"] {
            assert!(segmenter.split(text).is_empty(), "{level:?}");
        }
        assert_eq!(segmenter.join::<&str>(&[]), "");
    }
}

#[test]
fn lower_case_is_kept_to() {
    for level in levels() {
        let (segmenter, _) = learned(level, true);
        assert_eq!(
            segmenter.split("DER HUND LÄUFT"),
            segmenter.split("der hund läuft")
        );
        let text = segmenter.join(&segmenter.split("Der Hund läuft."));
        assert_eq!(text, "der hund läuft.", "{level:?}");
    }
}

#[test]
fn frequent_words_are_one_piece_and_rare_ones_several() {
    for level in [TokenUnit::Bpe, TokenUnit::Unigram] {
        let mut learner = Learner::new(level, false).unwrap();
        TEXT.iter().for_each(|text| learner.add(text));
        learner.add(&"Frau Frauen ".repeat(1000));
        let (segmenter, vocabulary) = learner.learn(1, 60).unwrap();
        assert!(vocabulary.len() <= 60, "{level:?}: {}", vocabulary.len());
        assert_eq!(segmenter.split("Frau"), ["▁Frau"], "{level:?}");
        assert!(segmenter.split("Hunderter").len() > 2, "{level:?}");
    }
}

#[test]
fn unknown_characters_are_unknown_tokens_and_keep_their_text() {
    for level in [TokenUnit::Bpe, TokenUnit::Unigram] {
        let (segmenter, vocabulary) = learned(level, false);
        let tokens = segmenter.split("Hund 春x ▁ 👍🏽");
        assert_eq!(segmenter.join(&tokens), "Hund 春x _ 👍🏽", "{level:?}");
        let unknown: String = tokens
            .iter()
            .filter(|token| vocabulary.id(token) == UNK)
            .map(String::as_str)
            .collect();
        assert!(
            unknown.contains('春') && unknown.contains("👍🏽"),
            "{level:?}"
        );
    }
}

#[test]
fn rare_characters_are_no_pieces() {
    for level in [TokenUnit::Bpe, TokenUnit::Unigram] {
        let mut learner = Learner::new(level, false).unwrap();
        TEXT.iter().for_each(|text| learner.add(text));
        learner.add("Q");
        let (_, vocabulary) = learner.learn(2, 100).unwrap();
        assert_eq!(vocabulary.id("Q"), UNK, "{level:?}");
        assert_ne!(vocabulary.id("u"), UNK, "{level:?}");
    }
}

#[test]
fn what_is_learned_is_the_same_every_time() {
    for level in [TokenUnit::Bpe, TokenUnit::Unigram] {
        let first = learned(level, false);
        // Hash tables get new seeds in each repetition.
        for _ in 0..5 {
            assert_eq!(learned(level, false), first, "{level:?}");
        }
    }
}

#[test]
fn a_kept_model_cuts_in_the_same_way() {
    for level in levels() {
        let (segmenter, vocabulary) = learned(level, true);
        let json = serde_json::to_string(&segmenter.subwords()).unwrap();
        let kept = serde_json::from_str(&json).unwrap();
        let restored = Segmenter::restore(level, true, kept, &vocabulary).unwrap();
        assert_eq!(restored, segmenter);
        for text in ["Hundefrau, mannhaft 春 👍🏽!", "sieht", ""] {
            assert_eq!(restored.split(text), segmenter.split(text), "{level:?}");
        }
    }
}

#[test]
fn a_damaged_model_is_refused_by_a_sentence() {
    let refuse = |level, json: &str| {
        let (_, vocabulary) = learned(level, false);
        let kept = serde_json::from_str(json).unwrap();
        let error = Segmenter::restore(level, false, kept, &vocabulary).unwrap_err();
        assert!(error.to_string().starts_with("the subwords are damaged: "));
    };
    refuse(TokenUnit::Bpe, "null");
    refuse(TokenUnit::Unigram, "null");
    refuse(TokenUnit::Bpe, r#"{"kind":"unigram","scores":[]}"#);
    refuse(TokenUnit::Unigram, r#"{"kind":"unigram","scores":[0.5]}"#);
    for merges in ["[0,5]", "[5,4000000000]", "[4,4]"] {
        refuse(
            TokenUnit::Bpe,
            &format!(r#"{{"kind":"bpe","merges":[{merges}]}}"#),
        );
    }
}

#[test]
fn very_long_words_are_cut_too() {
    let word = "Hundefrau".repeat(20_000);
    for level in levels() {
        let (segmenter, _) = learned(level, false);
        assert_eq!(segmenter.join(&segmenter.split(&word)), word, "{level:?}");
    }
}

#[cfg(feature = "jieba")]
#[test]
fn chinese_words_are_found() {
    let (segmenter, _) = learned(TokenUnit::Jieba, false);
    let tokens = segmenter.split("我们在北京大学学习 machine learning。\r\n");
    assert_eq!(
        tokens,
        [
            "我们",
            "在",
            "北京大学",
            "学习",
            "machine",
            "learning",
            "。"
        ]
    );
    assert_eq!(
        segmenter.join(&tokens),
        "我们在北京大学学习machine learning。"
    );
}

#[cfg(not(feature = "jieba"))]
#[test]
fn chinese_words_without_their_dictionary_are_refused_by_a_sentence() {
    let error = Learner::new(TokenUnit::Jieba, false)
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("`jieba` needs a dictionary"), "{error}");
}

/// For any text, subwords spell the text except for the kind of white space, and other levels keep
/// everything except white space.
#[test]
fn no_text_loses_characters() {
    let alphabet: Vec<char> = " \t\r\naeuäößHN.,!?'\"()[]/-_%0123春愛🎉👍🏽\u{301}\u{200d}▁␣\0"
        .chars()
        .collect();
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    for level in levels() {
        let (segmenter, vocabulary) = learned(level, false);
        for _ in 0..2000 {
            let length = below(30);
            let text: String = (0..length)
                .map(|_| alphabet[below(alphabet.len())])
                .collect();
            let tokens = segmenter.split(&text);
            assert_eq!(vocabulary.encode(&tokens).len(), tokens.len());
            let joined = segmenter.join(&tokens);
            if level.is_subword() {
                let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
                assert_eq!(joined, spaced.replace('▁', "_"), "{level:?}");
            } else if level == TokenUnit::Character {
                // The level of characters has a sign for white space, which a text may also
                // contain.
                assert_eq!(dense(&joined), dense(&text.replace('␣', " ")), "{text:?}");
            } else {
                assert_eq!(dense(&joined), dense(&text), "{level:?} {text:?}");
            }
        }
    }
}

/// “é” and “ﬁ” in two spellings each.
#[test]
fn letters_that_look_alike_are_one_token_where_that_is_asked_for() {
    let texts = ["e\u{301}t\u{e9}", "\u{e9}te\u{301}", "\u{fb01}n", "fin"];
    for (normalize, words) in [
        (Normalize::None, 4),
        (Normalize::Nfc, 3),
        (Normalize::Nfkc, 2),
    ] {
        for lowercase in [false, true] {
            let form = TextForm {
                lowercase,
                normalize,
            };
            let mut learner = Learner::new(TokenUnit::Word, form).unwrap();
            texts.iter().for_each(|text| learner.add(text));
            let (segmenter, vocabulary) = learner.learn(1, 60).unwrap();
            let ids = texts.map(|text| vocabulary.encode(&segmenter.split(text)));
            let distinct: std::collections::HashSet<_> = ids.iter().collect();
            assert_eq!(distinct.len(), words, "{normalize:?}");
            assert!(ids.iter().all(|ids| ids.len() == 1 && ids[0] != UNK));
        }
    }
}

/// Applying a form twice changes nothing more, even if lower case has no single letter (`İ`), or
/// letters are joined across characters.
#[test]
fn a_normal_text_is_normal() {
    let texts = [
        "İstanbul",
        "A\u{30a}",
        "ｱｲｳ①½",
        "한",
        "\u{1112}\u{1161}\u{11ab}",
        "ς Σ",
        "20 ℃",
        "",
    ];
    for normalize in [Normalize::None, Normalize::Nfc, Normalize::Nfkc] {
        for lowercase in [false, true] {
            let form = TextForm {
                lowercase,
                normalize,
            };
            for text in texts {
                let once = form.apply(text).into_owned();
                assert_eq!(form.apply(&once), once, "{form:?} {text}");
            }
        }
    }
    let nfc = TextForm {
        lowercase: true,
        normalize: Normalize::Nfc,
    };
    assert_eq!(nfc.apply("A\u{30a}"), "\u{e5}");
}
