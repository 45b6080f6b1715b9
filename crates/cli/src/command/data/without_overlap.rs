//! `strata data without-overlap`: removes from a corpus the lines that a held-out corpus also has.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use strata_tasks::identity;
use strata_text::is_blank;

use super::inspect::entries::{CorpusLayout, Entry};
use super::inspect::{are_questions, of_files};
use super::store::{partial, unwritable_in};
use crate::base::error::{DataError, Error};
use crate::base::output::print;
use crate::display::format::{grouped, path};

#[derive(Args, Debug)]
pub struct WithoutOverlapArguments {
    /// The corpus: source and target, or one file (text, or two columns); may be `.gz`.
    #[arg(value_name = "FILE", num_args = 1..=2, required = true)]
    files: Vec<PathBuf>,
    /// The held-out corpus in the same form.
    #[arg(long, value_name = "FILE", num_args = 1..=2, required = true)]
    held_out: Vec<PathBuf>,
    /// Compare lines by this side; case, white space and Unicode form make no difference.
    #[arg(long, value_enum, default_value_t)]
    by: Sameness,
    /// Write the remaining lines into this folder, under the old names, unpacked.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Sides by which two lines count as equal.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sameness {
    /// Lines with the same source are equal.
    #[default]
    Source,
    /// Lines with the same target are equal.
    Target,
    /// Lines with the same source and target are equal.
    Pair,
    /// Lines with the same source or the same target are equal.
    Either,
}

/// Sentences by which an entry is recognised: the identities of its source, its target or both.
type Key = [Option<u64>; 2];

/// Writes the remaining lines.
pub fn run(arguments: &WithoutOverlapArguments) -> Result<ExitCode, Error> {
    let mut files = arguments.files.iter().chain(&arguments.held_out);
    if let Some(path) = files.find(|it| are_questions(it)) {
        return Err(DataError::Questions { path: path.clone() }.into());
    }
    let layout = of_files(&arguments.files)?;
    let held_out = of_files(&arguments.held_out)?;
    if layout.is_parallel() != held_out.is_parallel() {
        return Err(DataError::UnlikeForms {
            left: arguments.files[0].clone(),
            right: arguments.held_out[0].clone(),
        }
        .into());
    }
    let known = known(&held_out, arguments.by)?;
    let (kept, all) = write(&layout, &known, arguments)?;
    print(&format!(
        "{} of {} lines are left in {}: {} were also in the held-out corpus.",
        grouped(kept),
        grouped(all),
        path(&arguments.out),
        grouped(all - kept),
    ));
    Ok(ExitCode::SUCCESS)
}

/// Returns the keys of all entries of the held-out corpus.
fn known(held_out: &CorpusLayout, by: Sameness) -> Result<HashSet<Key>, Error> {
    let mut known = HashSet::new();
    let mut entries = held_out.entries()?;
    while let Some(entry) = entries.next()? {
        known.extend(keys(&entry, held_out, by)?);
    }
    entries.check_ends()?;
    Ok(known)
}

/// Returns the keys of an entry.
fn keys(entry: &Entry, layout: &CorpusLayout, by: Sameness) -> Result<Vec<Key>, Error> {
    let text = |bytes, side: usize| {
        std::str::from_utf8(bytes).map_err(|_| DataError::NotUtf8 {
            path: layout
                .files()
                .get(side)
                .unwrap_or(&layout.files()[0])
                .to_path_buf(),
            line: entry.number,
        })
    };
    let source = text(entry.source, 0)?;
    let target = match (entry.target, layout) {
        (Some(target), _) => text(target, 1)?,
        (None, CorpusLayout::Columns(path, separator)) if !is_blank(source) => {
            return Err(DataError::NoColumns {
                path: path.clone(),
                line: entry.number,
                separator: separator.name(),
            }
            .into());
        }
        (None, _) => "",
    };
    // Two empty lines do not count as equal.
    if is_blank(source) && is_blank(target) {
        return Ok(Vec::new());
    }
    let by = if layout.is_parallel() {
        by
    } else {
        Sameness::Source
    };
    let (source, target) = (Some(identity(source)), Some(identity(target)));
    Ok(match by {
        Sameness::Source => vec![[source, None]],
        Sameness::Target => vec![[None, target]],
        Sameness::Pair => vec![[source, target]],
        Sameness::Either => vec![[source, None], [None, target]],
    })
}

/// Writes the entries without a known key; returns the number of these, and of all entries.
fn write(
    layout: &CorpusLayout,
    known: &HashSet<Key>,
    arguments: &WithoutOverlapArguments,
) -> Result<(u64, u64), Error> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let mut outputs = Vec::new();
    for file in layout.files() {
        outputs.push(Output::create(folder, file)?);
    }
    let (mut kept, mut all) = (0, 0);
    let mut entries = layout.entries()?;
    while let Some(entry) = entries.next()? {
        all += 1;
        if keys(&entry, layout, arguments.by)?
            .iter()
            .any(|key| known.contains(key))
        {
            continue;
        }
        kept += 1;
        match (&mut outputs[..], entry.target, layout) {
            ([source, target], Some(text), _) => {
                source.line(&[entry.source])?;
                target.line(&[text])?;
            }
            ([both], Some(text), CorpusLayout::Columns(_, separator)) => {
                let between: &[u8] = match separator.name() {
                    "TAB" => b"\t",
                    name => name.as_bytes(),
                };
                both.line(&[entry.source, between, text])?;
            }
            ([text, ..], _, _) => text.line(&[entry.source])?,
            ([], _, _) => {}
        }
    }
    entries.check_ends()?;
    outputs.into_iter().try_for_each(Output::finish)?;
    Ok((kept, all))
}

/// Returns a function that makes the error of a file or folder that cannot be written.
fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    unwritable_in("--out", path)
}

/// Output file, renamed to the final name once all lines are written.
struct Output {
    writer: BufWriter<File>,
    partial: PathBuf,
    path: PathBuf,
}

impl Output {
    fn create(folder: &Path, like: &Path) -> Result<Self, Error> {
        let name = like.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let path = folder.join(name);
        let same = |left: &Path, right: &Path| matches!((left.canonicalize(), right.canonicalize()), (Ok(left), Ok(right)) if left == right);
        if same(&path, like) {
            return Err(DataError::OntoItself { path }.into());
        }
        if path.exists() {
            return Err(DataError::Exists { path }.into());
        }
        let partial = partial(folder, name, "without-overlap");
        let file = File::create(&partial).map_err(unwritable(&partial))?;
        Ok(Self {
            writer: BufWriter::new(file),
            partial,
            path,
        })
    }

    fn line(&mut self, parts: &[&[u8]]) -> Result<(), Error> {
        let mut write = || {
            parts
                .iter()
                .try_for_each(|part| self.writer.write_all(part))?;
            self.writer.write_all(b"\n")
        };
        write().map_err(unwritable(&self.partial))
    }

    fn finish(mut self) -> Result<(), Error> {
        self.writer
            .flush()
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .map_err(unwritable(&self.path))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // After the renaming there is nothing to remove.
        let _ = fs::remove_file(&self.partial);
    }
}
