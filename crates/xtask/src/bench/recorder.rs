//! Recorder: prints tables, writes them into the document, and collects faults.

use super::document::Document;
use super::interrupt;
use super::provenance::Provenance;
use super::table::Table;

/// Destination of tables: printed as soon as they are measured, and written into the document.
pub struct Recorder {
    stamp: Provenance,
    /// Document to write into; `None` if tables are only printed.
    document: Option<Document>,
    faults: Vec<String>,
}

impl Recorder {
    /// Creates a recorder that writes tables into `document`, if there is one.
    pub fn new(stamp: Provenance, document: Option<Document>) -> Self {
        Self {
            stamp,
            document,
            faults: Vec::new(),
        }
    }

    /// Prints a table and writes it into the block `name`, with the versions of other measured
    /// programs and the command that measures the table again.
    pub fn keep(&mut self, name: &str, versions: &[String], command: &str, table: &Table) {
        let contents = format!("{}\n\n{table}", self.stamp.line(versions, command));
        println!("\n{name}\n\n{contents}");
        let Some(document) = &self.document else {
            return;
        };
        if interrupt::asked() {
            println!(
                "The measurement was interrupted: this table lacks rows and is printed only.\n"
            );
            return;
        }
        match document.replace(name, &contents) {
            Ok(true) => {}
            Ok(false) => {
                println!("The document has no block `{name}`: this table is printed only.\n")
            }
            Err(error) => self.fault(format!("the table `{name}` is not kept: {error:#}")),
        }
    }

    /// Prints a fault at once and remembers it.
    pub fn fault(&mut self, sentence: String) {
        eprintln!("error: {sentence}");
        self.faults.push(sentence);
    }

    /// Returns all faults so far.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::fs;

    #[test]
    fn a_block_says_when_by_what_and_how_it_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("benchmarks.md");
        fs::write(&path, "<!-- measured: steps -->\n<!-- end -->\n").unwrap();
        let document = Document::open(&path, []).unwrap();
        let stamp = Provenance::of("2 cores (AMD EPYC)", "rustc 1.95.0, Strata abc");
        let mut keeper = Recorder::new(stamp, Some(document));
        let mut table = Table::new(["workload", "ms"]);
        table.row(["tiny", "8.15"]);
        let versions = ["PyTorch 2.15.0".to_owned()];
        keeper.keep("steps", &versions, "cargo xtask bench --only steps", &table);
        keeper.keep("steps cuda", &[], "cargo xtask bench", &table);
        let text = fs::read_to_string(&path).unwrap();
        let expected = "; 2 cores (AMD EPYC); rustc 1.95.0, Strata abc, PyTorch 2.15.0; \
            `cargo xtask bench --only steps`\n\n| workload | ms |\n|---|--:|\n| tiny | 8.15 |\n<!-- end -->\n";
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(text.lines().count(), 7);
        assert!(keeper.faults().is_empty());
        fs::remove_file(&path).unwrap();
        keeper.keep("steps", &[], "cargo xtask bench", &table);
        assert!(keeper.faults()[0].contains("`steps` is not kept"));
    }
}
