//! Exact match and F1 of answers to questions, by SQuAD's official rules (Rajpurkar et al. 2016,
//! v1.1): case, ASCII punctuation, English articles and white space are ignored.

use std::collections::HashMap;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::words;

/// True if the normalised prediction equals one of the normalised answers.
pub fn answer_exact_match<S: AsRef<str>>(prediction: &str, answers: &[S]) -> bool {
    let prediction = normalize_answer(prediction);
    answers
        .iter()
        .any(|answer| normalize_answer(answer.as_ref()) == prediction)
}

/// Computes F1 of the prediction's words against the best matching answer, from 0 to 1.
///
/// As in the official program, an answer without words after normalisation scores 0, even if the
/// prediction matches it exactly.
pub fn answer_f1<S: AsRef<str>>(prediction: &str, answers: &[S]) -> f64 {
    let prediction = normalize_answer(prediction);
    let scores = answers
        .iter()
        .map(|answer| f1(&prediction, &normalize_answer(answer.as_ref())));
    scores.fold(0.0, f64::max)
}

/// Normalises an answer: lower case, no punctuation or articles, words separated by single spaces.
pub fn normalize_answer(answer: &str) -> String {
    let answer = answer.to_lowercase();
    let bare = answer.chars().filter(|it| !it.is_ascii_punctuation());
    let bare: String = bare.collect();
    let answer = without_articles(&bare);
    words(&answer).collect::<Vec<_>>().join(" ")
}

/// Drops articles, which may be delimited by punctuation as well as by spaces.
fn without_articles(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|it| !is_of_word(it)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        kept += match word {
            "a" | "an" | "the" => " ",
            word => word,
        };
        let marks = after.find(is_of_word).unwrap_or(after.len());
        kept += &after[..marks];
        rest = &after[marks..];
    }
    kept
}

/// True for word characters of Python's regular expressions (`\w`). Combining marks do not count.
/// (Underscores have been removed, with all other punctuation.)
fn is_of_word(character: char) -> bool {
    matches!(
        character.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

fn f1(prediction: &str, answer: &str) -> f64 {
    let mut left: HashMap<&str, u32> = HashMap::new();
    words(answer).for_each(|word| *left.entry(word).or_default() += 1);
    let mut common = 0;
    for word in words(prediction) {
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let precision = f64::from(common) / words(prediction).count() as f64;
    let recall = f64::from(common) / words(answer).count() as f64;
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_difference_is_gone() {
        for (answer, normal) in [
            ("The  Eiffel Tower!", "eiffel tower"),
            ("a-b", "ab"),
            ("An apple a day, the end", "apple day end"),
            ("theory of an anthem", "theory of anthem"),
            ("the–a…x", "– …x"),
            ("the_cat", "thecat"),
            ("U.S.A.", "usa"),
            ("\u{a0}Köln\t(the city)\u{2028}", "köln city"),
            ("a\u{301} b", "\u{301} b"),
            ("“the”", "“ ”"),
            ("the", ""),
        ] {
            assert_eq!(normalize_answer(answer), normal, "{answer:?}");
        }
    }

    #[test]
    fn the_best_answer_counts() {
        let answers = ["Saint Bernadette Soubirous", "the Bernadette"];
        assert!(answer_exact_match("bernadette.", &answers));
        assert!(!answer_exact_match("Saint Bernadette", &answers));
        assert_eq!(answer_f1("Saint Bernadette", &answers), 0.8);
        assert_eq!(answer_f1("bernadette", &answers), 1.0);
        assert_eq!(answer_f1("Denver Broncos", &answers), 0.0);
        assert_eq!(answer_f1::<&str>("Denver", &[]), 0.0);
    }

    #[test]
    fn a_repeated_word_is_found_as_often_as_it_is_there() {
        assert!((answer_f1("to to be", &["to be"]) - 0.8).abs() < 1e-12);
        assert!((answer_f1("to be", &["to to be"]) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn an_answer_of_articles_matches_but_shares_no_word() {
        assert!(answer_exact_match("The", &["a"]));
        assert_eq!(answer_f1("The", &["a"]), 0.0);
    }
}
