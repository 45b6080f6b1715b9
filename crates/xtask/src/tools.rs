//! Tools that the build of the page needs beyond cargo: the wasm target, the standard library's
//! source and wasm-bindgen; and trunk, for users who serve the page by trunk.
//!
//! A tool on the `PATH` is used if it has exactly the wanted version. Otherwise the tool is
//! installed in a cache folder of our own, so that no tool of the user is ever replaced.

use crate::process;
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const TRUNK: &str = "0.21.14";
/// Build profile of the tools: their own release profiles optimise the whole program as one unit,
/// which takes minutes for programs that run for seconds.
const QUICKLY: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
];
/// Target for which the page's programs are compiled.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Tools of the wanted versions, ready to run.
pub struct Toolbox {
    wasm_bindgen: PathBuf,
    /// Folder of our wasm-bindgen, which goes first on trunk's `PATH`; `None` if the `PATH` has the
    /// wanted version.
    first_on_path: Option<PathBuf>,
}

impl Toolbox {
    /// Finds all tools but trunk, and installs missing tools.
    pub fn prepare(top: &Path) -> Result<Self> {
        add_target(top)?;
        add_source(top)?;
        let folder = folder()?;
        let wasm_bindgen = Tool {
            program: "wasm-bindgen",
            package: "wasm-bindgen-cli",
            version: locked_version(top, "wasm-bindgen")?,
            flags: &[],
            minutes: 1,
        };
        let wasm_bindgen = wasm_bindgen.find_or_install(&folder)?;
        Ok(Self {
            first_on_path: wasm_bindgen.is_absolute().then(|| folder.join("bin")),
            wasm_bindgen,
        })
    }

    /// Creates an empty toolbox, for a test that needs no tools.
    #[cfg(test)]
    pub fn none() -> Self {
        Self {
            wasm_bindgen: PathBuf::new(),
            first_on_path: None,
        }
    }

    /// Returns the wasm-bindgen command.
    pub fn wasm_bindgen(&self) -> Command {
        Command::new(&self.wasm_bindgen)
    }

    /// Returns the trunk command, with the right wasm-bindgen on the `PATH`; a missing trunk is
    /// installed.
    pub fn trunk(&self) -> Result<Command> {
        let trunk = Tool {
            program: "trunk",
            package: "trunk",
            version: TRUNK.to_owned(),
            flags: &["--locked"],
            minutes: 3,
        };
        let mut command = Command::new(trunk.find_or_install(&folder()?)?);
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = self.first_on_path.iter().cloned();
        let path = env::join_paths(folders.chain(env::split_paths(&path)))
            .context("the PATH holds a folder whose name cannot be in a PATH")?;
        command.env("PATH", path);
        // Trunk requires `true` or `false` in `NO_COLOR`, and fails at the usual value 1.
        if env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            command.env("NO_COLOR", "true");
        }
        Ok(command)
    }
}

struct Tool {
    program: &'static str,
    package: &'static str,
    version: String,
    flags: &'static [&'static str],
    /// Minutes that the installation takes on two cores.
    minutes: u32,
}

impl Tool {
    /// Returns the program to run: a bare name for one on the `PATH`, a whole path for our own.
    fn find_or_install(&self, folder: &Path) -> Result<PathBuf> {
        let on_path = PathBuf::from(self.program);
        let name = format!("{}{}", self.program, env::consts::EXE_SUFFIX);
        let ours = folder.join("bin").join(name);
        for program in [&on_path, &ours] {
            if self.is_wanted_version(program) {
                return Ok(program.clone());
            }
        }
        self.install(folder)?;
        if !self.is_wanted_version(&ours) {
            let (program, version) = (self.program, &self.version);
            bail!(
                "{} was installed but is not {program} {version}",
                ours.display()
            );
        }
        Ok(ours)
    }

    fn is_wanted_version(&self, program: &Path) -> bool {
        process::output(Command::new(program).arg("--version"))
            .is_some_and(|text| text.split_whitespace().any(|word| word == self.version))
    }

    fn install(&self, folder: &Path) -> Result<()> {
        let (program, version, minutes) = (self.program, &self.version, self.minutes);
        println!(
            "{program} {version} is missing: installing it into {}. \
             This happens once and takes about {minutes} minutes on two cores.",
            folder.display()
        );
        let start = Instant::now();
        fs::create_dir_all(folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        // Cargo is started in our own folder and without the project's target folder, so that
        // neither the project's configuration nor its build cache has an influence.
        let mut command = process::cargo(folder);
        command
            .args(["install", self.package, "--version", version, "--force"])
            .args(self.flags)
            .arg("--root")
            .arg(folder)
            .env_remove("CARGO_TARGET_DIR")
            .envs(QUICKLY);
        process::run(&mut command).with_context(|| {
            format!("{program} {version} could not be installed; is this machine online?")
        })?;
        println!(
            "{program} {version} took {}.",
            process::format_duration(start.elapsed())
        );
        Ok(())
    }
}

/// Returns the folder of our own tools: `strata/tools` in the user's cache.
pub fn folder() -> Result<PathBuf> {
    let cache = match env::var_os("XDG_CACHE_HOME") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => env::home_dir()
            .context("there is no home folder for the tools: set HOME or XDG_CACHE_HOME")?
            .join(".cache"),
    };
    Ok(cache.join("strata").join("tools"))
}

/// Returns the version of a package that `Cargo.lock` names.
fn locked_version(top: &Path, package: &str) -> Result<String> {
    let path = top.join("Cargo.lock");
    let lock =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    version_in(&lock, package)
        .map(str::to_owned)
        .with_context(|| format!("{} does not name {package}", path.display()))
}

fn version_in<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

/// Adds the wasm target to the toolchain if its standard library is missing.
fn add_target(top: &Path) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc
        .current_dir(top)
        .args(["--print", "target-libdir", "--target", TARGET]);
    if process::output(&mut rustc).is_some_and(|path| Path::new(path.trim()).is_dir()) {
        return Ok(());
    }
    println!("The compile target {TARGET} is missing: adding it (once; a few seconds).");
    let mut rustup = Command::new("rustup");
    rustup.current_dir(top).args(["target", "add", TARGET]);
    process::run(&mut rustup).with_context(|| {
        format!("add the target {TARGET} to this Rust toolchain; with rustup (https://rustup.rs) it is added for you")
    })
}

/// Adds the source of the standard library to the toolchain; the build with threads compiles it.
fn add_source(top: &Path) -> Result<()> {
    let mut rustc = Command::new("rustc");
    rustc.current_dir(top).args(["--print", "sysroot"]);
    let source = "lib/rustlib/src/rust/library/Cargo.lock";
    if process::output(&mut rustc).is_some_and(|path| Path::new(path.trim()).join(source).is_file())
    {
        return Ok(());
    }
    println!("The source of the standard library is missing: adding it (once; a few seconds).");
    let mut rustup = Command::new("rustup");
    rustup
        .current_dir(top)
        .args(["component", "add", "rust-src"]);
    process::run(&mut rustup).context(
        "add the component rust-src to this Rust toolchain; with rustup (https://rustup.rs) it is added for you",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const LOCK: &str = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.58\"\n\n\
        [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";

    #[test]
    fn the_lock_file_gives_the_version_of_exactly_that_package() {
        assert_eq!(version_in(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(LOCK, "wasm"), None);
    }

    #[test]
    fn a_program_of_another_version_is_not_taken() {
        let tool = |version: &str| Tool {
            program: "rustc",
            package: "rustc",
            version: version.to_owned(),
            flags: &[],
            minutes: 0,
        };
        let text = process::output(Command::new("rustc").arg("--version")).unwrap();
        let version = text.split_whitespace().nth(1).unwrap();
        assert!(tool(version).is_wanted_version(Path::new("rustc")));
        assert!(!tool("0.0.1").is_wanted_version(Path::new("rustc")));
        assert!(!tool(version).is_wanted_version(Path::new("no-such-rustc")));
    }
}
