//! Provenance of figures: date, machine, versions and command.

use crate::process;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Machine and versions of a run; the date is added when a line is written.
pub struct Provenance {
    machine: String,
    versions: String,
}

impl Provenance {
    /// Determines the machine and the state of the repository. Changes of `document` are ignored,
    /// because a run changes that file itself.
    pub fn now(top: &Path, device: &str, document: &str) -> Self {
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            process::output(git.current_dir(top).args(arguments))
        };
        let described = git(&["describe", "--always"]);
        let without = format!(":(exclude){document}");
        let changed = git(&[
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--",
            ".",
            &without,
        ]);
        let changed = changed.is_some_and(|list| !list.is_empty());
        let rustc = process::output(Command::new("rustc").current_dir(top).arg("--version"));
        let rustc = rustc.unwrap_or_default();
        let rustc = rustc.split(' ').nth(1).unwrap_or("unknown").to_owned();
        let strata = described.map_or("unknown".to_owned(), |text| text.trim().to_owned());
        let strata = strata + if changed { "-dirty" } else { "" };
        Self {
            machine: machine(device),
            versions: format!("rustc {rustc}, Strata {strata}"),
        }
    }

    /// Creates the provenance of a given machine and given versions.
    #[cfg(test)]
    pub fn of(machine: &str, versions: &str) -> Self {
        Self {
            machine: machine.to_owned(),
            versions: versions.to_owned(),
        }
    }

    /// Returns the commit, followed by the machine.
    pub fn commit_and_machine(&self) -> String {
        let commit = self.versions.rsplit(' ').next().unwrap_or("unknown");
        format!("{commit} {}", self.machine)
    }

    /// Writes the line above a table: date, machine, versions and command.
    pub fn line(&self, versions: &[String], command: &str) -> String {
        let date = Command::new("date")
            .args(["-u", "+%-d %B %Y"])
            .env("LC_ALL", "C")
            .output();
        let date = date.map_or(Vec::new(), |output| output.stdout);
        let date = String::from_utf8_lossy(&date);
        let date = match date.trim() {
            "" => "unknown date",
            date => date,
        };
        let versions = std::iter::once(&self.versions).chain(versions);
        let versions: Vec<&str> = versions.map(String::as_str).collect();
        format!(
            "{date}; {}; {}; `{command}`",
            self.machine,
            versions.join(", ")
        )
    }
}

/// Describes the machine: cores and processor, and the GPU if the device is one.
fn machine(device: &str) -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor(&information).or_else(|| {
        let mut question = Command::new("sysctl");
        process::output(question.args(["-n", "machdep.cpu.brand_string"]))
    });
    let processor = processor.map_or("unknown processor".to_owned(), |it| it.trim().to_owned());
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let cores = format!("{cores} cores ({processor})");
    let mut question = Command::new("nvidia-smi");
    question.args(["--query-gpu=name,driver_version", "--format=csv,noheader"]);
    match device {
        "cpu" => cores,
        device => match process::output(&mut question) {
            Some(card) => format!("{}, {cores}", card.lines().next().unwrap_or(device)),
            None => format!("{device}, {cores}"),
        },
    }
}

/// Returns the processor's name from `/proc/cpuinfo`, with its SIMD instruction set.
fn processor(information: &str) -> Option<String> {
    let value = |key: &str| {
        let line = information.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(": ")?.1)
    };
    let name = value("model name")?;
    let flags = value("flags").unwrap_or_default();
    let has = |flag: &str| flags.split(' ').any(|it| it == flag);
    Some(match (has("avx512f"), has("avx2")) {
        (true, _) => format!("{name}, AVX-512"),
        (false, true) => format!("{name}, AVX2"),
        (false, false) => name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_processor_is_known_by_name_and_width() {
        let information = |flags: &str| {
            format!(
                "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: {flags}\n\nprocessor\t: 1\n"
            )
        };
        let name = |flags| processor(&information(flags)).unwrap();
        assert_eq!(name("fpu avx2 avx512f"), "AMD EPYC, AVX-512");
        assert_eq!(name("fpu avx2"), "AMD EPYC, AVX2");
        assert_eq!(name("fpu"), "AMD EPYC");
        assert_eq!(processor(""), None);
    }

    #[test]
    fn a_run_does_not_make_itself_dirty() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let git = |line: &str| {
            let mut git = Command::new("git");
            git.current_dir(top)
                .args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            assert!(git.args(line.split(' ')).output().unwrap().status.success());
        };
        for name in ["a.rs", "tables.md"] {
            fs::write(top.join(name), "first").unwrap();
        }
        git("init --quiet");
        git("add .");
        git("commit --quiet -m first");
        let is_dirty = || {
            Provenance::now(top, "cpu", "tables.md")
                .versions
                .ends_with("-dirty")
        };
        fs::write(top.join("tables.md"), "second").unwrap();
        assert!(!is_dirty());
        fs::write(top.join("a.rs"), "second").unwrap();
        assert!(is_dirty());
    }
}
