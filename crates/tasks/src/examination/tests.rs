//! Good texts are described, broken ones are refused with a sentence.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use flate2::{Compression, write::GzEncoder};

use super::*;
use crate::TextConfig;
use crate::random::Random;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn given(name: &str, bytes: &[u8]) -> UploadedText {
    UploadedText {
        name: name.to_owned(),
        bytes: bytes.to_vec(),
    }
}

fn pairs(source: &str, target: Option<&str>) -> TaskConfig {
    TaskConfig::Files(FilesConfig {
        source: source.into(),
        target: target.map(Into::into),
        minimum_count: 1,
        maximum_length: 4,
        ..FilesConfig::default()
    })
}

fn text(source: &str) -> TaskConfig {
    TaskConfig::Text(TextConfig {
        source: source.into(),
        ..TextConfig::default()
    })
}

#[test]
fn two_columns_are_described_with_what_was_left_out_and_where() {
    let content = "a b\tx y\r\nno column\r\n\tz\r\n\r\nc\tw w w w w\r\nd\tv\r\ne\tu\r\n";
    let content = format!("\u{feff}{content}");
    let task = pairs("columns.tsv", None);
    let texts = vec![given("columns.tsv", content.as_bytes())];
    let mut uploads = Uploads::default();
    let examined = CorpusReport::of(task.clone(), 0, texts, &mut uploads).unwrap();
    assert_eq!(examined.preview[0], ["a b", "x y"]);
    assert_eq!(examined.preview[2], ["d", "v"]);
    assert_eq!(examined.training + examined.held_out, 3);
    assert_eq!(
        examined.dropped,
        [
            "Left out: 1 pair without a TAB between source and target, line 2.",
            "Left out: 2 pairs with nothing on one side, lines 3, 4.",
            "Left out: 1 pair with more than 4 tokens on a side, line 5.",
        ]
    );
    assert_eq!(examined.texts[0].lines, 7);
    // Now the task can be loaded as from a file.
    let data = task.load(0, &uploads).unwrap();
    assert_eq!(data.training().len(), examined.training);
}

#[test]
fn two_texts_may_be_packed() {
    let task = pairs("left.txt", Some("right.txt"));
    let texts = vec![
        given("left.txt", &packed("a\nb\nc\nd\n".as_bytes())),
        given("right.txt", b"1\n2\n3\n4\n"),
    ];
    let examined = CorpusReport::of(task, 0, texts, &mut Uploads::default()).unwrap();
    assert_eq!(examined.preview[3], ["d", "4"]);
    assert_eq!(examined.texts[1].bytes, 8);
    assert!(examined.dropped.is_empty());
    assert_eq!((examined.training, examined.held_out), (2, 2));
    let why = examined.why_held_out.unwrap();
    assert!(
        why.starts_with("Held out: 2 of 4 sentence pairs, "),
        "{why}"
    );
}

#[test]
fn one_text_is_described_by_its_lines() {
    let content = "to be or not\n\nto be\n".repeat(20);
    let texts = vec![given("hamlet.txt", content.as_bytes())];
    let mut uploads = Uploads::default();
    let examined = CorpusReport::of(text("hamlet.txt"), 0, texts, &mut uploads).unwrap();
    assert_eq!(examined.preview[0], ["to be or not", ""]);
    assert_eq!(examined.preview[1], ["to be", ""]);
    assert_eq!(examined.vocabularies, [8, 8]);
    assert_eq!(examined.texts[0].lines, 60);
    // With other settings, the same text is examined again.
    let task = TaskConfig::Text(TextConfig {
        source: "hamlet.txt".into(),
        segment_length: 8,
        ..TextConfig::default()
    });
    let again = CorpusReport::of(task, 0, Vec::new(), &mut uploads).unwrap();
    assert!(again.training > examined.training);
}

#[test]
fn a_refused_text_leaves_the_old_one_in_place() {
    let mut uploads = Uploads::default();
    let mut look = |texts| CorpusReport::of(pairs("stays.tsv", None), 0, texts, &mut uploads);
    look(vec![given("stays.tsv", b"a\tb\nc\td\n")]).unwrap();
    let error = look(vec![given("stays.tsv", b"a\tb\n")]).unwrap_err();
    assert!(error.to_string().starts_with("stays.tsv"), "{error}");
    assert_eq!(look(Vec::new()).unwrap().preview.len(), 2);
    let other = CorpusReport::of(pairs("never.tsv", None), 0, Vec::new(), &mut uploads);
    assert!(other.is_err());
}

#[test]
fn bombs_stop_at_the_limit() {
    let bomb = packed(&vec![b'a'; (64 << 20) + 1]);
    assert!(bomb.len() < 1 << 20);
    let texts = vec![given("bomb.tsv", &bomb)];
    let task = pairs("bomb.tsv", None);
    let error = CorpusReport::of(task, 0, texts, &mut Uploads::default()).unwrap_err();
    assert!(error.to_string().contains("larger than 64 MiB"), "{error}");
}

/// Returns broken texts, on which nobody would train.
fn broken() -> Vec<(String, Vec<u8>)> {
    let good = "der mann schläft\tthe man sleeps\n".repeat(3).into_bytes();
    let good_packed = packed(&good);
    let mut texts: Vec<(String, Vec<u8>)> = [
        ("empty", &b""[..]),
        ("blank", b"\n\n\r\n  \n"),
        ("mark", "\u{feff}".as_bytes()),
        ("one line", b"a\tb"),
        ("no tab", b"a b c\nd e f\n"),
        ("nothing on one side", b"a\t\n\tb\n"),
        ("tabs", b"\t\t\t\n\t\n"),
        ("zeros", &[0; 100]),
        ("utf-16", b"\xff\xfea\0\t\0b\0\n\0"),
        ("latin", b"caf\xe9\tcoffee\nth\xe9\ttea\n"),
        ("gzip magic", &[0x1f, 0x8b]),
        ("gzip header", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
        ("script", b"<script>alert(1)</script>"),
        ("all too long", b"a a a a a a\tb b b b b b\n"),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
    .into();
    let mut random = Random::new(1, "broken", 0);
    for number in 0..30 {
        let mut cut = good_packed.clone();
        cut.truncate(random.below(good_packed.len() as u32) as usize);
        texts.push((format!("cut {number}"), [&[0x1f, 0x8b], &cut[..]].concat()));
        let mut flipped = good.clone();
        let place = random.below(flipped.len() as u32) as usize;
        flipped[place] = 0x80 | random.below(0x40) as u8;
        texts.push((format!("flipped {number}"), flipped));
        let noise = (0..random.below(400)).map(|_| 0xf5 + random.below(11) as u8);
        texts.push((format!("noise {number}"), noise.collect()));
    }
    texts
}

#[test]
fn every_broken_text_gets_a_sentence() {
    let broken = broken();
    assert!(broken.len() >= 100);
    for (what, bytes) in broken {
        let texts = vec![given("broken.tsv", &bytes)];
        let task = pairs("broken.tsv", None);
        let error = match CorpusReport::of(task, 0, texts, &mut Uploads::default()) {
            // A flipped bit may turn a byte into another letter.
            Ok(_) if what.starts_with("flipped") => continue,
            Ok(examined) => panic!("{what}: {examined:?}"),
            Err(error) => error.to_string(),
        };
        assert!(error.starts_with("broken.tsv"), "{what}: {error}");
        assert!(error.chars().count() < 300, "{what}: {error}");
        assert!(
            !error.contains(char::is_control) && error.contains(' '),
            "{what}: {error}"
        );
    }
}

#[test]
fn questions_are_shown_with_their_answers() {
    let text = r#"{"data": [
        {"paragraphs": [{"context": "a b", "qas": [
            {"id": "1", "question": "who ?", "answers": [{"text": "b", "answer_start": 2}]}]}]},
        {"paragraphs": [{"context": "c d", "qas": [
            {"id": "2", "question": "what ?", "answers": [{"text": "c", "answer_start": 0}]}]}]}]}"#;
    let task = TaskConfig::Reading(crate::ReadingConfig {
        source: "questions".into(),
        minimum_count: 1,
        ..crate::ReadingConfig::default()
    });
    let given = vec![UploadedText {
        name: "questions".to_owned(),
        bytes: text.into(),
    }];
    let mut uploads = Uploads::default();
    let report = CorpusReport::of(task, 0, given, &mut uploads).unwrap();
    assert_eq!((report.training, report.held_out), (1, 1));
    assert_eq!(report.preview, [["who ?".to_owned(), "b".to_owned()]]);
    let why = report.why_held_out.unwrap();
    assert!(
        why.contains("1 questions, those about articles that are the same"),
        "{why}"
    );
}

#[test]
fn a_file_is_read_as_what_it_is() {
    let questions = r#"{"data": [{"paragraphs": [{"context": "Ann sees Bob. Eve sees Carl.", "qas": [
        {"id": "1", "question": "Whom does Ann see?", "answers": [{"text": "Bob", "answer_start": 9}]},
        {"id": "2", "question": "Whom does Eve see?", "answers": [{"text": "Carl", "answer_start": 23}]}]}]},
        {"paragraphs": [{"context": "Ann hears Eve.", "qas": [
        {"id": "3", "question": "Whom does Ann hear?", "answers": [{"text": "Eve", "answer_start": 10}]}]}]}]}"#;
    let given = |name: &str, text: &str| {
        vec![UploadedText {
            name: name.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]
    };
    let mut uploads = Uploads::default();
    let read = CorpusReport::of(
        pairs("squad.json", None),
        0,
        given("squad.json", questions),
        &mut uploads,
    )
    .unwrap();
    assert!(
        matches!(read.task, TaskConfig::Reading(_)),
        "{:?}",
        read.task
    );
    assert!(
        read.notes[0].contains("read as questions"),
        "{:?}",
        read.notes
    );
    // A run reads the texts from the uploads.
    assert!(read.task.load(0, &uploads).is_ok());

    let reading = read.task;
    let lines: String = (0..9).map(|at| format!("a {at}\tb {at}\n")).collect();
    let read = CorpusReport::of(
        reading.clone(),
        0,
        given("squad.json", &lines),
        &mut uploads,
    )
    .unwrap();
    assert!(matches!(read.task, TaskConfig::Files(_)), "{:?}", read.task);
    assert!(
        read.notes[0].contains("read as sentence pairs"),
        "{:?}",
        read.notes
    );
    // A text of neither kind is refused as one of the requested kind; brackets in pairs are no
    // JSON.
    CorpusReport::of(
        reading,
        0,
        given("squad.json", "no questions\n"),
        &mut uploads,
    )
    .unwrap_err();
    let lines: String = (0..9)
        .map(|at| format!("[data] {at}\t\"data\" {at}\n"))
        .collect();
    let read = CorpusReport::of(pairs("x", None), 0, given("x", &lines), &mut uploads).unwrap();
    assert!(matches!(read.task, TaskConfig::Files(_)), "{:?}", read.task);
}
