//! Size and start-up time of the page.

use super::Bench;
use super::arguments::Part;
use super::browser::version;
use super::reports::{self, median};
use super::table::{Table, whole};
use crate::{process, publish, test};
use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Times in milliseconds: names in `tests/benches/start.rs`, and titles of columns.
const TIMES: [(&str, &str); 3] = [
    ("drawn", "drawn"),
    ("ready", "ready to train"),
    ("first_step", "first step shown after Train"),
];

/// Builds the page, and measures size and start-up time.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let folder = bench.page()?;
    bench.keep(Part::Page, "page sizes", &[], &sizes(&folder)?);
    let mut command = process::cargo(bench.top);
    command.args(["bench", "--workspace", "--bench", "start"]);
    let (printed, status) = test::with_page(bench.top, &mut command, process::lines)?;
    let table = start(&reports::values(&printed).collect::<Vec<_>>());
    ensure!(
        status.success() && !table.is_empty(),
        "the page could not be started ({status}); the browser's output is above"
    );
    bench.keep(Part::Page, "page start", &[version()?], &table);
    Ok(())
}

/// Builds the table of the sizes of files that a browser loads: each program, and the sum of all
/// other files. The packages beside the page are no part of it.
fn sizes(folder: &Path) -> Result<Table> {
    /// Largest size, in bytes, of a program that only tests a feature of the browser.
    const SMALL: usize = 10_000;
    let mut table = Table::new(["file", "MB", "MB after gzip"]);
    let mut row = |name: &str, [bytes, packed]: [usize; 2]| {
        let [bytes, packed] = [bytes, packed].map(|size| format!("{:.2}", size as f64 / 1e6));
        table.row([name, &bytes, &packed]);
    };
    let mut rest = [0; 2];
    for file in publish::files_of_page(folder)? {
        let bytes =
            fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&bytes)?;
        let both = [bytes.len(), packer.finish()?.len()];
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".wasm") && bytes.len() > SMALL {
            row(&name, both);
        } else {
            rest = [rest[0] + both[0], rest[1] + both[1]];
        }
    }
    row("all else", rest);
    Ok(table)
}

/// Builds the table of start-up times of each page: the medians of all rounds.
fn start(rounds: &[Value]) -> Table {
    let mut table = Table::new(["page"].into_iter().chain(TIMES.map(|(_, title)| title)));
    let mut names: Vec<&str> = Vec::new();
    for name in rounds.iter().filter_map(|round| round["page"].as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let medians = TIMES.map(|(key, _)| {
            let rounds = rounds.iter().filter(|round| round["page"] == name);
            let times = rounds.filter_map(|round| round[key].as_f64());
            whole(median(times.collect()))
        });
        table.row([name.to_owned()].into_iter().chain(medians));
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    #[test]
    fn programs_have_rows_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let files = [("a.wasm", 3_000_000), ("b.js", 8_000), ("c.html", 2_000)];
        for (name, length) in files.into_iter().chain([("strata-page.zip", 5_000_000)]) {
            fs::write(folder.path().join(name), vec![0; length]).unwrap();
        }
        let table = sizes(folder.path()).unwrap().to_string();
        assert!(table.contains("| a.wasm | 3.00 | 0.00 |\n"), "{table}");
        assert!(table.contains("| all else | 0.01 | 0.00 |\n"), "{table}");
    }

    #[test]
    fn a_start_is_the_median_of_its_rounds() {
        let rounds = [
            ("CPU", 180.0),
            ("WebGPU", 90.0),
            ("CPU", 170.0),
            ("CPU", 500.0),
        ];
        let rounds = rounds.map(|(page, drawn)| {
            json!({ "page": page, "drawn": drawn, "ready": 2.0 * drawn, "first_step": 1500.4 })
        });
        assert_eq!(
            start(&rounds).to_string(),
            "| page | drawn | ready to train | first step shown after Train |\n|---|--:|--:|--:|\n\
             | CPU | 180 | 360 | 1,500 |\n| WebGPU | 90 | 180 | 1,500 |\n"
        );
    }
}
