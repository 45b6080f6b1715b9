//! MPI for the program and the tests of runs with several processes: MPICH, and libclang, which
//! reads MPICH's headers. Both come from Python wheels, so that the system needs only Python and a
//! C compiler.
//!
//! Both are installed in our own tools folder, so that no MPI of the user is changed.

use crate::{process, tools};
use anyhow::{Context, Result, ensure};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Python packages by name and version.
const PACKAGES: [(&str, &str); 2] = [("mpich", "5.0.2"), ("libclang", "18.1.1")];

/// An installed MPI.
pub struct Mpi {
    folder: PathBuf,
}

impl Mpi {
    /// Returns the MPI, and installs the MPI if necessary.
    pub fn find_or_install() -> Result<Self> {
        let versions = PACKAGES.map(|(_, version)| version).join("-");
        let folder = tools::folder()?.join(format!("mpi-{versions}"));
        let mpi = Self { folder };
        if mpi.is_whole() {
            return Ok(mpi);
        }
        let packages = PACKAGES.map(|(name, version)| format!("{name}=={version}"));
        println!(
            "Installing {} into {}. This happens once and takes less than a minute.",
            packages.join(", "),
            mpi.folder.display()
        );
        let mut environment = Command::new("python3");
        environment.args(["-m", "venv", "--clear"]).arg(&mpi.folder);
        process::run(&mut environment).context(
            "runs of several processes are tested with an MPI that Python's packages bring, for which \
             Python 3 with its module venv is needed: on Debian run `apt-get install python3-venv` as \
             root",
        )?;
        let mut install = Command::new(mpi.folder.join("bin/python"));
        install.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]);
        process::run(install.args(&packages)).context(
            "MPICH and libclang could not be installed as Python packages, so runs of several processes \
             cannot be tested here; is this machine online, and is it one that they have wheels for \
             (Linux or macOS on x86-64 or ARM)?",
        )?;
        ensure!(
            mpi.is_whole(),
            "MPICH and libclang were installed into {}, but `mpicc`, `mpiexec` or libclang is not there",
            mpi.folder.display()
        );
        Ok(mpi)
    }

    fn is_whole(&self) -> bool {
        let runs = |program| {
            let program = self.folder.join("bin").join(program);
            process::output(Command::new(program).arg("-show").env("PATH", self.path())).is_some()
        };
        runs("mpicc") && self.folder.join("bin/mpiexec").exists() && self.libclang().is_ok()
    }

    /// Returns the folder of libclang; its path contains the version of Python.
    fn libclang(&self) -> Result<PathBuf> {
        let versions = fs::read_dir(self.folder.join("lib"))?;
        let folders = versions
            .flatten()
            .map(|it| it.path().join("site-packages/clang/native"));
        let mut folders = folders.filter(|folder| folder.is_dir());
        folders.next().context("libclang is not there")
    }

    fn path(&self) -> OsString {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.join("bin")]
            .into_iter()
            .chain(env::split_paths(&path));
        env::join_paths(folders).unwrap_or(path)
    }

    /// Sets the environment in which cargo builds with this MPI.
    pub fn build_with(&self, cargo: &mut Command) -> Result<()> {
        cargo
            .env("MPICC", self.folder.join("bin/mpicc"))
            .env("LIBCLANG_PATH", self.libclang()?);
        Ok(())
    }

    /// Sets the environment in which tests find this MPI, and the program that was built with this
    /// MPI.
    pub fn test_with(&self, tests: &mut Command) -> Result<()> {
        let program = program()?;
        ensure!(
            program.is_file(),
            "there is no {}, which several processes share runs with: take the step `processes` before \
             `test`",
            program.display()
        );
        tests
            .env("STRATA_MPI", &self.folder)
            .env("STRATA_MPI_BIN", program);
        Ok(())
    }
}

/// Path of the native program with the feature `mpi`, beside the program that ships.
pub fn program() -> Result<PathBuf> {
    let shipped = process::program()?;
    Ok(shipped.with_file_name(format!("strata-mpi{}", env::consts::EXE_SUFFIX)))
}

/// Copies the program that cargo has just built to the path of [`program`].
pub fn keep(built: &Path) -> Result<()> {
    let program = program()?;
    // A running program cannot be overwritten, but its name can be given to another file.
    let fresh = program.with_extension("new");
    fs::copy(built, &fresh)
        .and_then(|_| fs::rename(&fresh, &program))
        .with_context(|| format!("{} cannot be written", program.display()))?;
    Ok(())
}
