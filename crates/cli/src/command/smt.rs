//! `strata smt`: learns to translate a line of a poem into the next, the baseline of poems.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use strata_poems::ngram::{KneserNey, perplexity};
use strata_poems::translation::{Smt, StoredSmt, Weights};
use strata_poems::{
    Collection, KeywordFinder, LENGTHS, LINES, Poem, PoemReader, Script, Selection,
};
use strata_settings::numeral::parse;

use crate::base::error::Error;
use crate::base::files;
use crate::base::output::warn;
use crate::base::output_file;
use crate::base::text_file;
use crate::display::format::{counted, grouped, path as shown};
use crate::pipeline::evaluation::Measured;
use crate::pipeline::poetry::table::{Table, Written};

#[derive(Args, Debug)]
pub struct SmtArguments {
    /// Files of poems, separated by commas: source, author, title and poem in columns, or a poem a
    /// line; may be `.gz`.
    #[arg(long, value_name = "FILE", value_delimiter = ',', required = true)]
    pub from: Vec<PathBuf>,
    /// Write the model into this file, which must not be there yet.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Tune the weights of the features on 500 validation poems.
    #[arg(long)]
    pub tune: bool,
    /// Take poems as they are in the files instead of in simplified characters.
    #[arg(long)]
    pub as_read: bool,
    /// Keep poems of the N most frequent characters.
    #[arg(long, value_name = "N", default_value_t = 6000, value_parser = parse::whole::<usize>,
          allow_negative_numbers = true)]
    pub vocabulary: usize,
    /// Keep poems whose lines have N characters, 5 or 7 [default: both].
    #[arg(long, value_name = "N", value_parser = parse::one_of(LENGTHS),
          allow_negative_numbers = true)]
    pub length: Option<usize>,
    /// Learn from N poems at most.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<usize>(1..=100_000_000),
          allow_negative_numbers = true)]
    pub training_poems: Option<usize>,
    /// Tune on N poems at most, and measure on as many.
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<usize>(1..=100_000_000),
          allow_negative_numbers = true)]
    pub held_out_poems: Option<usize>,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Least number of occurrences of a word, and least pointwise mutual information of its characters.
const WORDS: (u32, f64) = (10, 2.0);

/// Learns the models, writes them to a file, and prints the scores of the lines that they write.
pub fn run(arguments: &SmtArguments) -> Result<ExitCode, Error> {
    // Checked here and not in `measure`: a run of `strata reproduce` that was killed writes its
    // model again.
    if arguments.out.is_file() {
        let inputs: Vec<_> = arguments.from.iter().map(PathBuf::as_path).collect();
        files::not_onto(&arguments.out, "--out", &inputs)?;
        return Err(Error::Exists {
            path: arguments.out.clone(),
        });
    }
    measure(arguments)?.print(arguments.json);
    Ok(ExitCode::SUCCESS)
}

/// Learns the models, writes them to a file, and scores the lines that they write.
///
/// # Errors
/// If a file of poems cannot be read, or the model's file cannot be written.
pub fn measure(arguments: &SmtArguments) -> Result<Measured, Error> {
    let inputs: Vec<_> = arguments.from.iter().map(PathBuf::as_path).collect();
    files::not_onto(&arguments.out, "--out", &inputs)?;
    output_file::check(&arguments.out, "model", "--out")?;
    let collection = collection(arguments)?;
    let model = learned(arguments, &collection);
    let written = packed(&model).and_then(|bytes| output_file::write(&arguments.out, &bytes));
    written.map_err(output_file::unwritable(&arguments.out, "model", "--out"))?;
    let pairs: usize = model.phrase_pairs().iter().flatten().sum();
    let mut lines = vec![format!(
        "The model of {} has {} phrase pairs; it lies in {}.",
        counted(collection.training.len() as u64, "training poem"),
        grouped(pairs as u64),
        shown(&arguments.out),
    )];
    let mut json = Map::new();
    let finder = KeywordFinder::learn(&collection.training, WORDS.0, WORDS.1);
    for length in LENGTHS {
        lines.push(String::new());
        let table = Table::of(&collection, &finder, length, |poems| {
            vec![Written {
                title: "SMT".to_owned(),
                lines: translated(&model, poems),
            }]
        });
        let Some(table) = table else {
            lines.push(format!(
                "There are no test poems of {length} characters a line."
            ));
            continue;
        };
        lines.extend(table.lines());
        let mut of_length = table.json();
        if let Some(scores) = table.models().first() {
            of_length["smt"] = scores.json();
        }
        if let Some(perplexity) = of_trigrams(model.language_model(), &collection.test, length) {
            lines.push(format!(
                "Perplexity of trigrams per character, lines 2 to 4: {perplexity:.1}"
            ));
            of_length["trigram_perplexity"] = json!(perplexity);
        }
        json.insert(length.to_string(), of_length);
    }
    Ok(Measured {
        json: Value::Object(json),
        lines,
    })
}

/// Learns the model, and tunes the weights of its features if the user asks for that.
fn learned(arguments: &SmtArguments, collection: &Collection) -> Smt {
    let mut model = Smt::learn(&collection.training);
    if arguments.tune {
        let mut tries = 0;
        let print_try = |weights: &Weights, bleu: f64| {
            tries += 1;
            warn(&format!(
                "try {tries}: weights {weights:.3?}, BLEU-2 {bleu:.4}"
            ));
        };
        model.tune(&collection.validation, print_try);
    }
    model
}

/// Returns the model as compressed JSON.
fn packed(model: &Smt) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(&StoredSmt::from(model))?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&text)?;
    encoder.finish()
}

/// Reads the poems, and tells how many were left out.
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
        length: arguments.length,
        training: arguments.training_poems,
        held_out: arguments.held_out_poems,
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

/// Returns the perplexity of the language model per character.
fn of_trigrams(model: &KneserNey, test: &[Poem], length: usize) -> Option<f64> {
    let poems = test.iter().filter(|poem| poem.length() == length);
    perplexity(model, poems.flat_map(|poem| poem.lines().skip(1)))
}
