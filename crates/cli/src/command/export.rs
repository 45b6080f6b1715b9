//! `strata export`: writes a model for other programs.
//!
//! - `program`: the Python program that computes the model; `architecture`: its pieces that differ
//!   among architectures; `mechanisms` and `readers`: of attention, and of readers
//! - `state`: parameters under PyTorch's names and in PyTorch's layouts
//! - `hub`: the folder that `transformers` opens, with its `card`; `onnx`: the script for ONNX

mod architecture;
mod card;
mod hub;
mod mechanisms;
mod onnx;
mod program;
mod readers;
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
use architecture::Kind;

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
    /// Hugging Face's `transformers`: a folder for `AutoModel.from_pretrained`.
    Hub,
    /// ONNX: as for PyTorch, with a script by which PyTorch writes the graphs.
    Onnx,
}

/// Writes a model in a form that other programs read.
pub fn run(arguments: &ExportArguments) -> Result<ExitCode, Error> {
    let chosen = chosen::read(&arguments.run)?;
    let checkpoint = Checkpoint::open(&chosen.bytes).map_err(Error::checkpoint(&chosen.path))?;
    checkpoint
        .check_numbers()
        .map_err(Error::checkpoint(&chosen.path))?;
    let model = &checkpoint.experiment().model;
    let task = &checkpoint.experiment().task;
    let contents = contents(&chosen.bytes);
    let vocabularies = json!({
        "source": contents["source_vocabulary"],
        "target": contents["target_vocabulary"],
    });
    let parameters = state::of(&chosen.bytes, model);
    let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
    let prefix = match arguments.to {
        Format::Hub => {
            let texts = hub::files(model, task, &contents, &vocabularies)?;
            files.extend(
                texts
                    .into_iter()
                    .map(|(name, text)| (name, text.into_bytes())),
            );
            let count = parameters.values().map(state::Tensor::len).sum();
            let card = card::text(&checkpoint, &chosen, Kind::of(model), count);
            files.push(("README.md", card.into_bytes()));
            hub::PREFIX
        }
        Format::Pytorch | Format::Onnx => {
            let program = program::text(model, &vocabularies, task, &contents["reading"]);
            files.push((
                "vocabularies.json",
                format!("{vocabularies}\n").into_bytes(),
            ));
            files.push(("model.py", program.into_bytes()));
            if matches!(arguments.to, Format::Onnx) {
                files.push(("to_onnx.py", onnx::script(model)?.into()));
            }
            ""
        }
    };
    files.push(("model.safetensors", state::serialized(&parameters, prefix)));
    let folder = &arguments.out;
    let is_used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(Error::Session(format!(
            "{} holds files already, which are not overwritten; name another folder with `--out`",
            shown(folder)
        )));
    }
    fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        write_atomically(&path, &bytes).map_err(Error::unwritable(&path))?;
    }
    chosen.tell();
    let count = counted(parameters.len() as u64, "tensor");
    let file = |name: &str| shown(&folder.join(name));
    let of_program = format!(
        "{count} lie in {}, and the program that computes them in {}.",
        file("model.safetensors"),
        file("model.py")
    );
    print(&match arguments.to {
        Format::Pytorch => format!(
            "{of_program} Try it (it needs PyTorch and safetensors):\n  python {} {}",
            file("model.py"),
            architecture::arguments(model, task).join(" ")
        ),
        Format::Onnx => format!(
            "{of_program} PyTorch writes the graphs (it needs torch, safetensors, onnx and \
             onnxscript):\n  python {}",
            file("to_onnx.py")
        ),
        Format::Hub => format!(
            "{count} lie in {} with all that `transformers` needs to open the model. {} shows how; \
             name the licence there before you publish the folder.",
            shown(folder),
            file("README.md")
        ),
    });
    Ok(ExitCode::SUCCESS)
}

/// Returns what the checkpoint's header says.
fn contents(checkpoint: &[u8]) -> Json {
    let header = SafeTensors::read_metadata(checkpoint).map(|(_, header)| header);
    let header = header.expect("the checkpoint was opened");
    let entry = header.metadata().as_ref().and_then(|it| it.get("strata"));
    serde_json::from_str(entry.expect("the checkpoint was opened"))
        .expect("the checkpoint was opened")
}
