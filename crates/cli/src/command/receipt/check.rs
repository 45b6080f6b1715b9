//! Repeats the runs of receipts, each run once.

use std::collections::{BTreeMap, BTreeSet};

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

/// Repeats runs on a device, each run once for all of its receipts.
pub struct Checker {
    device: Device,
    label: String,
    /// Steps of the receipts of each run, by address.
    steps: BTreeMap<String, BTreeSet<u64>>,
    /// Runs that were repeated, by address.
    done: BTreeMap<String, Rerun>,
}

impl Checker {
    /// Opens a device, to check these receipts.
    ///
    /// # Errors
    /// If the device cannot be opened.
    pub fn open<'a>(
        device: DeviceChoice,
        receipts: impl Iterator<Item = &'a Receipt>,
    ) -> Result<Self, Error> {
        let (device, label) = device.open()?;
        let mut steps = BTreeMap::<String, BTreeSet<u64>>::new();
        for receipt in receipts.filter(|it| it.fault().is_none()) {
            let of_run = steps.entry(receipt.address.clone()).or_default();
            of_run.insert(receipt.step);
        }
        Ok(Self {
            device,
            label,
            steps,
            done: BTreeMap::new(),
        })
    }

    /// Checks a receipt.
    pub fn check(&mut self, receipt: &Receipt) -> Finding {
        let experiment = match experiment(receipt) {
            Ok(experiment) => experiment,
            Err(reason) => return Finding::NotChecked(reason),
        };
        let address = &receipt.address;
        if !self.done.contains_key(address) {
            let steps = self.steps.get(address).cloned().unwrap_or_default();
            let last = steps.last().copied().unwrap_or_default();
            tell(&format!("Repeats {last} steps of {address}"));
            let rerun = self.repeat(experiment, steps);
            self.done.insert(address.clone(), rerun);
        }
        let rerun = &self.done[address];
        match (Verdict::of(receipt, rerun), rerun.failure()) {
            (Verdict::Unchecked, Some(reason)) => Finding::NotChecked(reason.to_owned()),
            (verdict, _) => Finding::Checked(verdict),
        }
    }

    fn repeat(&self, experiment: Experiment, steps: BTreeSet<u64>) -> Rerun {
        let mut session = Session::new(self.device.clone(), self.label.clone(), || 0.0);
        let mut rerun = Rerun::to(steps);
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
