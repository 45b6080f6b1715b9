//! `strata data list`: prints the catalogue of corpora.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use strata_tasks::corpora::{self, Corpus, CorpusKind, HOST};

use super::catalogue::{folder, named};
use super::fetch;
use crate::base::error::Error;
use crate::base::output::print;
use crate::display::format::size;

#[derive(Args, Debug)]
pub struct ListArguments {
    /// Show this corpus alone: its files with addresses, its licence, how to train on it.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the catalogue, or a corpus of the catalogue.
pub fn run(arguments: &ListArguments) -> Result<ExitCode, Error> {
    let one = arguments.name.as_deref().map(named).transpose()?;
    if arguments.json {
        let chosen = corpora::all().filter(|it| one.is_none_or(|one| one.name == it.name));
        let chosen: Vec<_> = chosen.map(as_json).collect();
        print(&serde_json::to_string_pretty(&chosen).expect("a catalogue is plain data"));
        return Ok(ExitCode::SUCCESS);
    }
    match one {
        Some(corpus) => {
            print(&fetch::introduction(
                corpus,
                &corpus.files.iter().collect::<Vec<_>>(),
                HOST,
            ));
            print(&fetch::usage(corpus, &folder(corpus)));
        }
        None => {
            let width = corpora::all().map(|it| it.name.len()).max().unwrap_or(0);
            for corpus in corpora::all() {
                print(&format!(
                    "{:width$}  {:>9}  {:14} {} ({})",
                    corpus.name,
                    size(corpus.transfer()),
                    kind(corpus.kind),
                    corpus.title,
                    corpus.languages,
                ));
            }
            print(
                "\n`strata data list NAME` shows licence and files, `strata data fetch NAME` brings them.",
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the name of the kind of a corpus.
fn kind(kind: CorpusKind) -> &'static str {
    match kind {
        CorpusKind::Translation => "translation",
        CorpusKind::LanguageModel => "language model",
        CorpusKind::Alignment => "alignment",
        CorpusKind::Reading => "reading",
        CorpusKind::Poems => "poems",
    }
}

fn as_json(corpus: &Corpus) -> serde_json::Value {
    let files = corpus.files.iter().map(|file| {
        json!({
            "name": file.name,
            "address": file.address(HOST),
            "bytes": file.bytes,
            "sha256": file.sha256,
        })
    });
    json!({
        "name": corpus.name,
        "title": corpus.title,
        "kind": kind(corpus.kind),
        "languages": corpus.languages,
        "licence": corpus.licence,
        "note": corpus.note,
        "transfer_bytes": corpus.transfer(),
        "files": files.collect::<Vec<_>>(),
        "preset": Some(corpus.preset).filter(|it| !it.is_empty()),
        "settings": corpus.settings().into_iter().collect::<std::collections::BTreeMap<_, _>>(),
    })
}
