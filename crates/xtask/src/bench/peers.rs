//! Folder of the peers: other programs that run the same workloads.

use super::arguments::{Arguments, Part};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Environment variable with the path of the folder, read if the command line does not name the
/// folder.
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
    /// If no folder is named, or the folder lacks something that a part needs.
    pub fn find(arguments: &Arguments) -> Result<Self> {
        let folder = arguments.peers.clone();
        let folder = folder.or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
        let folder = folder.with_context(|| {
            format!(
                "other programs are measured, too: name their folder with `--peers FOLDER` (or {VARIABLE}); \
                 it holds workloads.json, torch_bench.py, jax_bench.py and browser/run.mjs"
            )
        })?;
        let peers = Self::open(&folder)?;
        for part in arguments.parts() {
            let needed = match part {
                Part::Pytorch | Part::Compiled | Part::Busy => vec![peers.torch()],
                Part::Jax => vec![peers.jax()],
                Part::BrowserPeers => vec![peers.driver(), peers.browser().join("node_modules")],
                _ => Vec::new(),
            };
            for path in needed {
                ensure!(
                    path.exists(),
                    "the folder of peers lacks {} (`npm install` makes node_modules)",
                    path.display()
                );
            }
        }
        Ok(peers)
    }

    /// Opens the folder by the absolute path, because programs are started in other folders.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("workloads.json");
        let shown = path.display();
        let text = fs::read_to_string(&path).with_context(|| format!("{shown} cannot be read"))?;
        let file: Value =
            serde_json::from_str(&text).with_context(|| format!("{shown} is no JSON"))?;
        let names = file["workloads"].as_array().into_iter().flatten();
        let names = names.filter_map(|workload| workload["name"].as_str());
        let names: Vec<String> = names.map(str::to_owned).collect();
        ensure!(!names.is_empty(), "{shown} holds no workloads");
        let folder = folder.canonicalize()?;
        Ok(Self { folder, names })
    }

    /// Path of the program that measures PyTorch.
    pub fn torch(&self) -> PathBuf {
        self.folder.join("torch_bench.py")
    }

    /// Path of the program that measures JAX.
    pub fn jax(&self) -> PathBuf {
        self.folder.join("jax_bench.py")
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
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn missing_files_are_told_before_anything_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let fault = |part: &str| {
            let line = format!("bench --peers {} --only {part}", path.display());
            let peers = Peers::find(&Arguments::typed(&line));
            peers
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        assert!(fault("pytorch").contains("workloads.json cannot be read"));
        let workloads = r#"{"workloads":[{"name":"a"},{"name":"b"}]}"#;
        fs::write(path.join("workloads.json"), workloads).unwrap();
        assert!(fault("pytorch").contains("torch_bench.py"));
        fs::write(path.join("torch_bench.py"), "").unwrap();
        assert_eq!(fault("pytorch"), "");
        assert_eq!(fault("compiled,busy"), "");
        assert!(fault("jax").contains("jax_bench.py"));
        assert!(fault("browser-peers").contains("run.mjs"));
    }
}
