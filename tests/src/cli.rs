//! Runs the program `strata` for the tests, as a user does.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program is run.
pub struct Workplace {
    folder: TempDir,
    program: PathBuf,
    /// Environment variables for the program.
    variables: Vec<(&'static str, OsString)>,
}

/// Result of a run of the program.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; `None` if the program was killed.
    pub code: Option<i32>,
    /// Text on standard output.
    pub stdout: String,
    /// Text on standard error.
    pub stderr: String,
}

impl Workplace {
    /// Creates an empty folder, which is removed when it is dropped.
    #[allow(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
        Self {
            folder,
            program: program().to_owned(),
            variables: Vec::new(),
        }
    }

    /// Like [`new`](Self::new), for the program that was built with MPI, run with that MPI:
    /// `cargo xtask test` passes both in `STRATA_MPI_BIN` and `STRATA_MPI`.
    pub fn of_processes() -> Self {
        let said =
            |name| {
                std::env::var_os(name).map(PathBuf::from).unwrap_or_else(|| {
                panic!(
                    "{name} is not set: run `cargo xtask test`, or `cargo xtask test --only \
                     page,processes,test -- --test processes` for these tests alone"
                )
            })
            };
        let (mpi, program) = (said("STRATA_MPI"), said("STRATA_MPI_BIN"));
        let before = |name, folder: &str| {
            let folders = std::env::var_os(name).unwrap_or_default();
            let folders = [mpi.join(folder)]
                .into_iter()
                .chain(std::env::split_paths(&folders));
            let folders = std::env::join_paths(folders).expect("folders without separators");
            (name, folders)
        };
        Self {
            folder: tempfile::tempdir().expect("the system has a folder for temporary files"),
            variables: vec![before("PATH", "bin"), before("LD_LIBRARY_PATH", "lib")],
            program,
        }
    }

    /// Returns the path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns a path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into the folder.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.path(name), contents).expect("the temporary folder can be written");
    }

    /// Returns the bytes of a file in the folder.
    pub fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Returns a command that runs the program in the folder; white space separates the arguments.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .env("STRATA_CACHE", self.path("cache"))
            .envs(self.variables.iter().cloned());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &str) -> Ended {
        self.run_with(arguments, "")
    }

    /// Runs the program to its end, with `input` on its standard input.
    pub fn run_with(&self, arguments: &str, input: impl AsRef<[u8]>) -> Ended {
        let mut child = self.start(arguments);
        let mut stdin = child.stdin.take().expect("its input is piped");
        // A program that refuses its arguments does not read its input.
        drop(stdin.write_all(input.as_ref()));
        drop(stdin);
        ended(child)
    }

    /// Starts the program, and does not wait for its end.
    pub fn start(&self, arguments: &str) -> Child {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
            .spawn()
            .unwrap_or_else(|error| panic!("strata cannot be started: {error}"))
    }

    /// Runs a line of bash in which `$STRATA` is the program.
    pub fn shell(&self, line: &str) -> Ended {
        let mut command = Command::new("bash");
        command
            .args(["-c", line])
            .env("STRATA", &self.program)
            .envs(self.variables.iter().cloned())
            .current_dir(self.folder.path());
        command
            .output()
            .map(Ended::from)
            .unwrap_or_else(|error| panic!("bash cannot run: {error}"))
    }

    /// Waits until the program has written a file.
    pub fn wait_for(&self, name: &str) {
        let start = Instant::now();
        while !self.path(name).exists() {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{name} was not written in a minute"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns the lines of one `kind` in a metrics file.
    pub fn metrics(&self, name: &str, kind: &str) -> Vec<Value> {
        let text = String::from_utf8(self.read(name)).expect("metrics are UTF-8");
        let lines = text.lines().map(|line| {
            serde_json::from_str::<Value>(line)
                .unwrap_or_else(|error| panic!("{name} holds the line {line:?}: {error}"))
        });
        lines.filter(|line| line["kind"] == kind).collect()
    }

    /// Returns step and loss, bit for bit, of every step in a metrics file.
    pub fn losses(&self, name: &str) -> Vec<(u64, u64)> {
        let number = |line: &Value, key: &str| line[key].as_f64().expect("metrics are numbers");
        let lines = self.metrics(name, "step");
        lines
            .iter()
            .map(|it| (number(it, "step") as u64, number(it, "loss").to_bits()))
            .collect()
    }
}

/// Sends a signal, given by its name without SIG.
pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &child.id().to_string()])
        .status();
    assert!(
        sent.is_ok_and(|status| status.success()),
        "the signal {name} was not sent"
    );
}

/// Waits for the end of a process.
pub fn ended(child: Child) -> Ended {
    child
        .wait_with_output()
        .map(Ended::from)
        .unwrap_or_else(|error| panic!("{error}"))
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("strata speaks UTF-8");
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Ended {
    /// Returns the output of a run that must have succeeded.
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Returns the error of a run that must have been refused with one sentence.
    pub fn refused(self) -> String {
        assert_eq!(self.code, Some(1), "{}\n{}", self.stdout, self.stderr);
        assert_eq!(
            self.stderr.lines().count(),
            1,
            "not one error: {}",
            self.stderr
        );
        let sentence = self.stderr.trim_end().strip_prefix("error: ");
        sentence
            .unwrap_or_else(|| panic!("no error: {}", self.stderr))
            .to_owned()
    }
}

/// Returns the program: the one that `STRATA_BIN` names, otherwise one that cargo builds beside
/// this test.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| match std::env::var_os("STRATA_BIN") {
        Some(path) => path.into(),
        None => build(),
    })
}

fn build() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows where it lies");
    // The path of the test is …/release/deps/cli-0123.
    let folder = test
        .ancestors()
        .nth(2)
        .expect("a test lies in a folder of cargo's");
    let mut cargo = Command::new(env!("CARGO"));
    // Built with the features of the whole workspace, as this test was.
    cargo.args(["build", "--quiet", "--workspace", "--bin", "strata"]);
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    let top = crate::here().join("..");
    let built = cargo.current_dir(top).status();
    assert!(
        built.is_ok_and(|status| status.success()),
        "strata cannot be built"
    );
    folder.join(format!("strata{}", std::env::consts::EXE_SUFFIX))
}
