//! `--floors`: scores of count models, and of similar baselines, on the same examples. A model that
//! is not better has not learned to read its input.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json, json};
use strata_metrics::{Bleu, CountModel, Running, bits_per_character, perplexity};
use strata_tasks::{Example, Question};
use strata_text::special;
use strata_training::{ScoredAnswer, SpanRules, Tokenizer};

use super::sentences::Sentence;
use crate::base::error::Error;
use crate::display::columns;
use crate::display::format::{decimal, percent};

/// Count models of sentences: name and order.
const OF_SENTENCES: [(&str, usize); 2] = [("unigram", 1), ("bigram", 2)];
/// Count models of a text: name and order.
const OF_TEXTS: [(&str, usize); 4] = [("unigram", 1), ("bigram", 2), ("trigram", 3), ("5-gram", 5)];
/// Most tokens that the bigram model writes.
const LONGEST: usize = 50;
/// Number of tokens in the answer that is chosen by the words around it; `AROUND` is the number of
/// tokens on either side.
const ANSWER: usize = 3;
const AROUND: usize = 10;

/// Refuses to count if the training examples are not in memory.
pub fn check(training: usize) -> Result<(), Error> {
    match training {
        0 => Err(Error::Session(
            "`--floors` counts the training text, and this corpus is read from disk piece by piece; \
             leave it out"
                .to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Measures count models of the target side of sentences, which do not read the source. With
/// `bleu`, also scores the bigram model's most probable sentence in place of each translation.
pub fn of_sentences(
    tokenizer: &Tokenizer,
    training: &[Example],
    examples: &[Example],
    decoded: &[Sentence],
    bleu: Option<Bleu>,
) -> Json {
    let of_order = |(name, order): (&str, usize)| {
        let mut model = CountModel::new(order, tokenizer.vocabularies().target);
        for example in training {
            model.add(&framed(&example.target), 1);
        }
        let mut counted = Counted::default();
        for example in examples {
            counted.add(&model, &framed(&example.target), 1);
        }
        let mut json = counted.json();
        let ids = written(&model);
        let text = tokenizer.target_text(&ids);
        let whole = decoded.iter().filter(|it| it.is_whole);
        let right = whole
            .clone()
            .filter(|it| tokenizer.is_right(&ids, &it.reference));
        json["exact_match"] = (right.count() as f64 / whole.count().max(1) as f64).into();
        if let Some(bleu) = &bleu {
            let pairs = decoded.iter().map(|it| (&text, [&it.reference]));
            json["bleu"] = json!({ "score": bleu.corpus(pairs).score });
            json["writes"] = text.clone().into();
        }
        (name.to_owned(), json)
    };
    Json::Object(OF_SENTENCES.into_iter().map(of_order).collect())
}

/// Measures count models, learned from one text, on another text in segments.
pub fn of_text(
    tokenizer: &Tokenizer,
    training: &[Example],
    segments: &[Example],
    characters: u64,
) -> Json {
    let of_order = |(name, order): (&str, usize)| {
        let mut model = CountModel::new(order, tokenizer.vocabularies().target);
        for segment in training {
            model.add(&joined(segment), 1);
        }
        let mut counted = Counted::default();
        // Segments follow each other, so the end of one is the history of the next.
        let mut text = Vec::new();
        for segment in segments {
            match text.len() {
                0 => text = joined(segment),
                length => {
                    text.drain(..length.saturating_sub(order));
                    text.extend_from_slice(&segment.target);
                }
            }
            counted.add(&model, &text, text.len() - segment.target.len());
        }
        let mut json = counted.json();
        json["bits_per_character"] = bits_per_character(counted.loss.sum, characters).into();
        (name.to_owned(), json)
    };
    Json::Object(OF_TEXTS.into_iter().map(of_order).collect())
}

/// Scores answers that need no reader: the most frequent answer of the training data, a random
/// place in the passages, and the place with the most words of the question around it.
pub fn of_questions(training: &[Question], questions: &[Question]) -> Json {
    let rules = SpanRules::of(questions);
    let given: Vec<(&str, usize)> = training
        .iter()
        .filter_map(|it| {
            it.target
                .map(|span| (it.answer(span), span.end + 1 - span.start))
        })
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    given
        .iter()
        .for_each(|(it, _)| *counts.entry(it).or_default() += 1);
    let frequent = counts
        .iter()
        .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
    let frequent = frequent.map_or("", |it| it.0);
    let mut floors = Map::new();
    let mut note = |name: &str, answer: &dyn Fn(usize, &Question) -> String| {
        let scored = questions
            .iter()
            .enumerate()
            .map(|(at, it)| rules.score(answer(at, it), &it.answers));
        floors.insert(name.to_owned(), mean(&scored.collect::<Vec<_>>()));
    };
    note("frequent", &|_, _| frequent.to_owned());
    note("random", &|at, question| {
        let length = given.get(mixed(at as u64) as usize % given.len().max(1));
        random(question, at as u64, length.map_or(1, |it| it.1))
    });
    note("overlap", &|_, question| overlap(question));
    Json::Object(floors)
}

/// Returns the scores as lines of a table.
pub fn lines(floors: &Json) -> Vec<String> {
    let head = [
        "counting alone",
        "loss",
        "perplexity",
        "token accuracy",
        "exact match",
        "F1",
        "BLEU",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, it) in floors.as_object().into_iter().flatten() {
        let number =
            |key: &str, shown: fn(f64) -> String| it[key].as_f64().map_or("–".to_owned(), shown);
        let bleu = it["bleu"]["score"].as_f64();
        rows.push(vec![
            name.clone(),
            number("loss", decimal),
            number("perplexity", decimal),
            number("token_accuracy", percent),
            number("exact_match", percent),
            number("f1", percent),
            bleu.map_or("–".to_owned(), |it| format!("{it:.2}")),
        ]);
    }
    let mut lines = vec![String::new()];
    lines.extend(columns::aligned(&rows, 1));
    lines
}

/// Loss and accuracy of a count model.
#[derive(Default)]
struct Counted {
    loss: Running,
    accuracy: Running,
}

impl Counted {
    /// Measures the tokens of a sequence from index `from` on.
    fn add(&mut self, model: &CountModel, tokens: &[u32], from: usize) {
        for at in from..tokens.len() {
            let history = &tokens[..at];
            self.loss
                .add(-model.probability(history, tokens[at]).ln(), 1);
            let right = model.most_frequent(history) == tokens[at];
            self.accuracy.add(f64::from(u8::from(right)), 1);
        }
    }

    fn json(&self) -> Json {
        let loss = self.loss.mean().unwrap_or(0.0);
        json!({
            "loss": loss,
            "perplexity": perplexity(loss),
            "token_accuracy": self.accuracy.mean(),
        })
    }
}

/// Returns a target as a model learns it: from BOS to EOS.
fn framed(target: &[u32]) -> Vec<u32> {
    let mut tokens = vec![special::BOS];
    tokens.extend_from_slice(target);
    tokens.push(special::EOS);
    tokens
}

/// Returns a segment's tokens, preceded by the token before it.
fn joined(segment: &Example) -> Vec<u32> {
    let mut tokens: Vec<u32> = segment.source.first().copied().into_iter().collect();
    tokens.extend_from_slice(&segment.target);
    tokens
}

/// Returns the most probable text, token by token, up to EOS.
fn written(model: &CountModel) -> Vec<u32> {
    let mut tokens = vec![special::BOS];
    while tokens.len() <= LONGEST {
        match model.most_frequent(&tokens) {
            special::EOS => break,
            next => tokens.push(next),
        }
    }
    tokens.split_off(1)
}

fn mean(scored: &[ScoredAnswer]) -> Json {
    let count = scored.len().max(1) as f64;
    let exact = scored.iter().filter(|it| it.is_exact).count() as f64;
    let f1: f64 = scored.iter().map(|it| it.f1).sum();
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
    let all: usize = question.passages.iter().map(|it| it.len()).sum();
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
            let found = around.iter().filter(|it| asked.contains(**it)).count();
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

    fn pair(target: &[u32]) -> Example {
        Example {
            source: vec![4],
            target: target.to_vec(),
        }
    }

    #[test]
    fn a_bigram_writes_what_is_most_frequent_and_ends() {
        let mut model = CountModel::new(2, 10);
        for target in [&[5, 6][..], &[5, 6, 7], &[5, 6]] {
            model.add(&framed(target), 1);
        }
        assert_eq!(written(&model), [5, 6]);
    }

    /// Only BOS 5 EOS is learned: each of the three tokens that follow has (1 + 2/10) / (2 + 2), if
    /// nothing is known but how frequent tokens are.
    #[test]
    fn the_end_of_a_sentence_counts_as_a_token() {
        let mut model = CountModel::new(1, 10);
        model.add(&framed(&[5]), 1);
        let mut counted = Counted::default();
        counted.add(&model, &framed(&pair(&[5]).target), 1);
        assert_eq!(counted.loss.count, 2);
        let loss = -(1.2_f64 / 4.0).ln();
        assert!((counted.json()["loss"].as_f64().unwrap() - loss).abs() < 1e-12);
    }

    #[test]
    fn the_words_around_a_place_choose_an_answer() {
        let task = TaskConfig::of_kind("toy_reading").unwrap();
        let data = task.load(1, &Uploads::default()).unwrap().reading.unwrap();
        let floors = of_questions(&data.training, &data.validation);
        for name in ["frequent", "random", "overlap"] {
            let exact = floors[name]["exact_match"].as_f64().unwrap();
            assert!((0.0..0.9).contains(&exact), "{name}: {exact}");
            assert!(floors[name]["f1"].as_f64().unwrap() >= exact);
        }
    }
}
