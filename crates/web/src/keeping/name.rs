//! What a run is called until somebody calls it otherwise: the nearest preset, and what differs.

use crate::presets::Preset;
use strata_session::differences;
use strata_training::Experiment;

/// The most differences that a name tells.
const TOLD: usize = 3;
/// The most letters of a value that a name tells.
const LETTERS: usize = 24;

/// `Copy, seed 7, levels 4`.
pub fn name_of(experiment: &Experiment) -> String {
    let candidates = Preset::ALL.map(|preset| {
        let different = differences(&preset.experiment(), experiment);
        (different.len(), preset, different)
    });
    let nearest = candidates.into_iter().min_by_key(|(count, ..)| *count);
    let Some((count, preset, different)) = nearest else {
        return "A run".to_owned();
    };
    let mut name = preset.title().to_owned();
    for (path, value) in different.iter().take(TOLD) {
        name += &format!(", {} {}", last(path), shortened(value));
    }
    if count > TOLD {
        name += &format!(" and {} more", count - TOLD);
    }
    name
}

/// The last part of a path that says something.
fn last(path: &str) -> String {
    let path = path.strip_suffix(".kind").unwrap_or(path);
    let name = path.rsplit('.').next().unwrap_or(path);
    name.replace('_', " ")
}

fn shortened(value: &str) -> String {
    let mut letters = value.chars();
    let mut short: String = letters.by_ref().take(LETTERS).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_is_called_by_its_title() {
        for preset in Preset::ALL {
            assert_eq!(name_of(&preset.experiment()), preset.title());
        }
    }

    #[test]
    fn a_name_tells_what_differs() {
        let mut experiment = Preset::Reverse.experiment();
        experiment.seed = 7;
        assert_eq!(name_of(&experiment), "Reverse, seed 7");
        experiment.training.batch_size = 8;
        experiment.training.steps = 9;
        experiment.training.label_smoothing = 0.5;
        let name = name_of(&experiment);
        assert!(name.starts_with("Reverse, seed 7, "), "{name}");
        assert!(name.ends_with(" and 1 more"), "{name}");
    }
}
