//! Packages for users, written into the folder `packages` of the target folder.
//!
//! - `wheel`: the Python package
//! - `archive`: the program with completions and manual pages
//! - `site`: the built page; `beside`: packages that lie beside the built page
//! - `notices`: the licences of the dependencies, a file in archive, site and JavaScript package

pub mod archive;
pub mod beside;
pub mod notices;
pub mod site;
pub mod wheel;

use crate::process;
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the folder of the packages, and creates the folder if necessary.
pub fn folder() -> Result<PathBuf> {
    let folder = process::target_folder()?.join("packages");
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    Ok(folder)
}

/// Removes the packages of an earlier build, whose names begin and end so.
fn remove(folder: &Path, begin: &str, end: &str) -> Result<()> {
    for file in fs::read_dir(folder)?.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.starts_with(begin) && name.ends_with(end) {
            fs::remove_file(file.path())?;
        }
    }
    Ok(())
}

/// Prints path and size of a package.
fn announce(file: &Path) -> Result<()> {
    let size = fs::metadata(file)?.len() as f64 / 1e6;
    println!("{} ({size:.1} MB)", file.display());
    Ok(())
}

/// An archive whose files all lie in a folder with the archive's name.
struct Archive {
    folder: String,
    zip: ZipWriter<BufWriter<File>>,
}

impl Archive {
    /// Creates the archive `name` in a folder; returns the archive and the path.
    fn create(folder: &Path, name: &str) -> Result<(Self, PathBuf)> {
        let path = folder.join(format!("{name}.zip"));
        let file =
            File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        let archive = Self {
            folder: name.to_owned(),
            zip: ZipWriter::new(BufWriter::new(file)),
        };
        Ok((archive, path))
    }

    fn add(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        self.add_with(name, contents, 0o644)
    }

    /// Adds a file that may be executed.
    fn add_program(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        self.add_with(name, contents, 0o755)
    }

    fn add_with(&mut self, name: &str, contents: &[u8], permissions: u32) -> Result<()> {
        let options = SimpleFileOptions::default().unix_permissions(permissions);
        let name = format!("{}/{name}", self.folder);
        self.zip.start_file(name, options)?;
        self.zip.write_all(contents)?;
        Ok(())
    }

    fn finish(self) -> Result<()> {
        Ok(self.zip.finish()?.flush()?)
    }
}
