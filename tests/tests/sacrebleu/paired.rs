//! Paired bootstrap resampling, compared with results of the real sacreBLEU that `paired.py` has
//! stored.

use serde::Deserialize;
use strata_metrics::{Bleu, BleuTokenizer, PairedBootstrap};

#[derive(Deserialize)]
struct Stored {
    references: Vec<String>,
    systems: Vec<(String, Vec<String>)>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    samples: usize,
    tokenize: String,
    lowercase: bool,
    signature: String,
    results: Vec<Result>,
}

#[derive(Deserialize)]
struct Result {
    score: f64,
    mean: f64,
    interval: f64,
    p: Option<f64>,
}

#[test]
fn stored_p_values_hold() {
    let stored: Stored = serde_json::from_str(include_str!("paired.json")).unwrap();
    assert_eq!((stored.systems.len(), stored.cases.len()), (4, 3));
    for case in &stored.cases {
        let bleu = Bleu {
            tokenizer: case.tokenize.parse::<BleuTokenizer>().unwrap(),
            lowercase: case.lowercase,
            ..Bleu::default()
        };
        let counts = |(_, lines): &(String, Vec<String>)| {
            let pairs = lines.iter().zip(&stored.references);
            pairs
                .map(|(line, reference)| bleu.statistics(line, &[reference]))
                .collect::<Vec<_>>()
        };
        let systems: Vec<_> = stored.systems.iter().map(counts).collect();
        let bootstrap = PairedBootstrap {
            samples: case.samples,
            ..PairedBootstrap::default()
        };
        let tested = bootstrap.test(&systems, |it| bleu.score(it).score);
        for (ours, theirs) in tested.iter().zip(&case.results) {
            assert_eq!(ours.p_value, theirs.p, "{}", case.signature);
            // sacreBLEU computes the samples in 32 bits.
            for (ours, theirs, error) in [
                (ours.score, theirs.score, 1e-9),
                (ours.mean, theirs.mean, 1e-4),
                (ours.interval, theirs.interval, 1e-4),
            ] {
                assert!(
                    (ours - theirs).abs() < error,
                    "{ours} for {theirs}: {}",
                    case.signature
                );
            }
        }
    }
}
