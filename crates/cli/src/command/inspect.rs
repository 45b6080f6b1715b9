//! `strata inspect`: shows the contents of a checkpoint.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use strata_training::{Checkpoint, Stored, Validation};

use crate::base::error::Error;
use crate::base::output::print;
use crate::command::config;
use crate::display::figures;
use crate::display::format::{decimal, grouped, size};
use crate::model::checkpoint_file::read;
use crate::run::run_folder::checkpoint_at;

#[derive(Args, Debug)]
pub struct InspectArguments {
    /// A checkpoint, or the folder of a run.
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Print its experiment as a configuration file with comments, and nothing else.
    #[arg(long, conflicts_with = "json")]
    config: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Contents of a checkpoint.
#[derive(Serialize)]
struct Report {
    file: String,
    bytes: u64,
    format: u64,
    experiment: serde_json::Value,
    step: u64,
    best_validation: Option<Validation>,
    source_vocabulary: usize,
    target_vocabulary: usize,
    parameters: usize,
    has_optimizer: bool,
    /// Number of sentences (or questions and passages, or lines) that the model has learned; `None`
    /// if the checkpoint does not say.
    learned: Option<u64>,
    /// Reason why the checkpoint can be used neither to translate nor to train, if there is one.
    unusable: Option<String>,
    tensors: Vec<Stored>,
}

/// Prints the contents of a checkpoint.
pub fn run(arguments: &InspectArguments) -> Result<ExitCode, Error> {
    let path = checkpoint_at(&arguments.model);
    let bytes = read(&path)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&path))?;
    if arguments.config {
        print(config::text(checkpoint.experiment())?.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    let vocabularies = checkpoint.vocabularies();
    let tensors = checkpoint.stored();
    let (parameters, others): (Vec<_>, Vec<_>) = tensors
        .into_iter()
        .partition(|tensor| tensor.name.starts_with(PARAMETER));
    let experiment = serde_json::to_value(checkpoint.experiment());
    let report = Report {
        file: path.display().to_string(),
        bytes: bytes.len() as u64,
        format: checkpoint.format(),
        experiment: experiment.expect("an experiment is plain data"),
        step: checkpoint.step(),
        best_validation: checkpoint.best(),
        source_vocabulary: vocabularies.source,
        target_vocabulary: vocabularies.target,
        parameters: parameters.iter().map(Stored::count).sum(),
        has_optimizer: others.iter().any(|it| it.name.starts_with(OPTIMIZER)),
        learned: checkpoint.learned().ok().flatten().map(|it| it.len()),
        unusable: checkpoint.check_numbers().err().map(|it| it.to_string()),
        tensors: parameters,
    };
    if arguments.json {
        print(&serde_json::to_string_pretty(&report).expect("a report is plain data"));
    } else {
        print(&text(&report));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prefix of the names of parameters; `OPTIMIZER` is that of the optimiser's tensors.
const PARAMETER: &str = "model.";
const OPTIMIZER: &str = "optimizer.";

fn text(report: &Report) -> String {
    let experiment = &report.experiment;
    let name = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines = vec![
        format!(
            "{}: {}, format {}",
            report.file,
            size(report.bytes),
            report.format
        ),
        format!(
            "A {} for the task {}, seed {}, after step {} of {}.",
            name(&experiment["model"]["architecture"]),
            name(&experiment["task"]["kind"]),
            experiment["seed"],
            grouped(report.step),
            experiment["training"]["steps"]
                .as_u64()
                .map_or_else(String::new, grouped),
        ),
        match &report.best_validation {
            Some(best) => format!(
                "Best validation: after step {}: {}.",
                grouped(best.step),
                figures::of(best, None)
            ),
            None => "It was not validated yet.".to_owned(),
        },
        format!(
            "It knows {} source and {} target tokens.",
            grouped(report.source_vocabulary as u64),
            grouped(report.target_vocabulary as u64)
        ),
        match report.learned {
            Some(0) => "Its task draws the examples that it has learned.".to_owned(),
            Some(learned) => format!(
                "It knows which {} sentences (questions and passages, lines) it has learned.",
                grouped(learned)
            ),
            None => "It does not say which sentences it has learned, as it, or a model that it began from, is of an older program."
                .to_owned(),
        },
        if report.has_optimizer {
            "The optimiser's state is there: training can go on.".to_owned()
        } else {
            "The optimiser's state is not there.".to_owned()
        },
        String::new(),
    ];
    lines.extend(table(report));
    if let Some(reason) = &report.unusable {
        lines.push(format!("WARNING: {reason}."));
    }
    lines.join("\n")
}

/// Returns a table of the parameters, grouped by module.
fn table(report: &Report) -> Vec<String> {
    let mut modules: BTreeMap<Vec<String>, Vec<&Stored>> = BTreeMap::new();
    for tensor in &report.tensors {
        let name = tensor.name.strip_prefix(PARAMETER).unwrap_or(&tensor.name);
        modules.entry(module(name)).or_default().push(tensor);
    }
    let mut rows = vec![Row {
        name: "module".to_owned(),
        shape: "shape".to_owned(),
        count: "numbers".to_owned(),
        norm: "norm".to_owned(),
    }];
    for (module, tensors) in modules {
        rows.push(sum(&module.join("."), &tensors));
        for tensor in tensors {
            let name = tensor.name.strip_prefix(PARAMETER).unwrap_or(&tensor.name);
            let inner = name
                .split('.')
                .skip(module.len())
                .collect::<Vec<_>>()
                .join(".");
            if inner.is_empty() {
                continue;
            }
            rows.push(Row {
                name: format!("  {inner}"),
                shape: format!("{:?}", tensor.shape),
                ..sum(&inner, &[tensor])
            });
        }
    }
    rows.push(sum("all", &report.tensors.iter().collect::<Vec<_>>()));
    let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).len()).max().unwrap_or(0);
    let (name, shape) = (width(|it| &it.name), width(|it| &it.shape));
    let (count, norm) = (width(|it| &it.count), width(|it| &it.norm));
    let line = |row: &Row| {
        format!(
            "{:name$}  {:shape$}  {:>count$}  {:>norm$}",
            row.name, row.shape, row.count, row.norm
        )
    };
    rows.iter().map(line).collect()
}

struct Row {
    name: String,
    shape: String,
    count: String,
    norm: String,
}

fn sum(name: &str, tensors: &[&Stored]) -> Row {
    let count: usize = tensors.iter().map(|it| it.count()).sum();
    let squares: f64 = tensors.iter().map(|it| it.norm * it.norm).sum();
    Row {
        name: name.to_owned(),
        shape: String::new(),
        count: grouped(count as u64),
        norm: decimal(squares.sqrt()),
    }
}

/// Returns the module of a parameter: the first part of its name, with the layer's number in a
/// stack of layers.
fn module(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split('.').collect();
    let is_number = |part: &&&str| part.bytes().all(|it| it.is_ascii_digit());
    let depth = match parts
        .iter()
        .skip(1)
        .take(2)
        .position(|part| is_number(&part))
    {
        Some(place) => place + 2,
        None => 1,
    };
    parts[..depth.min(parts.len())]
        .iter()
        .map(|&part| part.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_modules_of_their_own() {
        let of = |name: &str| module(name).join(".");
        assert_eq!(of("encoder.0.attention.query.weight"), "encoder.0");
        assert_eq!(of("encoder.layers.1.weight"), "encoder.layers.1");
        assert_eq!(of("source_embedding.weight"), "source_embedding");
        assert_eq!(of("bias"), "bias");
    }
}
