//! Learning rates: where a scale has a grid of rates, each row gets the one with the least held-out
//! loss for [`SEED`]. So every row is compared at a rate that suits it, and no reported seed chose it.
//!
//! A file beside the runs of a row keeps the choice, so that `--only` finds the rates of other rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use strata_training::{Metric, write_atomically};

use super::ledger::Ledger;
use super::planned::{PlanOptions, PlannedTable, Run};
use super::reproduction::{Reproduction, Row, Table};
use super::results::RateChoice;
use crate::base::error::Error;
use crate::run::outcome::Outcome;
use crate::run::run_folder::RunFolder;

/// Seed of the runs that choose a rate. Tables report the seeds from 1 on.
pub const SEED: u64 = 0;

/// Chooses the rates of rows whose runs over the grid have ended, and keeps the choices.
///
/// # Errors
/// If a file of a run cannot be read, or the choice cannot be written.
pub fn choose(choosing: &[PlannedTable<'_>], options: &PlanOptions) -> Result<(), Error> {
    for PlannedTable { table, runs } in choosing {
        let mut losses: BTreeMap<&str, Vec<(f64, Option<f64>)>> = BTreeMap::new();
        for run in runs {
            if let Some(rate) = run.rate {
                let of_row = losses.entry(&run.row.name).or_default();
                of_row.push((rate, loss(run)?));
            }
        }
        for (row, losses) in losses {
            let file = file(options, table, row);
            // Where every run has failed, the settings' own rate stays.
            let Some(choice) = choice(losses) else {
                continue;
            };
            let text =
                serde_json::to_string_pretty(&choice).expect("a choice is plain data") + "\n";
            write_atomically(&file, text.as_bytes()).map_err(Error::unwritable(&file))?;
        }
    }
    Ok(())
}

/// Returns the kept choices of an experiment, by `TABLE/ROW`. A choice from another grid than the
/// present one counts as none.
pub fn kept(experiment: &Reproduction, options: &PlanOptions) -> BTreeMap<String, RateChoice> {
    let mut kept = BTreeMap::new();
    for table in &experiment.tables {
        let grid = table.scales.get(&options.scale).map(|it| &it.rates);
        let Some(grid) = grid.filter(|it| !it.is_empty()) else {
            continue;
        };
        for Row { name, .. } in &table.rows {
            let text = fs::read(file(options, table, name)).ok();
            let choice = text.and_then(|it| serde_json::from_slice::<RateChoice>(&it).ok());
            let of_grid =
                |it: &RateChoice| it.losses.iter().map(|it| it.0).eq(grid.iter().copied());
            let choice = choice.filter(of_grid);
            kept.extend(choice.map(|it| (format!("{}/{name}", table.name), it)));
        }
    }
    kept
}

/// Returns the file that keeps the choice for a row.
fn file(options: &PlanOptions, table: &Table, row: &str) -> PathBuf {
    let runs = options.out.join("runs").join(&table.name);
    runs.join(format!("{row}-rate.json"))
}

/// Chooses the rate with the least loss; of equal ones the lower rate. `None` if there is no loss.
fn choice(losses: Vec<(f64, Option<f64>)>) -> Option<RateChoice> {
    let measured = losses
        .iter()
        .filter_map(|(rate, loss)| Some((*rate, (*loss)?)));
    let least = measured
        .min_by(|(rate, loss), (other, least)| loss.total_cmp(least).then(rate.total_cmp(other)));
    Some(RateChoice {
        seed: SEED,
        chosen: least?.0,
        losses,
    })
}

/// Returns the held-out loss at the end of a run; `None` if the run has not ended, or has no finite
/// loss.
fn loss(run: &Run<'_>) -> Result<Option<f64>, Error> {
    let folder = RunFolder::at(&run.folder).filter(|_| Ledger::of(run).is_whole(run));
    let Some(folder) = folder else {
        return Ok(None);
    };
    let outcome = Outcome::read(&folder.metrics(), 0)?;
    let loss = outcome
        .validations
        .last()
        .and_then(|it| Metric::Loss.of(it));
    Ok(loss.filter(|it| it.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_loss_chooses_and_a_run_that_failed_does_not() {
        let chosen = |losses: &[(f64, Option<f64>)]| choice(losses.to_vec()).map(|it| it.chosen);
        let failed = (1e-2, None);
        assert_eq!(
            chosen(&[(1e-3, Some(2.0)), (3e-3, Some(1.5)), failed]),
            Some(3e-3)
        );
        assert_eq!(chosen(&[(3e-3, Some(1.5)), (1e-3, Some(1.5))]), Some(1e-3));
        assert_eq!(chosen(&[failed]), None);
    }
}
