//! Build of the page into `dist/`: first the programs for training, so that the page can be used,
//! then the faster ones.
//!
//! The result for `index.html` equals the result of trunk. Trunk is not used, because trunk would
//! have to be compiled first.

mod assembly;
mod links;
mod program;

use crate::packages::beside;
use crate::publish;
use crate::tools::Toolbox;
use anyhow::{Context, Result, bail};
use assembly::Assembly;
use program::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Name of the worker that is built first.
const FIRST: &str = "worker-cpu";
/// Name of the worker whose build takes longest.
const LAST: &str = "worker-webgpu";

/// File by which an open page learns which workers are still to be built, and the script that reads
/// the file. The file stays while the page is served: a page that was opened early asks once more.
pub const COMING: (&str, &str) = ("coming.json", "coming.js");

/// Path of the built page's folder.
pub fn folder(top: &Path) -> PathBuf {
    top.join("dist")
}

/// Builds the page for publication. Without the WebGPU worker the build takes a quarter of the
/// time; the page then reports that WebGPU is missing when a user chooses it.
pub fn build(top: &Path, webgpu: bool) -> Result<()> {
    Building::begin(top, webgpu)?.finish()?;
    remove(&folder(top), COMING.0)?;
    beside::write(top, &folder(top))
}

fn remove(folder: &Path, name: &str) -> Result<()> {
    let file = folder.join(name);
    fs::remove_file(&file).with_context(|| format!("{} cannot be removed", file.display()))
}

/// Page that can be used while the remaining workers are being built.
pub struct Building<'a> {
    assembly: Assembly<'a>,
    /// Final text of `index.html`.
    page: String,
    /// Workers that are still to be built.
    coming: Vec<Program>,
}

impl<'a> Building<'a> {
    /// Builds the programs that train with one thread, and writes the page: from then on the folder
    /// can be served.
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
        tell(&building.assembly, &building.coming)?;
        building.assembly.write("index.html", page.as_bytes())?;
        publish::seal(top, &building.assembly.folder)?;
        Ok(building)
    }

    /// Builds the remaining workers, and writes each worker as soon as the worker is built. The list
    /// of what is still to come stays, empty.
    pub fn finish(self) -> Result<()> {
        let Self {
            assembly,
            page,
            coming,
        } = self;
        // Workers with threads have a target folder of their own, so cargo can build them beside the
        // others. The longest part of each build, the link, takes one core.
        let (threaded, others): (Vec<_>, Vec<_>) =
            coming.iter().cloned().partition(|program| program.threads);
        let coming = Mutex::new(coming);
        let write_all = |programs: &[Program]| -> Result<()> {
            for program in programs {
                assembly.write_worker(program)?;
                let mut coming = coming.lock().unwrap_or_else(PoisonError::into_inner);
                coming.retain(|other| other.name != program.name);
                tell(&assembly, &coming)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let beside = scope.spawn(|| write_all(&threaded));
            let written = write_all(&others);
            let beside = beside.join().unwrap_or_else(|_| bail!("a build panicked"));
            written.and(beside)
        })?;
        remove(&assembly.folder, COMING.1)?;
        assembly.write("index.html", page.as_bytes())?;
        publish::seal(assembly.top, &assembly.folder)
    }

    /// Titles of the workers that are still to be built.
    pub fn coming(&self) -> Vec<&'static str> {
        titles(&self.coming)
    }
}

/// Titles of workers, in the words of users.
fn titles(programs: &[Program]) -> Vec<&'static str> {
    let title = |program: &Program| match program.name.as_str() {
        LAST => "WebGPU",
        "worker-cpu-threads" => "several threads",
        "worker-cpu-threads-plain" => "several threads for Safari",
        _ => "fused multiplications",
    };
    programs.iter().map(title).collect()
}

/// Writes the file by which an open page learns which workers are still to be built.
fn tell(assembly: &Assembly, coming: &[Program]) -> Result<()> {
    let titles = serde_json::to_string(&titles(coming))?;
    assembly.write(COMING.0, titles.as_bytes())
}
