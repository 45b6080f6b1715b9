//! Texts that users bring: pairs in two columns or two files, or a text to write on, given to the
//! page and read from disk.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;
use strata_tasks::{CorpusReport, Dataset, FilesConfig, Stream, TaskConfig, TaskError, TextConfig};
use strata_text::{TokenUnit, UploadedText, Uploads};
use tempfile::TempDir;

use crate::edits::{Edit, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;
use crate::runs::read_dictionary;

/// Most bytes that reading may take, for any text, and for each byte of the text (`FOR_EACH_BYTE`):
/// learning subwords keeps every part of every word.
const MOST: usize = 32 << 20;
const FOR_EACH_BYTE: usize = 4_000;

/// Seed with which examples are split before anything is trained.
const SEED: u64 = 0;

/// Form of the texts.
#[derive(Clone, Debug)]
enum Form {
    Columns,
    Sides,
    Text,
}

/// How texts are made, and the settings with which they are read.
#[derive(Clone, Debug)]
struct Recipe {
    form: Form,
    texts: [Text; 2],
    level: TokenUnit,
    lowercase: bool,
    minimum_count: usize,
    maximum_length: usize,
    held_out: usize,
}

/// A text: lines of its own, or those of a valid corpus, with some changes.
#[derive(Clone, Debug)]
struct Text {
    lines: Option<Vec<String>>,
    end: &'static str,
    edits: Vec<Edit>,
    mark: bool,
}

impl Text {
    /// Returns the bytes of the file; valid lines have `columns`.
    fn bytes(&self, columns: usize) -> Vec<u8> {
        let good = |line: usize| {
            let columns: Vec<String> = (0..columns)
                .map(|column| format!("der{column} Hund{} sieht die Katze .", line % 7))
                .collect();
            columns.join("\t")
        };
        let lines = self.lines.clone();
        let lines = lines.unwrap_or_else(|| (0..20).map(good).collect());
        let mark = if self.mark { "\u{feff}" } else { "" };
        let text: String = lines.iter().flat_map(|line| [line, self.end]).collect();
        edited(format!("{mark}{text}").as_bytes(), &self.edits)
    }
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let text = || {
        let lines = prop::option::weighted(0.4, prop::collection::vec(odd::text(12), 0..30));
        let end = select(vec!["\n", "\n", "\r\n", "\r"]);
        (lines, end, edits(), prop::bool::weighted(0.1)).prop_map(|(lines, end, edits, mark)| {
            Text {
                lines,
                end,
                edits,
                mark,
            }
        })
    };
    let form = prop_oneof![Just(Form::Columns), Just(Form::Sides), Just(Form::Text)];
    let level = select(vec![
        TokenUnit::Word,
        TokenUnit::Punctuation,
        TokenUnit::Character,
        TokenUnit::Bpe,
        TokenUnit::Unigram,
        TokenUnit::Jieba,
    ]);
    let numbers = (1..3_usize, select(vec![1, 5, 100]), 1..20_usize);
    (form, text(), text(), level, any::<bool>(), numbers).prop_map(
        |(form, source, target, level, lowercase, (minimum_count, maximum_length, held_out))| {
            Recipe {
                form,
                texts: [source, target],
                level,
                lowercase,
                minimum_count,
                maximum_length,
                held_out,
            }
        },
    )
}

impl Recipe {
    /// Returns the task that reads the texts at these paths.
    fn task(&self, paths: [PathBuf; 2]) -> TaskConfig {
        let [source, target] = paths;
        match self.form {
            Form::Text => TaskConfig::Text(TextConfig {
                source,
                level: self.level,
                lowercase: self.lowercase,
                minimum_count: self.minimum_count,
                segment_length: self.maximum_length,
                stream: Stream::Never,
                ..TextConfig::default()
            }),
            Form::Columns | Form::Sides => TaskConfig::Files(FilesConfig {
                source,
                target: matches!(self.form, Form::Sides).then_some(target),
                level: self.level,
                lowercase: self.lowercase,
                minimum_count: self.minimum_count,
                maximum_length: self.maximum_length,
                held_out: self.held_out,
                stream: Stream::Never,
                ..FilesConfig::default()
            }),
        }
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        let [source, target] = &self.texts;
        match self.form {
            Form::Columns => vec![source.bytes(2)],
            Form::Sides => vec![source.bytes(1), target.bytes(1)],
            Form::Text => vec![source.bytes(1)],
        }
    }
}

/// Summarises the examples of a text in five numbers.
fn outline(data: &Dataset) -> [usize; 5] {
    let (source, target) = data.maximum_lengths();
    let vocabulary = data.source_vocabulary.len() + data.target_vocabulary.len();
    [
        data.training().len(),
        data.validation().len(),
        source,
        target,
        vocabulary,
    ]
}

/// Checks every example against the vocabulary.
fn is_sound(data: &Dataset) {
    assert!(!data.training().is_empty() && !data.validation().is_empty());
    for example in data.training().iter().chain(data.validation()) {
        let below = |ids: &[u32], most: usize| ids.iter().all(|&id| (id as usize) < most);
        assert!(below(&example.source, data.source_vocabulary.len()));
        assert!(below(&example.target, data.target_vocabulary.len()));
    }
}

#[test]
fn texts_become_examples_or_a_sentence() {
    let alone = alone();
    let folder = TempDir::new().expect("the system has a folder for temporary files");
    read_dictionary();
    fuzz(&alone, "corpora", 150, recipes(), |recipe| {
        let texts = recipe.bytes();
        let bytes: usize = texts.iter().map(Vec::len).sum();
        let bound = MOST + FOR_EACH_BYTE * bytes;
        let paths = ["source.tsv", "target.txt"].map(|name| folder.path().join(name));
        for (path, text) in paths.iter().zip(&texts) {
            fs::write(path, text).expect("the temporary folder can be written");
        }
        let read = within(bound, || {
            recipe.task(paths.clone()).load(SEED, &Uploads::default())
        });
        match &read {
            Ok(data) => is_sound(data),
            Err(error) => is_sentence(&error.to_string()),
        }
        let given = within(bound, || give(&recipe, &texts));
        if let Err(error) = &given {
            is_sentence(&error.to_string());
        }
        // The page leaves out lines without a second column; otherwise it reads as the program
        // does.
        if !matches!(recipe.form, Form::Columns) {
            assert_eq!(given.is_ok(), read.is_ok(), "{given:?} {:?}", read.err());
        }
        if let (Ok(read), Ok(given)) = (&read, &given) {
            assert_eq!(outline(given), outline(read));
        }
        Outcome::of(read.is_ok())
    });
}

/// Gives texts in place of valid ones; if they are refused, the valid ones must still be there.
fn give(recipe: &Recipe, texts: &[Vec<u8>]) -> Result<Dataset, TaskError> {
    let names = ["given source.tsv", "given target.txt"];
    let task = recipe.task(names.map(PathBuf::from));
    let given = |texts: &[Vec<u8>]| -> Vec<UploadedText> {
        let named = |(name, bytes): (&str, &Vec<u8>)| UploadedText {
            name: name.to_owned(),
            bytes: bytes.clone(),
        };
        names.into_iter().zip(texts).map(named).collect()
    };
    let good = Recipe {
        level: TokenUnit::Word,
        lowercase: false,
        minimum_count: 1,
        maximum_length: 100,
        texts: [(), ()].map(|()| Text {
            lines: None,
            end: "\n",
            edits: Vec::new(),
            mark: false,
        }),
        ..recipe.clone()
    };
    let good_task = good.task(names.map(PathBuf::from));
    let mut uploads = Uploads::default();
    let before = CorpusReport::of(good_task.clone(), 0, given(&good.bytes()), &mut uploads);
    let before = before.expect("a good text is taken");
    let examined = CorpusReport::of(task.clone(), 0, given(texts), &mut uploads);
    if examined.is_err() {
        let after = CorpusReport::of(good_task, 0, Vec::new(), &mut uploads);
        assert_eq!(after.as_ref().ok(), Some(&before), "{after:?}");
    }
    let examined = examined?;
    let data = task.load(SEED, &uploads)?;
    assert_eq!(examined.training, data.training().len());
    assert_eq!(examined.held_out, data.validation().len());
    Ok(data)
}
