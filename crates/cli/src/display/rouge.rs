//! ROUGE of summaries, for `score` and `eval`.

use strata_metrics::{Running, copied_n_grams, rouge_l_f1, rouge_n_f1, rouge_words};

/// Names of the scores that [`scores`] returns.
pub const NAMES: [&str; 3] = ["ROUGE-1", "ROUGE-2", "ROUGE-L"];

/// Computes F1 of ROUGE-1, ROUGE-2 and ROUGE-L, in percent: means over the texts, each with its
/// references.
pub fn scores<'a>(texts: impl Iterator<Item = (&'a str, &'a [&'a str])>) -> [f64; 3] {
    let mut sums = [Running::default(); 3];
    for (text, references) in texts {
        let text = rouge_words(text);
        let references: Vec<Vec<String>> = references.iter().map(|it| rouge_words(it)).collect();
        let scores = [
            rouge_n_f1(&text, &references, 1),
            rouge_n_f1(&text, &references, 2),
            rouge_l_f1(&text, &references),
        ];
        for (sum, score) in sums.iter_mut().zip(scores) {
            sum.add(100.0 * score, 1);
        }
    }
    sums.map(|sum| sum.mean().unwrap_or_default())
}

/// Computes which share of the words, and of the pairs of successive words, of all texts stands in
/// their sources, in percent; `None` if the texts have no words, or no pair of words.
pub fn copied<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> [Option<f64>; 2] {
    let mut counts = [[0; 2]; 2];
    for (text, source) in texts {
        let (text, source) = (rouge_words(text), rouge_words(source));
        for (n, counts) in (1..).zip(&mut counts) {
            let [copied, all] = copied_n_grams(&text, &source, n);
            counts[0] += copied;
            counts[1] += all;
        }
    }
    counts.map(|[copied, all]| (all > 0).then(|| 100.0 * copied as f64 / all as f64))
}
