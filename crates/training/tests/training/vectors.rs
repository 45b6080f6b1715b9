//! Embeddings that start from vectors in a file.

use std::fs;

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{CellKind, EmbeddingTraining, ModelConfig};
use strata_tasks::{FilesConfig, TaskConfig, TextConfig};
use strata_text::Uploads;
use strata_training::{Experiment, Trainer};

use super::language::{Text, attending, recurrent};
use super::poems::parameter;
use super::{experiment, losses, seq2seq, trainer, transformer};

/// Corpus of six words, and a file with vectors of four of these words, one of them in lower case.
struct Files {
    text: Text,
    vectors: Text,
}

/// Tokens with a vector, spelled as in the vocabulary, and the first number of each vector.
const KNOWN: [(&str, f32); 4] = [("one", 1.0), ("two", 2.0), ("Three", 3.0), ("four", 4.0)];

impl Files {
    fn new(name: &str, pairs: bool, width: usize) -> Self {
        let line = |at: usize| {
            let words = ["one", "two", "Three", "four", "five", "six"];
            let [first, second] = [words[at % 6], words[at / 6 % 6]];
            match pairs {
                true => format!("{first} {second} {second}\t{second} {first}\n"),
                false => format!("{first} {second}\n"),
            }
        };
        let row = |(word, first): &(&str, f32)| {
            let rest = (1..width).map(|at| format!(" 0.{at}"));
            format!(
                "{} {first}{}\n",
                word.to_lowercase(),
                rest.collect::<String>()
            )
        };
        let rows: String = KNOWN.iter().map(row).collect();
        Self {
            text: Text::new(name, &(0..72).map(line).collect::<String>()),
            vectors: Text::new(
                &format!("{name}-vectors"),
                &format!("5 {width}\n{rows}other{}\n", " 9".repeat(width)),
            ),
        }
    }

    fn experiment(&self, model: ModelConfig) -> Experiment {
        let is_text = model.is_language_model();
        let mut experiment = experiment(model, 6);
        experiment.training.batch_size = 8;
        experiment.training.optimizer.weight_decay = 0.1;
        let (source, vectors) = (self.text.path.clone(), Some(self.vectors.path.clone()));
        experiment.task = match is_text {
            true => TaskConfig::Text(TextConfig {
                source,
                vectors,
                segment_length: 5,
                ..TextConfig::default()
            }),
            false => TaskConfig::Files(FilesConfig {
                source,
                target_vectors: vectors,
                held_out: 8,
                ..FilesConfig::default()
            }),
        };
        experiment
    }
}

fn models() -> Vec<(ModelConfig, &'static str, usize)> {
    let mut tied = attending();
    if let ModelConfig::TransformerLm(config) = &mut tied {
        config.tied = true;
    }
    vec![
        (seq2seq(), "model.target_embedding", 16),
        (transformer(), "model.target_embedding", 32),
        (recurrent(CellKind::Lstm, 1), "model.embedding", 16),
        (tied, "model.embedding", 16),
    ]
}

fn without_vectors(experiment: &Experiment) -> Experiment {
    let mut experiment = experiment.clone();
    match &mut experiment.task {
        TaskConfig::Text(task) => task.vectors = None,
        TaskConfig::Files(task) => task.target_vectors = None,
        _ => unreachable!("a task of files"),
    }
    experiment
}

/// Returns the rows of an embedding table, each with its token.
fn rows(trainer: &Trainer, name: &str, width: usize) -> Vec<(String, Vec<f32>)> {
    let numbers = parameter(trainer, name);
    let ids: Vec<u32> = (0..(numbers.len() / width) as u32).collect();
    let tokens = trainer.tokenizer().target_tokens(&ids);
    let rows = numbers.chunks(width).map(<[f32]>::to_vec);
    tokens.into_iter().zip(rows).collect()
}

#[test]
fn rows_of_known_tokens_are_those_of_the_file_and_stay() {
    for (at, (model, table, width)) in models().into_iter().enumerate() {
        let files = Files::new(&format!("kept-{at}"), !model.is_language_model(), width);
        let asked = files.experiment(model);
        let mut run = trainer(&asked);
        let told = run.facts().remarks.join(" ");
        assert!(
            told.contains(&format!("vectors of {width} numbers for 4 of 6 tokens")),
            "{told}"
        );
        assert!(told.contains("`model.train_embeddings=yes`"), "{told}");
        let drawn = rows(&trainer(&without_vectors(&asked)), table, width);
        let begun = rows(&run, table, width);
        for ((token, row), (_, drawn)) in begun.iter().zip(&drawn) {
            match KNOWN.iter().find(|(known, _)| known == token) {
                Some(&(_, first)) => assert_eq!(row[..2], [first, 0.1], "{table} {token}"),
                None => assert_eq!(row, drawn, "{table} {token}"),
            }
        }
        let whole = losses(&mut run, 3);
        assert_eq!(rows(&run, table, width), begun, "{table} is not trained");

        // A run resumes bit for bit without the file of vectors, but cannot start again.
        let mut first = trainer(&asked);
        losses(&mut first, 2);
        let bytes = block_on(first.checkpoint()).expect("the CPU does not fail");
        drop(files.vectors);
        let mut resumed = Trainer::restore(&bytes, &Uploads::default(), &Device::default())
            .expect("the file is not needed");
        assert_eq!(losses(&mut resumed, 1), whole[2..]);
        assert_eq!(rows(&resumed, table, width), begun);
        let error = resumed.reset().expect_err("no vectors").to_string();
        assert!(error.contains("begin another run"), "{error}");
        let change = asked.can_go_on_as(&without_vectors(&asked));
        let error = change.expect_err("they are part of the run").to_string();
        assert!(error.contains("vectors` is set"), "{error}");
    }
}

#[test]
fn a_table_is_trained_where_that_is_asked_for() {
    for (at, (mut model, table, width)) in models().into_iter().enumerate() {
        let files = Files::new(&format!("trained-{at}"), !model.is_language_model(), width);
        model.set_train_embeddings(EmbeddingTraining::Yes);
        let mut run = trainer(&files.experiment(model.clone()));
        assert!(!run.facts().remarks.join(" ").contains("train_embeddings"));
        let begun = rows(&run, table, width);
        losses(&mut run, 2);
        assert_ne!(rows(&run, table, width), begun, "{table}");
        run.reset().expect("data and vectors are there");
        assert_eq!(rows(&run, table, width), begun, "{table}");

        model.set_train_embeddings(EmbeddingTraining::No);
        let mut kept = trainer(&without_vectors(&files.experiment(model)));
        let begun = rows(&kept, table, width);
        losses(&mut kept, 2);
        assert_eq!(rows(&kept, table, width), begun, "{table} without vectors");

        // Fine-tuning may train a table that was kept fixed before.
        let bytes = block_on(kept.checkpoint()).expect("the CPU does not fail");
        block_on(run.start_from(&bytes)).expect("the same model");
        assert_eq!(rows(&run, table, width), begun);
    }
}

#[test]
fn vectors_that_do_not_fit_are_refused_with_what_to_set() {
    let error = |experiment: Experiment| {
        Trainer::new(experiment, &Uploads::default(), &Device::default())
            .err()
            .expect("they do not fit")
            .to_string()
    };
    for (model, _, width) in models() {
        let setting = model.embedding_setting();
        let files = Files::new("width", !model.is_language_model(), 12);
        let told = error(files.experiment(model));
        assert!(told.contains(&format!(
            "have 12 numbers, but `model.{setting}` is {width}"
        )));
        assert!(
            told.contains(&format!("set `model.{setting}=12`")),
            "{told}"
        );
    }
    let (files, wider) = (Files::new("one", true, 16), Files::new("other", true, 20));
    let mut both = files.experiment(seq2seq());
    if let TaskConfig::Files(task) = &mut both.task {
        task.source_vectors = Some(wider.vectors.path.clone());
    }
    let told = error(both);
    assert!(
        told.contains("`task.source_vectors` have 20 numbers"),
        "{told}"
    );
    fs::write(&files.vectors.path, format!("zzz{}\n", " 1".repeat(16))).expect("a file");
    let told = error(files.experiment(seq2seq()));
    assert!(told.contains("none of the 6 tokens has a vector"), "{told}");
}
