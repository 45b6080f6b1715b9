//! Runs with which lessons begin, or which they compare with, each trained once.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use strata_lessons::{Lesson, Run, Step};
use strata_session::protocol::Command;
use strata_training::Experiment;

use crate::player::Player;

/// Trained runs, by experiment and step.
#[derive(Default)]
pub struct Trained {
    runs: BTreeMap<(String, u64), (Vec<u8>, Run)>,
    /// Folder in which runs are stored for the next start of this program.
    folder: Option<PathBuf>,
}

/// Returns an experiment as a key.
fn key(experiment: &Experiment) -> String {
    serde_json::to_string(experiment).expect("an experiment is plain data")
}

impl Trained {
    /// Stores runs in `folder`, and uses those that are there already.
    pub fn kept_in(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            ..Self::default()
        }
    }

    /// Returns the run of an experiment at `step`, with its curves.
    pub fn at(&mut self, experiment: &Experiment, step: u64) -> Result<&(Vec<u8>, Run), String> {
        let wanted = (key(experiment), step);
        if !self.runs.contains_key(&wanted) {
            let found = match self.read(&wanted) {
                Some(found) => found,
                None => self.train(experiment, step)?,
            };
            self.keep(wanted.clone(), found);
        }
        Ok(&self.runs[&wanted])
    }

    /// Adds a run that was trained elsewhere.
    pub fn note(&mut self, experiment: &Experiment, checkpoint: Vec<u8>, run: Run) {
        let step = run.step;
        self.keep((key(experiment), step), (checkpoint, run));
    }

    /// True if the run is there, and need not be trained.
    pub fn has(&self, experiment: &Experiment, step: u64) -> bool {
        self.runs.contains_key(&(key(experiment), step))
    }

    /// Trains from the nearest earlier step.
    fn train(&mut self, experiment: &Experiment, step: u64) -> Result<(Vec<u8>, Run), String> {
        let name = key(experiment);
        let mut player = Player::new();
        let before = self.runs.range((name.clone(), 0)..(name, step)).next_back();
        match before {
            Some((_, (checkpoint, past))) => {
                let checkpoint = checkpoint.clone();
                player.say(Command::Restore { checkpoint })?;
                player.facts.restored(past);
            }
            None => player.say(Command::Load {
                experiment: Box::new(experiment.clone()),
            })?,
        }
        player.say(Command::Train)?;
        while player.advance()? && player.facts.run().step < step {}
        let reached = player.facts.run().clone();
        if reached.diverged.is_none() && reached.step < step {
            return Err(format!(
                "the run ended at step {}, not {step}",
                reached.step
            ));
        }
        Ok((player.save()?, reached))
    }

    fn files(&self, (experiment, step): &(String, u64)) -> Option<[PathBuf; 2]> {
        let mut hasher = DefaultHasher::new();
        experiment.hash(&mut hasher);
        let name = format!("{:016x}-{step}", hasher.finish());
        let file = |ending: &str| Some(self.folder.as_ref()?.join(format!("{name}.{ending}")));
        Some([file("safetensors")?, file("json")?])
    }

    fn read(&self, key: &(String, u64)) -> Option<(Vec<u8>, Run)> {
        let [model, run] = self.files(key)?;
        let run = serde_json::from_slice(&fs::read(run).ok()?).ok()?;
        Some((fs::read(model).ok()?, run))
    }

    fn keep(&mut self, key: (String, u64), run: (Vec<u8>, Run)) {
        if let (Some([model, curves]), Some(folder)) = (self.files(&key), &self.folder) {
            let text = serde_json::to_string(&run.1).expect("a run is plain data");
            fs::create_dir_all(folder).expect("the folder of runs can be made");
            fs::write(model, &run.0).expect("a run can be kept");
            fs::write(curves, text).expect("a run can be kept");
        }
        self.runs.insert(key, run);
    }
}

/// Returns the other runs of a step before any training: only their experiments are known.
pub fn untrained(lesson: &Lesson, step: &Step) -> Result<BTreeMap<String, Run>, String> {
    let load = |name: String| {
        let experiment = lesson
            .experiment(&name)
            .ok_or_else(|| format!("no `{name}`"))?;
        let mut player = Player::new();
        player.say(Command::Load {
            experiment: Box::new(experiment),
        })?;
        Ok((name, player.facts.run().clone()))
    };
    step.others().into_iter().map(load).collect()
}
