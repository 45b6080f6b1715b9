//! `strata smt`: learns to translate a line of a poem into the next, the baseline of poems.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use strata_poems::ngram::{KneserNey, perplexity};
use strata_poems::translation::{Smt, StoredSmt, Weights};
use strata_poems::{
    Collection, KeywordFinder, LENGTHS, LINES, Poem, PoemReader, Script, Selection,
};
use strata_training::write_atomically;

use crate::error::Error;
use crate::format::{counted, grouped, path as shown};
use crate::output::{print, warn};
use crate::poem_table::{self, Written};
use crate::{files, number, text_file};

#[derive(Args, Debug)]
pub struct SmtArguments {
    /// Files of poems, separated by commas: source, author, title and poem in columns, or a poem a
    /// line; may be `.gz`.
    #[arg(long, value_name = "FILE", value_delimiter = ',', required = true)]
    pub from: Vec<PathBuf>,
    /// Write the model into this file.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Tune the weights of the features on 500 validation poems.
    #[arg(long)]
    pub tune: bool,
    /// Take poems as they are in the files instead of in simplified characters.
    #[arg(long)]
    pub as_read: bool,
    /// Keep poems of the N most frequent characters.
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = number::whole::<usize>,
          allow_negative_numbers = true)]
    pub vocabulary: usize,
}

/// Fewest occurrences of a word, and lowest pointwise mutual information of its characters.
const WORDS: (u32, f64) = (10, 2.0);

/// Learns the models, writes them, and prints what their lines are worth.
pub fn run(arguments: &SmtArguments) -> Result<ExitCode, Error> {
    let inputs: Vec<_> = arguments.from.iter().map(PathBuf::as_path).collect();
    files::not_onto(&arguments.out, "--out", &inputs)?;
    let collection = collection(arguments)?;
    let mut model = Smt::learn(&collection.training);
    if arguments.tune {
        let mut tries = 0;
        let first = |weights: &Weights, bleu: f64| {
            tries += 1;
            warn(&format!(
                "try {tries}: weights {weights:.3?}, BLEU-2 {bleu:.4}"
            ));
        };
        model.tune(&collection.validation, first);
    }
    let stored = serde_json::to_vec(&StoredSmt::from(&model)).map_err(std::io::Error::from);
    let packed = stored.and_then(|text| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&text)?;
        encoder.finish()
    });
    let written = packed.and_then(|bytes| write_atomically(&arguments.out, &bytes));
    written.map_err(|reason| Error::Write {
        path: arguments.out.clone(),
        what: "model",
        reason,
        advice: "name a file that can be written with `--out`".to_owned(),
    })?;
    let pairs: usize = model.phrase_pairs().iter().flatten().sum();
    print(&format!(
        "The model of {} has {} phrase pairs; it lies in {}.",
        counted(collection.training.len() as u64, "training poem"),
        grouped(pairs as u64),
        shown(&arguments.out),
    ));
    let finder = KeywordFinder::learn(&collection.training, WORDS.0, WORDS.1);
    for length in LENGTHS {
        print("");
        let table = poem_table::lines(&collection, &finder, length, |poems| {
            vec![Written {
                title: "SMT".to_owned(),
                lines: translated(&model, poems),
            }]
        });
        table.iter().for_each(|line| print(line));
        print_perplexity(model.language_model(), &collection.test, length);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the poems, and tells what was left out.
fn collection(arguments: &SmtArguments) -> Result<Collection, Error> {
    let mut reader = PoemReader::default();
    for path in &arguments.from {
        reader.read(&text_file::read(path)?);
    }
    let script = if arguments.as_read {
        Script::AsRead
    } else {
        Script::Simplified
    };
    let selection = Selection {
        script,
        vocabulary: arguments.vocabulary,
        ..Selection::default()
    };
    let collection = Collection::new(reader, &selection)?;
    let counts = collection.counts;
    let left_out = counts.unread.sentences().chain(counts.sentences());
    left_out.for_each(|sentence| warn(&sentence));
    Ok(collection)
}

fn translated(model: &Smt, poems: &[&Poem]) -> Vec<[Vec<char>; LINES - 1]> {
    let next = |poem: &Poem, line| model.next_line(poem.line(line), line).unwrap_or_default();
    poems
        .iter()
        .map(|poem| std::array::from_fn(|line| next(poem, line)))
        .collect()
}

fn print_perplexity(model: &KneserNey, test: &[Poem], length: usize) {
    let poems = test.iter().filter(|poem| poem.length() == length);
    if let Some(perplexity) = perplexity(model, poems.flat_map(|poem| poem.lines().skip(1))) {
        print(&format!(
            "Perplexity of trigrams per character, lines 2 to 4: {perplexity:.1}"
        ));
    }
}
