//! `strata export`: writes a model for other programs.
//!
//! - `program`: the Python program that computes the model; `architecture`: its pieces that differ
//!   among architectures; `mechanisms`: those that the program cannot compute
//! - `state`: parameters under PyTorch's names and in PyTorch's layouts

mod architecture;
mod mechanisms;
mod program;
mod state;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use safetensors::SafeTensors;
use serde_json::{Value as Json, json};
use strata_training::{Checkpoint, write_atomically};

use crate::base::error::Error;
use crate::base::output::print;
use crate::display::format::{counted, path as shown};
use crate::model::chosen;
use crate::pipeline;

#[derive(Args, Debug)]
pub struct ExportArguments {
    /// A checkpoint, or the folder of a run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Program to export to.
    #[arg(long, value_enum)]
    to: Format,
    /// Put the files into this folder, which must not exist or be empty.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

/// Programs to export to.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Format {
    /// PyTorch: a `state_dict`, and the program that computes the model.
    Pytorch,
}

/// Writes a model in a form that PyTorch reads.
pub fn run(arguments: &ExportArguments) -> Result<ExitCode, Error> {
    let Format::Pytorch = arguments.to;
    let chosen = chosen::read(&arguments.run)?;
    let checkpoint = Checkpoint::open(&chosen.bytes).map_err(Error::checkpoint(&chosen.path))?;
    checkpoint
        .check_numbers()
        .map_err(Error::checkpoint(&chosen.path))?;
    let model = &checkpoint.experiment().model;
    let task = &checkpoint.experiment().task;
    let kind = pipeline::of(task.pipeline());
    kind.check_export(model)?;
    let vocabularies = vocabularies(&chosen.bytes);
    let program = program::text(model, &vocabularies, task)?;
    let parameters = state::of(&chosen.bytes, model);
    let folder = &arguments.out;
    let is_used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Error::Session(format!(
            "{} holds files already, which are not overwritten; name another folder with `--out`",
            shown(folder)
        )));
    }
    fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
    let count = parameters.len() as u64;
    let files = [
        ("model.safetensors", state::serialized(parameters)),
        (
            "vocabularies.json",
            format!("{vocabularies}\n").into_bytes(),
        ),
        ("model.py", program.into_bytes()),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        write_atomically(&path, &bytes).map_err(Error::unwritable(&path))?;
    }
    chosen.tell();
    print(&format!(
        "{} lie in {}, and the program that computes them in {}. Try it (it needs PyTorch and \
         safetensors):\n  python {} {}",
        counted(count, "tensor"),
        shown(&folder.join("model.safetensors")),
        shown(&folder.join("model.py")),
        shown(&folder.join("model.py")),
        architecture::arguments(model, task).join(" ")
    ));
    Ok(ExitCode::SUCCESS)
}

/// Returns the tokens of both vocabularies, under `source` and `target`.
fn vocabularies(checkpoint: &[u8]) -> Json {
    let header = SafeTensors::read_metadata(checkpoint).map(|(_, header)| header);
    let header = header.expect("the checkpoint was opened");
    let entry = header.metadata().as_ref().and_then(|it| it.get("strata"));
    let contents: Json = serde_json::from_str(entry.expect("the checkpoint was opened"))
        .expect("the checkpoint was opened");
    json!({
        "source": contents["source_vocabulary"],
        "target": contents["target_vocabulary"],
    })
}
