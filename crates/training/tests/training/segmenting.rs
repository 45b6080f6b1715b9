//! Runs on text that is segmented into learned pieces: the checkpoint holds what segmenting needs.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use burn::tensor::Device;
use pollster::block_on;
use safetensors::SafeTensors;
use serde_json::Value;
use strata_tasks::{FilesConfig, TaskConfig};
use strata_text::{TargetLevel, TokenUnit, Uploads};
use strata_training::{Experiment, Inference, Trainer};

use super::{experiment, losses, transformer};

/// Experiment on a text of its own, in a folder that is deleted when dropped.
struct Corpus {
    folder: PathBuf,
    experiment: Experiment,
}

impl Corpus {
    fn new(name: &str, level: TokenUnit, target_level: TargetLevel) -> Self {
        let folder = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let words = ["Hund", "Hunde", "Frau", "Frauen", "sieht", "läuft"];
        let line = |i: usize| {
            let [first, second] = [words[i % 6], words[i / 6 % 6]];
            format!("Der {first} {second}!\t{second}, {first} \"the\" dog{i}.\n")
        };
        let source = folder.join("pairs.tsv");
        fs::write(&source, (0..60).map(line).collect::<String>()).expect("a temporary file");
        let mut experiment = experiment(transformer(), 10);
        experiment.training.batch_size = 8;
        experiment.task = TaskConfig::Files(FilesConfig {
            source,
            level,
            target_level,
            held_out: 5,
            maximum_vocabulary: 60,
            ..FilesConfig::default()
        });
        Self { folder, experiment }
    }

    fn trainer(&self) -> Trainer {
        Trainer::new(
            self.experiment.clone(),
            &Uploads::default(),
            &Device::default(),
        )
        .expect("a good experiment")
    }
}

impl Drop for Corpus {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

#[test]
fn learned_pieces_translate_without_the_corpus_and_go_on_with_it() {
    let corpus = Corpus::new("pieces", TokenUnit::Unigram, TargetLevel::Bpe);
    let mut trainer = corpus.trainer();
    losses(&mut trainer, 3);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let mut restored =
        Trainer::restore(&file, &Uploads::default(), &Device::default()).expect("a whole file");
    assert_eq!(losses(&mut restored, 5), losses(&mut trainer, 5));

    drop(corpus);
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    assert_eq!(inference.tokenizer(), trainer.tokenizer());
    for text in ["Der Hund läuft!", "Hundefrauen 春"] {
        let here = trainer.tokenizer().encode(text).expect("a text");
        let there = inference.tokenizer().encode(text).expect("a text");
        assert_eq!(here, there);
        assert!(here.tokens[0].starts_with('▁'), "{here:?}");
    }
    let target = "Hunde, Frau \"the\" dog";
    let ids = inference.tokenizer().encode_target(target);
    assert_eq!(inference.tokenizer().target_text(&ids), target);
}

#[test]
fn a_model_of_pieces_that_is_missing_or_damaged_is_told() {
    let corpus = Corpus::new("damaged", TokenUnit::Bpe, TargetLevel::Same);
    let file = block_on(corpus.trainer().checkpoint()).expect("the CPU does not fail");
    let damages: [fn(&mut Value); 2] = [
        |entry| entry["source_subwords"] = Value::Null,
        |entry| entry["target_subwords"]["merges"][0][0] = 3_000_000_000_u32.into(),
    ];
    for damage in damages {
        let file = rewritten(&file, damage);
        let error = Inference::from_checkpoint(&file, &Device::default());
        let error = error.map(drop).expect_err("damaged").to_string();
        assert!(error.contains("the subwords are damaged: "), "{error}");
    }
}

#[test]
fn a_file_of_the_first_format_still_opens() {
    let corpus = Corpus::new("old", TokenUnit::Character, TargetLevel::Same);
    let mut trainer = corpus.trainer();
    losses(&mut trainer, 2);
    let file = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let old = rewritten(&file, |entry| {
        entry["format"] = 1.into();
        let mut remove = |table: &str, names: &[&str]| {
            let table = entry.pointer_mut(table).and_then(Value::as_object_mut);
            let table = table.expect("a table");
            for name in names {
                table.remove(*name).expect("a setting that is new");
            }
        };
        remove("", &["source_subwords", "target_subwords"]);
        remove("/experiment/task", &["target_level", "lowercase"]);
    });
    let mut restored =
        Trainer::restore(&old, &Uploads::default(), &Device::default()).expect("an old file");
    assert_eq!(restored.tokenizer(), trainer.tokenizer());
    assert_eq!(losses(&mut restored, 2), losses(&mut trainer, 2));
}

/// Rewrites a checkpoint after `change` has edited Strata's entry of the header.
fn rewritten(file: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(file).expect("a whole file");
    let entry = &header.metadata().as_ref().expect("an entry")["strata"];
    let mut entry: Value = serde_json::from_str(entry).expect("our own text");
    change(&mut entry);
    let tensors = SafeTensors::deserialize(file).expect("a whole file");
    let metadata = HashMap::from([("strata".to_owned(), entry.to_string())]);
    safetensors::serialize(tensors.tensors(), Some(metadata)).expect("distinct names")
}
