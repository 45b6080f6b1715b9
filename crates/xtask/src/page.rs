//! Building the page into `dist/`: first what trains, so that it can be used, then what is faster.
//!
//! It makes of `index.html` what trunk makes of it, in an order of its own and without trunk, whose
//! compilation would come before everything else.

mod assembly;
mod links;
mod program;

use crate::publish;
use crate::tools::Toolbox;
use anyhow::{Context, Result};
use assembly::Assembly;
use program::Program;
use std::fs;
use std::path::{Path, PathBuf};

/// The worker that is built first, and the one whose build takes longest.
const FIRST: &str = "worker-cpu";
const LAST: &str = "worker-webgpu";

/// File that tells an open page what is still to come, and the script that asks for it.
const COMING: (&str, &str) = ("coming.json", "coming.js");

/// Folder of the built page.
pub fn folder(top: &Path) -> PathBuf {
    top.join("dist")
}

/// Builds the page as it is published. Without the WebGPU worker it takes a quarter of the time; the
/// page then says that WebGPU is missing when it is asked for.
pub fn build(top: &Path, webgpu: bool) -> Result<()> {
    Building::begin(top, webgpu)?.finish()
}

/// A page that can be used while the rest of it is being built.
pub struct Building<'a> {
    assembly: Assembly<'a>,
    /// The page's text as it is published.
    page: String,
    /// Workers that are still to be built.
    coming: Vec<Program>,
}

impl<'a> Building<'a> {
    /// Builds what the page needs to train with one thread, and gives it out: from now on the folder can
    /// be served.
    pub fn begin(top: &'a Path, webgpu: bool) -> Result<Self> {
        let assembly = Assembly {
            top,
            folder: folder(top),
            tools: Toolbox::prepare(top)?,
        };
        let (page, workers) = assembly.begin()?;
        let (first, mut coming): (Vec<_>, Vec<_>) =
            workers.into_iter().partition(|it| it.name == FIRST);
        let first = first.first();
        let first = first.with_context(|| format!("index.html names no worker {FIRST}"))?;
        coming.extend(Program::with_threads());
        coming.sort_by_key(|program| program.name == LAST);
        assembly.write_worker(first)?;
        for program in &coming {
            if program.name.starts_with(FIRST) {
                assembly.stand_in(program, first)?;
            }
        }
        coming.retain(|program| webgpu || program.name != LAST);
        let building = Self {
            assembly,
            page,
            coming,
        };
        let asking = format!("<script src=\"./{}\"></script>\n  </head>", COMING.1);
        let page = building.page.replace("</head>", &asking);
        let script = include_str!("page/coming.js");
        building.assembly.write(COMING.1, script.as_bytes())?;
        building.tell()?;
        building.assembly.write("index.html", page.as_bytes())?;
        publish::seal(top, &building.assembly.folder)?;
        Ok(building)
    }

    /// Builds the rest, and gives out each part as soon as it is there.
    pub fn finish(mut self) -> Result<()> {
        while !self.coming.is_empty() {
            self.assembly.write_worker(&self.coming[0])?;
            self.coming.remove(0);
            self.tell()?;
        }
        let Assembly { top, folder, .. } = &self.assembly;
        for file in [COMING.0, COMING.1] {
            let file = folder.join(file);
            fs::remove_file(&file)
                .with_context(|| format!("{} cannot be removed", file.display()))?;
        }
        self.assembly.write("index.html", self.page.as_bytes())?;
        publish::seal(top, folder)
    }

    /// Titles of what is still to be built.
    pub fn coming(&self) -> Vec<&'static str> {
        let title = |program: &Program| match program.name.as_str() {
            LAST => "WebGPU",
            "worker-cpu-threads" => "several threads",
            "worker-cpu-threads-plain" => "several threads for Safari",
            _ => "fused multiplications",
        };
        self.coming.iter().map(title).collect()
    }

    /// Writes what an open page asks for.
    fn tell(&self) -> Result<()> {
        let titles = serde_json::to_string(&self.coming())?;
        self.assembly.write(COMING.0, titles.as_bytes())
    }
}
