//! Runs that form one line of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use strata_training::{Experiment, Metric};

use crate::display::format::path as shown;
use crate::display::spread::Spread;
use crate::run::outcome::Outcome;

/// Number of characters by which a digest is shown.
const SHORT: usize = 8;

/// A run and its results.
pub struct Run {
    pub folder: PathBuf,
    pub experiment: Experiment,
    pub outcome: Outcome,
    /// Digests of the data files, by setting, as far as the run recorded them.
    pub data: BTreeMap<String, String>,
    /// Digest of the model with whose parameters the run began, empty if there was none; `None` if
    /// the run recorded neither.
    pub began_from: Option<String>,
}

impl Run {
    /// True if two runs, whose settings are the same but for the seed, can be seeds of one group:
    /// data and beginning are the same, as far as both recorded them. Each seed may begin with a
    /// model of its own.
    fn fits(&self, other: &Self) -> bool {
        let other_seed = self.experiment.seed != other.experiment.seed;
        let began = match (&self.began_from, &other.began_from) {
            (Some(one), Some(two)) => {
                one == two || (other_seed && one.is_empty() == two.is_empty())
            }
            _ => true,
        };
        let is_there = |(key, digest): (&String, &String)| {
            other.data.get(key).is_none_or(|there| there == digest)
        };
        began && self.data.iter().all(is_there)
    }
}

/// Runs that differ only in their seeds.
pub struct Group {
    /// Settings in which groups differ, and contents of data files, with this group's values.
    pub settings: Vec<(String, String)>,
    /// One run for each seed.
    pub runs: Vec<Run>,
    /// Further runs of the same seeds, which do not count.
    pub copies: Vec<Run>,
}

impl Group {
    /// Begins a group with its first run.
    pub fn of(run: Run) -> Self {
        Self {
            settings: Vec::new(),
            runs: vec![run],
            copies: Vec::new(),
        }
    }

    /// True if a run, whose settings are those of the group, has also the group's data.
    pub fn takes(&self, run: &Run) -> bool {
        self.runs.iter().all(|it| it.fits(run))
    }

    /// Adds a run. Of two runs of one seed, the one with more steps counts; of equal ones, the
    /// first.
    pub fn add(&mut self, mut run: Run) {
        let seed = run.experiment.seed;
        let Some(there) = self.runs.iter_mut().find(|it| it.experiment.seed == seed) else {
            self.runs.push(run);
            return;
        };
        let extent = |it: &Run| (it.outcome.steps, it.outcome.validations.len());
        if extent(&run) > extent(there) {
            std::mem::swap(there, &mut run);
        }
        self.copies.push(run);
    }

    /// Iterates over all runs, also runs that do not count.
    pub fn all(&self) -> impl Iterator<Item = &Run> + Clone {
        self.runs.iter().chain(&self.copies)
    }

    /// Iterates over the runs that have a validation, one for each seed: those of the figures.
    pub fn measured(&self) -> impl Iterator<Item = &Run> + Clone {
        self.runs.iter().filter(|it| it.outcome.is_measured())
    }

    /// Returns the settings in which the group differs from other groups, as a name.
    pub fn name(&self) -> String {
        let settings = self.settings.iter();
        let name: Vec<String> = settings
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if name.is_empty() {
            "all runs".to_owned()
        } else {
            name.join(", ")
        }
    }

    /// Returns the digest of the data file of a setting, if a run recorded it.
    pub fn digest(&self, key: &str) -> Option<&str> {
        let found = self.runs.iter().find_map(|it| it.data.get(key));
        found.map(String::as_str)
    }

    /// Returns words for the contents of the data file of a setting.
    pub fn contents(&self, key: &str) -> String {
        self.digest(key)
            .map_or_else(|| "–".to_owned(), first_digits)
    }

    /// Returns words for the model with whose parameters the runs began; `None` if that is not
    /// recorded.
    pub fn beginning(&self) -> Option<String> {
        let models = self.runs.iter().filter_map(|it| it.began_from.as_deref());
        let models: BTreeSet<&str> = models.collect();
        let first = *models.first()?;
        Some(match models.len() {
            1 if first.is_empty() => "none".to_owned(),
            1 => first_digits(first),
            _ => "a model for each seed".to_owned(),
        })
    }

    /// Returns notes on single runs: runs that are not finished, or that no figure counts.
    pub fn notes(&self) -> Vec<String> {
        let note = |run: &Run, note: String| format!("{}: {note}", shown(&run.folder));
        let own = self.runs.iter();
        let own = own.filter_map(|it| Some(note(it, it.outcome.note()?)));
        let copies = self.copies.iter();
        own.chain(copies.map(|it| note(it, self.on_copy(it))))
            .collect()
    }

    /// Returns a note on a further run of a seed.
    fn on_copy(&self, copy: &Run) -> String {
        let seed = copy.experiment.seed;
        let counted = self.runs.iter().find(|it| it.experiment.seed == seed);
        let counted = counted.map_or_else(String::new, |it| shown(&it.folder));
        format!(
            "seed {seed}, with the settings and data of {counted}; a seed counts once, and {counted} \
             is the run that counts"
        )
    }

    /// Returns the group as an object, for one line of JSON.
    pub fn json(&self) -> Json {
        let settings: serde_json::Map<_, _> = self
            .settings
            .iter()
            .map(|(key, value)| (key.clone(), value.clone().into()))
            .collect();
        let folders: Vec<String> = self.measured().map(|it| shown(&it.folder)).collect();
        let seeds: Vec<u64> = self.measured().map(|it| it.experiment.seed).collect();
        let steps: Vec<u64> = self.measured().map(|it| it.outcome.steps).collect();
        let mut line = json!({
            "settings": settings,
            "runs": folders,
            "seeds": seeds,
            "steps": steps,
            "finished": self.measured().filter(|it| it.outcome.is_done()).count(),
        });
        let left_out = self.left_out();
        if !left_out.is_empty() {
            line["left_out"] = left_out.into();
        }
        for metric in Metric::ALL {
            if let Some(spread) = self.spread(metric) {
                let has_figure = |it: &&Run| it.outcome.measured(metric).is_some();
                let runs: Vec<&Run> = self.measured().filter(has_figure).collect();
                let seeds: Vec<u64> = runs.iter().map(|it| it.experiment.seed).collect();
                line[metric.key()] = json!({
                    "mean": spread.mean,
                    "deviation": spread.deviation,
                    "values": spread.values,
                    "seeds": seeds,
                });
                if metric == Metric::BitsPerCharacter {
                    let unspelt: Vec<u64> =
                        runs.iter().map(|it| it.outcome.unspelt_tokens()).collect();
                    line[metric.key()]["unspelt_tokens"] = unspelt.into();
                }
            }
        }
        line
    }

    /// Returns the runs that are in no figure, as objects with the reason.
    fn left_out(&self) -> Vec<Json> {
        let object = |run: &Run, reason: String| {
            json!({
                "run": shown(&run.folder),
                "seed": run.experiment.seed,
                "steps": run.outcome.steps,
                "reason": reason,
            })
        };
        let without = self.runs.iter().filter(|it| !it.outcome.is_measured());
        let without = without.map(|it| object(it, it.outcome.note().unwrap_or_default()));
        let copies = self.copies.iter();
        without
            .chain(copies.map(|it| object(it, self.on_copy(it))))
            .collect()
    }

    /// Returns mean and deviation of a figure of the last validations, over the runs.
    pub fn spread(&self, metric: Metric) -> Option<Spread> {
        let values = self.measured().filter_map(|it| it.outcome.measured(metric));
        Spread::of(values.collect())
    }
}

/// Shortens a digest, of several files each of the digests.
fn first_digits(digest: &str) -> String {
    let short = |it: &str| it.chars().take(SHORT).collect::<String>();
    digest.split('+').map(short).collect::<Vec<_>>().join("+")
}
