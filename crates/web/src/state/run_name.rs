//! Default name of a run, until a user names it: the nearest preset, and the settings that differ.

use crate::labels::in_words;
use strata_settings::diff::differences;
use strata_settings::presets::Preset;
use strata_training::Experiment;

/// The most settings that a name lists.
const MOST_LISTED: usize = 3;

/// Names a run by its experiment: `Copy, seed 7, levels 4`.
pub fn name_of(experiment: &Experiment) -> String {
    let preset = Preset::nearest(experiment);
    match what_differs(&preset.experiment(), experiment) {
        None => preset.title().to_owned(),
        Some(different) => format!("{}, {different}", preset.title()),
    }
}

/// Lists the settings in which an experiment differs from `base`: `seed 7, levels 4 and 2 more`;
/// `None` if the experiments are equal.
pub fn what_differs(base: &Experiment, other: &Experiment) -> Option<String> {
    let different = differences(base, other);
    let listed = different.iter().take(MOST_LISTED);
    let listed: Vec<_> = listed
        .map(|it| in_words(&it.dotted(), it.value()))
        .collect();
    // A label such as “encoder, self: levels 4” contains a comma, so semicolons separate the
    // settings.
    let has_commas = listed.iter().any(|it| it.contains(','));
    let mut text = listed.join(if has_commas { "; " } else { ", " });
    if different.len() > MOST_LISTED {
        text += &format!(" and {} more", different.len() - MOST_LISTED);
    }
    (!text.is_empty()).then_some(text)
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
    fn settings_of_a_site_are_told_apart() {
        let base = Preset::Copy.experiment();
        let other = Preset::GermanEnglishLevels.experiment();
        let different = differences(&base, &other);
        let listed = what_differs(&base, &other).unwrap_or_default();
        let has_commas = different.iter().take(MOST_LISTED).any(|it| {
            let words = in_words(&it.dotted(), it.value());
            words.contains(',')
        });
        assert_eq!(
            listed.contains("; "),
            has_commas && different.len() > 1,
            "{listed}"
        );
        assert!(
            !listed.contains('_') && !listed.contains("kind"),
            "{listed}"
        );
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
