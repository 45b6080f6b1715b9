#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use strata_text::{TokenUnit, Uploads};

use super::*;
use crate::random::Random;
use crate::{
    BatchPosition, BatchSize, Dataset, Example, FilesConfig, Stream, TaskConfig, TaskError,
    TextConfig, Written,
};

/// A corpus of 3,000 pairs and a cache, in a folder that is removed at the end.
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
            // Every tenth sentence occurs twice.
            let words = words.join(" ");
            for copy in 0..1 + usize::from(number % 10 == 0) {
                text += &format!("{words} n{number}\t{words} {copy}.\r\n");
            }
        }
        fs::write(&source, text).unwrap();
        let config = FilesConfig {
            source,
            stream: Stream::Always,
            level: TokenUnit::Punctuation,
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

/// Returns the batches of one epoch.
fn epoch(batches: &mut StoredBatches) -> Vec<Vec<Example>> {
    let epoch = batches.position().epoch;
    let mut all = Vec::new();
    while batches.position().epoch == epoch {
        all.push(batches.next_batch().unwrap());
    }
    all
}

/// Counts how often each example occurs.
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
    // With a validation file, the same sentences are held out.
    let validation = place.folder.join("validation.tsv");
    let text = fs::read_to_string(&place.config.source).unwrap();
    let lines: Vec<&str> = text.lines().step_by(9).collect();
    fs::write(&validation, lines.join("\n")).unwrap();
    place.config.validation_source = Some(validation);
    for (level, keep_overlap) in [
        (TokenUnit::Punctuation, false),
        (TokenUnit::Character, true),
        (TokenUnit::Bpe, false),
        (TokenUnit::Unigram, false),
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
        let memory = TaskConfig::Files(memory)
            .load(1, &Uploads::default())
            .unwrap();
        assert_eq!(streamed.source_vocabulary, memory.source_vocabulary);
        assert_eq!(streamed.target_vocabulary, memory.target_vocabulary);
        assert_eq!(streamed.validation(), memory.validation());
        assert_eq!(streamed.written(), memory.written());
        assert_eq!(streamed.dropped, memory.dropped);
        assert_eq!(streamed.maximum_lengths(), memory.maximum_lengths());
        let all = epoch(&mut batches(&streamed, BatchSize::Examples(7))).concat();
        assert_eq!(all.len(), memory.training().len());
        assert_eq!(memory.dropped.training.overlapping == 0, keep_overlap);
        assert_eq!(counted(all.iter()), counted(memory.training().iter()));
        let mut fingerprint = crate::Fingerprint::default();
        let examples = memory.training().iter().chain(memory.validation());
        examples.for_each(|example| fingerprint.add(example));
        assert_eq!(streamed.stored.unwrap().fingerprint(), fingerprint.value());
    }
}

/// Without a validation file, data in memory and streamed data have the same held-out sentences for
/// every seed, and the same training sentences and vocabulary; with a split by the seed they
/// differ.
#[test]
fn what_is_held_out_is_the_same_in_memory_and_streamed_and_for_all_seeds() {
    let mut place = Place::new("split");
    let in_memory = |config: &FilesConfig, seed| {
        let memory = FilesConfig {
            stream: Stream::Never,
            ..config.clone()
        };
        let task = TaskConfig::Files(memory);
        task.load(seed, &Uploads::default()).unwrap()
    };
    let held_out = |config: &FilesConfig, seed| {
        let cache = place_cache(config);
        prepare::load_in(&cache, config, seed, None).unwrap()
    };
    for (split, wanted, level) in [
        (1, 500, TokenUnit::Word),
        (2, 40, TokenUnit::Punctuation),
        (1, 1_000_000, TokenUnit::Bpe),
        (77, 1, TokenUnit::Character),
    ] {
        place.config.split = split;
        place.config.held_out = wanted;
        place.config.level = level;
        place.config.maximum_vocabulary = 90;
        let [memory, other] = [1, 2].map(|seed| in_memory(&place.config, seed));
        assert_eq!(memory.written(), other.written());
        assert_eq!(memory.training(), other.training());
        let streamed = [3, 4].map(|seed| held_out(&place.config, seed));
        for streamed in streamed {
            assert_eq!(streamed.written(), memory.written());
            assert_eq!(streamed.validation(), memory.validation());
            assert_eq!(streamed.source_vocabulary, memory.source_vocabulary);
            assert_eq!(streamed.target_vocabulary, memory.target_vocabulary);
            assert_eq!(streamed.dropped, memory.dropped);
            assert_eq!(streamed.identities, memory.identities);
            let all = epoch(&mut batches(&streamed, BatchSize::Examples(7))).concat();
            assert_eq!(counted(all.iter()), counted(memory.training().iter()));
        }
    }
    // Each split has one prepared corpus for all seeds.
    assert_eq!(fs::read_dir(place_cache(&place.config)).unwrap().count(), 4);
    place.config.split = 0;
    let [one, other] = [1, 2].map(|seed| held_out(&place.config, seed));
    assert_ne!(one.written(), other.written());
    assert_eq!(fs::read_dir(place_cache(&place.config)).unwrap().count(), 6);
}

/// Also where one sentence is most of the corpus, which is then trained.
#[test]
fn all_levels_of_tokens_hold_out_the_same_sentences() {
    let place = Place::new("levels");
    let text = fs::read_to_string(&place.config.source).unwrap();
    let frequent = "the same again\tdasselbe\r\n".repeat(text.lines().count() + 1);
    let half = text.len() / 2;
    let half = half + text[half..].find('\n').unwrap() + 1;
    let frequent = text[..half].to_owned() + &frequent + &text[half..];
    for text in [text, frequent] {
        fs::write(&place.config.source, text).unwrap();
        let mut held_out = Vec::new();
        for level in [
            TokenUnit::Word,
            TokenUnit::Punctuation,
            TokenUnit::Character,
            TokenUnit::Bpe,
            TokenUnit::Unigram,
        ] {
            for stream in [Stream::Never, Stream::Always] {
                let config = FilesConfig {
                    level,
                    stream,
                    held_out: 100,
                    maximum_vocabulary: 90,
                    maximum_length: 200,
                    ..place.config.clone()
                };
                let data = match stream {
                    Stream::Always => place.load_as(&config).unwrap(),
                    _ => TaskConfig::Files(config)
                        .load(1, &Uploads::default())
                        .unwrap(),
                };
                held_out.push(data.written().clone());
            }
        }
        let Written::Pairs(pairs) = &held_out[0] else {
            panic!("pairs");
        };
        assert!((100..103).contains(&pairs.len()), "{}", pairs.len());
        assert!(held_out.iter().all(|it| *it == held_out[0]));
    }
}

/// Returns the folder of prepared corpora beside a place's corpus.
fn place_cache(config: &FilesConfig) -> PathBuf {
    config.source.parent().unwrap().join("cache")
}

#[test]
fn held_out_sentences_are_never_trained() {
    let place = Place::new("held");
    let data = place.load();
    assert!(
        (500..505).contains(&data.validation().len()),
        "{}",
        data.validation().len()
    );
    assert!(data.dropped.training.too_long > 0);
    // The text of each example stays in line with its tokens.
    let Written::Pairs(written) = data.written() else {
        panic!("{:?}", data.written())
    };
    assert_eq!(written.len(), data.validation().len());
    for (example, [_, text]) in data.validation().iter().zip(written) {
        let tokens = data.target_segmenter.split(text);
        assert_eq!(example.target, data.target_vocabulary.encode(&tokens));
    }
    let all = epoch(&mut batches(&data, BatchSize::Examples(8))).concat();
    let memory = FilesConfig {
        stream: Stream::Never,
        ..place.config.clone()
    };
    let memory = TaskConfig::Files(memory)
        .load(1, &Uploads::default())
        .unwrap();
    assert_eq!(
        all.len() + data.validation().len(),
        memory.training().len() + memory.validation().len()
    );
    // Rare words are `<unk>`, so the two copies of a sentence are distinguished by their last word.
    let sentences: BTreeSet<&[u32]> = data.validation().iter().map(|it| &it.target[..]).collect();
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
    // A corpus is recognised by its contents, even with the same size and time.
    let text = fs::read_to_string(&place.config.source).unwrap();
    let at = text.find(|it: char| it.is_ascii_lowercase()).unwrap();
    let mut other = text.clone().into_bytes();
    other[at] = if other[at] == b'q' { b'x' } else { b'q' };
    let time = fs::metadata(&place.config.source)
        .unwrap()
        .modified()
        .unwrap();
    let write = |bytes: &[u8]| {
        fs::write(&place.config.source, bytes).unwrap();
        let file = fs::File::options().write(true).open(&place.config.source);
        file.unwrap().set_modified(time).unwrap();
    };
    write(&other);
    let changed = place.load();
    assert_eq!(place.cached().len(), 2);
    assert!(changed.stored.is_some());
    write(text.as_bytes());
    assert_eq!(fingerprint(&place.load()), fingerprint(&first));
    assert_eq!(place.cached().len(), 2);
    // Another corpus gets another file.
    fs::write(&place.config.source, text + "a new pair\tand more\n").unwrap();
    assert_ne!(fingerprint(&place.load()), fingerprint(&first));
    assert_eq!(place.cached().len(), 3);
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
        // A failed preparation leaves no file.
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

/// Writes a text of 5,000 lines, some of them empty.
fn text(place: &Place) -> TextConfig {
    let mut random = Random::new(1, "test", 0);
    let mut text = String::new();
    for _ in 0..5000 {
        let words: Vec<String> = (0..random.below(9))
            .map(|_| format!("w{}", random.below(60)))
            .collect();
        text += &format!("{}\r\n", words.join(" "));
    }
    let source = place.folder.join("text.txt");
    fs::write(&source, text).unwrap();
    TextConfig {
        source,
        stream: Stream::Always,
        segment_length: 7,
        ..TextConfig::default()
    }
}

fn load_text(place: &Place, config: &TextConfig) -> Result<Dataset, TaskError> {
    text::load_text_in(&place.folder.join("cache"), config, None)
}

#[test]
fn a_streamed_text_is_what_memory_would_hold() {
    let place = Place::new("text");
    let mut config = text(&place);
    let validation = place.folder.join("validation.txt");
    fs::write(&validation, "w1 w2 unknown\n\nw3\n").unwrap();
    config.validation_source = Some(validation);
    for level in [TokenUnit::Word, TokenUnit::Character, TokenUnit::Bpe] {
        config.level = level;
        config.maximum_vocabulary = 50;
        let streamed = load_text(&place, &config).unwrap();
        let memory = TextConfig {
            stream: Stream::Never,
            ..config.clone()
        };
        let memory = TaskConfig::Text(memory)
            .load(1, &Uploads::default())
            .unwrap();
        assert_eq!(streamed.target_vocabulary, memory.target_vocabulary);
        assert_eq!(streamed.validation(), memory.validation());
        assert_eq!(streamed.written(), memory.written());
        assert_eq!(streamed.maximum_lengths(), memory.maximum_lengths());
        let all = epoch(&mut batches(&streamed, BatchSize::Examples(7))).concat();
        assert_eq!(counted(all.iter()), counted(memory.training().iter()));
        let one = StoredStreams::new(streamed.stored.unwrap(), 1).unwrap();
        assert_eq!(one.batches_per_epoch(), memory.training().len() as u64);
        assert_eq!(of_streams(one)[0], memory.training());
    }
}

/// Returns the examples of an epoch, by stream.
fn of_streams(mut streams: StoredStreams) -> Vec<Vec<Example>> {
    let mut read: Vec<Vec<Example>> = Vec::new();
    for _ in 0..streams.batches_per_epoch() {
        let batch = streams.next_batch().unwrap();
        read.resize(batch.len(), Vec::new());
        for (stream, example) in read.iter_mut().zip(batch) {
            stream.push(example);
        }
    }
    assert_eq!(streams.position(), BatchPosition { epoch: 1, batch: 0 });
    read
}

#[test]
fn the_last_tenth_of_a_streamed_text_is_held_out() {
    let place = Place::new("tenth");
    let config = text(&place);
    let data = load_text(&place, &config).unwrap();
    let whole = fs::read_to_string(&config.source).unwrap();
    let tokens =
        |examples: &[Example]| -> usize { examples.iter().map(|it| it.target.len()).sum() };
    let stored = StoredStreams::new(data.stored.clone().unwrap(), 1).unwrap();
    let training = of_streams(stored).concat();
    // Every word and every line end is one token.
    let all = whole.split_whitespace().count() + whole.lines().count();
    assert_eq!(tokens(&training) + tokens(data.validation()), all);
    let share = tokens(data.validation()) as f64 / all as f64;
    assert!((0.09..0.11).contains(&share), "{share}");
    // Training and held-out part begin with a line.
    for first in [&training[0], &data.validation()[0]] {
        assert_eq!(first.source[0], strata_text::special::EOS);
    }
    let short = TextConfig {
        source: place.folder.join("empty.txt"),
        ..config
    };
    for bytes in ["", "one line\n"] {
        fs::write(&short.source, bytes).unwrap();
        let error = load_text(&place, &short).unwrap_err().to_string();
        assert!(error.contains("empty.txt"), "{error}");
    }
}

#[test]
fn streams_of_a_stored_text_go_on_and_leave_nothing_out() {
    let place = Place::new("streams");
    let data = load_text(&place, &text(&place)).unwrap();
    let stored = data.stored.unwrap();
    let one = of_streams(StoredStreams::new(stored.clone(), 1).unwrap()).concat();
    for count in [2, 7, 64, one.len(), usize::MAX] {
        let streams = StoredStreams::new(stored.clone(), count).unwrap();
        let read = of_streams(streams.clone());
        assert_eq!(read.len(), count.min(one.len()));
        let mut seen = 0;
        for stream in &read {
            // A stream is a part of the text that begins where the one before ends, or earlier.
            let first = one.iter().position(|it| *it == stream[0]).unwrap();
            assert_eq!(one[first..first + stream.len()], stream[..]);
            assert!(first <= seen && first + stream.len() >= seen);
            seen = first + stream.len();
        }
        assert_eq!(seen, one.len());
        // A position is enough to resume.
        let half = BatchPosition {
            epoch: 3,
            batch: streams.batches_per_epoch() / 2,
        };
        let mut resumed = streams.clone().at(half).unwrap();
        let next = resumed.next_batch().unwrap();
        let expected: Vec<Example> = read
            .iter()
            .map(|it| it[half.batch as usize].clone())
            .collect();
        assert_eq!(next, expected);
        let beyond = BatchPosition {
            epoch: 0,
            batch: streams.batches_per_epoch(),
        };
        assert!(streams.at(beyond).is_err());
    }
    assert!(StoredStreams::new(stored, 0).is_err());
}

#[test]
fn an_unequal_pair_of_a_streamed_corpus_is_told_by_its_line() {
    let place = Place::new("unequal");
    let lines: Vec<String> = (0..200)
        .map(|at| match at {
            150 => format!("a{at} b\tx y z"),
            _ => format!("a{at} b\tx y"),
        })
        .collect();
    fs::write(&place.config.source, lines.join("\n")).unwrap();
    let config = FilesConfig {
        held_out: 10,
        minimum_count: 1,
        ..place.config.clone()
    };
    let dataset = place.load_as(&config).unwrap();
    assert!(dataset.stored.is_some());
    let task = TaskConfig::Files(config);
    let error = task.check_equal_lengths(&dataset, &Uploads::default());
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("line 151 of "), "{error}");
    assert!(error.contains("2 source and 3 target tokens"), "{error}");
}
