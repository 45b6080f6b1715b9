//! SentencePiece models, compared with the original program; `make.py` made the files.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use serde_json::Value;
use strata_tasks::{Dataset, FilesConfig, TaskConfig, TextConfig};
use strata_text::{Segmenter, SubwordModel, TokenUnit, Uploads, special};

fn folder() -> PathBuf {
    // Tests run in the folder of their package, wherever they were compiled.
    let here = || PathBuf::from("tests/sentencepiece");
    std::env::var_os("STRATA_SENTENCEPIECE").map_or_else(here, PathBuf::from)
}

const MODELS: [&str; 6] = [
    "unigram",
    "bpe",
    "bpe_bytes",
    "unigram_symbols",
    "unigram_suffix",
    "bpe_bare",
];

fn model(name: &str) -> PathBuf {
    folder().join(format!("{name}.model"))
}

/// A temporary file, removed when dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path =
            std::env::temp_dir().join(format!("strata-pieces-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

fn corpus(name: &str) -> File {
    let line = |at: usize| format!("the man {at}\tder Mann {at}\n");
    File::new(name, (0..20).map(line).collect::<String>().as_bytes())
}

fn pairs(source: &File, pieces: &Path) -> FilesConfig {
    FilesConfig {
        source: source.0.clone(),
        level: TokenUnit::Sentencepiece,
        pieces: Some(pieces.to_owned()),
        ..FilesConfig::default()
    }
}

fn load(task: FilesConfig) -> Result<Dataset, String> {
    let task = TaskConfig::Files(task);
    task.load(1, &Uploads::default())
        .map_err(|it| it.to_string())
}

fn texts(row: &Value) -> Vec<&str> {
    row.as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect()
}

#[test]
fn pieces_and_texts_are_those_of_the_original() {
    let source = corpus("same");
    for name in MODELS {
        let data = load(pairs(&source, &model(name))).unwrap();
        let (segmenter, vocabulary) = (&data.source_segmenter, &data.source_vocabulary);
        let json = std::fs::read(folder().join(format!("{name}.json"))).unwrap();
        let json: Value = serde_json::from_slice(&json).unwrap();
        let encoded = json["encoded"].as_array().unwrap();
        assert!(encoded.len() >= 300, "{name}: {}", encoded.len());
        let mut ids = std::collections::HashMap::new();
        for row in encoded {
            let (text, pieces) = (row[0].as_str().unwrap(), texts(&row[1]));
            assert_eq!(segmenter.split(text), pieces, "{name}: {text:?}");
            // A piece has one id, and pieces unknown to SentencePiece are unknown here.
            for (piece, id) in pieces.iter().zip(row[2].as_array().unwrap()) {
                let own = vocabulary.id(piece);
                assert_eq!(
                    *ids.entry(id.as_u64().unwrap()).or_insert(own),
                    own,
                    "{name}: {piece}"
                );
            }
            let written = vocabulary.encode(&pieces);
            let decoded = segmenter.join(&vocabulary.decode(&written));
            assert_eq!(decoded, row[3].as_str().unwrap(), "{name}: {text:?}");
        }
        let unknown = ids.values().filter(|&&id| id == special::UNK).count();
        assert!(unknown <= 1, "{name}: {unknown}");
        for row in json["decoded"].as_array().unwrap() {
            let pieces = texts(&row[0]);
            assert_eq!(
                segmenter.join(&pieces),
                row[1].as_str().unwrap(),
                "{name}: {pieces:?}"
            );
        }
    }
}

#[test]
fn a_checkpoint_has_the_whole_model() {
    let source = corpus("kept");
    for name in MODELS {
        let copy = File::new(
            &format!("{name}.model"),
            &std::fs::read(model(name)).unwrap(),
        );
        let task = TaskConfig::Files(pairs(&source, &copy.0));
        let data = task.load(1, &Uploads::default()).unwrap();
        let json = serde_json::to_string(data.source_segmenter.subwords().unwrap()).unwrap();
        let kept: SubwordModel = serde_json::from_str(&json).unwrap();
        drop(copy);
        let restored = Segmenter::restore(
            TokenUnit::Sentencepiece,
            false,
            Some(kept.clone()),
            &data.source_vocabulary,
        );
        let restored = restored.unwrap();
        assert_eq!(
            restored.split("the man ｆ😀"),
            data.source_segmenter.split("the man ｆ😀")
        );
        // A resumed run does not need the file.
        let sides = [
            (&restored, &data.source_vocabulary),
            (&restored, &data.target_vocabulary),
        ];
        let again = task.reload(1, &Uploads::default(), sides).unwrap();
        assert_eq!(again.training(), data.training());
        let other = load(pairs(&source, &model("bpe_bytes"))).unwrap();
        if name != "bpe_bytes" {
            let error = Segmenter::restore(
                TokenUnit::Sentencepiece,
                false,
                Some(kept),
                &other.source_vocabulary,
            );
            assert!(
                error
                    .unwrap_err()
                    .to_string()
                    .contains("not that of its model")
            );
        }
    }
}

#[test]
fn each_side_and_one_text_may_have_their_own() {
    let source = corpus("sides");
    let [first, second] = ["unigram", "bpe_bytes"].map(model);
    let both = load(pairs(&source, &first)).unwrap();
    assert_eq!(both.source_vocabulary, both.target_vocabulary);
    let apart = FilesConfig {
        target_pieces: Some(second.clone()),
        ..pairs(&source, &first)
    };
    let apart = load(apart).unwrap();
    assert_eq!(apart.source_vocabulary, both.source_vocabulary);
    assert_eq!(apart.target_vocabulary.len(), 4 + 400 - 3);
    let text = TextConfig {
        source: source.0.clone(),
        level: TokenUnit::Sentencepiece,
        pieces: Some(second),
        ..TextConfig::default()
    };
    let data = TaskConfig::Text(text).load(1, &Uploads::default()).unwrap();
    assert_eq!(data.target_vocabulary, apart.target_vocabulary);
    let lines: Vec<&[u32]> = data.training()[0]
        .target
        .split(|&id| id == special::EOS)
        .collect();
    let line = data.target_vocabulary.decode(lines[0]);
    assert_eq!(data.target_segmenter.join(&line), "the man 0\tder Mann 0");
}

#[test]
fn what_does_not_fit_is_refused_with_what_to_do() {
    let source = corpus("refused");
    let file = |name: &str, bytes: &[u8]| File::new(name, bytes);
    let whole = std::fs::read(model("bpe_bytes")).unwrap();
    let vocabulary = file("a.vocab", b"<unk>\t0\nthe\t-1\n");
    let cut = file("cut.model", &whole[..whole.len() / 2]);
    let word = {
        // Field 3 of the trainer's settings is the type of the model.
        let at = whole
            .windows(4)
            .rposition(|it| it == [b'\x18', 2, b' ', 0x90])
            .unwrap();
        let mut bytes = whole.clone();
        bytes[at + 1] = 3;
        file("word.model", &bytes)
    };
    let none = File(std::env::temp_dir().join("strata-no-such.model"));
    let level = |task: FilesConfig, level| FilesConfig { level, ..task };
    for (task, told) in [
        (pairs(&source, &vocabulary.0), "not its `….vocab`"),
        (pairs(&source, &cut.0), "it is no model of SentencePiece"),
        (pairs(&source, &word.0), "its type is `word`"),
        (pairs(&source, &none.0), "strata-no-such.model"),
        (
            FilesConfig {
                pieces: None,
                ..pairs(&source, &none.0)
            },
            "`task.pieces`",
        ),
        (
            level(pairs(&source, &none.0), TokenUnit::Bpe),
            "set `task.level=sentencepiece`, or leave the file out",
        ),
        (
            FilesConfig {
                source_vocabulary: Some(vocabulary.0.clone()),
                ..pairs(&source, &model("bpe"))
            },
            "has pieces of its own",
        ),
    ] {
        let error = load(task).err().unwrap();
        assert!(error.contains(told), "{error}");
    }
}

/// Damaged files are refused or read, and a model that was read cuts texts.
#[test]
fn no_damaged_file_ends_the_program() {
    let source = corpus("damaged");
    for name in ["bpe_bare", "unigram_symbols"] {
        let whole = std::fs::read(model(name)).unwrap();
        let mut state = 1_u64;
        for _ in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] ^= 1 << (state >> 20 & 7);
            }
            let damaged = File::new("damaged.model", &bytes);
            if let Ok(data) = load(pairs(&source, &damaged.0)) {
                let pieces = data
                    .source_segmenter
                    .split("the man ｆｕｌｌ ﬁ e\u{301}  dog ab 😀");
                data.source_segmenter.join(&pieces);
            }
        }
    }
}

/// The time grows linearly with the length of a line.
#[test]
fn a_line_of_a_million_characters_is_cut() {
    let source = corpus("long");
    for name in ["bpe", "unigram"] {
        let data = load(pairs(&source, &model(name))).unwrap();
        let line = "the man sees the dog".repeat(50_000);
        let pieces = data.source_segmenter.split(&line);
        assert_eq!(data.source_segmenter.join(&pieces), line, "{name}");
    }
}
