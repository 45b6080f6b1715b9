//! Scores of golden cases, which the official programs confirm.

use serde_json::Value;
use strata_metrics::{AnswerMeasure, AnswerRules, AnswerScores, BleuStatistics, rouge_l};
use strata_text::words_and_marks;

const TOLERANCE: f64 = 1e-9;

fn texts(value: &Value) -> Vec<&str> {
    let texts = value.as_array().expect("a list").iter();
    texts.map(|it| it.as_str().expect("a text")).collect()
}

/// Returns the scores of a case: exact match and F1, or BLEU-1 to BLEU-4 and ROUGE-L.
fn scores(rule: &str, items: &[(&str, Vec<&str>)]) -> Vec<f64> {
    if rule == "coco" {
        let tokens = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
        let (mut bleu, mut rouge) = (BleuStatistics::default(), 0.0);
        for (prediction, references) in items {
            let references: Vec<_> = references.iter().map(|it| tokens(it)).collect();
            bleu += BleuStatistics::of_tokens(&tokens(prediction), &references);
            rouge += rouge_l(&tokens(prediction), &references);
        }
        let rouge = rouge / items.len() as f64;
        return bleu.of_captions().into_iter().chain([rouge]).collect();
    }
    let rules = AnswerRules::ALL.into_iter().find(|it| it.name() == rule);
    let mut measure = AnswerMeasure::new(rules.expect("a known rule"), words_and_marks);
    for (prediction, references) in items {
        measure.add(prediction, references);
    }
    match measure.scores().expect("some question has an answer") {
        AnswerScores::Spans { exact_match, f1 } => vec![exact_match, f1],
        AnswerScores::Free { bleu, rouge_l } => bleu.into_iter().chain([rouge_l]).collect(),
    }
}

#[test]
fn scores_are_those_of_the_official_programs() {
    let text = include_str!("../../../../tests/golden/metrics-reading.json");
    let golden: Value = serde_json::from_str(text).expect("golden cases");
    let cases = golden["cases"].as_array().expect("a list");
    assert!(cases.len() >= 40, "{} cases", cases.len());
    for case in cases {
        let items = case["items"].as_array().expect("a list").iter();
        let items: Vec<_> = items
            .map(|it| {
                (
                    it["prediction"].as_str().expect("a text"),
                    texts(&it["references"]),
                )
            })
            .collect();
        let rule = case["rule"].as_str().expect("a name");
        let found = scores(rule, &items);
        let number = |value: &Value| value.as_f64().expect("a number");
        let expected = &case["scores"];
        let expected: Vec<f64> = match &expected["bleu"] {
            Value::Array(bleu) => {
                let bleu = bleu.iter().map(number);
                bleu.chain([number(&expected["rouge_l"])]).collect()
            }
            _ => vec![number(&expected["exact_match"]), number(&expected["f1"])],
        };
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() < TOLERANCE,
                "{rule}, {}: {found} for {expected}",
                case["name"]
            );
        }
    }
}
