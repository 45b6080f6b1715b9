//! Folders in which the package is installed.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use flate2::read::GzDecoder;
use strata_tests::browser::{Browser, Options};
use strata_tests::here;
use strata_tests::site::StaticSite;
use tar::Archive;
use tempfile::TempDir;

/// Time for a run of a few steps in a browser of a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Path of the packed file.
pub fn package() -> PathBuf {
    env::var_os("STRATA_NPM").map_or_else(
        || {
            panic!(
                "STRATA_NPM does not say where the package is: run `cargo xtask test`, or \
                 `cargo xtask test --only page,npm,test -- --test npm` for these tests alone"
            )
        },
        PathBuf::from,
    )
}

/// Folder of the package's examples.
pub fn examples() -> PathBuf {
    here().join("../crates/npm/examples")
}

/// Makes a folder with the examples and the package, unpacked as npm unpacks it.
pub fn unpacked() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let modules = folder.path().join("node_modules");
    let file = File::open(package()).unwrap_or_else(|error| {
        panic!(
            "{} cannot be read ({error}): take the step `npm` first",
            package().display()
        )
    });
    let mut archive = Archive::new(GzDecoder::new(file));
    archive
        .unpack(&modules)
        .expect("the package can be unpacked");
    fs::rename(modules.join("package"), modules.join("strata-attention"))
        .expect("it has one folder");
    copy(&examples(), folder.path());
    folder
}

/// Copies the files of a folder, and the folders in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder is there").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).expect("a file can be copied");
        }
    }
}

/// Opens a page of a folder, which is served with these headers.
pub async fn opened(folder: &Path, headers: &'static str, page: &str, options: Options) -> Browser {
    let site = StaticSite::serve(folder, headers);
    Browser::open_at(options, site.address(), page).await
}

/// Runs npm in a folder. Says what is missing and returns false where there is no npm, or no registry.
pub fn npm(folder: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder).args(arguments);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => {
            println!(
                "Left out: npm cannot be started here ({error}); install Node.js to test this."
            );
            return false;
        }
    };
    let said = [output.stdout.clone(), output.stderr.clone()].concat();
    let said = String::from_utf8_lossy(&said);
    if output.status.success() {
        return true;
    }
    let unreachable = [
        "ENOTFOUND",
        "ECONNREFUSED",
        "ETIMEDOUT",
        "EAI_AGAIN",
        "E404",
    ];
    if unreachable.iter().any(|code| said.contains(code)) {
        println!("Left out: the registry of npm cannot be reached from here.");
        return false;
    }
    panic!("npm {} failed: {said}", arguments.join(" "))
}
