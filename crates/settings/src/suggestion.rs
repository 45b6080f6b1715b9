//! Suggestions for unknown keys.

use serde_json::Value as Json;
use strsim::osa_distance as distance;

use crate::aliases::{self, Alias};
use crate::description::{every_variant, groups, join};
use crate::schema::TAGS;

/// Largest edit distance between a name and a suggestion.
const MAX_DISTANCE: usize = 2;

/// Suggests keys that may have been meant by an unknown `name`.
pub fn suggestion(name: &str, path: &str, siblings: &Json, all: &Json) -> String {
    let mut keys = Vec::new();
    collect_keys(all, "", &mut keys);
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let names: Vec<&String> = siblings
        .as_object()
        .map(|siblings| siblings.keys().collect())
        .unwrap_or_default();
    let near = names
        .iter()
        .map(|sibling| (distance(name, sibling), join(path, sibling)));
    let elsewhere = keys
        .iter()
        .map(|key| (distance(name, &last(key)), key.clone()));
    // An equal name elsewhere wins over a similar name here, and that over a similar name
    // elsewhere.
    let near = near.filter(|(distance, _)| *distance <= MAX_DISTANCE.min(name.chars().count() / 2));
    let exact = elsewhere.filter(|(distance, _)| *distance == 0).min();
    if exact.is_none()
        && let Some(alias) = aliases::find(name)
    {
        return of_alias(alias, &join(path, name), &keys);
    }
    match exact.into_iter().chain(near).min() {
        Some((_, key)) => format!("did you mean `{key}`?"),
        None => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let tag = TAGS.iter().find(|&&tag| siblings.get(tag).is_some());
            let others = tag.and_then(|tag| {
                let (name, variants) = variants_with(path, name)?;
                let (tag, variants) = (join(path, tag), variants.join(", "));
                Some(format!("; `{name}` is there where `{tag}` is {variants}"))
            });
            format!(
                "there are {}{}",
                names.join(", "),
                others.unwrap_or_default()
            )
        }
    }
}

/// Suggests the settings of the experiment that another program calls by this alias. If the key
/// `typed` is a setting of other variants, the suggestion names the variants.
fn of_alias(alias: &'static Alias, typed: &str, keys: &[String]) -> String {
    let here: Vec<String> = alias
        .keys
        .iter()
        .filter(|key| keys.iter().any(|known| known == *key))
        .map(|key| format!("`{key}`"))
        .collect();
    if here.is_empty()
        && alias.keys.contains(&typed)
        && let Some(variants) = variants(typed)
    {
        return format!("it is one only {variants}");
    }
    if here.is_empty() {
        let variants = alias.keys.first().and_then(|key| variants(key));
        let variants = variants.map(|variants| format!("; it is there {variants}"));
        format!("{}{}", alias.words(), variants.unwrap_or_default())
    } else if alias.note.is_empty() {
        format!("did you mean {}?", here.join(" or "))
    } else {
        format!("did you mean {}? ({})", here.join(" or "), alias.note)
    }
}

/// Names the variants that have a setting: "where `model.architecture` is transformer".
fn variants(key: &str) -> Option<String> {
    let (path, name) = key.rsplit_once('.')?;
    let (_, variants) = variants_with(path, name)?;
    let tag = if path == "model" {
        "architecture"
    } else {
        "kind"
    };
    Some(format!("where `{path}.{tag}` is {}", variants.join(" or ")))
}

/// Returns the most similar of `names`, or `None` if no name is similar. Capitals are ignored, and
/// `-` equals `_`.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace('-', "_");
    let name = plain(name);
    let near = names.into_iter().filter_map(|other| {
        let plain = plain(other);
        let edits = distance(&name, &plain);
        // A part of a long name is accepted, too: `shakespeare`.
        let is_part = name.chars().count() > MAX_DISTANCE && plain.contains(&name);
        (is_part || edits <= MAX_DISTANCE.min(name.chars().count() / 2)).then_some((edits, other))
    });
    near.min().map(|(_, name)| name)
}

/// Finds a setting with a name equal or similar to `name` in the variants of the table at `path`.
/// Returns the name of the setting, and the names of the variants that have the setting.
fn variants_with(path: &str, name: &str) -> Option<(String, Vec<&'static str>)> {
    let mut variants: Vec<(&str, Vec<String>)> = Vec::new();
    // All sites of all models take the same mechanisms, so one site stands for all.
    let is_site = path.starts_with("model.");
    for experiment in every_variant() {
        for group in groups(&experiment) {
            let is_meant = if is_site {
                group.site.is_some()
            } else {
                group.path == path
            };
            if let (true, Some(variant)) = (is_meant, group.variant) {
                let names = group.settings.iter().map(|entry| entry.name().to_owned());
                variants.push((variant.name, names.collect()));
            }
        }
    }
    let names = variants.iter().flat_map(|(_, names)| names);
    let meant = nearest(name, names.map(String::as_str))?.to_owned();
    let mut found: Vec<&str> = Vec::new();
    for (variant, names) in &variants {
        if names.contains(&meant) && !found.contains(variant) {
            found.push(variant);
        }
    }
    Some((meant, found))
}

fn collect_keys(reference: &Json, path: &str, keys: &mut Vec<String>) {
    for (name, value) in reference.as_object().into_iter().flatten() {
        let key = join(path, name);
        collect_keys(value, &key, keys);
        keys.push(key);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_setting_is_found_in_the_variants_that_have_it() {
        let (meant, found) = variants_with("model.cross", "level").unwrap();
        assert_eq!(meant, "levels");
        assert!(found.contains(&"multilevel"), "{found:?}");
        assert!(!found.contains(&"vanilla"), "{found:?}");
        assert_eq!(
            variants_with("model", "cell").unwrap().1,
            [
                "seq2seq",
                "recurrent_lm",
                "bidaf",
                "match_lstm",
                "rnet",
                "tagger"
            ]
        );
        assert_eq!(variants_with("task", "xyzzy"), None);
        assert_eq!(variants_with("training", "steps"), None);
    }

    #[test]
    fn the_name_that_was_typed_is_never_suggested() {
        let keys = ["model.architecture", "model.hidden"].map(str::to_owned);
        let alias = aliases::find("feed_forward").unwrap();
        let advice = of_alias(alias, "model.feed_forward", &keys);
        assert_eq!(
            advice,
            "it is one only where `model.architecture` is transformer or transformer_lm or tagger"
        );
        let advice = of_alias(alias, "model.d_ff", &keys);
        assert!(
            advice.contains("it is called `model.feed_forward` here; it is there where"),
            "{advice}"
        );
    }
}
