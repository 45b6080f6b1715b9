//! Commands of the project: `cargo xtask play` serves the playground, `cargo xtask test` checks
//! everything, `cargo xtask bench` measures; `fuzz` and `soak` check for hours what `test` checks
//! for a minute; `lessons` plays the lessons; `poems` writes models for the page; `wheel`, `npm`,
//! `archive` and `site` write packages for users; `film` records the animations of the README. The
//! commands need only Rust; missing tools are downloaded with a
//! message.
//!
//! - `page`: builds the page without trunk; `trunk`: builds the page by trunk, for `trunk serve`
//! - `npm`: builds the JavaScript package from the built page
//! - `publish`: checks the built programs, and writes the service worker with its list of files
//! - `packages`: the Python package, and archives of the program and of the page
//! - `dependencies`: checks licences and sources against `deny.toml`
//!
//! # Invariants
//!
//! - This package depends on no crate of the workspace. Not tested.
//! - `publish` refuses a program that runs constructors at every call from JavaScript, or that has
//!   relaxed SIMD without a name that says so. Tests:
//!   `a_program_that_constructs_at_every_call_is_refused`,
//!   `a_program_is_refused_that_some_browsers_do_not_take_and_does_not_say_so`.
//! - `page` and trunk build the same files from `index.html`, except for threaded workers: the step
//!   `trunk` of `cargo xtask test` compares the names of the files.
//! - Licences and sources of all dependencies are held against `deny.toml` (`dependencies`). Tests:
//!   `an_expression_is_allowed_if_one_of_its_choices_is`, `what_is_not_allowed_is_named`.

mod apt;
mod axe;
mod bench;
mod browser;
mod dependencies;
mod film;
mod firefox;
mod fuzz;
mod lessons;
mod mpi;
mod npm;
mod packages;
mod page;
mod play;
mod poems;
mod process;
mod publish;
mod python;
mod server;
mod site;
mod soak;
mod test;
mod tools;
mod trunk;

use clap::Parser;
use packages::{archive, wheel};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The project's commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Builds the playground and serves it on this machine.
    Play(play::Arguments),
    /// Checks formatting and lints, builds the programs as they ship, and runs every test.
    Test(test::Arguments),
    /// Measures steps, layers and the page, and writes the tables of `docs/benchmarks.md`.
    Bench(bench::Arguments),
    /// Gives random hostile input to every reader, 10,000 inputs to each.
    Fuzz(fuzz::Arguments),
    /// Uses the page for hours and watches the memory of the page.
    Soak(soak::Arguments),
    /// Plays the lessons and proves the claims of the lessons.
    Lessons(lessons::Arguments),
    /// Trains small models of poems that the page offers to visitors.
    Poems(poems::Arguments),
    /// Writes the Python package: a wheel with the program and a module.
    Wheel,
    /// Writes an archive of the program for this system, with completions and manual pages.
    Archive,
    /// Builds the page with recorded models, and writes an archive for a server of one's own.
    Site(packages::site::Arguments),
    /// Builds the JavaScript package, with the page's workers.
    Npm(npm::Arguments),
    /// Records the page during training, for the README.
    Film,
    /// Prepares a build by trunk for publication; trunk calls this command.
    #[command(hide = true)]
    Finish,
}

fn main() -> ExitCode {
    if let Some(code) = wheel::stand_in() {
        return code;
    }
    let top = top();
    let outcome = match Command::parse() {
        Command::Play(arguments) => play::run(&top, &arguments),
        Command::Test(arguments) => test::run(&top, &arguments),
        Command::Bench(arguments) => bench::run(&top, &arguments),
        Command::Fuzz(arguments) => fuzz::run(&top, &arguments),
        Command::Soak(arguments) => soak::run(&top, &arguments),
        Command::Lessons(arguments) => lessons::run(&top, &arguments),
        Command::Poems(arguments) => poems::run(&top, &arguments),
        Command::Wheel => wheel::run(&top),
        Command::Archive => archive::run(&top),
        Command::Site(arguments) => packages::site::run(&top, &arguments),
        Command::Npm(arguments) => npm::run(&top, &arguments),
        Command::Film => film::run(&top),
        Command::Finish => trunk::finish(&top),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the top of the repository, two folders above this crate.
///
/// The path comes from cargo at run time, because another clone with the same target folder may
/// have built this program.
fn top() -> PathBuf {
    let here = std::env::var("CARGO_MANIFEST_DIR");
    let here = here.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&here)
        .ancestors()
        .nth(2)
        .expect("the crate lies in crates/xtask")
        .to_owned()
}
