//! `strata data fetch`: downloads and checks a corpus of the catalogue.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use strata_tasks::corpora::{Corpus, CorpusFile, CorpusKind, HOST};

use super::catalogue::{self, named};
use super::download::Server;
use super::quatrains;
use super::store::{self, partial, unwritable};
use strata_settings::numeral::parse;

use crate::base::error::{DataError, Error};
use crate::base::interrupt::{self, Stage};
use crate::base::output::print;
use crate::display::format::{path, program, size};

#[derive(Args, Debug)]
pub struct FetchArguments {
    /// Name of the corpus; `strata data list` shows all.
    #[arg(value_name = "NAME")]
    name: String,
    /// Put the files into this folder [default: data/NAME].
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    #[command(flatten)]
    source: SourceArguments,
}

/// Origin of the files of a corpus.
#[derive(Args, Debug)]
pub struct SourceArguments {
    /// Take the files from this folder, where they were put by hand; they are checked alike.
    #[arg(long, value_name = "FOLDER", conflicts_with = "mirror")]
    from: Option<PathBuf>,
    /// Fetch from this server instead of raw.githubusercontent.com, by the same paths.
    #[arg(long, value_name = "URL", default_value = HOST, hide_default_value = true)]
    mirror: String,
    /// Agree to licence and size without being asked.
    #[arg(long)]
    yes: bool,
    /// Give up when a server is silent for this long.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = parse::whole_in::<u64>(1..=86_400))]
    timeout: u64,
}

const FETCH_AGAIN: &str = "fetch it again, or name another server with `--mirror`";
const COPY_AGAIN: &str = "put the right file there";

/// Fetches the missing files of a corpus.
pub fn run(arguments: &FetchArguments) -> Result<ExitCode, Error> {
    let corpus = named(&arguments.name)?;
    let folder = arguments
        .to
        .clone()
        .unwrap_or_else(|| catalogue::folder(corpus));
    let missing = missing(corpus, &folder)?;
    if missing.is_empty() {
        let count = corpus.files.len();
        print(&format!(
            "All {count} files of {} are in {} already.",
            corpus.name,
            path(&folder)
        ));
        print(&usage(corpus, &folder));
    } else if bring(corpus, &missing, &folder, &arguments.source)? {
        print(&usage(corpus, &folder));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the files of a corpus that a folder lacks.
///
/// # Errors
/// If a file with the name of one of them has other contents, or cannot be read.
pub fn missing(corpus: &'static Corpus, folder: &Path) -> Result<Vec<&'static CorpusFile>, Error> {
    let mut missing = Vec::new();
    for file in corpus.files {
        if !store::has(folder, file, corpus.name)? {
            missing.push(file);
        }
    }
    Ok(missing)
}

/// Fetches these files of a corpus into a folder; returns false if the user does not agree to the
/// terms.
///
/// # Errors
/// If a file cannot be fetched or written, or has other contents than the catalogue says.
pub fn bring(
    corpus: &'static Corpus,
    missing: &[&CorpusFile],
    folder: &Path,
    source: &SourceArguments,
) -> Result<bool, Error> {
    print(&introduction(corpus, missing, &source.mirror));
    if source.from.is_none() && !source.yes && !agreed()? {
        print("Nothing was fetched.");
        return Ok(false);
    }
    interrupt::enter(Stage::AtOnce(
        "Interrupted: what has come is kept, and the same command goes on from there.".to_owned(),
    ));
    interrupt::listen();
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    match &source.from {
        Some(from) => {
            // With several corpora, the folder may have a subfolder for each.
            let own = from.join(corpus.name);
            let from = if own.is_dir() { &own } else { from };
            take(corpus, missing, from, folder)?;
        }
        None => {
            let server = Server::new(Duration::from_secs(source.timeout));
            download(&server, &source.mirror, corpus, missing, folder)?;
        }
    }
    print(&format!("{} lies in {}.", corpus.name, path(folder)));
    Ok(true)
}

/// Returns the notice that is shown before these files of a corpus are fetched.
pub fn introduction(corpus: &Corpus, files: &[&CorpusFile], host: &str) -> String {
    let mut text = format!("{}: {} ({})\n", corpus.name, corpus.title, corpus.languages);
    if !corpus.note.is_empty() {
        text += &format!("{}\n", corpus.note);
    }
    text += &format!("Licence: {}.\n", corpus.licence.trim_end_matches('.'));
    let groups = by_address(files, host);
    let bytes = groups.iter().map(|(_, files)| files[0].transfer()).sum();
    text += &format!("Size: {}, from:", size(bytes));
    for (address, _) in groups {
        text += &format!("\n  {address}");
    }
    text
}

/// Returns the command that trains on a corpus in a folder.
pub fn usage(corpus: &Corpus, folder: &Path) -> String {
    let settings = corpus.settings();
    let mut lines = Vec::new();
    let program = program();
    if corpus.kind == CorpusKind::Poems {
        let files = corpus
            .files
            .iter()
            .map(|file| path(&folder.join(file.name)));
        let files = files.collect::<Vec<_>>().join(",");
        let preset = corpus.preset;
        return format!("Train on it:\n  {program} train --preset {preset} task.source={files}");
    }
    if !settings.is_empty() {
        let settings = settings.into_iter().map(|(key, value)| {
            let is_file = corpus.files.iter().any(|file| file.name == value);
            let value = if is_file {
                path(&folder.join(value))
            } else {
                value.to_owned()
            };
            format!(" \\\n    {key}={value}")
        });
        let settings: String = settings.collect();
        let preset = match corpus.preset {
            "" => String::new(),
            preset => format!(" --preset {preset}"),
        };
        lines.push(format!("Train on it:\n  {program} train{preset}{settings}"));
    }
    if !corpus.parts.is_empty() {
        let name = corpus.name;
        let place = if folder == catalogue::folder(corpus) {
            String::new()
        } else {
            format!(" --in {}", path(folder))
        };
        lines.push(format!(
            "Look at it:\n  {program} data inspect {name}{place}"
        ));
    }
    lines.join("\n")
}

/// Asks the user to agree; returns the answer.
fn agreed() -> Result<bool, Error> {
    if !io::stdin().is_terminal() {
        return Err(DataError::Unasked.into());
    }
    let mut output = io::stdout();
    drop(write!(output, "Fetch it under these terms? [y/N] "));
    drop(output.flush());
    let mut answer = String::new();
    // If reading fails, the user has not agreed.
    drop(io::stdin().lock().read_line(&mut answer));
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// Groups files by their download, since one archive may contain several.
fn by_address<'a>(files: &[&'a CorpusFile], host: &str) -> Vec<(String, Vec<&'a CorpusFile>)> {
    let mut groups: Vec<(String, Vec<&CorpusFile>)> = Vec::new();
    for &file in files {
        let address = file.address(host);
        match groups.iter_mut().find(|(known, _)| *known == address) {
            Some((_, files)) => files.push(file),
            None => groups.push((address, vec![file])),
        }
    }
    groups
}

fn download(
    server: &Server,
    host: &str,
    corpus: &'static Corpus,
    files: &[&CorpusFile],
    folder: &Path,
) -> Result<(), Error> {
    let (made, files): (Vec<&CorpusFile>, Vec<&CorpusFile>) =
        files.iter().copied().partition(|it| it.is_made());
    if !made.is_empty() {
        let bar = bar(corpus.transfer());
        bar.set_message(corpus.name);
        let came = |bytes| bar.set_position(bytes);
        let fetched = quatrains::fetch(server, host, corpus, &made, folder, came);
        bar.finish_and_clear();
        fetched?;
    }
    let groups = by_address(&files, host);
    let total = groups.iter().map(|(_, files)| files[0].transfer()).sum();
    let bar = bar(total);
    let mut before = 0;
    for (address, files) in groups {
        let (name, bytes) = (files[0].downloaded_name(), files[0].transfer());
        let unfinished = partial(folder, name, "download");
        bar.set_message(name);
        let resumed = unfinished.exists();
        let fetch = || {
            server.download(&address, bytes, &unfinished, corpus.name, |came| {
                bar.set_position(before + came);
            })?;
            store::keep(&unfinished, &files, folder, &address, FETCH_AGAIN)
        };
        let mut fetched = fetch();
        // The partial file of an earlier attempt may have been the wrong one.
        if resumed && is_wrong(&fetched) && fs::remove_file(&unfinished).is_ok() {
            fetched = fetch();
        }
        let is_empty = fs::metadata(&unfinished).is_ok_and(|it| it.len() == 0);
        if fetched.is_ok() || is_wrong(&fetched) || is_empty {
            // The file is useless for another attempt.
            let _ = fs::remove_file(&unfinished);
        }
        if fetched.is_err() {
            bar.finish_and_clear();
        }
        fetched?;
        before += bytes;
        if bar.is_hidden() {
            print(&format!("{name}: {}, its checksum is right", size(bytes)));
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// True if the downloaded bytes have another checksum than the catalogue says.
fn is_wrong(fetched: &Result<(), Error>) -> bool {
    matches!(
        fetched,
        Err(Error::Data(
            DataError::Checksum { .. }
                | DataError::TooLong { .. }
                | DataError::BrokenArchive { .. }
        ))
    )
}

fn bar(bytes: u64) -> ProgressBar {
    if !io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stdout());
    let template = "{wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {msg}";
    bar.with_style(
        ProgressStyle::with_template(template)
            .expect("the template is well-formed")
            .progress_chars("━╸ "),
    )
}

/// Takes over files that the user has put into a folder.
fn take(
    corpus: &'static Corpus,
    files: &[&CorpusFile],
    from: &Path,
    folder: &Path,
) -> Result<(), Error> {
    let mut absent = Vec::new();
    for &file in files {
        let names = [file.name, file.downloaded_name()];
        let names = names.map(|name| [name.to_owned(), format!("{name}.gz")]);
        let mut places = names.iter().flatten().map(|name| from.join(name));
        match places.find(|place| place.is_file()) {
            Some(place) => {
                let said = place.display().to_string();
                store::keep(&place, &[file], folder, &said, COPY_AGAIN)?;
            }
            None => absent.push(file),
        }
    }
    if absent.is_empty() {
        return Ok(());
    }
    let all_made = absent.iter().all(|it| it.is_made());
    if all_made && quatrains::take(corpus, &absent, from, folder)? {
        return Ok(());
    }
    let missing = absent.len();
    let mut absent: Vec<&str> = absent.iter().map(|it| it.downloaded_name()).collect();
    absent.dedup();
    Err(DataError::NotThere {
        folder: from.to_owned(),
        missing,
        all: files.len(),
        names: absent.join(", "),
    }
    .into())
}
