//! The wheel that `cargo xtask wheel` wrote, installed into an empty environment.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

use strata_tests::here;
use tempfile::TempDir;

/// An environment of Python in which the wheel is installed, and nothing else.
struct Installed {
    folder: PathBuf,
}

impl Installed {
    /// Returns the environment, which all tests share.
    fn get() -> &'static Self {
        static INSTALLED: OnceLock<Installed> = OnceLock::new();
        INSTALLED.get_or_init(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wheel");
            let environment = ["-m", "venv", "--clear"];
            ran(Command::new(python()).args(environment).arg(&folder));
            let install = ["-m", "pip", "install", "--quiet", "--no-index"];
            let mut pip = Command::new(folder.join("bin/python"));
            ran(pip
                .args(install)
                .arg("--disable-pip-version-check")
                .arg(package("strata_attention-", ".whl")));
            Installed { folder }
        })
    }

    fn program(&self, name: &str) -> Command {
        clean(self.folder.join("bin").join(name))
    }

    /// Returns the Python of the tests, with numpy, pandas and Jupyter, which finds the package.
    fn with_numpy(&self) -> Command {
        let packages = fs::read_dir(self.folder.join("lib")).expect("an environment has a library");
        let mut packages = packages.flatten().map(|it| it.path().join("site-packages"));
        let packages = packages.next().expect("a library has packages");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = [self.folder.join("bin")]
            .into_iter()
            .chain(env::split_paths(&path));
        let mut command = clean(python());
        command.env("PYTHONPATH", packages).env(
            "PATH",
            env::join_paths(path).expect("folders without separators"),
        );
        command
    }
}

/// Returns a command that takes no program of the tests for the one that is installed.
fn clean(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove("STRATA_BIN");
    command
}

pub fn python() -> PathBuf {
    env::var_os("STRATA_PYTHON")
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("STRATA_PYTHON is not set: run `cargo xtask test`"))
}

/// Returns the package whose file's name begins and ends so.
pub fn package(begin: &str, end: &str) -> PathBuf {
    let folder = env::var_os("STRATA_PACKAGES").map(PathBuf::from);
    let files = folder.and_then(|it| fs::read_dir(it).ok()).into_iter();
    let mut files = files.flatten().flatten();
    let found = files.find(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with(begin) && name.ends_with(end) && !name.starts_with("strata-page-")
    });
    found.map(|it| it.path()).unwrap_or_else(|| {
        panic!("no {begin}…{end}: run `cargo xtask test --only packages,test -- --test packages`")
    })
}

/// Runs a command to the end, and returns the output.
pub fn ran(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{printed}\n{errors}");
    printed
}

/// Returns the first example in Python of a document.
fn example(document: &str) -> String {
    let path = here().join("..").join(document);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{document}: {error}"));
    let begin = text.split("```python\n").nth(1);
    let example = begin.and_then(|it| it.split("```").next());
    example
        .unwrap_or_else(|| panic!("{document} has no example in Python"))
        .to_owned()
}

#[test]
fn the_first_example_runs_in_an_empty_environment() {
    let installed = Installed::get();
    let version = ran(installed.program("strata").arg("--version"));
    assert_eq!(
        version.trim(),
        concat!("strata ", env!("CARGO_PKG_VERSION"))
    );
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut python = installed.program("python");
    let printed = ran(python
        .current_dir(folder.path())
        .args(["-c", &example("python/README.md")]));
    assert!(printed.contains("'step': 1000"), "{printed}");
    assert!(printed.contains("\nd e f g h i j k l m n o\n"), "{printed}");
    assert!(
        printed.contains("[levels, heads, rows, columns] = [1, 2, "),
        "{printed}"
    );
    assert!(
        folder
            .path()
            .join("runs/copy-transformer-seed1/experiment.toml")
            .is_file()
    );
}

#[test]
fn the_example_of_the_main_document_runs() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut python = Installed::get().program("python");
    ran(python
        .current_dir(folder.path())
        .args(["-c", &example("README.md")]));
}

#[test]
fn the_module_keeps_its_promises() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut python = Installed::get().with_numpy();
    ran(python
        .current_dir(folder.path())
        .arg(here().join("tests/packages/module.py")));
}

#[test]
fn a_notebook_shows_progress_tables_and_pictures() {
    let folder = TempDir::new().expect("a folder for temporary files");
    let mut python = Installed::get().with_numpy();
    ran(python
        .current_dir(folder.path())
        .arg(here().join("tests/packages/notebook.py"))
        .arg(here().join("../python/example.ipynb")));
}
