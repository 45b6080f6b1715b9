//! `cargo xtask bench`: measures the figures of `docs/benchmarks.md`, prints the tables, and writes
//! each table into that file as soon as it is measured.

mod arguments;
mod browser;
mod browser_peers;
mod comparison;
mod document;
mod interrupt;
mod layers;
mod levels;
mod lines;
mod page;
mod part;
mod peers;
mod programs;
mod provenance;
mod pytorch;
mod recorder;
mod statistics;
mod steps;
mod table;

use anyhow::{Context, Result, bail, ensure};
pub use arguments::Arguments;
use document::Document;
use part::Part;
use peers::Peers;
use programs::Programs;
pub use provenance::Provenance;
use recorder::Recorder;
use std::path::Path;

/// Path of the document with the tables, relative to the top of the repository.
const DOCUMENT: &str = "docs/benchmarks.md";

/// Context shared by all parts of a run.
struct Bench<'a> {
    top: &'a Path,
    arguments: &'a Arguments,
    programs: Programs<'a>,
    keeper: Recorder,
}

/// Measures the parts one after the other. A part that fails does not keep the others from being
/// measured.
///
/// # Errors
/// Before anything is measured, if a program that a part needs is missing; at the end, if a part
/// failed.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    interrupt::listen();
    let parts = arguments.parts();
    let peers = parts
        .iter()
        .any(|part| part.needs_peers())
        .then(|| Peers::find(arguments))
        .transpose()?;
    if let Some(peers) = &peers {
        peers.check(&parts, arguments)?;
    }
    let names = parts.iter().flat_map(|part| part.blocks(&arguments.device));
    let path = top.join(DOCUMENT);
    let document = match arguments.reason_to_print_only() {
        None => Some(Document::open(&path, names)?),
        Some(_) => None,
    };
    let stamp = Provenance::now(top, &arguments.device, DOCUMENT);
    println!("{}", stamp.line(&[], "cargo xtask bench"));
    let mut bench = Bench {
        top,
        arguments,
        programs: Programs::new(top, arguments.features.as_deref()),
        keeper: Recorder::new(stamp, document),
    };
    for part in parts {
        let measured = bench.measure(part, peers.as_ref());
        if interrupt::asked() {
            bail!(
                "interrupted while the part `{}` was measured; what was measured before it is kept",
                part.name()
            );
        }
        if let Err(error) = measured {
            let sentence = format!("the part `{}` failed: {error:#}", part.name());
            bench.keeper.fault(sentence);
        }
    }
    if let Some(reason) = arguments.reason_to_print_only() {
        println!("\n{DOCUMENT} is as it was: {reason}.");
    }
    let faults = bench.keeper.faults();
    ensure!(
        faults.is_empty(),
        "not everything could be measured; what could is kept.\n- {}",
        faults.join("\n- ")
    );
    Ok(())
}

impl Bench<'_> {
    fn measure(&mut self, part: Part, peers: Option<&Peers>) -> Result<()> {
        let peers = || peers.context("the folder of the peers is known to parts that need it");
        println!("\n== {}: {}", part.name(), part.about());
        match part {
            Part::Steps => steps::measure(self),
            Part::Layers => layers::measure(self),
            Part::Browser => browser::measure(self),
            Part::Page => page::measure(self),
            Part::Pytorch => {
                let strata = self.programs.strata()?;
                pytorch::measure(peers()?, &strata, self.arguments, &mut self.keeper)
            }
            Part::BrowserPeers => browser_peers::measure(self, peers()?),
        }
    }

    /// Prints and writes a table of a part, with the versions of other programs that were measured.
    fn keep(&mut self, part: Part, name: &str, versions: &[String], table: &table::Table) {
        let command = self.arguments.command(part);
        self.keeper.keep(name, versions, &command, table);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use clap::ValueEnum;

    #[test]
    fn the_document_has_a_block_for_every_table() {
        let parts = Part::value_variants().iter();
        let names: Vec<_> = parts.flat_map(|part| part.blocks("cpu")).collect();
        let path = crate::top().join(DOCUMENT);
        Document::open(&path, names.iter().cloned()).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.matches("<!-- measured: ").count(), names.len());
    }
}
