//! `strata data inspect`: statistics of a corpus, in memory that does not grow with it.
//!
//! - `entries`: reads the lines or pairs of one part of a corpus, whatever its form
//! - `part`, `side`: statistics of a part and of each side, by `counts`, `lengths`, `ratios` and
//!   `faults`
//! - `overlap`: sentences that a held-out part shares with the training part
//! - `report`: prints the statistics
//! - `questions`: files of reading comprehension, which are counted in memory, and their overlap

mod counts;
pub mod entries;
mod faults;
mod lengths;
mod overlap;
mod part;
mod questions;
mod ratios;
mod report;
mod side;

use std::iter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::{ProgressBar, ProgressDrawTarget};
use strata_tasks::TaskConfig;
use strata_tasks::corpora::{self, Corpus};
use strata_text::{Segmenter, TextForm, TokenUnit, Vocabulary};

use super::catalogue::{folder, named};
use crate::base::error::{DataError, Error};
use crate::base::output::print;
use crate::model::experiment::{self, ExperimentArguments};
use entries::CorpusLayout;
use part::Part;
pub use questions::are_questions;

#[derive(Args, Debug)]
pub struct InspectArguments {
    /// A corpus of `strata data list`; or a file (text, two columns, or questions in JSON); or two,
    /// source and target; or settings as those of `train`.
    #[arg(value_name = "NAME | FILE… | key=value…")]
    what: Vec<String>,
    /// The files of the experiment in this file.
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Text or questions to measure on, compared with the first (case, white space and Unicode form
    /// make no difference); one file or two.
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    validation: Vec<PathBuf>,
    /// Text or questions to test on, compared with the first like those of `--validation`; one file
    /// or two.
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    test: Vec<PathBuf>,
    /// Folder of the named corpus [default: data/NAME].
    #[arg(long = "in", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Unit of a token; without this, that of the catalogue or the settings, else `word`, of
    /// questions `fine` or the file's own.
    #[arg(long, value_parser = PossibleValuesParser::new([LEVELS.as_slice(), &questions::LEVELS].concat()))]
    level: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Token units that need no training.
const LEVELS: [&str; 4] = ["word", "punctuation", "character", "jieba"];

/// Corpora to count.
struct Corpora {
    /// Parts with their names; the first is the training part.
    parts: Vec<(String, CorpusLayout)>,
    /// Token unit of source and target.
    levels: [TokenUnit; 2],
    form: TextForm,
}

/// Counts a corpus, and prints the results.
pub fn run(arguments: &InspectArguments) -> Result<ExitCode, Error> {
    let parts = questions::parts(arguments)?;
    if !parts.is_empty() && questions::run(&parts, arguments.json)? {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(level) = arguments
        .level
        .as_deref()
        .filter(|it| questions::LEVELS.contains(it))
    {
        return Err(DataError::OtherLevel {
            level: level.to_owned(),
        }
        .into());
    }
    let Corpora {
        parts: named,
        levels,
        form,
    } = corpora(arguments)?;
    let segmenters = [
        (levels[0], segmenter(levels[0], form)?),
        (levels[1], segmenter(levels[1], form)?),
    ];
    // Held-out parts come first: their overlap is counted while the training part is read.
    let mut held_out = Vec::new();
    for (name, layout) in named.iter().skip(1) {
        held_out.push(count(name, layout, &segmenters, &mut [])?);
    }
    let mut reports = Vec::new();
    if let Some((name, layout)) = named.first() {
        reports.push(count(name, layout, &segmenters, &mut held_out)?);
    }
    reports.append(&mut held_out);
    let reports: Vec<_> = reports.iter().map(Part::report).collect();
    if arguments.json {
        print(&serde_json::to_string_pretty(&reports).expect("a report is plain data"));
    } else {
        print(&report::text(&reports));
    }
    Ok(ExitCode::SUCCESS)
}

fn count(
    name: &str,
    layout: &CorpusLayout,
    segmenters: &[(TokenUnit, Segmenter); 2],
    held_out: &mut [Part],
) -> Result<Part, Error> {
    let mut part = Part::new(name, layout, segmenters)?;
    let mut entries = layout.entries()?;
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    while let Some(entry) = entries.next()? {
        for other in &mut *held_out {
            other.meet(&entry);
        }
        part.add(&entry);
        if entry.number.is_multiple_of(10_000) {
            bar.set_message(format!("{name}: {} lines", entry.number));
            bar.tick();
        }
    }
    part.end(&entries);
    bar.finish_and_clear();
    Ok(part)
}

/// Returns a segmenter for a token unit that needs no training.
fn segmenter(level: TokenUnit, form: TextForm) -> Result<Segmenter, Error> {
    let none = Vocabulary::build(iter::empty::<[&str; 0]>(), 1, usize::MAX);
    // Subwords do not exist before training, so words are counted instead.
    let level = if level.is_subword() {
        TokenUnit::Punctuation
    } else {
        level
    };
    Ok(Segmenter::restore(level, form, None, &none)?)
}

fn corpora(arguments: &InspectArguments) -> Result<Corpora, Error> {
    let what = &arguments.what;
    let mut found = if arguments.config.is_some() || what.iter().any(is_setting) {
        of_settings(arguments)?
    } else {
        match what.as_slice() {
            [] => return Err(DataError::Nothing.into()),
            [name] if is_name(name) => of_corpus(named(name)?, arguments.folder.as_deref())?,
            files => Corpora {
                parts: vec![("train".to_owned(), of_files(files)?)],
                levels: [TokenUnit::Word; 2],
                form: false.into(),
            },
        }
    };
    if let Some(name) = &arguments.level {
        found.levels = [level(name); 2];
    }
    for (name, files) in [
        ("validation", &arguments.validation),
        ("test", &arguments.test),
    ] {
        if !files.is_empty() {
            found.parts.push((name.to_owned(), of_files(files)?));
        }
    }
    Ok(found)
}

/// True if the text is a `key=value`, not a file.
fn is_setting(text: &String) -> bool {
    text.contains('=') && !Path::new(text).exists()
}

/// True if the text is the name of a corpus, not of a file.
fn is_name(text: &str) -> bool {
    let is_path = text.contains(['/', '\\', '.']) && corpora::find(text).is_none();
    !is_path && !Path::new(text).is_file()
}

/// Returns the token unit of this name.
fn level(name: &str) -> TokenUnit {
    serde_json::from_value(name.into()).expect("only names of levels are accepted")
}

/// Returns the layout of the given files.
pub fn of_files(files: &[impl AsRef<Path>]) -> Result<CorpusLayout, Error> {
    match files {
        [file] => CorpusLayout::of(file.as_ref()),
        [source, target] => Ok(CorpusLayout::Sides(
            source.as_ref().to_owned(),
            target.as_ref().to_owned(),
        )),
        _ => Err(DataError::TooManyFiles { count: files.len() }.into()),
    }
}

fn of_corpus(corpus: &'static Corpus, place: Option<&Path>) -> Result<Corpora, Error> {
    let mut parts = Vec::new();
    for (part, (name, source)) in corpus.parts.iter().zip(part_files(corpus, place)?) {
        let layout = match part.target {
            Some(target) => CorpusLayout::Sides(source, found(corpus, place, target)),
            None => CorpusLayout::of(&source)?,
        };
        parts.push((name.to_owned(), layout));
    }
    Ok(Corpora {
        parts,
        levels: [level(corpus.level); 2],
        form: false.into(),
    })
}

/// Returns the parts of a corpus that was fetched, each with the file of its text or source.
fn part_files(
    corpus: &'static Corpus,
    place: Option<&Path>,
) -> Result<Vec<(&'static str, PathBuf)>, Error> {
    let mut parts = Vec::new();
    for part in corpus.parts {
        let path = found(corpus, place, part.source);
        if !path.is_file() {
            return Err(DataError::NotFetched {
                path,
                name: corpus.name,
            }
            .into());
        }
        parts.push((part.name, path));
    }
    Ok(parts)
}

/// Returns the path of a corpus file, which may be compressed.
fn found(corpus: &'static Corpus, place: Option<&Path>, name: &str) -> PathBuf {
    let place = place.map_or_else(|| folder(corpus), Path::to_owned);
    let path = place.join(name);
    let packed = place.join(format!("{name}.gz"));
    if path.is_file() || !packed.is_file() {
        path
    } else {
        packed
    }
}

/// Reads the task of the settings.
fn task(arguments: &InspectArguments) -> Result<TaskConfig, Error> {
    experiment::task(&ExperimentArguments {
        preset: None,
        from_url: None,
        config: arguments.config.clone(),
        overrides: arguments.what.clone(),
    })
}

fn of_settings(arguments: &InspectArguments) -> Result<Corpora, Error> {
    match &task(arguments)? {
        TaskConfig::Files(files) => {
            let layout = |source: &Path, target: &Option<PathBuf>| match target {
                Some(target) => Ok(CorpusLayout::Sides(source.to_owned(), target.clone())),
                None => CorpusLayout::of(source),
            };
            let mut parts = vec![("train".to_owned(), layout(&files.source, &files.target)?)];
            if let Some(source) = &files.validation_source {
                let layout = layout(source, &files.validation_target)?;
                parts.push(("validation".to_owned(), layout));
            }
            Ok(Corpora {
                parts,
                levels: [files.level, files.target_level.beside(files.level)],
                form: files.text_form(),
            })
        }
        TaskConfig::Text(text) => {
            let others = [
                ("validation", &text.validation_source),
                ("test", &text.test_source),
            ];
            let others = others
                .into_iter()
                .filter_map(|(name, path)| Some((name, path.as_ref()?)));
            let all = iter::once(("train", &text.source)).chain(others);
            Ok(Corpora {
                parts: all
                    .map(|(name, path)| (name.to_owned(), CorpusLayout::Text(path.clone())))
                    .collect(),
                levels: [text.level; 2],
                form: text.text_form(),
            })
        }
        task => Err(DataError::NoFiles { task: task.name() }.into()),
    }
}
