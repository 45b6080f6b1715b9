//! Options that cannot be chosen, with the reasons.

use super::draft::{Draft, changed};
use crate::page::form::fields::Impossible;
use crate::page::form::mechanism_change;
use crate::sentence::sentence;
use strata_attention::MechanismConfig;
use strata_describe::Words;
use strata_settings::description::Group;
use strata_tasks::TaskConfig;

/// Tasks on a user's own files, by their names.
const OF_FILES: [&str; 4] = ["files", "text", "reading", "poems"];

/// Returns the variants of a group that do not fit the rest of the draft, with the reasons.
pub fn variants(draft: &Draft, group: &Group) -> Vec<Impossible> {
    let Some(tag) = &group.tag else {
        return Vec::new();
    };
    let Some((site, widths)) = group.site else {
        let mut impossible = options(draft, &tag.key, tag.setting.domain.options());
        if tag.key == "task.kind" {
            impossible.retain(|it| !OF_FILES.contains(&&*it.option));
            let present = draft.experiment.task.name();
            let of_files = OF_FILES.into_iter().filter(|it| *it != present);
            impossible.extend(of_files.map(|option| Impossible {
                option: option.into(),
                reason: "A text of your own is opened, not chosen.".into(),
            }));
        }
        return impossible;
    };
    let Some(present) = draft.mechanism(&group.path) else {
        return Vec::new();
    };
    let check = |it: &MechanismConfig| it.check(site, widths);
    let kinds = tag.setting.domain.options().iter().filter_map(|kind| {
        let error = mechanism_change::of_kind(kind.name, &present, check).err()?;
        Some(impossible(kind, &error.to_string()))
    });
    kinds.collect()
}

/// Returns the options of a setting that do not fit the rest of the draft. An error that the draft
/// has already is no reason.
pub fn options(draft: &Draft, key: &str, options: &[Words]) -> Vec<Impossible> {
    let check = |experiment: &strata_training::Experiment| {
        experiment.check().err().map(|error| error.to_string())
    };
    let wrong_already = check(&draft.experiment);
    let reasons = options.iter().filter_map(|option| {
        let changed = changed(&draft.experiment, key, option.name.into())?;
        let error = check(&changed)?;
        (wrong_already.as_ref() != Some(&error)).then(|| impossible(option, &error))
    });
    reasons.collect()
}

fn impossible(words: &Words, reason: &str) -> Impossible {
    Impossible {
        option: words.name.into(),
        reason: sentence(reason).into(),
    }
}

/// True if a task reads a user's own files, which this panel does not choose.
pub fn is_of_files(task: &TaskConfig) -> bool {
    OF_FILES.contains(&task.name())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;
    use strata_settings::description::groups;

    fn impossible_in(draft: &Draft, path: &str) -> Vec<String> {
        let groups = groups(&draft.experiment);
        let group = groups.iter().find(|group| group.path == path).unwrap();
        let found = variants(draft, group).into_iter();
        found.map(|it| it.option.to_string()).collect()
    }

    #[test]
    fn what_does_not_fit_is_told_and_what_fits_is_not() {
        let draft = Draft::new(Preset::Copy.experiment());
        assert_eq!(impossible_in(&draft, "model.cross"), ["ham_s"]);
        assert_eq!(impossible_in(&draft, "model.decoder_self"), ["pyramid"]);
        assert_eq!(
            impossible_in(&draft, "model"),
            [
                "transformer_lm",
                "recurrent_lm",
                "bidaf",
                "match_lstm",
                "rnet",
                "rnnpg"
            ]
        );
        assert_eq!(
            impossible_in(&draft, "task"),
            [
                "sentences",
                "variables",
                "toy_reading",
                "files",
                "text",
                "reading",
                "poems"
            ]
        );
        assert!(impossible_in(&draft, "training.schedule").is_empty());
    }

    #[test]
    fn what_is_wrong_already_is_no_reason() {
        let mut draft = Draft::new(Preset::Copy.experiment());
        draft = draft.set("model.heads", 3);
        assert!(draft.complaint().is_some());
        assert!(!impossible_in(&draft, "training.schedule").contains(&"noam".to_owned()));
    }
}
