#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use strata_text::{Normalize, special::UNK};

use super::*;
use crate::TaskConfig;

fn text(pairs: &[(&str, &str)]) -> ParallelText {
    let owned = |(left, right): &(&str, &str)| ((*left).to_owned(), (*right).to_owned());
    ParallelText {
        name: "corpus".to_owned(),
        pairs: pairs.iter().map(owned).collect(),
        remarks: Vec::new(),
    }
}

/// Returns 300 pairs with the sources `a0 …` to `a99 …`, each three times.
fn corpus() -> ParallelText {
    let pair = |i: usize| (format!("a{} b", i % 100), format!("x y{}", i % 7));
    ParallelText {
        name: "corpus".to_owned(),
        pairs: (0..300).map(pair).collect(),
        remarks: Vec::new(),
    }
}

fn config() -> FilesConfig {
    FilesConfig {
        minimum_count: 1,
        held_out: 30,
        ..FilesConfig::default()
    }
}

/// Path of a file in a folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn held_out_sentences_are_never_trained() {
    // If all tokens are known, sentences are equal exactly if their tokens are.
    let all = FilesConfig {
        minimum_count: 1,
        ..config()
    };
    let data = all.dataset(&corpus(), None, 5).unwrap();
    assert_eq!((data.training().len(), data.validation().len()), (270, 30));
    let unknown = |example: &&Example| example.source[0] == UNK;
    // Each held-out sentence begins with a token that no training sentence has.
    assert_eq!(data.validation().iter().filter(unknown).count(), 30);
    assert_eq!(data.training().iter().filter(unknown).count(), 0);
}

#[test]
fn a_validation_text_takes_its_sentences_out_of_training() {
    let validation = text(&[("a3   b", "x y0"), ("new words", "x y1"), ("", "")]);
    let data = config().dataset(&corpus(), Some(&validation), 5).unwrap();
    assert_eq!((data.training().len(), data.validation().len()), (297, 2));
    let told = [
        "Left out: 3 sentence pairs whose source is also held out for validation.",
        "Left out of validation: 1 sentence pair with nothing on one side.",
    ];
    assert_eq!(data.dropped.sentences(), told);
    // Rare words and spaces are kept as written.
    assert_eq!(data.validation()[1].source, [UNK, UNK]);
    let written = [["a3   b", "x y0"], ["new words", "x y1"]];
    let written = written.map(|pair| pair.map(str::to_owned));
    assert_eq!(data.written(), &Written::Pairs(written.to_vec()));

    let kept = FilesConfig {
        keep_overlap: true,
        ..config()
    };
    let data = kept.dataset(&corpus(), Some(&validation), 5).unwrap();
    assert_eq!((data.training().len(), data.validation().len()), (300, 2));
    assert_eq!(data.dropped.training.overlapping, 0);
}

#[test]
fn empty_and_long_pairs_are_dropped_and_counted() {
    let pairs = [
        ("", ""),
        (" ", "x"),
        ("a b c d", "x"),
        ("a", "x y z x"),
        ("a b", "x"),
        ("c", "y"),
    ];
    let data = FilesConfig {
        maximum_length: 3,
        ..config()
    }
    .dataset(&text(&pairs), None, 0)
    .unwrap();
    assert_eq!(
        data.dropped.training,
        Dropped {
            empty: 2,
            too_long: 2,
            overlapping: 0,
            learned: 0,
        }
    );
    assert_eq!((data.training().len(), data.validation().len()), (1, 1));
}

/// Words are counted before the split, subwords after it.
#[test]
fn what_is_too_long_is_told_apart_for_what_is_held_out() {
    let pair = |i: usize| (format!("w{i} b"), "x".repeat(1 + i % 30));
    let corpus = ParallelText {
        name: "corpus".to_owned(),
        pairs: (0..300).map(pair).collect(),
        remarks: Vec::new(),
    };
    let config = FilesConfig {
        level: TokenUnit::Bpe,
        maximum_vocabulary: 8,
        maximum_length: 6,
        held_out: 100,
        ..config()
    };
    let data = config.dataset(&corpus, None, 3).unwrap();
    let LeftOut {
        training,
        validation,
    } = data.dropped;
    assert_eq!(data.training().len() + training.too_long, 200);
    assert_eq!(data.validation().len() + validation.too_long, 100);
    assert!(training.too_long > 0 && validation.too_long > 0);
    let Written::Pairs(written) = data.written() else {
        panic!("{:?}", data.written())
    };
    // The remaining texts stay in line with their tokens.
    let source = &data.source_segmenter;
    let vocabulary = &data.source_vocabulary;
    for (example, [text, _]) in data.validation().iter().zip(written) {
        assert_eq!(example.source, vocabulary.encode(&source.split(text)));
    }
    assert_eq!(written.len(), data.validation().len());
}

#[test]
fn vocabularies_are_counted_in_training_by_side() {
    let pairs = [("a a b", "b"), ("c", "d")].repeat(4);
    let validation = text(&[("e", "f")]);
    let narrow = FilesConfig {
        minimum_count: 5,
        maximum_vocabulary: 5,
        ..config()
    };
    let data = narrow.dataset(&text(&pairs), Some(&validation), 0);
    let error = data.unwrap_err().to_string();
    assert!(
        error.starts_with("corpus: no target token is frequent enough"),
        "{error}"
    );
    let narrow = FilesConfig {
        minimum_count: 4,
        maximum_vocabulary: 5,
        ..config()
    };
    let data = narrow.dataset(&text(&pairs), Some(&validation), 0).unwrap();
    assert_eq!(data.source_vocabulary.tokens()[4..], ["a"]);
    assert_eq!(data.target_vocabulary.tokens()[4..], ["b"]);
}

#[test]
fn a_vocabulary_of_a_file_takes_the_place_of_counted_tokens() {
    let own = |text: &str| Uploads::default().with([("own.txt".to_owned(), Arc::from(text))]);
    let config = FilesConfig {
        source: "corpus.tsv".into(),
        source_vocabulary: Some("own.txt".into()),
        held_out: 1,
        minimum_count: 1,
        ..FilesConfig::default()
    };
    let corpus = |uploads: &Uploads| {
        let pairs = "a b\tx\nb a\ty\na a c\tz\n";
        uploads.with([("corpus.tsv".to_owned(), Arc::from(pairs))])
    };
    let load = |text: &str| TaskConfig::Files(config.clone()).load(1, &corpus(&own(text)));
    // Files of joeynmt and fairseq have special tokens and counts.
    let data = load("<unk>\n<pad>\nzebra 12\nb 7\na\t3\n").unwrap();
    assert_eq!(data.source_vocabulary.tokens()[4..], ["zebra", "b", "a"]);
    assert!(data.target_vocabulary.tokens().len() > 4 + 1);
    let refused = |text: &str| load(text).unwrap_err().to_string();
    assert_eq!(
        refused("a\nb\na\n"),
        "own.txt, line 3: `a` is a token already, of line 1; take one out"
    );
    assert!(refused("<unk>\n\n").contains("there is no token"));
    // The tokens of a checkpoint stay, even if the file has changed or is gone.
    let kept = [
        (&data.source_segmenter, &data.source_vocabulary),
        (&data.target_segmenter, &data.target_vocabulary),
    ];
    let again = TaskConfig::Files(config.clone()).reload(1, &corpus(&Uploads::default()), kept);
    assert_eq!(again.unwrap().source_vocabulary, data.source_vocabulary);
    let pieces = FilesConfig {
        level: TokenUnit::Bpe,
        ..config.clone()
    };
    let error = TaskConfig::Files(pieces).validate().unwrap_err();
    assert!(
        error.to_string().contains("has pieces of its own"),
        "{error}"
    );
}

#[test]
fn characters_are_a_level_too() {
    let pairs = [("ab c", "x"), ("ba", "y")];
    let characters = FilesConfig {
        level: TokenUnit::Character,
        ..config()
    };
    let data = characters
        .dataset(&text(&pairs), Some(&text(&[("c b", "y")])), 0)
        .unwrap();
    let decoded = data.source_vocabulary.decode(&data.training()[0].source);
    assert_eq!(decoded, ["a", "b", "␣", "c"]);
    assert_eq!(data.source_segmenter.join(&decoded), "ab c");
}

#[test]
fn corpora_without_use_are_refused() {
    let refuse = |pairs: &[(&str, &str)], validation: Option<&ParallelText>| {
        config()
            .dataset(&text(pairs), validation, 0)
            .unwrap_err()
            .to_string()
    };
    assert!(refuse(&[], None).starts_with("corpus: there is no text in it"));
    assert!(refuse(&[("", "")], None).contains("1 dropped as empty"));
    assert!(refuse(&[("a", "x"), ("a", "y")], None).contains("the same source sentence"));
    let same = text(&[("a", "x")]);
    let error = refuse(&[("a", "x")], Some(&same));
    assert!(error.contains("1 as also in validation"), "{error}");
    assert!(
        error.contains("the validation text is the training text"),
        "{error}"
    );
    let blank = ParallelText {
        name: "held out".to_owned(),
        ..text(&[("", "")])
    };
    assert!(refuse(&[("a", "x")], Some(&blank)).starts_with("held out: no sentence pair"));
}

#[test]
fn files_are_read_by_their_paths() {
    let folder = Folder::new("read");
    let source = folder.file("de.txt", "ein haus\nein hund\nein kind\n");
    let target = folder.file("en.txt", "a house\na dog\na child\n");
    let both = FilesConfig {
        source,
        target: Some(target),
        ..config()
    };
    let task = TaskConfig::Files(both.clone());
    let data = task.load(1, &Uploads::default()).unwrap();
    assert_eq!((data.training().len(), data.validation().len()), (2, 1));
    let columns = folder.file("pairs.tsv", "ein haus\ta house\nein hund\ta dog\n");
    let data = FilesConfig {
        validation_source: Some(columns.clone()),
        ..both
    }
    .load(1, &Uploads::default())
    .unwrap();
    assert_eq!(
        (data.training().len(), data.dropped.training.overlapping),
        (1, 2)
    );
    let data = FilesConfig {
        source: columns,
        ..config()
    }
    .load(1, &Uploads::default())
    .unwrap();
    assert_eq!((data.training().len(), data.validation().len()), (1, 1));
}

#[test]
fn paths_that_are_no_files_are_told_apart() {
    let folder = Folder::new("paths");
    let refuse = |config: FilesConfig| {
        let data = TaskConfig::Files(config).load(0, &Uploads::default());
        data.unwrap_err().to_string()
    };
    let missing = folder.0.join("missing.txt");
    let error = refuse(FilesConfig {
        source: missing.clone(),
        ..config()
    });
    assert!(
        error.starts_with(&format!("{}: there is no such file", missing.display())),
        "{error}"
    );
    let error = refuse(FilesConfig {
        source: folder.0.clone(),
        ..config()
    });
    assert!(error.contains("this is a folder"), "{error}");
    let source = folder.file("de.txt", "a\n");
    let error = refuse(FilesConfig {
        source,
        target: Some(missing),
        ..config()
    });
    assert!(
        error.contains("missing.txt: there is no such file"),
        "{error}"
    );
    assert!(refuse(config()).contains("set `task.source`"));
    let validation_target = Some(folder.0.join("en.txt"));
    let error = refuse(FilesConfig {
        source: "a".into(),
        validation_target,
        ..config()
    });
    assert!(
        error.contains("without `task.validation_source`"),
        "{error}"
    );
}

#[test]
fn what_cannot_be_seen_is_left_out_as_empty() {
    let pairs = [
        ("\u{200b}", "x"),
        ("a", "\u{feff} \u{ad}"),
        ("a\u{200c}b", "y"),
        ("c", "z"),
    ];
    let data = config().dataset(&text(&pairs), None, 0).unwrap();
    assert_eq!(data.dropped.training.empty, 2);
    assert_eq!((data.training().len(), data.validation().len()), (1, 1));
    let told = data.facts.sentences(&TaskConfig::Files(config())).concat();
    assert!(
        told.contains("Source: 1 line holds only invisible"),
        "{told}"
    );
}

#[test]
fn unknown_tokens_are_counted_apart_for_each_side_and_part() {
    let pairs = [("a a b", "x"), ("a c", "x x y")].repeat(2);
    let validation = text(&[("a d", "x"), ("x", "a")]);
    let narrow = FilesConfig {
        minimum_count: 4,
        ..config()
    };
    let data = narrow.dataset(&text(&pairs), Some(&validation), 0).unwrap();
    let sides = &data.facts.sides;
    let known = |it: crate::Known| (it.unknown, it.tokens);
    assert_eq!(
        (known(sides[0].training), known(sides[0].held_out)),
        ((4, 10), (2, 3))
    );
    assert_eq!(
        (known(sides[1].training), known(sides[1].held_out)),
        ((2, 8), (1, 2))
    );
    assert_eq!(
        (sides[0].known_on_other_side, sides[1].known_on_other_side),
        (1, 1)
    );
}

#[test]
fn a_text_without_spaces_is_told_what_to_choose_where_nothing_repeats() {
    let pairs = [
        ("我喜欢猫在家", "a"),
        ("他在家喜欢猫", "a"),
        ("今天天气很好", "a"),
        ("很好天气今天", "a"),
    ];
    let error = FilesConfig {
        minimum_count: 2,
        held_out: 1,
        ..config()
    }
    .dataset(&text(&pairs), None, 0)
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("no source token is frequent enough"),
        "{error}"
    );
    assert!(
        error.contains("no spaces") && error.contains("`character`"),
        "{error}"
    );
    assert!(!error.contains("lower"), "{error}");
}

#[test]
fn sentences_that_are_kept_though_they_are_held_out_are_told() {
    let kept = FilesConfig {
        keep_overlap: true,
        ..config()
    };
    let validation = text(&[("a3 b", "x y0")]);
    let data = kept.dataset(&corpus(), Some(&validation), 5).unwrap();
    assert!(data.facts.remarks[0].starts_with("3 pairs to learn from are also held out"));
}

/// Both spellings of “é” are one token; held-out text stays as in the file.
#[test]
fn a_normal_form_is_looked_up_and_never_written() {
    let pairs: Vec<(String, String)> = (0..40)
        .map(|at| {
            let accent = if at % 2 == 0 { "\u{e9}" } else { "e\u{301}" };
            (format!("caf{accent} a{at}"), format!("th{accent} b"))
        })
        .collect();
    let corpus = ParallelText {
        name: "corpus".to_owned(),
        pairs: pairs.clone(),
        remarks: Vec::new(),
    };
    let data = |normalize| {
        let config = FilesConfig {
            normalize,
            held_out: 10,
            ..config()
        };
        config.dataset(&corpus, None, 1).unwrap()
    };
    let (plain, normal) = (data(Normalize::None), data(Normalize::Nfc));
    assert_eq!(
        plain.target_vocabulary.len(),
        normal.target_vocabulary.len() + 1
    );
    let Written::Pairs(written) = normal.written() else {
        panic!("{:?}", normal.written())
    };
    assert_eq!(written.len(), 10);
    for [source, target] in written {
        assert!(
            pairs.contains(&(source.clone(), target.clone())),
            "{source}"
        );
    }
    assert!(written.iter().any(|[_, target]| target.contains('\u{301}')));
    let first: Vec<u32> = normal.validation().iter().map(|it| it.target[0]).collect();
    assert!(first.iter().all(|id| *id == first[0] && *id != UNK));
}

#[test]
fn the_first_line_of_unequal_lengths_is_told_with_both_counts() {
    let folder = Folder::new("unequal");
    let line = |at: usize| format!("a{at} b c{at}");
    let lines: Vec<String> = (0..40).map(line).collect();
    let equal = lines.join("\n");
    // Blank and too long lines are left out for other reasons.
    let blank = equal
        .replace("a3 b c3", "")
        .replace("a5 b c5", &"x ".repeat(60));
    let unequal = blank.replace("a7 b c7", "a7 b");
    let source = folder.file("source.txt", &equal);
    let check = |target: &str| {
        let config = FilesConfig {
            source: source.clone(),
            target: Some(folder.file("target.txt", target)),
            held_out: 5,
            maximum_length: 50,
            ..config()
        };
        let task = TaskConfig::Files(config);
        let dataset = task.load(1, &Uploads::default()).unwrap();
        task.check_equal_lengths(&dataset, &Uploads::default())
    };
    check(&equal).unwrap();
    check(&blank).unwrap();
    let error = check(&unequal).unwrap_err().to_string();
    assert!(error.starts_with("line 8 of "), "{error}");
    assert!(error.contains("source.txt and of "), "{error}");
    assert!(
        error.contains("has 3 source and 2 target tokens"),
        "{error}"
    );
    assert!(
        error.contains("`model.architecture=transformer`"),
        "{error}"
    );
}

#[test]
fn an_unequal_line_of_the_validation_is_told_too() {
    let folder = Folder::new("unequal-validation");
    let lines: Vec<String> = (0..40).map(|at| format!("a{at} b\tb a{at}")).collect();
    let task = TaskConfig::Files(FilesConfig {
        source: folder.file("training.tsv", &lines.join("\n")),
        validation_source: Some(folder.file("validation.tsv", "c d\td c\nc\tc c\n")),
        ..config()
    });
    let dataset = task.load(1, &Uploads::default()).unwrap();
    let error = task.check_equal_lengths(&dataset, &Uploads::default());
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("line 2 of "), "{error}");
    assert!(
        error.contains("validation.tsv has 1 source and 2 target"),
        "{error}"
    );
}

/// Every task that is not known to change lengths keeps them, whatever its settings.
#[test]
fn tasks_that_keep_lengths_keep_them() {
    for kind in ["copy", "reverse", "sort", "hops", "recall"] {
        let task = TaskConfig::of_kind(kind).unwrap();
        assert!(task.may_keep_lengths());
        let dataset = task.load(1, &Uploads::default()).unwrap();
        task.check_equal_lengths(&dataset, &Uploads::default())
            .unwrap();
    }
    for kind in ["dates", "german_english", "chinese_english", "needle"] {
        let task = TaskConfig::of_kind(kind).unwrap();
        assert!(!task.may_keep_lengths());
        let dataset = task.load(1, &Uploads::default()).unwrap();
        let error = task.check_equal_lengths(&dataset, &Uploads::default());
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("a pair of the task `{kind}` has")),
            "{error}"
        );
    }
}
