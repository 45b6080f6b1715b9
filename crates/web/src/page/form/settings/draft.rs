//! A draft: the experiment with changes that are not applied. Pure: no browser.

use crate::page::form::mechanism_change;
use crate::page::form::number;
use crate::presets::Preset;
use crate::sentence::sentence;
use serde_json::Value as Json;
use strata_attention::{Site, Widths};
use strata_describe::{Domain, Setting};
use strata_settings::description::Entry;
use strata_settings::diff::{differences, get, table, with};
use strata_settings::overrides::Override;
use strata_settings::{numeral, value};
use strata_training::Experiment;

/// Input that a setting does not accept.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// Key of the setting.
    pub key: String,
    /// Text in the setting's field.
    pub typed: String,
    /// Reason why the input is not accepted, a sentence.
    pub reason: String,
}

/// Effect of applying the draft's changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Pending {
    /// The draft has no changes.
    Nothing,
    /// The draft cannot be trained, for this reason, a sentence.
    Wrong(String),
    /// The run can go on with the changes.
    GoesOn,
    /// The changes need another run.
    Begins,
}

/// An experiment that is being changed, with the input that is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The experiment with the accepted changes.
    pub experiment: Experiment,
    /// Input that is not accepted, by setting.
    pub wrong: Vec<Wrong>,
}

impl Draft {
    /// Returns a draft without changes.
    pub fn new(experiment: Experiment) -> Self {
        Self {
            experiment,
            wrong: Vec::new(),
        }
    }

    /// Returns the input that this setting does not accept, if there is any.
    pub fn wrong(&self, key: &str) -> Option<&Wrong> {
        self.wrong.iter().find(|wrong| wrong.key == key)
    }

    /// Returns the reason why the draft cannot be trained, if there is one.
    pub fn complaint(&self) -> Option<String> {
        let wrong = self.wrong.first().map(|wrong| wrong.reason.clone());
        wrong.or_else(|| Some(self.experiment.check().err()?.to_string()))
    }

    /// Compares the draft with the present experiment, and returns the effect of the changes.
    pub fn pending(&self, present: &Experiment) -> Pending {
        if self.experiment == *present && self.wrong.is_empty() {
            return Pending::Nothing;
        }
        match self.complaint() {
            Some(complaint) => Pending::Wrong(sentence(&complaint)),
            None if present.can_go_on_as(&self.experiment).is_ok() => Pending::GoesOn,
            None => Pending::Begins,
        }
    }

    /// Returns the draft after another experiment was applied: with the same changes if the run
    /// only has another seed or goes on with other settings; otherwise without changes.
    pub fn onto(&self, before: &Experiment, applied: &Experiment) -> Self {
        let seed = applied.seed;
        let seeded = Experiment {
            seed,
            ..before.clone()
        };
        let changes = differences(before, &self.experiment);
        if seeded.can_go_on_as(applied).is_ok()
            && let Ok(experiment) = with(applied, changes)
        {
            let wrong = self.wrong.clone();
            return Self { experiment, wrong };
        }
        Self::new(applied.clone())
    }

    /// Returns the draft with another value of a setting. A new variant of a table brings its own
    /// settings.
    pub fn set(&self, key: &str, value: impl Into<Json>) -> Self {
        match changed(&self.experiment, key, value.into()) {
            Some(experiment) => self.to(experiment, key),
            None => self.clone(),
        }
    }

    /// Returns the draft after input in a setting's field, which may not be accepted.
    pub fn type_in(&self, entry: &Entry, typed: &str) -> Self {
        let Entry { key, setting } = entry;
        let Setting { words, domain } = setting;
        let read = match domain {
            Domain::Whole { .. } => number::plain(typed, true),
            Domain::Real { .. } => number::plain(typed, false),
            _ => Ok(typed.trim().to_owned()),
        };
        let must = || {
            let (range, advice) = (range(domain), advice(typed, domain));
            format!("{} must be {range}{advice}", words.title)
        };
        let taken = read.and_then(|plain| {
            let value = in_range(domain, &plain);
            value
                .and_then(|value| changed(&self.experiment, key, value))
                .ok_or_else(must)
        });
        match taken {
            Ok(experiment) => self.to(experiment, key),
            Err(reason) => {
                let mut draft = self.clone();
                draft.wrong.retain(|wrong| wrong.key != *key);
                draft.wrong.push(Wrong {
                    key: key.clone(),
                    typed: typed.to_owned(),
                    reason,
                });
                draft
            }
        }
    }

    /// Returns the draft with another mechanism at a site; settings that both mechanisms have in
    /// common stay.
    pub fn set_mechanism(&self, path: &str, kind: &str, site: Site, widths: Widths) -> Self {
        let Some(present) = self.mechanism(path) else {
            return self.clone();
        };
        let check = |it: &_| strata_attention::MechanismConfig::check(it, site, widths);
        match mechanism_change::of_kind(kind, &present, check) {
            Ok(mechanism) => {
                let mut draft = self.set(path, serde_json::to_value(mechanism).unwrap_or_default());
                draft.wrong.retain(|wrong| !wrong.key.starts_with(path));
                draft
            }
            Err(_) => self.clone(),
        }
    }

    /// Returns the mechanism at a site.
    pub fn mechanism(&self, path: &str) -> Option<strata_attention::MechanismConfig> {
        let sites = self.experiment.model.sites();
        let site = sites.iter().find(|site| path.ends_with(site.name))?;
        Some(site.mechanism)
    }

    fn to(&self, experiment: Experiment, key: &str) -> Self {
        // Input that is not accepted stays, unless its field was changed or no longer exists.
        let settings = table(&experiment);
        let mut wrong = self.wrong.clone();
        wrong.retain(|wrong| wrong.key != key && get(&settings, &wrong.key).is_some());
        Self { experiment, wrong }
    }
}

/// Returns the experiment with another value of a setting; `None` if the setting's type does not
/// accept the value.
pub fn changed(experiment: &Experiment, key: &str, value: Json) -> Option<Experiment> {
    // A task begins with the settings of the preset that has it, chosen for a first look.
    if key == "task.kind" {
        let presets = Preset::ALL.map(Preset::experiment);
        let found = presets.into_iter().find(|it| value == it.task.name());
        if let Some(Experiment { task, .. }) = found {
            return Some(Experiment {
                task,
                ..experiment.clone()
            });
        }
    }
    with(experiment, Override::new(key, value)).ok()
}

/// Returns the typed value, if it is a number in the setting's range, or a path.
fn in_range(domain: &Domain, typed: &str) -> Option<Json> {
    let value = value::read(typed);
    let value = value::fit(&value, domain).unwrap_or(value);
    match domain {
        Domain::Whole {
            minimum, maximum, ..
        } => {
            let number = value.as_u64()?;
            (*minimum..=*maximum)
                .contains(&number)
                .then(|| number.into())
        }
        Domain::Real {
            minimum, maximum, ..
        } => {
            let number = value.as_f64()?;
            (*minimum..=*maximum)
                .contains(&number)
                .then(|| number.into())
        }
        Domain::Text | Domain::Path { .. } => Some(typed.into()),
        // The setting's own type reads a range.
        Domain::WholeRange { .. } => Some(value),
        Domain::Choice { .. } | Domain::YesNo { .. } => None,
    }
}

/// Suggests what was meant by a number in the notation of another country; empty if nothing fits.
fn advice(typed: &str, domain: &Domain) -> String {
    let found = match domain {
        Domain::Whole { .. } if numeral::whole(typed).is_none() => numeral::candidates(typed, true),
        Domain::Real { .. } if numeral::real(typed).is_none() => numeral::candidates(typed, false),
        _ => Vec::new(),
    };
    if found.is_empty() {
        String::new()
    } else {
        format!("; write {}", found.join(" or "))
    }
}

fn range(domain: &Domain) -> String {
    match domain {
        Domain::Whole {
            minimum,
            maximum: u64::MAX,
            ..
        } => format!("a whole number, {minimum} or above"),
        Domain::Whole {
            minimum, maximum, ..
        } => format!("a whole number, {minimum} to {maximum}"),
        Domain::WholeRange { .. } => format!("a whole number, {domain}"),
        domain => format!("a number, {domain}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;
    use strata_settings::description::groups;

    fn entry(draft: &Draft, key: &str) -> Entry {
        let groups = groups(&draft.experiment);
        let mut settings = groups.iter().flat_map(|group| &group.settings);
        settings.find(|it| it.key == key).unwrap().clone()
    }

    fn typed(draft: &Draft, key: &str, text: &str) -> Draft {
        draft.type_in(&entry(draft, key), text)
    }

    #[test]
    fn a_number_is_taken_and_anything_else_changes_nothing() {
        let draft = Draft::new(Preset::Copy.experiment());
        let wide = typed(&draft, "model.width", "64");
        assert_eq!(table(&wide.experiment)["model"]["width"], json!(64));
        for text in ["", "abc", "-3", "1.5", "1e99", "65537", "0", "<b>"] {
            let wrong = typed(&wide, "model.width", text);
            assert_eq!(wrong.experiment, wide.experiment, "{text}");
            let found = wrong.wrong("model.width").unwrap();
            assert_eq!(found.typed, text);
            assert_eq!(found.reason, "Width must be a whole number, 1 to 65536");
            assert!(wrong.complaint().is_some());
            // The error goes away once the field has an accepted value.
            assert!(typed(&wrong, "model.width", "32").wrong.is_empty());
        }
        let seed = typed(&draft, "seed", "18446744073709551615");
        assert_eq!(seed.experiment.seed, u64::MAX);
        for text in ["2e-3", "0,002", "0.002", "٠٫٠٠٢"] {
            let rate = typed(&draft, "training.optimizer.learning_rate", text);
            assert_eq!(rate.experiment.training.optimizer.learning_rate, 2e-3);
        }
        let either = typed(&draft, "training.steps", "10,000");
        let found = &either.wrong("training.steps").unwrap().reason;
        assert!(found.contains("10000 or as 10"), "{found}");
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let draft = Draft::new(Preset::Copy.experiment());
        for text in ["1e2", "100.0", " 1_00 ", "１００"] {
            let typed = typed(&draft, "model.width", text);
            assert_eq!(
                table(&typed.experiment)["model"]["width"],
                json!(100),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_pending_is_told_apart() {
        let present = Preset::Copy.experiment();
        let draft = Draft::new(present.clone());
        assert_eq!(draft.pending(&present), Pending::Nothing);
        let longer = typed(&draft, "training.steps", "2000");
        assert_eq!(longer.pending(&present), Pending::GoesOn);
        let slower = typed(&longer, "training.optimizer.learning_rate", "1e-4");
        assert_eq!(slower.pending(&present), Pending::GoesOn);
        assert_eq!(
            typed(&slower, "seed", "5").pending(&present),
            Pending::Begins
        );
        let wrong = Pending::Wrong("Width must be a whole number, 1 to 65536.".to_owned());
        assert_eq!(typed(&draft, "model.width", "0").pending(&present), wrong);
        let Pending::Wrong(odd) = typed(&draft, "model.heads", "3").pending(&present) else {
            panic!("3 heads do not fit")
        };
        assert!(odd.contains("“Heads”") && !odd.contains('`'), "{odd}");
        // The draft equals the experiment again.
        let back = typed(
            &longer,
            "training.steps",
            &present.training.steps.to_string(),
        );
        assert_eq!(back.pending(&present), Pending::Nothing);
    }

    #[test]
    fn what_is_typed_outlives_another_seed_and_not_another_experiment() {
        let before = Preset::Copy.experiment();
        let draft = typed(&Draft::new(before.clone()), "model.width", "64");
        let draft = typed(&draft, "training.batch_size", "none");
        let mut seeded = before.clone();
        seeded.seed = 7;
        seeded.training.steps = 5;
        let kept = draft.onto(&before, &seeded);
        assert_eq!(table(&kept.experiment)["model"]["width"], json!(64));
        assert_eq!(
            (kept.experiment.seed, kept.experiment.training.steps),
            (7, 5)
        );
        assert_eq!(kept.wrong, draft.wrong);
        let other = Preset::Reverse.experiment();
        assert_eq!(draft.onto(&before, &other), Draft::new(other));
        // Once applied, the change is no longer pending.
        let applied = typed(&Draft::new(before.clone()), "seed", "3").experiment;
        let draft = Draft::new(applied.clone());
        assert_eq!(
            draft.onto(&before, &applied).pending(&applied),
            Pending::Nothing
        );
    }

    #[test]
    fn what_is_no_longer_there_is_not_wrong_any_more() {
        let draft = Draft::new(Preset::Copy.experiment());
        let wrong = typed(&draft, "model.width", "none");
        let other = wrong.set("model.architecture", "seq2seq");
        assert!(other.wrong.is_empty());
        assert_eq!(other.experiment.model.name(), "seq2seq");
    }

    #[test]
    fn a_task_begins_as_in_its_preset_and_a_mechanism_keeps_what_it_can() {
        let draft = Draft::new(Preset::GermanEnglishTransformer.experiment());
        let copy = draft.set("task.kind", "copy");
        assert_eq!(copy.experiment.task, Preset::Copy.experiment().task);
        let widths = draft.experiment.model.sites()[2].widths;
        let levels = draft.set_mechanism("model.cross", "multilevel", Site::Cross, widths);
        assert_eq!(
            levels.mechanism("model.cross").unwrap().name(),
            "multilevel"
        );
        let refused = levels.set_mechanism("model.cross", "ham_s", Site::Cross, widths);
        assert_eq!(refused, levels);
    }

    #[test]
    fn what_does_not_fit_together_is_told() {
        let draft = Draft::new(Preset::Copy.experiment());
        let odd = typed(&draft, "model.heads", "3");
        assert!(odd.complaint().unwrap().contains("`heads`"));
    }
}
