//! Labels of settings: the session names settings by their keys, as configurations and the command
//! line do; the page's form shows labels.

use std::collections::HashMap;
use std::sync::LazyLock;
use strata_settings::description::{Entry, Group, every_variant, groups};

/// Labels of the keys and options that sentences quote in back-ticks.
#[derive(Default)]
struct Labels {
    /// Titles of tables and of settings, by their full keys.
    keys: HashMap<String, String>,
    /// Titles of settings by the last part of their keys, if all settings of that name have the
    /// same title.
    names: HashMap<&'static str, Option<&'static str>>,
    /// Titles of options, by the setting's key and the option's name; in `choices`, by the option's
    /// name alone.
    options: HashMap<(String, &'static str), &'static str>,
    choices: HashMap<&'static str, &'static str>,
}

static LABELS: LazyLock<Labels> = LazyLock::new(|| {
    let mut labels = Labels::default();
    for experiment in every_variant() {
        for group in groups(&experiment) {
            labels.add(&group);
        }
    }
    labels
});

impl Labels {
    fn add(&mut self, group: &Group) {
        if !group.path.is_empty() {
            self.keys
                .entry(group.path.clone())
                .or_insert(group.title.to_owned());
        }
        for entry in &group.settings {
            let name = entry.setting.words.title;
            let known = self.names.entry(entry.name());
            let known = known.or_insert(Some(name));
            if *known != Some(name) {
                *known = None;
            }
            // Several sites can have the same mechanism: the group's title tells their settings
            // apart.
            let label = match group.site {
                Some(_) => format!("{}: {name}", group.title),
                None => name.to_owned(),
            };
            self.setting(entry, label);
        }
        if let Some(tag) = &group.tag {
            let label = match (group.site, tag.key.as_str()) {
                (Some(_), _) => format!("{}: Mechanism", group.title),
                (None, "model.architecture") => tag.setting.words.title.to_owned(),
                (None, _) => group.title.to_owned(),
            };
            self.setting(tag, label);
        }
    }

    fn setting(&mut self, entry: &Entry, label: String) {
        for option in entry.setting.domain.options() {
            let key = (entry.key.clone(), option.name);
            self.options.entry(key).or_insert(option.title);
            self.choices.entry(option.name).or_insert(option.title);
        }
        self.keys.entry(entry.key.clone()).or_insert(label);
    }

    /// Returns the form's label for a key, a table, a setting by its name, `key=value`, or an
    /// option.
    fn label(&self, text: &str) -> Option<String> {
        if let Some((key, value)) = text.split_once('=') {
            let label = self.label(key)?;
            let title = self
                .options
                .iter()
                .find(|((of, name), _)| of == key && *name == value);
            let value = title.map_or(value, |(_, title)| *title);
            return Some(format!("{label}: {value}"));
        }
        let key = self.keys.get(text).cloned();
        let named = || self.names.get(text).copied().flatten().map(str::to_owned);
        let chosen = || self.choices.get(text).map(|title| (*title).to_owned());
        key.or_else(named).or_else(chosen)
    }
}

/// Returns a setting in the words of the form, as a part of a sentence: `batch size 3`,
/// `architecture: recurrent`, `without decoder attends`. A key that the form does not know is
/// replaced by its last part.
pub fn in_words(key: &str, value: &serde_json::Value) -> String {
    let label = LABELS.label(key).unwrap_or_else(|| {
        let path = key.strip_suffix(".kind").unwrap_or(key);
        path.rsplit('.').next().unwrap_or(path).replace('_', " ")
    });
    // Drops “: Mechanism” from a site's label: the option names the mechanism.
    let label = small(label.strip_suffix(": Mechanism").unwrap_or(&label));
    let option = value.as_str().and_then(|name| {
        LABELS
            .options
            .iter()
            .find(|((of, it), _)| of == key && *it == name)
    });
    match (value, option) {
        (_, Some((_, title))) => format!("{label}: {title}"),
        (serde_json::Value::Bool(true), _) => format!("{label}: yes"),
        (serde_json::Value::Bool(false), _) => format!("{label}: no"),
        _ => format!(
            "{label} {}",
            shortened(&strata_settings::value::write(value))
        ),
    }
}

/// Returns a label for the middle of a sentence: with a small letter, unless it begins with an
/// abbreviation.
fn small(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(next)) if next.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => label.to_owned(),
    }
}

/// The most letters of a setting's value that a run's name shows.
const LETTERS: usize = 24;

fn shortened(value: &str) -> String {
    let mut letters = value.chars();
    let mut short: String = letters.by_ref().take(LETTERS).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Replaces the keys between back-ticks in a sentence by the form's labels; other quoted text stays
/// as it is.
pub fn in_labels(text: &str) -> String {
    if !text.contains('`') {
        return text.to_owned();
    }
    let mut parts = text.split('`').peekable();
    let mut labelled = parts.next().unwrap_or_default().to_owned();
    while let Some(quoted) = parts.next() {
        // A back-tick without a closing one quotes nothing.
        let is_whole = parts.peek().is_some();
        match LABELS.label(quoted).filter(|_| is_whole) {
            Some(label) => labelled += &format!("“{label}”"),
            None if is_whole => labelled += &format!("`{quoted}`"),
            None => labelled += &format!("`{quoted}"),
        }
        labelled += parts.next().unwrap_or_default();
    }
    labelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_what_the_form_says() {
        for (key, label) in [
            ("`training.optimizer.learning_rate`", "“Learning rate”"),
            ("`training.steps`", "“Steps”"),
            ("`batch_size` is 0", "“Batch size” is 0"),
            ("`model`: `heads` is 3", "“Model”: “Heads” is 3"),
            ("`model.architecture=seq2seq`", "“Architecture: "),
            ("`training.steps=4000`", "“Steps: 4000”"),
            ("`training.schedule.warmup`", "“Warm-up”"),
        ] {
            let labelled = in_labels(key);
            assert!(labelled.starts_with(label), "{key}: {labelled}");
        }
        let labelled = in_labels("choose `task.kind=text` or `model.cross.kind=dot`.");
        assert!(
            !labelled.contains('`') && !labelled.contains("kind"),
            "{labelled}"
        );
    }

    #[test]
    fn advice_on_a_users_texts_says_the_forms_words() {
        let labelled = in_labels(
            "40 % of the words are unknown: choose the level `punctuation` or `bpe` (`task.level`), or \
             raise `task.held_out` and `task.maximum_vocabulary`",
        );
        assert!(
            !labelled.contains('`') && !labelled.contains("task."),
            "{labelled}"
        );
        assert!(
            labelled.contains("“Level”") && labelled.contains("“Held out”"),
            "{labelled}"
        );
    }

    #[test]
    fn a_setting_is_named_in_the_words_of_the_form() {
        let labelled = |key, value: serde_json::Value| in_words(key, &value);
        assert_eq!(labelled("seed", 7.into()), "seed 7");
        assert_eq!(labelled("training.batch_size", 3.into()), "batch size 3");
        assert_eq!(
            labelled("model.attend", false.into()),
            "decoder attends: no"
        );
        for (key, value) in [
            ("model.architecture", "seq2seq"),
            ("model.cross.kind", "multilevel"),
        ] {
            let labelled = labelled(key, value.into());
            assert!(
                !labelled.contains('_') && !labelled.contains(value),
                "{labelled}"
            );
        }
        let long = labelled("task.source", "x".repeat(99).into());
        assert!(long.ends_with('…') && long.chars().count() < 60, "{long}");
    }

    #[test]
    fn what_is_no_setting_stays() {
        for text in [
            "`strata train`",
            "a ` b",
            "``",
            "no key",
            "`",
            "`a` `",
            "x `steps",
        ] {
            assert_eq!(in_labels(text), text);
        }
    }

    #[test]
    fn no_setting_of_the_form_is_without_a_label() {
        for experiment in every_variant() {
            for group in groups(&experiment) {
                for entry in group.settings.iter().chain(&group.tag) {
                    let labelled = in_labels(&format!("`{}`", entry.key));
                    assert!(!labelled.contains('`'), "{}", entry.key);
                    let title = entry.setting.words.title;
                    assert!(
                        labelled.contains(title) || group.tag.is_some(),
                        "{labelled}"
                    );
                }
            }
        }
    }
}
