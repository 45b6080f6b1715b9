//! Count models of sentences, for `--floors`: of the target alone, and of both sides.

use serde_json::{Value as Json, json};
use strata_metrics::{Bleu, CountModel, Running, SentencePair, WordTranslator, perplexity};
use strata_tasks::Example;
use strata_text::special;
use strata_training::Tokenizer;

use super::sentences::Sentence;
use crate::pipeline::floors::Counted;

/// Count models of sentences: name and order.
const OF_SENTENCES: [(&str, usize); 2] = [("unigram", 1), ("bigram", 2)];
/// Most tokens that the bigram model writes.
const LONGEST: usize = 50;

/// Most pairs of sentences from which a word-by-word translator learns: its memory and time grow
/// with them.
const LEARNED: usize = 100_000;

/// Measures count models of the target side of sentences, which do not read the source, and a
/// word-by-word translator, which does. With `bleu`, also scores the bigram model's most probable
/// sentence and the translator's sentences in place of the translations.
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
        add_scores(&mut json, tokenizer, decoded, bleu.as_ref(), |_| {
            ids.clone()
        });
        if bleu.is_some() {
            json["writes"] = tokenizer.target_text(&ids).into();
        }
        (name.to_owned(), json)
    };
    let mut floors: serde_json::Map<_, _> = OF_SENTENCES.into_iter().map(of_order).collect();
    let word_by_word = of_words(tokenizer, training, examples, decoded, bleu.as_ref());
    floors.insert("ibm1".to_owned(), word_by_word);
    Json::Object(floors)
}

/// Measures a word-by-word translator, which learns from counts alone.
fn of_words(
    tokenizer: &Tokenizer,
    training: &[Example],
    examples: &[Example],
    decoded: &[Sentence],
    bleu: Option<&Bleu>,
) -> Json {
    let sentences = training.iter().take(LEARNED);
    let targets: Vec<Vec<u32>> = sentences.clone().map(|it| words(&it.target)).collect();
    let pairs: Vec<SentencePair<'_>> = sentences
        .zip(&targets)
        .map(|(example, target)| (&example.source[..], &target[..]))
        .collect();
    let frame = [special::BOS, special::EOS];
    let translator = WordTranslator::learn(&pairs, frame, tokenizer.vocabularies().target);
    let mut loss = Running::default();
    for example in examples {
        let target = framed(&example.target);
        for at in 1..target.len() {
            let p = translator.probability(&example.source, &target[..at], target[at]);
            loss.add(-p.ln(), 1);
        }
    }
    let loss = loss.mean().unwrap_or(0.0);
    let mut json = json!({ "loss": loss, "perplexity": perplexity(loss) });
    add_scores(&mut json, tokenizer, decoded, bleu, |sentence| {
        translator.translate(source(sentence))
    });
    json
}

/// Adds the share of sentences that `translate` writes exactly, in tokens, and with `bleu` its BLEU.
fn add_scores(
    json: &mut Json,
    tokenizer: &Tokenizer,
    decoded: &[Sentence],
    bleu: Option<&Bleu>,
    translate: impl Fn(&Sentence) -> Vec<u32>,
) {
    let written: Vec<Vec<u32>> = decoded.iter().map(translate).collect();
    let both = || decoded.iter().zip(&written);
    let whole = both().filter(|(sentence, _)| sentence.is_whole);
    let right = whole
        .clone()
        .filter(|(sentence, ids)| tokenizer.is_right(ids, &sentence.reference));
    json["exact_match"] = (right.count() as f64 / whole.count().max(1) as f64).into();
    if let Some(bleu) = bleu {
        let texts: Vec<String> = written
            .iter()
            .map(|ids| tokenizer.target_text(ids))
            .collect();
        let references = decoded.iter().map(|sentence| [&sentence.reference]);
        let score = bleu.corpus(texts.iter().zip(references)).score;
        json["bleu"] = json!({ "score": score });
    }
}

/// Returns the tokens of a sentence's source; none if the line cannot be translated.
fn source(sentence: &Sentence) -> &[u32] {
    sentence.source.as_ref().map_or(&[], |source| &source.ids)
}

/// Returns a target as models learn the target: from BOS to EOS, without the places that are not
/// counted.
fn framed(target: &[u32]) -> Vec<u32> {
    let mut tokens = vec![special::BOS];
    tokens.extend(words(target));
    tokens.push(special::EOS);
    tokens
}

/// Returns the tokens of a target that are counted.
fn words(target: &[u32]) -> Vec<u32> {
    let counted = target.iter().filter(|&&id| id != special::PAD);
    counted.copied().collect()
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
        counted.add(&model, &framed(&[5]), 1);
        assert_eq!(counted.loss.count, 2);
        let loss = -(1.2_f64 / 4.0).ln();
        assert!((counted.json()["loss"].as_f64().unwrap() - loss).abs() < 1e-12);
    }
}
