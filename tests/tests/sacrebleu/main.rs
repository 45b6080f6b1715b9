//! BLEU, chrF and TER compared with the real sacreBLEU, digit by digit.
//!
//! `STRATA_PYTHON` names a Python that has sacreBLEU; `cargo xtask test` makes one. Without it only
//! `stored.jsonl` is checked, which sacreBLEU has written by `oracle.py`.

#![allow(clippy::unwrap_used)]

mod case;
mod paired;
mod text;

use std::env;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use strata_metrics::{Bleu, BleuTokenizer, Chrf, SACREBLEU_VERSION, Smoothing, Ter};

use case::Case;
use text::Text;

#[test]
fn stored_scores_hold() {
    let lines = include_str!("stored.jsonl").lines();
    let cases: Vec<Case> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() >= 12);
    cases.iter().for_each(Case::check);
}

#[test]
fn bleu_is_sacrebleus_with_every_option() {
    let mut text = Text::new(1);
    let smoothings = [
        Smoothing::None,
        Smoothing::Exponential,
        Smoothing::Floor(0.1),
        Smoothing::Floor(0.37),
        Smoothing::AddK(1.0),
        Smoothing::AddK(0.5),
    ];
    let mut cases = Vec::new();
    for tokenizer in BleuTokenizer::ALL {
        for smoothing in smoothings {
            for options in 0..4 {
                let bleu = Bleu {
                    tokenizer,
                    smoothing,
                    lowercase: options & 1 == 1,
                    effective_order: options & 2 == 2,
                    maximum_order: [4, 1 + cases.len() % 4][cases.len() % 2],
                };
                cases.push(Case::bleu(&bleu, text.pairs(40)));
            }
        }
    }
    agree(&cases);
}

#[test]
fn chrf_is_sacrebleus_with_every_option() {
    let mut text = Text::new(2);
    let mut cases = Vec::new();
    for character_order in [0, 1, 3, 6, 8] {
        for word_order in [0, 1, 2, 3] {
            for beta in [0, 1, 2, 3] {
                for options in 0..8 {
                    let chrf = Chrf {
                        character_order,
                        word_order,
                        beta,
                        lowercase: options & 1 == 1,
                        white_space: options & 2 == 2,
                        epsilon_smoothing: options & 4 == 4,
                    };
                    // sacreBLEU fails on the mean of no order at all.
                    if character_order + word_order > 0 {
                        cases.push(Case::chrf(&chrf, text.pairs(6)));
                    }
                }
            }
        }
    }
    agree(&cases);
}

#[test]
fn ter_is_sacrebleus() {
    let mut text = Text::new(4);
    let mut cases = Vec::new();
    for case_sensitive in [false, true] {
        for _ in 0..10 {
            cases.push(Case::ter(&Ter { case_sensitive }, text.pairs(20)));
        }
    }
    agree(&cases);
}

/// Real text, if `STRATA_DATA` names a folder with corpora.
#[test]
fn scores_of_real_text_are_sacrebleus() {
    let Some(folder) = env::var_os("STRATA_DATA") else {
        println!("Not tested: STRATA_DATA names no folder of real text.");
        return;
    };
    let mut text = Text::new(3);
    let mut cases = Vec::new();
    for (file, tokenizer) in [
        ("multi30k/test_2016_flickr.en.gz", BleuTokenizer::Western),
        (
            "multi30k/test_2017_mscoco.de.gz",
            BleuTokenizer::International,
        ),
        ("opennmt-en-de-sample/tgt-test.txt.gz", BleuTokenizer::None),
        ("fra-eng-tatoeba/fra.txt.gz", BleuTokenizer::International),
        (
            "zh-en-transformer-pytorch/cn.test.txt",
            BleuTokenizer::Chinese,
        ),
        ("word-alignment/zhen.src-tgt", BleuTokenizer::Characters),
    ] {
        let lines = lines_of(&Path::new(&folder).join(file), 1000);
        let neighbours = lines.iter().zip(lines.iter().skip(1));
        let pairs: Vec<_> = neighbours
            .map(|(line, next)| (text.like(line), vec![line.clone(), next.clone()]))
            .collect();
        let bleu = Bleu {
            tokenizer,
            ..Bleu::default()
        };
        cases.push(Case::bleu(&bleu, pairs.clone()));
        cases.push(Case::chrf(&Chrf::default(), pairs.clone()));
        cases.push(Case::chrf(&Chrf::plus_plus(), pairs.clone()));
        let few = pairs.into_iter().take(100).collect();
        cases.push(Case::ter(&Ter::default(), few));
    }
    agree(&cases);
}

fn lines_of(path: &Path, number: usize) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    text.split('\n').take(number).map(str::to_owned).collect()
}

/// Runs the real program, and compares.
fn agree(cases: &[Case]) {
    let Some(python) = env::var_os("STRATA_PYTHON") else {
        println!("Not tested: STRATA_PYTHON names no Python that has sacreBLEU.");
        return;
    };
    let mut lines = String::new();
    for case in cases {
        lines += &serde_json::to_string(case).unwrap();
        lines.push('\n');
    }
    let oracle = strata_tests::here().join("tests/sacrebleu/oracle.py");
    let mut child = Command::new(&python)
        .arg(oracle)
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} does not start: {error}", python.display()));
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "sacreBLEU failed: {}",
        output.status
    );
    writer.join().unwrap().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Case> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), cases.len());
    let version = format!("version:{SACREBLEU_VERSION}");
    assert!(
        answers[0].expected[0].contains(&version),
        "not sacreBLEU {SACREBLEU_VERSION}: {}",
        answers[0].expected[0]
    );
    answers.iter().for_each(Case::check);
}
