//! Folder of the peers: programs of others that run the same workloads.

use super::arguments::Arguments;
use super::part::Part;
use crate::process;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable with the path of the folder, read if the command line does not name it.
const VARIABLE: &str = "STRATA_PEERS";

/// Folder with peers.
pub struct Peers {
    folder: PathBuf,
    names: Vec<String>,
}

impl Peers {
    /// Finds the folder of the peers.
    ///
    /// # Errors
    /// If no folder is given, or the folder has no workloads.
    pub fn find(arguments: &Arguments) -> Result<Self> {
        let folder = arguments
            .peers
            .clone()
            .or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
        let folder = folder.with_context(|| {
            format!(
                "this part is measured beside other programs: say with `--peers FOLDER` (or in {VARIABLE}) \
                 where they are, in a folder that holds workloads.json, torch_bench.py and browser/run.mjs"
            )
        })?;
        Self::open(&folder)
    }

    /// Opens the folder by its absolute path, because its programs are started in other folders.
    pub fn open(folder: &Path) -> Result<Self> {
        let shown = folder.display();
        let folder = folder
            .canonicalize()
            .with_context(|| format!("there is no folder of peers {shown}"))?;
        let path = folder.join("workloads.json");
        let text = fs::read_to_string(&path).with_context(|| {
            format!(
                "{} cannot be read: the folder of peers has it",
                path.display()
            )
        })?;
        let file: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no JSON", path.display()))?;
        let names = file["workloads"].as_array().into_iter().flatten();
        let names = names.filter_map(|workload| workload["name"].as_str());
        let names: Vec<String> = names.map(str::to_owned).collect();
        ensure!(!names.is_empty(), "{} holds no workloads", path.display());
        Ok(Self { folder, names })
    }

    /// Checks that everything that the parts need exists, so that a run does not fail after an
    /// hour.
    pub fn check(&self, parts: &[Part], arguments: &Arguments) -> Result<()> {
        for name in &arguments.workload {
            ensure!(
                self.names.contains(name),
                "the peers have no workload `{name}`; they have {}",
                self.names.join(", ")
            );
        }
        if parts.contains(&Part::Pytorch) {
            self.need(&self.torch(), "PyTorch's side")?;
            ensure!(
                ["cpu", "cuda"].contains(&arguments.device.as_str()),
                "PyTorch's side computes on `cpu` or `cuda`, not on `{}`: measure without the part `pytorch`",
                arguments.device
            );
            let mut question = Command::new(&arguments.python);
            let answer = process::output(question.args(["-c", "import torch"]));
            let python = arguments.python.display();
            answer.with_context(|| {
                format!(
                    "{python} has no PyTorch: make a Python that has it (`python3 -m venv ENV && \
                     ENV/bin/pip install torch numpy`) and name it with `--python ENV/bin/python`"
                )
            })?;
        }
        if parts.contains(&Part::BrowserPeers) {
            self.need(&self.driver(), "the browser's side")?;
            let browser = self.browser();
            ensure!(
                browser.join("node_modules").is_dir(),
                "the browser's peers are not installed: run `cd {} && npm install`",
                browser.display()
            );
            ensure!(
                process::output(Command::new("node").arg("--version")).is_some(),
                "the browser's peers are driven by node, which is not on the PATH: install Node.js 20 or later"
            );
        }
        Ok(())
    }

    /// Path of the program that measures PyTorch.
    pub fn torch(&self) -> PathBuf {
        self.folder.join("torch_bench.py")
    }

    /// Path of the folder of peers in the browser.
    pub fn browser(&self) -> PathBuf {
        self.folder.join("browser")
    }

    /// Path of the program that drives the browser.
    pub fn driver(&self) -> PathBuf {
        self.browser().join("run.mjs")
    }

    /// Path of the file that defines the workloads.
    pub fn workloads(&self) -> PathBuf {
        self.folder.join("workloads.json")
    }

    /// Names of the workloads, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn need(&self, path: &Path, what: &str) -> Result<()> {
        ensure!(
            path.is_file(),
            "the folder of peers lacks {what}, {}",
            path.display()
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn sentence(folder: &Path, line: &str) -> String {
        let words = ["bench", "--peers"].into_iter().map(str::to_owned);
        let words = words.chain([folder.display().to_string()]);
        let words = words.chain(line.split_whitespace().map(str::to_owned));
        let arguments = Arguments::typed(words);
        let peers =
            Peers::find(&arguments).and_then(|peers| peers.check(&arguments.parts(), &arguments));
        peers.unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_told_before_anything_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let pytorch = |more: &str| sentence(place, &format!("--only pytorch {more}"));
        assert!(pytorch("").contains("workloads.json cannot be read"));
        fs::write(
            place.join("workloads.json"),
            r#"{"workloads":[{"name":"a"},{"name":"b"}]}"#,
        )
        .unwrap();
        assert!(pytorch("--workload c").contains("no workload `c`; they have a, b"));
        assert!(pytorch("").contains("torch_bench.py"));
        fs::write(place.join("torch_bench.py"), "").unwrap();
        assert!(pytorch("--device vulkan").contains("`vulkan`"));
        assert!(pytorch("--python strata-no-such-python").contains("pip install torch"));
        let browser = || sentence(place, "--only browser-peers");
        assert!(browser().contains("run.mjs"));
        fs::create_dir(place.join("browser")).unwrap();
        fs::write(place.join("browser/run.mjs"), "").unwrap();
        assert!(browser().contains("browser && npm install"));
        assert!(sentence(&place.join("none"), "").contains("no folder of peers"));
    }
}
