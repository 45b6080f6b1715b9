//! Runs that form one line of a comparison.

use std::path::PathBuf;

use serde_json::{Value as Json, json};
use strata_training::{Experiment, Metric};

use crate::display::format::path as shown;
use crate::display::spread::Spread;
use crate::run::outcome::Outcome;

/// A run and its results.
pub struct Run {
    pub folder: PathBuf,
    pub experiment: Experiment,
    pub outcome: Outcome,
}

/// Runs that differ only in their seeds.
pub struct Group {
    /// Settings in which groups differ, with this group's values.
    pub settings: Vec<(String, String)>,
    pub runs: Vec<Run>,
}

impl Group {
    /// Returns the group as an object, for one line of JSON.
    pub fn json(&self) -> Json {
        let settings: serde_json::Map<_, _> = self
            .settings
            .iter()
            .map(|(key, value)| (key.clone(), value.clone().into()))
            .collect();
        let folders: Vec<String> = self.runs.iter().map(|it| shown(&it.folder)).collect();
        let seeds: Vec<u64> = self.runs.iter().map(|it| it.experiment.seed).collect();
        let steps: Vec<u64> = self.runs.iter().map(|it| it.outcome.steps).collect();
        let mut line = json!({
            "settings": settings,
            "runs": folders,
            "seeds": seeds,
            "steps": steps,
            "finished": self.runs.iter().filter(|it| it.outcome.is_done()).count(),
        });
        for metric in Metric::ALL {
            if let Some(spread) = self.spread(metric) {
                line[metric.key()] = json!({
                    "mean": spread.mean,
                    "deviation": spread.deviation,
                    "values": spread.values,
                });
            }
        }
        line
    }

    /// Returns mean and deviation of a figure of the last validations, over the runs.
    pub fn spread(&self, metric: Metric) -> Option<Spread> {
        Spread::of(
            self.runs
                .iter()
                .filter_map(|it| it.outcome.measured(metric))
                .collect(),
        )
    }
}
