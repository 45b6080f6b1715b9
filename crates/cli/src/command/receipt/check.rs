//! Repeats the runs of receipts, each run once.

use std::collections::BTreeMap;

use burn::tensor::Device;
use pollster::block_on;
use strata_session::Session;
use strata_session::receipt::{Fault, Quantity, Receipt, Rerun, Verdict};
use strata_settings::address::{Address, files, quoted};
use strata_training::Experiment;

use crate::base::error::Error;
use crate::base::output::tell;
use crate::display::format::{decimal, percent};
use crate::model::device::DeviceChoice;

/// Result of checking a receipt.
pub enum Finding {
    /// The run was repeated.
    Checked(Verdict),
    /// The run was not repeated, for this reason.
    NotChecked(String),
}

impl Finding {
    /// Returns the name of the result.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Checked(Verdict::Same) => "same",
            Self::Checked(Verdict::Near(_)) => "near",
            Self::Checked(Verdict::Differs(_) | Verdict::Unknown) => "false",
            Self::Checked(Verdict::Unchecked) | Self::NotChecked(_) => "not checked",
        }
    }

    /// Returns the result as a sentence.
    pub fn words(&self) -> String {
        match self {
            Self::Checked(Verdict::Same) => "same: every bit of the parameters agrees".to_owned(),
            Self::Checked(Verdict::Near(compared)) => format!(
                "near: {} losses and accuracies agree as far as those of two processors do (the \
                 largest difference is {} of what is allowed)",
                compared.count,
                percent(compared.largest)
            ),
            Self::Checked(Verdict::Differs(it)) => {
                let quantity = match it.quantity {
                    Quantity::Training => "the training loss",
                    Quantity::Validation => "the validation loss",
                    Quantity::Accuracy => "the validation accuracy",
                };
                format!(
                    "false: {quantity} after step {} is {} in the receipt and {} here",
                    it.step,
                    decimal(it.claimed),
                    decimal(it.repeated)
                )
            }
            Self::Checked(Verdict::Unknown) => {
                "false: the parameters differ, and the receipt has no loss to compare".to_owned()
            }
            Self::Checked(Verdict::Unchecked) => "not checked".to_owned(),
            Self::NotChecked(reason) => format!("not checked: {reason}"),
        }
    }
}

/// Repeats runs on a device, and keeps the last one: the next receipt may be of the same run.
pub struct Checker {
    device: Device,
    label: String,
    done: BTreeMap<(String, u64), Rerun>,
}

impl Checker {
    /// Opens a device.
    pub fn open(device: DeviceChoice) -> Result<Self, Error> {
        let (device, label) = device.open()?;
        Ok(Self {
            device,
            label,
            done: BTreeMap::new(),
        })
    }

    /// Checks a receipt.
    pub fn check(&mut self, receipt: &Receipt) -> Finding {
        let experiment = match experiment(receipt) {
            Ok(experiment) => experiment,
            Err(reason) => return Finding::NotChecked(reason),
        };
        let run = (receipt.address.clone(), receipt.step);
        if !self.done.contains_key(&run) {
            tell(&format!(
                "Repeats {} steps of {}",
                receipt.step, receipt.address
            ));
            let rerun = self.repeat(experiment, receipt.step);
            self.done.insert(run.clone(), rerun);
        }
        let rerun = &self.done[&run];
        match (Verdict::of(receipt, rerun), rerun.failure()) {
            (Verdict::Unchecked, Some(reason)) => Finding::NotChecked(reason.to_owned()),
            (verdict, _) => Finding::Checked(verdict),
        }
    }

    fn repeat(&self, experiment: Experiment, step: u64) -> Rerun {
        let mut session = Session::new(self.device.clone(), self.label.clone(), || 0.0);
        let mut rerun = Rerun::to([step]);
        let mut commands = vec![Rerun::begin(experiment)];
        while !commands.is_empty() && !rerun.is_over() {
            let mut next = Vec::new();
            for command in commands {
                let mut take = |event| next.extend(rerun.event(&event));
                block_on(session.handle(command, &mut take));
            }
            commands = next;
        }
        rerun
    }
}

/// Returns the experiment of a receipt.
///
/// # Errors
/// Why the run cannot be repeated.
fn experiment(receipt: &Receipt) -> Result<Experiment, String> {
    match receipt.fault() {
        Some(Fault::Unreadable) => return Err("this is no receipt that Strata writes".to_owned()),
        Some(Fault::TooLong) => return Err("the run has too many steps to repeat".to_owned()),
        None => {}
    }
    let address = Address::read(&receipt.address);
    if let Some(complaint) = address.complaints.first() {
        return Err(complaint.trim_end_matches('.').to_owned());
    }
    let files = files(&address.experiment.task);
    if !files.is_empty() {
        return Err(format!(
            "the run reads {}, which no receipt brings along",
            quoted(&files)
        ));
    }
    Ok(address.experiment)
}
