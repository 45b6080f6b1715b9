//! `cargo xtask test`: every check of the project, in order, up to the first that fails.

use crate::mpi::{self, Mpi};
use crate::server::{self, Server};
use crate::tools::Toolbox;
use crate::{axe, browser, dependencies, page, process, python, trunk};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Shows the steps and stops.
    #[arg(long)]
    list: bool,
    /// Takes these steps only, with commas between them.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STEP")]
    only: Vec<Step>,
    /// Handed to `cargo test`, after `--`: for example `-- --test browser`.
    #[arg(last = true)]
    cargo_test: Vec<String>,
}

/// The steps, cheapest first. Those that build share their dependencies: all of them build in
/// release mode, with the features of the whole workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    Tools,
    Format,
    Dependencies,
    Lint,
    Processes,
    Build,
    Page,
    Test,
    Trunk,
    Gpu,
}

/// Takes the steps and ends with a table of their times.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    let steps: Vec<_> = Step::value_variants()
        .iter()
        .filter(|step| arguments.only.is_empty() || arguments.only.contains(step))
        .collect();
    if arguments.list {
        steps
            .iter()
            .for_each(|step| println!("{:14}{}", step.name(), step.about()));
        return Ok(());
    }
    let mut times = Vec::new();
    let mut outcome = Ok(());
    for (index, step) in steps.iter().enumerate() {
        let place = format!("{} of {}", index + 1, steps.len());
        println!("\n== {place}: {} — {}", step.name(), step.about());
        let start = Instant::now();
        outcome = step.take(top, &arguments.cargo_test);
        times.push((step.name(), start.elapsed()));
        println!(
            "== {place}: {} took {}",
            step.name(),
            process::format_duration(start.elapsed())
        );
        if outcome.is_err() {
            outcome = outcome.with_context(|| format!("step `{}` ({place}) failed", step.name()));
            break;
        }
    }
    println!("\n{}", table(&times));
    if outcome.is_ok() {
        println!("Every step passed.");
    }
    outcome
}

impl Step {
    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn about(self) -> &'static str {
        match self {
            Self::Tools => {
                "the tools that the page needs, a browser and axe-core to test it with, a Python with sacreBLEU to compare with, and an MPI"
            }
            Self::Format => "every file is formatted",
            Self::Dependencies => "licences, sources and advisories of all dependencies",
            Self::Lint => "clippy has nothing to say, natively and for the browser",
            Self::Processes => "the native program with MPI: clippy, and a build for the tests",
            Self::Build => "the native program, as it ships",
            Self::Page => "the page and its workers, as they ship",
            Self::Test => "unit, golden, command-line and browser tests",
            Self::Trunk => "the page as trunk builds it trains under the page's policy",
            Self::Gpu => "the native program with every GPU feature passes the type-check",
        }
    }

    fn take(self, top: &Path, cargo_test: &[String]) -> Result<()> {
        let cargo = |line: &str| {
            let mut command = process::cargo(top);
            command.args(line.split(' '));
            command
        };
        match self {
            Self::Tools => {
                Toolbox::prepare(top)?.trunk()?;
                browser::find_or_install()?;
                axe::find_or_install(&python::find_or_install()?)?;
                Mpi::find_or_install().map(drop)
            }
            Self::Format => process::run(&mut cargo("fmt --all --check")),
            Self::Dependencies => dependencies::check(top),
            Self::Lint => {
                let host = "clippy --release --workspace --all-targets -- -D warnings";
                process::run(&mut cargo(host))?;
                let web = "clippy --release --target wasm32-unknown-unknown --package strata-web";
                process::run(cargo(web).args(["--", "-D", "warnings"]))?;
                for worker in [
                    "cpu",
                    "relaxed-simd",
                    "threads",
                    "threads,strata-worker/relaxed-simd",
                ] {
                    let worker = format!("strata-worker/{worker}");
                    let rest = ["--package", "strata-worker", "--features", &worker];
                    process::run(cargo(web).args(rest).args(["--", "-D", "warnings"]))?;
                }
                Ok(())
            }
            Self::Processes => {
                let mpi = Mpi::find_or_install()?;
                let of = "--workspace --bin strata --features strata-cli/mpi";
                for line in [
                    format!("clippy --release {of} -- -D warnings"),
                    format!("build --release {of}"),
                ] {
                    let mut command = cargo(&line);
                    mpi.build_with(&mut command)?;
                    process::run(&mut command)?;
                }
                // The next step puts the program that ships in its place.
                mpi::keep(&process::program()?)
            }
            // `--workspace` gives the dependencies the very features that the tests need.
            Self::Build => process::run(&mut cargo("build --release --workspace --bin strata")),
            Self::Page => page::build(top, true),
            Self::Test => test(top, cargo("test --release --workspace").args(cargo_test)),
            Self::Trunk => {
                let folder = trunk::build(top)?;
                let mut test = cargo("test --release --workspace --test browser policy::");
                with_folder(&folder, &mut test, process::run)
            }
            Self::Gpu => {
                let check = "check --release --package strata-cli --features cuda,wgpu,vulkan";
                // As on docs.rs: otherwise the build scripts under CUDA download the whole of LLVM,
                // which only linking needs.
                process::run(cargo(check).env("DOCS_RS", "1"))
            }
        }
    }
}

/// Runs the tests with what they must find: the served page, a browser, axe-core, a Python, an MPI
/// and the native program, without and with it.
fn test(top: &Path, command: &mut Command) -> Result<()> {
    let python = python::find_or_install()?;
    let command = command
        .env("STRATA_AXE", axe::find_or_install(&python)?)
        .env("STRATA_PYTHON", python)
        .env("STRATA_BIN", process::program()?);
    Mpi::find_or_install()?.test_with(command)?;
    with_page(top, command, process::run)
}

/// Runs what needs the built page, served, and a browser.
pub fn with_page<T>(
    top: &Path,
    command: &mut Command,
    run: impl FnOnce(&mut Command) -> Result<T>,
) -> Result<T> {
    let page = page::folder(top);
    ensure!(
        page.join("index.html").is_file(),
        "there is no page in {} to test: take the step `page` before `test`",
        page.display()
    );
    with_folder(&page, command, run)
}

/// Runs what needs the page of a folder, served, and a browser.
fn with_folder<T>(
    folder: &Path,
    command: &mut Command,
    run: impl FnOnce(&mut Command) -> Result<T>,
) -> Result<T> {
    let browser = browser::find_or_install()?;
    let server = Server::start(server::take_port(0)?, folder)?;
    command.env("STRATA_PAGE", format!("http://{}", server.address));
    run(command.env("STRATA_BROWSER", browser.program))
}

fn table(times: &[(String, Duration)]) -> String {
    let row =
        |name: &str, time: Duration| format!("{name:14}{:>14}\n", process::format_duration(time));
    let rows: String = times.iter().map(|(name, time)| row(name, *time)).collect();
    rows + &row("in all", times.iter().map(|(_, time)| *time).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_ends_with_the_sum() {
        let times = [
            ("lint".to_owned(), Duration::from_secs(50)),
            ("build".to_owned(), Duration::from_secs(70)),
        ];
        assert_eq!(
            table(&times),
            "lint                  50.0 s\nbuild             1 min 10 s\nin all            2 min 00 s\n"
        );
    }
}
