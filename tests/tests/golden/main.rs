//! Golden numbers: every case in the folder, outputs and gradients, against an independent
//! float64 program. The folder is `STRATA_GOLDEN`, else `tests/golden`.

#![allow(clippy::unwrap_used)]

mod attention;
mod case;
mod levels;
mod poems;
mod positions_in_attention;
mod pyramid;
mod reading;
mod recurrent;
mod transformer;

use std::path::PathBuf;

use burn::tensor::{Device, Tensor};
use case::{Case, Outputs};
use strata_models::{Tokens, cross_entropy, transformer::sinusoidal_positions};

#[test]
fn golden_cases_hold() {
    let folder = std::env::var_os("STRATA_GOLDEN")
        .map_or_else(|| strata_tests::here().join("golden"), PathBuf::from);
    let entries = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "safetensors")
        })
        .collect();
    files.sort();
    assert!(
        !files.is_empty(),
        "no *.safetensors in {}",
        folder.display()
    );

    let (mut passed, mut failures) = (0, Vec::new());
    for file in &files {
        let case = Case::read(file, &Device::flex().autodiff());
        let outputs = run(&case);
        match case.compare(&outputs) {
            Ok(()) => passed += 1,
            Err(differences) => failures.push(format!("{}: {differences}", case.name)),
        }
    }
    println!("golden: {passed} of {} cases hold", files.len());
    assert!(
        failures.is_empty(),
        "{} cases fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn run(case: &Case) -> Outputs {
    match case.mechanism.as_str() {
        "vanilla" | "local" | "hard" | "multilevel" | "ham_v" | "ham_s" | "pyramid" => {
            attention::single(case)
        }
        "multihead" => attention::multi_head(case),
        "rnn" => recurrent::rnn(case),
        "decoder" => recurrent::decoder(case),
        "transformer" => transformer::transformer(case),
        "ppg" => poems::ppg(case),
        "rnnpg" => poems::rnnpg(case),
        "word2vec" => poems::word2vec(case),
        "positions" => positions(case),
        "cross_entropy" => loss(case),
        "word_embedding" => reading::word_embedding(case),
        "attention_flow" => reading::attention_flow(case),
        "matching" => reading::matching(case),
        "self_matching" => reading::self_matching(case),
        "pointer" => reading::pointer(case),
        "span" => reading::span(case),
        "reader" => reading::reader(case),
        other => panic!("{}: unknown mechanism {other:?}", case.name),
    }
}

fn positions(case: &Case) -> Outputs {
    assert_eq!(case.text("kind"), "sinusoidal");
    let table = sinusoidal_positions(0..case.number("length"), case.number("width"), &case.device);
    Outputs::default().with("table", table, None)
}

fn loss(case: &Case) -> Outputs {
    let loss = cross_entropy(
        case.float("input.logits"),
        &tokens(case, "input.target"),
        case.config["label_smoothing"].as_f64().unwrap(),
    );
    Outputs::default().with("loss", loss, None)
}

/// Returns token ids of the case; its padding id must be ours.
fn tokens(case: &Case, name: &str) -> Tokens {
    assert_eq!(case.number("pad"), strata_models::PAD as usize);
    let (ids, [_, columns]) = case.integers(name);
    let rows: Vec<Vec<u32>> = ids.chunks(columns).map(<[u32]>::to_vec).collect();
    Tokens::pad(&rows)
}

/// Reshapes `[B, T, D]` into `[B, 1, T, D]`.
fn one_head(tensor: Tensor<3>) -> Tensor<4> {
    tensor.unsqueeze_dim(1)
}
