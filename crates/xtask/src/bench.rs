//! `cargo xtask bench`: measures anew what `docs/benchmarks.md` tells, and prints its tables of whole
//! steps, of the page's size and of its start in the form in which they stand there.

use crate::{page, process, publish, test};
use anyhow::{Context, Result};
use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;

/// What `bench` can be told.
#[derive(clap::Args)]
pub struct Arguments {
    /// Measures these parts only, with commas between them.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Where workloads compute: cpu, cuda, ….
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Handed to cargo where the program is built: `cuda`, ….
    #[arg(long)]
    features: Option<String>,
}

/// What is measured, each in about ten minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Whole steps of defined workloads, by the native program.
    Workloads,
    /// Single layers and steps.
    Layers,
    /// The page's size and start, in a browser.
    Page,
}

/// The tables of whole steps: the columns' levels or depths, and how a workload is named by one.
const TABLES: [(&str, &[u32], &str); 4] = [
    ("tiny, multilevel", &[1, 4, 16, 100], "multilevel-#-tiny"),
    ("small, multilevel", &[1, 4, 16, 100], "multilevel-#-small"),
    ("tiny, Ham-V", &[1, 5, 20], "ham-#-tiny"),
    ("small, Ham-V", &[1, 5, 20], "ham-#-small"),
];

/// Builds, measures and prints.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    println!("{}\n", machine());
    let takes = |part: Part| arguments.only.is_empty() || arguments.only.contains(&part);
    let bench = |names: &str| {
        let mut command = process::cargo(top);
        command.args(format!("bench --workspace {names}").split(' '));
        command
    };
    if takes(Part::Workloads) {
        workloads(top, arguments)?;
    }
    if takes(Part::Layers) {
        process::run(&mut bench("--bench layers --bench steps"))?;
    }
    if takes(Part::Page) {
        page::build(top, true)?;
        println!("\n{}", sizes(&page::folder(top))?);
        test::with_page(top, &mut bench("--bench start"))?;
    }
    Ok(())
}

/// Builds the native program and has it take its steps.
fn workloads(top: &Path, arguments: &Arguments) -> Result<()> {
    let mut build = process::cargo(top);
    build.args(["build", "--release", "--workspace", "--bin", "strata"]);
    if let Some(features) = &arguments.features {
        build.args(["--features", features]);
    }
    process::run(&mut build)?;
    let program = process::target_folder()?.join("release").join("strata");
    let mut bench = Command::new(program);
    bench.args(["bench", "--json", "--device", &arguments.device]);
    let lines = process::output(&mut bench).context(
        "`strata bench` failed; run it as `cargo run --release --bin strata -- bench` to see why",
    )?;
    println!("\n{}\n{}", steps(&lines), levels(&lines));
    Ok(())
}

/// What the figures are worth nothing without.
fn machine() -> String {
    let said = |program: &str, arguments: &[&str]| {
        let text = process::output(Command::new(program).args(arguments));
        text.map_or("unknown".to_owned(), |text| text.trim().to_owned())
    };
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find(|it| it.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1));
    format!(
        "Machine: {} cores ({}), {}, {}; {}.",
        thread::available_parallelism().map_or(0, usize::from),
        model.unwrap_or("unknown processor"),
        said("rustc", &["--version"]),
        said("git", &["describe", "--always", "--dirty"]),
        said("date", &["-u", "+%d %B %Y"]),
    )
}

/// What a browser loads: each program, and all else.
fn sizes(folder: &Path) -> Result<String> {
    /// Bytes of a program that is no more than a question to the browser.
    const SMALL: usize = 10_000;
    let mut table = "| file | MB | gzip |\n|---|--:|--:|\n".to_owned();
    let mut row = |name: &str, [bytes, packed]: [usize; 2]| {
        let [bytes, packed] = [bytes, packed].map(|it| it as f64 / 1e6);
        table += &format!("| {name} | {bytes:.2} | {packed:.2} |\n");
    };
    let mut rest = [0; 2];
    for file in publish::files_in(folder)? {
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

/// Every workload in a row.
fn steps(lines: &str) -> String {
    let mut table =
        "| workload | ms per step | first loss | last loss |\n|---|--:|--:|--:|\n".to_owned();
    for line in lines.lines() {
        let cell = |key| field(line, key).unwrap_or("?");
        table += &format!(
            "| {} | {} | {} | {} |\n",
            cell("workload"),
            cell("ms_per_step"),
            cell("loss_first"),
            cell("loss_last")
        );
    }
    table
}

/// What levels and depths cost against one.
fn levels(lines: &str) -> String {
    let mut table =
        "| | N or d = 1 | 4 or 5 | 16 or 20 | 100 | last : first |\n|---|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for (title, counts, name) in TABLES {
        let time = |count: &u32| {
            let name = name.replace('#', &count.to_string());
            let line = lines
                .lines()
                .find(|line| field(line, "workload") == Some(&name));
            line.and_then(|line| field(line, "ms_per_step")?.parse::<f64>().ok())
        };
        let times: Vec<_> = counts.iter().filter_map(time).collect();
        let mut cells: Vec<_> = times.iter().map(|time| format!("{time:.1}")).collect();
        cells.resize(4, String::new());
        let ratio = match (times.first(), times.last()) {
            (Some(first), Some(last)) => format!("{:.2}", last / first),
            _ => String::new(),
        };
        table += &format!("| {title} | {} | {ratio} |\n", cells.join(" | "));
    }
    table
}

/// A field of a report: reports are flat, and no value of theirs has a comma or a quote in it.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("\"{key}\":"))?;
    Some(rest.split([',', '}']).next()?.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const LINES: &str = "{\"peer\":\"strata\",\"workload\":\"ham-1-tiny\",\"ms_per_step\":20.5,\"loss_first\":4.1}\n\
        {\"peer\":\"strata\",\"workload\":\"ham-20-tiny\",\"ms_per_step\":41.0,\"loss_last\":3.5}\n";

    #[test]
    fn programs_have_rows_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        for (name, length) in [("a.wasm", 3_000_000), ("b.js", 8_000), ("c.html", 2_000)] {
            fs::write(folder.path().join(name), vec![0; length]).unwrap();
        }
        let table = sizes(folder.path()).unwrap();
        assert!(table.contains("| a.wasm | 3.00 | 0.00 |\n"), "{table}");
        assert!(table.contains("| all else | 0.01 | 0.00 |\n"), "{table}");
    }

    #[test]
    fn reports_become_tables() {
        let table = steps(LINES);
        assert!(
            table.contains("| ham-1-tiny | 20.5 | 4.1 | ? |\n"),
            "{table}"
        );
        let table = levels(LINES);
        assert!(
            table.contains("| tiny, Ham-V | 20.5 | 41.0 |  |  | 2.00 |\n"),
            "{table}"
        );
    }
}
