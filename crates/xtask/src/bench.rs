//! `cargo xtask bench`: measures the figures of `docs/benchmarks.md`, prints the tables, and writes
//! each table into that file as soon as the table is measured.
//!
//! Every measured program prints JSON lines (`reports`); each part makes tables of these lines
//! (`table`), and the document (`document`) takes the tables.

mod arguments;
mod browser;
mod browser_peers;
mod document;
mod layers;
mod native_peers;
mod page;
mod peers;
mod provenance;
mod reports;
mod steps;
mod table;

use crate::process;
use anyhow::{Result, ensure};
pub use arguments::Arguments;
use arguments::Part;
use document::Document;
use native_peers::NativePeer;
use peers::Peers;
pub use provenance::Provenance;
use std::env;
use std::path::{Path, PathBuf};
use table::Table;

/// Path of the document with the tables, relative to the top of the repository.
const DOCUMENT: &str = "docs/benchmarks.md";

/// A run of the benchmarks: options, built programs, and the destination of the tables.
struct Bench<'a> {
    top: &'a Path,
    arguments: &'a Arguments,
    provenance: Provenance,
    /// Document to write into; `None` if tables are only printed.
    document: Option<Document>,
    /// Sentences on everything that could not be measured so far.
    faults: Vec<String>,
    page_is_built: bool,
}

/// Measures the parts in order. If a part fails, the other parts are still measured.
///
/// # Errors
/// Before anything is measured, if a program that a part needs is missing; at the end, if a part
/// failed.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    let parts = arguments.parts();
    let needs_peers = parts.iter().any(|part| part.needs_peers());
    let peers = needs_peers.then(|| Peers::find(arguments)).transpose()?;
    let names = parts.iter().flat_map(|part| part.blocks(&arguments.device));
    let document = if arguments.prints_only() {
        None
    } else {
        Some(Document::open(&top.join(DOCUMENT), names)?)
    };
    let mut bench = Bench {
        top,
        arguments,
        provenance: Provenance::now(top, &arguments.device, DOCUMENT),
        document,
        faults: Vec::new(),
        page_is_built: false,
    };
    for part in parts {
        println!("\n== {}", part.name());
        if let Err(error) = bench.measure(part, peers.as_ref()) {
            bench.fault(format!("the part `{}` failed: {error:#}", part.name()));
        }
    }
    if bench.document.is_none() {
        println!("\n{DOCUMENT} is unchanged: `--dry-run` and `--workload` only print.");
    }
    ensure!(
        bench.faults.is_empty(),
        "not everything could be measured; finished tables are kept.\n- {}",
        bench.faults.join("\n- ")
    );
    Ok(())
}

impl Bench<'_> {
    fn measure(&mut self, part: Part, peers: Option<&Peers>) -> Result<()> {
        match (part, peers) {
            (Part::Steps, _) => steps::measure(self),
            (Part::Layers, _) => layers::measure(self),
            (Part::Browser, _) => browser::measure(self),
            (Part::Page, _) => page::measure(self),
            (Part::Pytorch, Some(peers)) => self.beside(peers, NativePeer::PYTORCH),
            (Part::Compiled, Some(peers)) => self.beside(peers, NativePeer::COMPILED),
            (Part::Jax, Some(peers)) => self.beside(peers, NativePeer::JAX),
            (Part::Busy, Some(peers)) => {
                let strata = self.strata()?;
                native_peers::measure_busy(self, peers, &strata)
            }
            (Part::BrowserPeers, Some(peers)) => browser_peers::measure(self, peers),
            (_, None) => {
                unreachable!("`run` finds the peers of parts that need peers")
            }
        }
    }

    /// Measures workloads beside another native program.
    fn beside(&mut self, peers: &Peers, peer: NativePeer) -> Result<()> {
        let strata = self.strata()?;
        native_peers::measure(self, peers, &strata, peer)
    }

    /// Builds the native program in release mode and returns the program's path.
    fn strata(&self) -> Result<PathBuf> {
        let mut build = process::cargo(self.top);
        build.args(["build", "--release", "--workspace", "--bin", "strata"]);
        if let Some(features) = &self.arguments.features {
            build.args(["--features", features]);
        }
        process::run(&mut build)?;
        let program = format!("strata{}", env::consts::EXE_SUFFIX);
        Ok(process::target_folder()?.join("release").join(program))
    }

    /// Builds the page with all workers, once in a run, and returns the folder of the page.
    fn page(&mut self) -> Result<PathBuf> {
        if !self.page_is_built {
            crate::page::build(self.top, true)?;
            self.page_is_built = true;
        }
        Ok(crate::page::folder(self.top))
    }

    /// Prints a table and writes it into the block `name`, below a line with date, machine, versions
    /// and the command that measures the table again. `versions` are those of other programs.
    fn keep(&mut self, part: Part, name: &str, versions: &[String], table: &Table) {
        let command = self.arguments.command(part);
        let line = self.provenance.line(versions, &command);
        let contents = format!("{line}\n\n{table}");
        println!("\n{name}\n\n{contents}");
        let document = self.document.as_ref();
        match document.map(|document| document.replace(name, &contents)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => println!("The document has no block `{name}`."),
            Some(Err(error)) => self.fault(format!("the table `{name}` is not kept: {error:#}")),
        }
    }

    /// Prints a fault at once and remembers the fault for the end of the run.
    fn fault(&mut self, sentence: String) {
        eprintln!("error: {sentence}");
        self.faults.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use clap::ValueEnum;
    use std::fs;

    #[test]
    fn the_document_has_a_block_for_every_table() {
        let parts = Part::value_variants().iter();
        let names: Vec<_> = parts.flat_map(|part| part.blocks("cpu")).collect();
        let path = crate::top().join(DOCUMENT);
        Document::open(&path, names.iter().cloned()).unwrap();
        let text = fs::read_to_string(path).unwrap();
        assert_eq!(text.matches("<!-- measured: ").count(), names.len());
    }

    #[test]
    fn a_block_says_when_where_and_how_it_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("benchmarks.md");
        fs::write(&path, "<!-- measured: steps -->\n<!-- end -->\n").unwrap();
        let mut bench = Bench {
            top: folder.path(),
            arguments: &Arguments::typed("bench"),
            provenance: Provenance::of("2 cores (AMD EPYC)", "rustc 1.95.0, Strata abc"),
            document: Some(Document::open(&path, []).unwrap()),
            faults: Vec::new(),
            page_is_built: false,
        };
        let mut table = Table::new(["workload", "ms"]);
        table.row(["tiny", "8.15"]);
        bench.keep(Part::Steps, "steps", &["PyTorch 2.15.0".to_owned()], &table);
        bench.keep(Part::Steps, "steps cuda", &[], &table);
        let text = fs::read_to_string(&path).unwrap();
        let expected = "; 2 cores (AMD EPYC); rustc 1.95.0, Strata abc, PyTorch 2.15.0; \
            `cargo xtask bench --only steps`\n\n| workload | ms |\n|---|--:|\n| tiny | 8.15 |\n<!-- end -->\n";
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(text.lines().count(), 7);
        assert!(bench.faults.is_empty());
        fs::remove_file(&path).unwrap();
        bench.keep(Part::Steps, "steps", &[], &table);
        assert!(bench.faults[0].contains("`steps` is not kept"));
    }
}
