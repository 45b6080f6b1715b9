#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::random::Random;
use crate::{
    BatchPosition, BatchSize, Dataset, Example, FilesConfig, Level, Stream, TaskConfig, TaskError,
};

/// A corpus of 3,000 pairs and a cache, in a folder that vanishes with them.
struct Place {
    folder: PathBuf,
    config: FilesConfig,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("pairs.tsv");
        let mut random = Random::new(0, "test", 0);
        let mut text = String::new();
        for number in 0..3000 {
            let length = 1 + random.below(12);
            let words: Vec<String> = (0..length)
                .map(|_| format!("w{}", random.below(40)))
                .collect();
            // Every tenth sentence comes twice.
            let words = words.join(" ");
            for copy in 0..1 + usize::from(number % 10 == 0) {
                text += &format!("{words} n{number}\t{words} {copy}.\r\n");
            }
        }
        fs::write(&source, text).unwrap();
        let config = FilesConfig {
            source,
            stream: Stream::Always,
            level: Level::Punctuation,
            maximum_length: 11,
            ..FilesConfig::default()
        };
        Self { folder, config }
    }

    fn load(&self) -> Dataset {
        self.load_as(&self.config).unwrap()
    }

    fn load_as(&self, config: &FilesConfig) -> Result<Dataset, TaskError> {
        prepare::load_in(&self.folder.join("cache"), config, 1, None)
    }

    fn cached(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join("cache")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn batches(data: &Dataset, size: BatchSize) -> StoredBatches {
    let stored = Arc::clone(data.stored.as_ref().unwrap());
    StoredBatches::new(stored, size, 3).unwrap()
}

/// The examples of one epoch.
fn epoch(batches: &mut StoredBatches) -> Vec<Vec<Example>> {
    let epoch = batches.position().epoch;
    let mut all = Vec::new();
    while batches.position().epoch == epoch {
        all.push(batches.next_batch().unwrap());
    }
    all
}

/// How often each example occurs.
fn counted<'a>(
    examples: impl Iterator<Item = &'a Example>,
) -> BTreeMap<(&'a [u32], &'a [u32]), usize> {
    let mut counts = BTreeMap::new();
    for example in examples {
        *counts
            .entry((&example.source[..], &example.target[..]))
            .or_default() += 1;
    }
    counts
}

#[test]
fn what_is_streamed_is_what_memory_would_hold() {
    let mut place = Place::new("equal");
    // A validation file, so that the same sentences are held out.
    let validation = place.folder.join("validation.tsv");
    let text = fs::read_to_string(&place.config.source).unwrap();
    let lines: Vec<&str> = text.lines().step_by(9).collect();
    fs::write(&validation, lines.join("\n")).unwrap();
    place.config.validation_source = Some(validation);
    for (level, keep_overlap) in [
        (Level::Punctuation, false),
        (Level::Character, true),
        (Level::Bpe, false),
        (Level::Unigram, false),
    ] {
        place.config.level = level;
        place.config.keep_overlap = keep_overlap;
        place.config.maximum_vocabulary = 90;
        place.config.maximum_length = 40;
        let streamed = place.load();
        let memory = FilesConfig {
            stream: Stream::Never,
            ..place.config.clone()
        };
        let memory = TaskConfig::Files(memory).load(1).unwrap();
        assert_eq!(streamed.source_vocabulary, memory.source_vocabulary);
        assert_eq!(streamed.target_vocabulary, memory.target_vocabulary);
        assert_eq!(streamed.validation, memory.validation);
        assert_eq!(streamed.dropped, memory.dropped);
        assert_eq!(streamed.maximum_lengths(), memory.maximum_lengths());
        let all = epoch(&mut batches(&streamed, BatchSize::Examples(7))).concat();
        assert_eq!(all.len(), memory.training.len());
        assert_eq!(memory.dropped.overlapping == 0, keep_overlap);
        assert_eq!(counted(all.iter()), counted(memory.training.iter()));
        let mut fingerprint = crate::Fingerprint::default();
        let examples = memory.training.iter().chain(&memory.validation);
        examples.for_each(|example| fingerprint.add(example));
        assert_eq!(streamed.stored.unwrap().fingerprint(), fingerprint.value());
    }
}

#[test]
fn held_out_sentences_are_never_trained() {
    let place = Place::new("held");
    let data = place.load();
    assert!(
        (500..505).contains(&data.validation.len()),
        "{}",
        data.validation.len()
    );
    assert!(data.dropped.too_long > 0);
    let all = epoch(&mut batches(&data, BatchSize::Examples(8))).concat();
    let memory = FilesConfig {
        stream: Stream::Never,
        ..place.config.clone()
    };
    let memory = TaskConfig::Files(memory).load(1).unwrap();
    assert_eq!(
        all.len() + data.validation.len(),
        memory.training.len() + memory.validation.len()
    );
    // Rare words are <unk>: the two copies of a sentence are told by their last word.
    let sentences: BTreeSet<&[u32]> = data.validation.iter().map(|it| &it.target[..]).collect();
    let known = |it: &&Example| it.source.len() > 6 && sentences.contains(&it.target[..]);
    assert_eq!(all.iter().filter(known).count(), 0);
}

#[test]
fn a_position_goes_on_exactly_and_epochs_differ() {
    let place = Place::new("position");
    let data = place.load();
    for size in [BatchSize::Examples(8), BatchSize::Tokens(150)] {
        let mut whole = batches(&data, size);
        let first = epoch(&mut whole);
        let about = whole.batches_per_epoch() as f64 / first.len() as f64;
        assert!((0.9..1.1).contains(&about), "{about}");
        for _ in 0..40 {
            whole.next_batch().unwrap();
        }
        let mut resumed = batches(&data, size).at(whole.position()).unwrap();
        let second = epoch(&mut resumed);
        assert_eq!(second, epoch(&mut whole));
        assert_ne!(second[0], first[40]);
        assert_eq!(whole.position(), BatchPosition { epoch: 2, batch: 0 });
        let beyond = BatchPosition {
            epoch: 0,
            batch: first.len() as u64,
        };
        assert!(batches(&data, size).at(beyond).is_err());
    }
}

#[test]
fn a_prepared_corpus_is_found_again_and_a_damaged_or_foreign_one_made_anew() {
    let place = Place::new("again");
    let fingerprint = |data: &Dataset| data.stored.as_ref().unwrap().fingerprint();
    let first = place.load();
    let [path] = place.cached().try_into().unwrap();
    let good = fs::read(&path).unwrap();
    // A corpus that is only looked up is not read: its place is taken by another of its kind.
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(fingerprint(&place.load()), fingerprint(&first));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
    let spoil = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        assert_eq!(fingerprint(&place.load()), fingerprint(&first));
        assert_eq!(fs::read(&path).unwrap(), good);
    };
    spoil(&Vec::clear);
    spoil(&|bytes| bytes.truncate(bytes.len() / 2));
    spoil(&|bytes| bytes[100] ^= 1);
    spoil(&|bytes| *bytes = b"another program's file".repeat(9));
    let end = good.len();
    spoil(&|bytes| bytes[end - 24..end - 16].fill(0xff));
    spoil(&|bytes| bytes[end - 200] ^= 1);
    // Another corpus is another file.
    let text = fs::read_to_string(&place.config.source).unwrap();
    fs::write(&place.config.source, text + "a new pair\tand more\n").unwrap();
    assert_ne!(fingerprint(&place.load()), fingerprint(&first));
    assert_eq!(place.cached().len(), 2);
}

#[test]
fn damage_during_training_is_told() {
    let place = Place::new("during");
    let data = place.load();
    let mut batches = batches(&data, BatchSize::Examples(8));
    let [path] = place.cached().try_into().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let error = loop {
        if let Err(error) = batches.next_batch() {
            break error.to_string();
        }
    };
    assert!(error.contains("was damaged while it was used"), "{error}");
}

#[test]
fn what_is_wrong_with_a_line_is_told_with_its_number() {
    let place = Place::new("wrong");
    let refuse = |bytes: &[u8]| {
        fs::write(&place.config.source, bytes).unwrap();
        let error = place.load_as(&place.config).unwrap_err();
        // What failed leaves nothing behind.
        assert!(
            place
                .cached()
                .iter()
                .all(|it| it.extension().unwrap() == "corpus")
        );
        error.to_string()
    };
    assert!(refuse(b"a\tb\nc\n").contains("pairs.tsv, line 2: no TAB"));
    assert!(refuse(b"a\tb\nc\xff\td\n").contains("pairs.tsv, line 2: byte 2"));
    assert!(refuse(b"\n\n").contains("no sentence pair is left (2 dropped as empty"));
    assert!(refuse(b"a\tb\na\tc\n").contains("the same source sentence"));
    assert!(refuse(&[0x1f, 0x8b, 9, 9]).contains("the gzip data is broken"));
    let sides = FilesConfig {
        target: Some(place.folder.join("target.txt")),
        ..place.config.clone()
    };
    fs::write(place.folder.join("target.txt"), "x\ny\nz\n").unwrap();
    fs::write(&place.config.source, "a\nb\n").unwrap();
    let error = place.load_as(&sides).unwrap_err().to_string();
    assert!(
        error.contains("has 2 lines and") && error.contains("has 3"),
        "{error}"
    );
}
