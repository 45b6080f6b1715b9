//! Models are measured on the text as it is in the file, for every unit of tokens.

use std::fs;
use std::path::PathBuf;

use burn::tensor::Device;
use pollster::block_on;
use strata_metrics::{Bleu, BleuTokenizer};
use strata_tasks::{FilesConfig, TaskConfig, TextConfig};
use strata_text::{TokenUnit, Uploads, special};
use strata_training::{BleuWords, Experiment, Trainer};

use super::language::attending;
use super::{experiment, losses, trainer, transformer};

/// Folder of a test, deleted when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("strata-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Pairs with odd spaces and capital letters; each pair has a name that occurs in no other.
fn pairs(count: usize) -> Vec<[String; 2]> {
    let words = ["Hund", "Frau", "Haus"];
    let pair = |i: usize| {
        let word = words[i % 3];
        let name = format!("Na{}", char::from_u32(0x3b1 + i as u32).expect("a letter"));
        [
            format!("der  {word}, {name}!"),
            format!("The {word}  ({name})."),
        ]
    };
    (0..count).map(pair).collect()
}

fn columns(pairs: &[[String; 2]]) -> String {
    pairs
        .iter()
        .map(|[left, right]| format!("{left}\t{right}\n"))
        .collect()
}

fn of_files(
    folder: &Folder,
    level: TokenUnit,
    change: impl FnOnce(&mut FilesConfig),
) -> Experiment {
    let all = pairs(24);
    let mut task = FilesConfig {
        source: folder.file("train.tsv", &columns(&all[..18])),
        validation_source: Some(folder.file("val.tsv", &columns(&all[18..]))),
        level,
        ..FilesConfig::default()
    };
    change(&mut task);
    Experiment {
        task: TaskConfig::Files(task),
        ..experiment(transformer(), 4)
    }
}

#[test]
fn pairs_are_those_of_the_file_at_every_level() {
    let folder = Folder::new("held-out-levels");
    for level in [
        TokenUnit::Word,
        TokenUnit::Punctuation,
        TokenUnit::Character,
        TokenUnit::Bpe,
        TokenUnit::Unigram,
    ] {
        let experiment = of_files(&folder, level, |_| {});
        let mut run = trainer(&experiment);
        losses(&mut run, 1);
        let file = block_on(run.checkpoint()).expect("the CPU does not fail");
        let resumed =
            Trainer::restore(&file, &Uploads::default(), &Device::default()).expect("just written");
        for trainer in [&run, &resumed] {
            let held_out = trainer.held_out();
            for (at, [source, target]) in pairs(24)[18..].iter().enumerate() {
                let example = &held_out.examples()[at];
                assert!(example.target.contains(&special::UNK), "{level:?}");
                assert_eq!(
                    [&held_out.source(at), &held_out.target(at)],
                    [source, target]
                );
                assert_eq!(held_out.prompt_text(at), *source);
                let tokens = [held_out.source_tokens(at), held_out.target_tokens(at)];
                assert_eq!(tokens[0].len(), example.source.len());
                assert_eq!(tokens[1].len(), example.target.len());
                let unknown = held_out.unknown(at).concat();
                let rare = target.chars().find(|it| ('α'..='ω').contains(it));
                assert!(rare.is_some_and(|rare| unknown.contains(rare)), "{unknown}");
                assert!(!tokens.concat().concat().contains("<unk>"));
                // The target has a token outside the vocabulary, so that no output of the model is
                // right.
                assert!(!held_out.is_right(at, &example.target), "{level:?}");
            }
        }
    }
}

#[test]
fn an_answer_is_right_if_it_is_the_line_of_the_file_letter_by_letter() {
    let folder = Folder::new("held-out-right");
    let config = |task: &mut FilesConfig| {
        task.minimum_count = 1;
        task.validation_source =
            Some(folder.file("known.tsv", "der Hund\tThe Hund\ndie Katze\tThe  Hund\n"));
        task.keep_overlap = true;
    };
    let cased = trainer(&of_files(&folder, TokenUnit::Word, config));
    let lower = trainer(&of_files(&folder, TokenUnit::Word, |task| {
        config(task);
        task.lowercase = true;
    }));
    // Output in lower case is wrong, and so is any output for a target with a double space, which
    // tokens do not keep.
    for (trainer, [same, other]) in [(&cased, [true, false]), (&lower, [false, false])] {
        let held_out = trainer.held_out();
        let ids = |text: &str| trainer.tokenizer().encode_target(text);
        assert_eq!(held_out.target(1), "The  Hund");
        assert!(!held_out.is_right(1, &ids("The Hund")));
        assert_eq!(held_out.is_right(0, &ids("The Hund")), same);
        assert_eq!(held_out.is_right(0, &ids("the Hund")), other);
        assert!(!held_out.is_right(0, &ids("The Haus")));
    }
    // The text `<unk>` is a word that the vocabulary lacks; the token `UNK` does not write it.
    assert!(!cased.tokenizer().is_right(&[special::UNK], "<unk>"));
}

#[test]
fn bleu_of_a_validation_is_that_of_the_text() {
    let folder = Folder::new("held-out-bleu");
    let mut experiment = of_files(&folder, TokenUnit::Punctuation, |_| {});
    experiment.training.bleu_words = BleuWords::Characters;
    experiment.training.bleu_sentences = 5;
    let mut trainer = trainer(&experiment);
    losses(&mut trainer, 4);
    let report = block_on(trainer.validate(6, true)).expect("the CPU does not fail");
    let inference = trainer.inference();
    let all = pairs(24);
    let translated = all[18..23].iter().map(|[source, target]| {
        let found = block_on(inference.translate(source)).expect("a text");
        (found.text, [target.clone()])
    });
    let bleu = Bleu {
        tokenizer: BleuTokenizer::Characters,
        ..Bleu::default()
    };
    let expected = bleu.corpus(translated).score;
    let found = report.bleu.expect("it was asked for");
    assert!(
        expected > 0.0 && (found - expected).abs() < 1e-9,
        "{found} {expected}"
    );
    assert_eq!(report.exact_match, 0.0);
}

#[test]
fn the_bits_of_a_text_are_shared_by_its_characters_in_the_file() {
    let folder = Folder::new("held-out-bits");
    let text = "one  two three\n".repeat(30);
    let held_out = "one a-very-rare-word   two\n\nthree İstanbul\n";
    for (level, lowercase) in [(TokenUnit::Word, true), (TokenUnit::Bpe, false)] {
        let task = TextConfig {
            source: folder.file("train.txt", &text),
            validation_source: Some(folder.file("val.txt", held_out)),
            segment_length: 3,
            maximum_vocabulary: 20,
            level,
            lowercase,
            ..TextConfig::default()
        };
        let trainer = trainer(&Experiment {
            task: TaskConfig::Text(task),
            ..experiment(attending(), 1)
        });
        let report = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
        let tokens: usize = trainer.validation().iter().map(|it| it.target.len()).sum();
        let bits = report.loss * tokens as f64 / std::f64::consts::LN_2;
        let expected = bits / held_out.chars().count() as f64;
        let found = report.bits_per_character().expect("of a text");
        assert!(
            (found - expected).abs() < 1e-6 * expected,
            "{found} {expected}"
        );
    }
}

#[test]
fn a_text_to_write_on_keeps_its_rare_words() {
    let folder = Folder::new("held-out-text");
    let task = TextConfig {
        source: folder.file("train.txt", &"one two three\n".repeat(30)),
        validation_source: Some(folder.file("val.txt", "one rare words\ntwo rarer\n\nthree\n")),
        segment_length: 4,
        ..TextConfig::default()
    };
    let trainer = trainer(&Experiment {
        task: TaskConfig::Text(task),
        ..experiment(attending(), 1)
    });
    let held_out = trainer.held_out();
    let tokens = |at| (held_out.source_tokens(at), held_out.target_tokens(at));
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let first = ("</s> one rare words", "one rare words </s>");
    assert_eq!(tokens(0), (words(first.0), words(first.1)));
    let second = ("</s> two rarer </s>", "two rarer </s> </s>");
    assert_eq!(tokens(1), (words(second.0), words(second.1)));
    assert_eq!(tokens(2), (words("</s> three"), words("three </s>")));
    assert_eq!(held_out.target(1), "two rarer\n\n");
    assert_eq!(held_out.unknown(0), ["rare", "words"]);
    assert_eq!(held_out.prompt_text(0), "one rare");
    let begun = held_out.prompt(0);
    assert_eq!(begun.unknown, ["rare"]);
    // The output begins with the given words, also with the unknown one.
    let written = block_on(trainer.inference().translate_all(&[begun]));
    let written = written.expect("the CPU does not fail").remove(0);
    assert!(written.text.starts_with("one rare"), "{}", written.text);
    assert_eq!(written.ids[1], special::UNK);
}
