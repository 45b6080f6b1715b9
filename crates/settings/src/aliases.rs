//! Names that other programs have for settings, and for features that Strata lacks.
//!
//! The names stand in the table `aliases.toml`, which `build.rs` turns into Rust.

/// Names of one setting in other programs, with the keys of that setting in Strata.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// Names in other programs, with `_` between words and spaces between names.
    names: &'static str,
    /// Keys of the settings in Strata; a model or task has some of these settings.
    pub keys: &'static [&'static str],
    /// Further advice: an option of a command, or the reason why there is no such setting.
    pub note: &'static str,
}

// `KNOWN`: names with a setting or an option in Strata; `ABSENT`: names of features that Strata
// lacks, with advice on what to use instead.
include!(concat!(env!("OUT_DIR"), "/aliases.rs"));

/// Finds the alias of a setting's name in another program. Dashes and capitals are ignored, and so
/// are groups before the last dot, unless the whole is a name (`tokenizer.json`).
pub fn find(name: &str) -> Option<&'static Alias> {
    let whole = name.trim_start_matches('-');
    let found = |name: &str| {
        let joined = |name: &str| name.to_lowercase().replace(['_', '-', '.'], "");
        let mut all = KNOWN.iter().chain(ABSENT);
        all.find(|alias| alias.names().any(|other| joined(other) == joined(name)))
    };
    found(whole).or_else(|| found(whole.rsplit('.').next()?))
}

/// Returns advice for a feature that Strata lacks, such as `rope` or `onnx`; `None` for any other
/// name.
pub fn absent(name: &str) -> Option<&'static str> {
    let found = find(name)?;
    let is_absent = ABSENT.iter().any(|alias| alias.names == found.names);
    is_absent.then_some(found.note)
}

impl Alias {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split_whitespace()
    }

    /// Writes the alias in words: "it is called `training.clip_norm` here".
    pub fn words(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| format!("`{key}`")).collect();
        match (keys.is_empty(), self.note) {
            (true, note) => note.to_owned(),
            (false, "") => format!("it is called {} here", keys.join(" or ")),
            (false, note) => format!("it is called {} here; {note}", keys.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;
    use crate::description::{every_variant, groups};

    #[test]
    fn every_name_leads_to_settings_that_there_are() {
        let mut ours = BTreeSet::new();
        for group in every_variant().iter().flat_map(groups) {
            let settings = group.settings.iter().chain(&group.tag);
            ours.extend(settings.map(|entry| entry.key.clone()));
            ours.insert(group.path);
        }
        let mut names = BTreeSet::new();
        for alias in KNOWN.iter().chain(ABSENT) {
            for key in alias.keys {
                assert!(ours.contains(*key), "{key}");
            }
            assert!(!alias.words().is_empty());
            for name in alias.names() {
                assert!(names.insert(name.replace('_', "")), "{name} twice");
                assert_eq!(find(name).unwrap().names, alias.names);
            }
        }
    }

    #[test]
    fn dashes_capitals_and_groups_do_not_count() {
        for name in [
            "lr",
            "LR",
            "--lr",
            "training.lr",
            "model.optimizer.lr",
            "learn-rate",
            "learnRate",
        ] {
            assert_eq!(
                find(name).unwrap().keys,
                ["training.optimizer.learning_rate"],
                "{name}"
            );
        }
        assert!(find("xyzzy").is_none());
        assert_eq!(find("RoPE").unwrap().keys, ["model.positions"]);
        assert_eq!(find("ALiBi").unwrap().keys, ["model.positions"]);
        assert_eq!(find("universal").unwrap().keys, ["model.loops"]);
        assert!(absent("rope_theta").is_some_and(|advice| advice.contains("`model.positions`")));
        assert!(absent("GPT-2").is_some());
        for name in [
            "tokenizer.json",
            "llama.cpp",
            "tensorboard",
            "sparse-attention",
            "wandb",
        ] {
            assert!(absent(name).is_some(), "{name}");
        }
        assert_eq!(absent("lr"), None);
        assert_eq!(absent("beam"), None);
        assert!(find("").is_none());
        assert!(find("--beam-size").unwrap().words().contains("`--beam N`"));
    }
}
