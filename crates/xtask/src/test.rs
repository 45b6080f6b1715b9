//! `cargo xtask test`: every check of the project, in order, up to the first that fails.

use crate::mpi::{self, Mpi};
use crate::packages::{self, archive, wheel};
use crate::server::{self, Server};
use crate::tools::Toolbox;
use crate::{axe, browser, dependencies, firefox, npm, page, process, python, trunk};
use anyhow::{Result, ensure};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Shows the steps and stops.
    #[arg(long)]
    list: bool,
    /// Runs these steps only, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STEP")]
    only: Vec<Step>,
    /// Runs what takes long too: the builds by trunk and for GPUs, and tests that are named `nightly`.
    #[arg(long)]
    nightly: bool,
    /// Arguments for `cargo test`, behind `--`: for example `-- --test browser`.
    #[arg(last = true)]
    cargo_test: Vec<String>,
}

/// The steps, cheapest first. Steps that build share their dependencies, because all builds use
/// release mode and the features of the whole workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    Tools,
    Format,
    Dependencies,
    Lint,
    Processes,
    Build,
    Packages,
    Page,
    Npm,
    Test,
    Firefox,
    Trunk,
    Gpu,
}

/// Part of the names of tests that take long and run with `--nightly` alone. A test is named so if
/// another test covers the same code in less time.
const NIGHTLY: &str = "nightly";

/// Outcome of a step that did not fail.
enum Outcome {
    Passed,
    /// The step was left out, with a sentence on the missing tool.
    LeftOut(String),
}

/// A row of the table of times: a step that was taken or left out.
struct Taken {
    name: String,
    time: Duration,
    /// Sentence on the missing tool, if the step was left out.
    missing: Option<String>,
}

/// Runs the steps, and prints a table of the times at the end.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    let steps: Vec<_> = Step::value_variants()
        .iter()
        .filter(|step| match arguments.only.as_slice() {
            [] => arguments.nightly || !step.is_nightly(),
            only => only.contains(step),
        })
        .collect();
    if arguments.list {
        steps
            .iter()
            .for_each(|step| println!("{:14}{}", step.name(), step.about()));
        return Ok(());
    }
    let mut cargo_test = arguments.cargo_test.clone();
    if cargo_test.is_empty() && !arguments.nightly {
        cargo_test = ["--", "--skip", NIGHTLY].map(str::to_owned).to_vec();
    }
    let mut taken = Vec::new();
    let mut outcome = Ok(());
    for (index, step) in steps.iter().enumerate() {
        let place = format!("{} of {}", index + 1, steps.len());
        println!("\n== {place}: {} — {}", step.name(), step.about());
        let start = Instant::now();
        let ended = step.take(top, &cargo_test);
        let time = start.elapsed();
        let took = process::format_duration(time);
        println!("== {place}: {} took {took}", step.name());
        let mut missing = None;
        match ended {
            Ok(Outcome::Passed) => {}
            Ok(Outcome::LeftOut(why)) => missing = Some(why),
            Err(error) => {
                let failed = format!("step `{}` ({place}) failed", step.name());
                outcome = Err(error.context(failed));
            }
        }
        taken.push(Taken {
            name: step.name(),
            time,
            missing,
        });
        if outcome.is_err() {
            break;
        }
    }
    println!("\n{}", table(&taken));
    if outcome.is_ok() {
        println!("{}", verdict(&taken));
    }
    outcome
}

impl Step {
    /// True for a step that runs with `--nightly` alone.
    fn is_nightly(self) -> bool {
        matches!(self, Self::Packages | Self::Npm | Self::Trunk | Self::Gpu)
    }

    fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn about(self) -> &'static str {
        match self {
            Self::Tools => {
                "the tools that the page needs, browsers and axe-core to test it with, a Python with sacreBLEU to compare with, and an MPI"
            }
            Self::Format => "every file is formatted",
            Self::Dependencies => "licences, sources and advisories of all dependencies",
            Self::Lint => "clippy has nothing to say, natively and for the browser",
            Self::Processes => "the native program with MPI: clippy, and a build for the tests",
            Self::Build => "the native program, as it ships",
            Self::Packages => "the Python package and the archive of the native program",
            Self::Page => "the page and its workers, as they ship",
            Self::Npm => "the JavaScript package, of the page's workers",
            Self::Test => "unit, golden, command-line and browser tests",
            Self::Firefox => "the main walk through the page, in Firefox",
            Self::Trunk => "the page as trunk builds it trains under the page's policy",
            Self::Gpu => "the native program with every GPU feature passes the type-check",
        }
    }

    fn take(self, top: &Path, cargo_test: &[String]) -> Result<Outcome> {
        let cargo = |line: &str| cargo(top, line);
        let passed = match self {
            Self::Tools => {
                Toolbox::prepare(top)?;
                browser::find_or_install()?;
                // The step `firefox` reports this again, and is left out.
                if let Err(missing) = firefox::find_or_install() {
                    println!("{missing:#}.");
                }
                axe::find_or_install(&python::find_or_install()?)?;
                Mpi::find_or_install().map(drop)
            }
            Self::Format => process::run(&mut cargo("fmt --all --check")),
            Self::Dependencies => dependencies::check(top),
            Self::Lint => lint(top),
            Self::Processes => processes(top),
            // `--workspace` gives the dependencies the very features that the tests need.
            Self::Build => process::run(&mut cargo("build --release --workspace --bin strata")),
            Self::Packages => {
                wheel::build(top)?;
                archive::build(top).map(drop)
            }
            Self::Page => page::build(top, true),
            Self::Npm => npm::pack(top).map(drop),
            // All faults are told, not only those of the first program that has one.
            Self::Test => {
                let mut tests = cargo("test --release --workspace --no-fail-fast");
                test(top, tests.args(cargo_test))
            }
            Self::Firefox => match firefox::find_or_install() {
                Ok(program) => {
                    let walk = "test --release --workspace --test firefox -- --include-ignored --nocapture";
                    let mut walk = cargo(walk);
                    walk.env("STRATA_FIREFOX", program);
                    serve(&built_page(top)?, &mut walk, process::run)
                }
                Err(missing) => {
                    let missing = format!("{missing:#}");
                    println!("Left out: {missing}.");
                    return Ok(Outcome::LeftOut(missing));
                }
            },
            Self::Trunk => {
                let folder = trunk::build(top)?;
                let mut test = cargo("test --release --workspace --test browser policy::");
                with_folder(&folder, &mut test, process::run)
            }
            Self::Gpu => {
                let check =
                    "check --release --package strata-attention-cli --features cuda,wgpu,vulkan";
                // As on docs.rs: otherwise CUDA's build scripts download all of LLVM, which only
                // linking needs.
                process::run(cargo(check).env("DOCS_RS", "1"))
            }
        };
        passed.map(|()| Outcome::Passed)
    }
}

/// Returns a cargo command with the arguments of `line`.
fn cargo(top: &Path, line: &str) -> Command {
    let mut command = process::cargo(top);
    command.args(line.split(' '));
    command
}

/// Runs clippy on all packages, and on the page and the workers for WebAssembly.
fn lint(top: &Path) -> Result<()> {
    let host = "clippy --release --workspace --all-targets -- -D warnings";
    process::run(&mut cargo(top, host))?;
    let web = "clippy --release --target wasm32-unknown-unknown --package";
    process::run(cargo(top, web).args(["strata-web", "--", "-D", "warnings"]))?;
    for worker in ["cpu", "relaxed-simd", "threads", "threads,relaxed-simd"] {
        let rest = ["strata-worker", "--features", worker];
        process::run(cargo(top, web).args(rest).args(["--", "-D", "warnings"]))?;
    }
    Ok(())
}

/// Checks and builds the native program with MPI.
fn processes(top: &Path) -> Result<()> {
    let mpi = Mpi::find_or_install()?;
    let of = "--workspace --bin strata --features strata-attention-cli/mpi";
    for line in [
        format!("clippy --release {of} -- -D warnings"),
        format!("build --release {of}"),
    ] {
        let mut command = cargo(top, &line);
        mpi.build_with(&mut command)?;
        process::run(&mut command)?;
    }
    // The next step builds the program that ships at the same path.
    mpi::keep(&process::program()?)
}

/// Runs the tests with everything that the tests need: the served page, a browser, axe-core, a
/// Python, an MPI,
/// and the native program with and without MPI.
fn test(top: &Path, command: &mut Command) -> Result<()> {
    let python = python::find_or_install()?;
    let command = command
        .env("STRATA_AXE", axe::find_or_install(&python)?)
        .env("STRATA_PYTHON", python)
        .env("STRATA_BIN", process::program()?)
        .env("STRATA_PACKAGES", packages::folder()?)
        .env("STRATA_NPM", npm::path()?);
    Mpi::find_or_install()?.test_with(command)?;
    with_page(top, command, process::run)
}

/// Runs a command that needs a browser and the built page, which is served meanwhile.
pub fn with_page<T>(
    top: &Path,
    command: &mut Command,
    run: impl FnOnce(&mut Command) -> Result<T>,
) -> Result<T> {
    with_folder(&built_page(top)?, command, run)
}

/// Runs a command that needs a browser and the page of a folder, which is served meanwhile.
fn with_folder<T>(
    folder: &Path,
    command: &mut Command,
    run: impl FnOnce(&mut Command) -> Result<T>,
) -> Result<T> {
    let browser = browser::find_or_install()?;
    serve(folder, command.env("STRATA_BROWSER", browser.program), run)
}

/// Runs a command that needs the page of a folder, which is served meanwhile.
fn serve<T>(
    folder: &Path,
    command: &mut Command,
    run: impl FnOnce(&mut Command) -> Result<T>,
) -> Result<T> {
    let server = Server::start(server::take_port(0)?, folder)?;
    run(command.env("STRATA_PAGE", format!("http://{}", server.address)))
}

/// Returns the folder of the page, or an error if the page is not built.
fn built_page(top: &Path) -> Result<PathBuf> {
    let page = page::folder(top);
    ensure!(
        page.join("index.html").is_file(),
        "there is no page in {} to test: take the step `page` first",
        page.display()
    );
    Ok(page)
}

fn table(taken: &[Taken]) -> String {
    let row = |name: &str, time: Duration, note: &str| {
        format!("{name:14}{:>14}{note}\n", process::format_duration(time))
    };
    let note = |step: &Taken| match step.missing {
        Some(_) => "  left out",
        None => "",
    };
    let rows = taken.iter().map(|it| row(&it.name, it.time, note(it)));
    let rows: String = rows.collect();
    rows + &row("in all", taken.iter().map(|it| it.time).sum(), "")
}

/// Returns a sentence for each step that was left out, and a sentence that all other steps passed.
fn verdict(taken: &[Taken]) -> String {
    let left_out = taken.iter().filter_map(|step| {
        let missing = step.missing.as_ref()?;
        Some(format!("Step `{}` was left out: {missing}.", step.name))
    });
    let mut lines: Vec<String> = left_out.collect();
    match lines.len() {
        0 => lines.push("Every step passed.".to_owned()),
        count if count < taken.len() => lines.push("Every other step passed.".to_owned()),
        _ => {}
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(name: &str, seconds: u64, missing: Option<&str>) -> Taken {
        Taken {
            name: name.to_owned(),
            time: Duration::from_secs(seconds),
            missing: missing.map(str::to_owned),
        }
    }

    #[test]
    fn the_table_ends_with_the_sum_and_says_what_was_left_out() {
        let steps = [
            taken("lint", 50, None),
            taken("firefox", 0, Some("none is here")),
            taken("build", 70, None),
        ];
        assert_eq!(
            table(&steps),
            "lint                  50.0 s\nfirefox                0.0 s  left out\n\
             build             1 min 10 s\nin all            2 min 00 s\n"
        );
        assert_eq!(
            verdict(&steps),
            "Step `firefox` was left out: none is here.\nEvery other step passed."
        );
        let alone = "Step `firefox` was left out: none is here.";
        assert_eq!(verdict(&steps[1..2]), alone);
        assert_eq!(verdict(&steps[2..]), "Every step passed.");
    }
}
