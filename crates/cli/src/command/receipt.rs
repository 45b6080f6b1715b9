//! `strata receipt`: checks what somebody says that a run has come to, by running it again; or
//! writes such a receipt for a run.
//!
//! - here: arguments, and the receipts of a file; `check`: one receipt after the other

mod check;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value as Json;
use strata_session::receipt::{Receipt, digest};
use strata_settings::address::{Address, Device};
use strata_training::{Checkpoint, Validation};

use crate::base::error::Error;
use crate::base::output::{print, print_json};
use crate::base::text_file;
use crate::display::format::{counted, in_one_line};
use crate::model::checkpoint_file::read;
use crate::model::device::DeviceChoice;
use crate::run::run_folder::{RunFolder, checkpoint_at};
use check::{Checker, Finding};

#[derive(Args, Debug)]
pub struct ReceiptArguments {
    /// Files with receipts: progress in lessons, as the page saves it, or a receipt that this
    /// command wrote.
    #[arg(value_name = "FILE", required_unless_present = "of")]
    files: Vec<PathBuf>,
    /// Check nothing, but print the receipt of a run: its address, its step, a digest of its
    /// parameters, and its losses.
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["files", "json", "device"])]
    of: Option<PathBuf>,
    /// Device on which runs are repeated. The same processor gives the same bits; another one rounds
    /// differently.
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
    /// Print JSON, a line for each receipt.
    #[arg(long)]
    json: bool,
}

/// A receipt, and the place of the receipt in the file.
struct Found {
    /// Lesson and step, or nothing in the file of a single receipt.
    place: String,
    receipt: Receipt,
}

/// Checks receipts, or prints one.
pub fn run(arguments: &ReceiptArguments) -> Result<ExitCode, Error> {
    if let Some(model) = &arguments.of {
        let receipt = serde_json::to_value(of(model)?).expect("a receipt is plain data");
        print(&receipt.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let mut files = Vec::new();
    for file in &arguments.files {
        files.push((file, found(file)?));
    }
    let all = files.iter().flat_map(|(_, receipts)| receipts);
    let mut checker = Checker::open(arguments.device, all.map(|it| &it.receipt))?;
    let mut counts = BTreeMap::<&str, u64>::new();
    for (file, receipts) in files {
        if !arguments.json {
            print(&format!("{}:", file.display()));
        }
        for Found { place, receipt } in receipts {
            let finding = checker.check(&receipt);
            *counts.entry(finding.name()).or_default() += 1;
            if arguments.json {
                print_json(&json(file, &place, &receipt, &finding));
            } else {
                print(&format!(
                    "  {}",
                    in_one_line(&line(&place, &receipt, &finding))
                ));
            }
        }
    }
    let is_good = counts.keys().all(|it| ["same", "near"].contains(it));
    if !arguments.json {
        let all: u64 = counts.values().sum();
        let counts: Vec<String> = counts
            .iter()
            .map(|(name, it)| format!("{it} {name}"))
            .collect();
        print(&format!(
            "{}: {}.",
            counted(all, "receipt"),
            counts.join(", ")
        ));
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes what was found of a receipt.
fn line(place: &str, receipt: &Receipt, finding: &Finding) -> String {
    let place = match place {
        "" => String::new(),
        place => format!("{place}, "),
    };
    format!("{place}step {}: {}", receipt.step, finding.words())
}

fn json(file: &Path, place: &str, receipt: &Receipt, finding: &Finding) -> Json {
    serde_json::json!({
        "file": file.display().to_string(),
        "place": place,
        "address": receipt.address,
        "step": receipt.step,
        "verdict": finding.name(),
        "words": finding.words(),
    })
}

/// Reads the receipts of a file.
fn found(path: &Path) -> Result<Vec<Found>, Error> {
    let text = text_file::read(path)?;
    let none = || Error::NoReceipt {
        path: path.to_owned(),
    };
    let file: Json = serde_json::from_str(&text).map_err(|_| none())?;
    let read = |value: &Json| serde_json::from_value(value.clone()).unwrap_or_default();
    if file.get("address").is_some() {
        return Ok(vec![Found {
            place: String::new(),
            receipt: read(&file),
        }]);
    }
    let mut found = Vec::new();
    for (lesson, progress) in file["lessons"].as_object().into_iter().flatten() {
        for (step, met) in progress["steps"].as_object().into_iter().flatten() {
            if let Some(receipt) = met.get("receipt") {
                found.push(Found {
                    place: format!("{lesson}/{step}"),
                    receipt: read(receipt),
                });
            }
        }
    }
    if found.is_empty() {
        Err(none())
    } else {
        Ok(found)
    }
}

/// Returns the receipt of a run, or of a checkpoint alone.
fn of(model: &Path) -> Result<Receipt, Error> {
    let path = checkpoint_at(model);
    let bytes = read(&path)?;
    let checkpoint = Checkpoint::open(&bytes).map_err(Error::checkpoint(&path))?;
    let digest = digest(&bytes).ok_or_else(|| Error::NoReceipt { path: path.clone() })?;
    let metrics = RunFolder::of_checkpoint(&path).map(|it| it.metrics());
    let metrics = metrics.and_then(|it| std::fs::read_to_string(it).ok());
    let lines = metrics.iter().flat_map(|it| it.lines());
    let (mut training, mut validations) = (Vec::new(), Vec::new());
    for line in lines.filter_map(|it| serde_json::from_str::<Json>(it).ok()) {
        match line["kind"].as_str() {
            Some("step") => training.extend(line["step"].as_u64().zip(line["loss"].as_f64())),
            Some("validation") => {
                if let Ok(it) = serde_json::from_value::<Validation>(line) {
                    validations.push((it.step, it.loss, it.accuracy));
                }
            }
            _ => {}
        }
    }
    Ok(Receipt::of(
        Address::write(checkpoint.experiment(), Device::Cpu, &[]),
        checkpoint.step(),
        digest,
        "",
        &training,
        &validations,
    ))
}
