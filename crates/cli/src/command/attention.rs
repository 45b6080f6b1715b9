//! `strata attention`: shows an attention file that any program wrote.

mod choice;
mod contents;
mod page;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use strata_session::attention_file::{self, MOST_BYTES, SentenceAttention};

use crate::base::error::Error;
use crate::base::output::{columns, print};
use crate::base::{files, output_file};
use crate::display::format::{counted, path as shown};
use crate::display::weights_map;
use crate::model::heat_map::Maps;
use choice::Choice;
use page::Room;

#[derive(Args, Debug)]
pub struct AttentionArguments {
    /// An attention file, as JSON or safetensors; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show this sentence of the file, from 1; by default the first one, on a page all sentences.
    #[arg(long, value_name = "NUMBER")]
    sentence: Option<usize>,
    /// Draw this site, such as `decoder.0.cross`; by default the most notable one, on a page all
    /// sites.
    #[arg(long, value_name = "SITE")]
    site: Option<String>,
    /// Draw this level; by default the last one, on a page up to eight levels.
    #[arg(long, value_name = "LEVEL")]
    level: Option<u64>,
    /// Draw this head, from 1; by default the mean of all heads, on a page each head.
    #[arg(long, value_name = "HEAD")]
    head: Option<usize>,
    /// Trace this token of the output, numbered from 1, to the tokens of the source: attention
    /// rollout through all layers.
    #[arg(long, value_name = "TOKEN", conflicts_with_all = ["site", "level", "head"])]
    rollout: Option<usize>,
    /// Write a page with the maps, one file that needs nothing from elsewhere.
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
}

/// Prints the contents of an attention file and a map, or writes a page.
pub fn run(arguments: &AttentionArguments) -> Result<ExitCode, Error> {
    let path = &arguments.file;
    let is_piped = path == Path::new("-");
    let inputs: &[&Path] = if is_piped { &[] } else { &[path] };
    match &arguments.html {
        Some(page) => {
            files::not_onto(page, "--html", inputs)?;
            output_file::check(page, "page", "--html")?;
        }
        None => files::not_printed_onto(inputs)?,
    }
    let name = match is_piped {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    };
    let bytes = match is_piped {
        true => bounded(io::stdin().lock()),
        false => File::open(path).and_then(bounded),
    };
    let bytes = bytes.map_err(Error::reading(Path::new(&name)))?;
    let refused = |reason: String| Error::Session(format!("{name}: {reason}"));
    let sentences = attention_file::read(&bytes).map_err(|it| refused(it.to_string()))?;
    drop(bytes);
    let choice = Choice {
        site: arguments.site.as_deref(),
        level: arguments.level,
        head: arguments.head,
    };
    let found = Found {
        name: &name,
        sentences: &sentences,
    };
    match &arguments.html {
        Some(page) => found.write_page(arguments, &choice, page),
        None => found.print(arguments, &choice).map_err(refused),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Reads at most one byte more than an attention file may have: an input may have no end.
fn bounded(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that was read.
struct Found<'a> {
    name: &'a str,
    sentences: &'a [SentenceAttention],
}

impl Found<'_> {
    /// Returns the sentence of this number, from 1.
    fn sentence(&self, number: usize) -> Result<&SentenceAttention, String> {
        let found = number.checked_sub(1).and_then(|at| self.sentences.get(at));
        found.ok_or_else(|| match self.sentences.len() {
            0 => "the file has no sentences, so there is nothing to draw".to_owned(),
            count => format!(
                "there is no sentence {number}; the file has {}, numbered from 1",
                counted(count as u64, "sentence")
            ),
        })
    }

    /// Prints the contents, unless a part is chosen, and a map.
    fn print(&self, arguments: &AttentionArguments, choice: &Choice) -> Result<(), String> {
        let number = arguments.sentence.unwrap_or(1);
        let is_chosen = !choice.is_empty() || arguments.rollout.is_some();
        if !is_chosen {
            contents::lines(self.name, self.sentences)
                .iter()
                .for_each(|line| print(line));
            if self.sentences.is_empty() && arguments.sentence.is_none() {
                return Ok(());
            }
        }
        let sentence = self.sentence(number)?;
        if !is_chosen {
            print(&format!("\nSites of sentence {number}:"));
            contents::table(sentence)
                .iter()
                .for_each(|line| print(line));
            if sentence.sites.is_empty() {
                return Ok(());
            }
            print("");
        }
        match arguments.rollout {
            Some(token) => {
                print(&choice::told(sentence, token)?);
                for maps in choice::sources(sentence, token)? {
                    print("");
                    draw(&maps);
                }
            }
            None => draw(&choice.one(number, sentence)?),
        }
        Ok(())
    }

    /// Writes the page of one sentence or of all.
    fn write_page(
        &self,
        arguments: &AttentionArguments,
        choice: &Choice,
        to: &Path,
    ) -> Result<(), Error> {
        let refused = |reason: String| Error::Session(format!("{}: {reason}", self.name));
        let numbers = match (arguments.sentence, arguments.rollout) {
            (Some(number), _) => number..=number,
            (None, Some(_)) => 1..=1,
            (None, None) => 1..=self.sentences.len().max(1),
        };
        let mut room = Room::new();
        let mut sections = Vec::new();
        for number in numbers {
            let sentence = self.sentence(number).map_err(refused)?;
            let maps = match arguments.rollout {
                Some(token) => choice::sources(sentence, token),
                None => choice.all(number, sentence, &mut room),
            };
            let maps = maps.map_err(refused)?;
            if arguments.rollout.is_some() {
                for it in &maps {
                    let taken = room.take(1, it.rows.len(), it.columns.len());
                    taken.map_err(refused)?;
                }
            }
            sections.push((number, sentence, maps));
        }
        let text = page::text(self.name, &sections);
        output_file::write(to, text.as_bytes())
            .map_err(output_file::unwritable(to, "page", "--html"))?;
        output_file::tell(to, &format!("The page is {}.", shown(to)));
        Ok(())
    }
}

/// Prints maps.
fn draw(maps: &Maps) {
    for (name, weights) in &maps.matrices {
        let title = match name.as_str() {
            "" => maps.title.clone(),
            name => format!("{}, {name}", maps.title),
        };
        weights_map::lines(&title, &maps.rows, &maps.columns, weights, columns())
            .iter()
            .for_each(|line| print(line));
    }
}
