//! Answers that need no reader, for `--floors`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json, json};
use strata_tasks::Question;
use strata_training::{ScoredAnswer, SpanRules};

/// Number of tokens in the answer that is chosen by the words around it; `AROUND` is the number of
/// tokens on either side.
const ANSWER: usize = 3;
const AROUND: usize = 10;

/// Scores answers that need no reader: the most frequent answer of the training data, a random
/// place in the passages, and the place with the most words of the question around it.
pub fn of_questions(training: &[Question], questions: &[Question]) -> Json {
    let rules = SpanRules::of(questions);
    let answers: Vec<(&str, usize)> = training
        .iter()
        .filter_map(|question| {
            question
                .target
                .map(|span| (question.answer(span), span.end + 1 - span.start))
        })
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    answers
        .iter()
        .for_each(|(answer, _)| *counts.entry(answer).or_default() += 1);
    let frequent = counts
        .iter()
        .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
    let frequent = frequent.map_or("", |answer| answer.0);
    let mut floors = Map::new();
    let mut note = |name: &str, answer: &dyn Fn(usize, &Question) -> String| {
        let scored = questions
            .iter()
            .enumerate()
            .map(|(at, question)| rules.score(answer(at, question), &question.answers));
        floors.insert(name.to_owned(), mean(&scored.collect::<Vec<_>>()));
    };
    note("frequent", &|_, _| frequent.to_owned());
    note("random", &|at, question| {
        let length = answers.get(mixed(at as u64) as usize % answers.len().max(1));
        random(question, at as u64, length.map_or(1, |answer| answer.1))
    });
    note("overlap", &|_, question| overlap(question));
    Json::Object(floors)
}

fn mean(scored: &[ScoredAnswer]) -> Json {
    let count = scored.len().max(1) as f64;
    let exact = scored.iter().filter(|answer| answer.is_exact).count() as f64;
    let f1: f64 = scored.iter().map(|answer| answer.f1).sum();
    json!({ "exact_match": exact / count, "f1": f1 / count })
}

/// Returns a pseudo-random number for `number`, the same in every run (the finaliser of
/// SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns `length` tokens at a random place of a question's passages.
fn random(question: &Question, at: u64, length: usize) -> String {
    let all: usize = question.passages.iter().map(|passage| passage.len()).sum();
    let mut start = mixed(at ^ 0x5eed) as usize % all.max(1);
    for passage in &question.passages {
        if start < passage.len() {
            let end = (start + length.max(1)).min(passage.len()) - 1;
            return passage.stretch(start..=end).to_owned();
        }
        start -= passage.len();
    }
    String::new()
}

/// Returns the few tokens that have the most different words of the question around them; if there
/// are several, the first.
fn overlap(question: &Question) -> String {
    let asked: HashSet<String> = question.question.tokens().map(str::to_lowercase).collect();
    let mut best = (0, String::new());
    for passage in &question.passages {
        let words: Vec<String> = (0..passage.len())
            .map(|at| passage.token(at).to_lowercase())
            .collect();
        for start in 0..words.len() {
            let end = (start + ANSWER).min(words.len());
            let before = &words[start.saturating_sub(AROUND)..start];
            let behind = &words[end..(end + AROUND).min(words.len())];
            let around: HashSet<&String> = before.iter().chain(behind).collect();
            let found = around.iter().filter(|word| asked.contains(**word)).count();
            if found > best.0 || best.1.is_empty() {
                best = (found, passage.stretch(start..=end - 1).to_owned());
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_tasks::TaskConfig;
    use strata_text::Uploads;

    use super::*;

    #[test]
    fn the_words_around_a_place_choose_an_answer() {
        let task = TaskConfig::of_kind("toy_reading").unwrap();
        let data = task
            .load(1, &Uploads::default())
            .unwrap()
            .examples
            .into_questions()
            .unwrap();
        let floors = of_questions(&data.training, &data.validation);
        for name in ["frequent", "random", "overlap"] {
            let exact = floors[name]["exact_match"].as_f64().unwrap();
            assert!((0.0..0.9).contains(&exact), "{name}: {exact}");
            assert!(floors[name]["f1"].as_f64().unwrap() >= exact);
        }
    }
}
