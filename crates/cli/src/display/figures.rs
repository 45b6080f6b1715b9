//! Figures of a validation, formatted for users.

use strata_training::{Metric, Validation};

use crate::display::format::{decimal, grouped, percent};

/// Writes all measured figures, or all but one:
/// `loss 0.123, perplexity 1.131, token accuracy 97.1 %`.
pub fn of(validation: &Validation, without: Option<Metric>) -> String {
    let told = Metric::measured(validation).filter(|(metric, _)| Some(*metric) != without);
    let words: Vec<String> = told
        .map(|(metric, value)| words(metric, value, validation))
        .collect();
    words.join(", ")
}

fn words(metric: Metric, value: f64, validation: &Validation) -> String {
    match metric {
        Metric::BitsPerCharacter => {
            let told = format!("{} bits per character", shown(metric, value));
            match unspelt(validation.unspelt_tokens()) {
                Some(left_out) => format!("{told} ({left_out})"),
                None => told,
            }
        }
        Metric::ExactMatch => format!(
            "exact match {} of {}",
            shown(metric, value),
            validation.decoded
        ),
        _ => format!("{} {}", title(metric), shown(metric, value)),
    }
}

/// Returns a remark on bits per character of a text with so many unknown tokens.
pub fn unspelt(tokens: u64) -> Option<String> {
    match tokens {
        0 => None,
        1 => Some("what spells 1 unknown token is in no bit".to_owned()),
        count => Some(format!(
            "what spells {} unknown tokens is in no bit",
            grouped(count)
        )),
    }
}

/// Returns the usual name of a metric.
pub fn title(metric: Metric) -> &'static str {
    match metric {
        Metric::Loss => "loss",
        Metric::Perplexity => "perplexity",
        Metric::BitsPerCharacter => "bits/character",
        Metric::Accuracy => "token accuracy",
        Metric::ExactMatch => "exact match",
        Metric::F1 => "F1",
        Metric::Bleu => "BLEU",
        Metric::Bleu1 => "BLEU-1",
        Metric::Bleu4 => "BLEU-4",
        Metric::RougeL => "ROUGE-L",
    }
}

/// Writes a value of a metric with its unit.
pub fn shown(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Loss | Metric::Perplexity | Metric::BitsPerCharacter => decimal(value),
        Metric::Accuracy | Metric::ExactMatch | Metric::F1 => percent(value),
        Metric::Bleu1 | Metric::Bleu4 | Metric::RougeL => format!("{:.2}", 100.0 * value),
        Metric::Bleu => format!("{value:.2}"),
    }
}

/// Returns the factor between a value and its display: 100 if it is shown in percent, or in points
/// of 100.
pub fn in_percent(metric: Metric) -> f64 {
    match metric {
        Metric::Accuracy | Metric::ExactMatch | Metric::F1 => 100.0,
        Metric::Bleu1 | Metric::Bleu4 | Metric::RougeL => 100.0,
        Metric::Loss | Metric::Perplexity | Metric::BitsPerCharacter | Metric::Bleu => 1.0,
    }
}
