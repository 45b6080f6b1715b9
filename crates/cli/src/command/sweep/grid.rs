//! The grid of a sweep: settings, and the values of each setting.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use crate::base::error::Error;

/// Most runs of a sweep; a larger grid counts as a mistake.
const MOST: usize = 10_000;

/// A setting and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    key: String,
    values: Vec<String>,
}

impl Axis {
    /// Reads `key=a,b`. Commas inside brackets and quotation marks belong to a value.
    ///
    /// # Errors
    /// If there is no setting or no value, or a value is repeated.
    pub fn read(text: &str) -> Result<Self, Error> {
        let refused = |reason: &str| {
            Error::Session(format!(
                "`--grid {text}` {reason}; write a setting and its values, for example `--grid \
                 model.width=32,64`"
            ))
        };
        let Some((key, values)) = text.split_once('=') else {
            return Err(refused("has no `=`"));
        };
        let (key, values) = (key.trim().to_owned(), split(values));
        if key.is_empty() || values.iter().any(String::is_empty) {
            return Err(refused("lacks a name or a value"));
        }
        let repeated = values
            .iter()
            .enumerate()
            .find(|(at, it)| values[..*at].contains(it));
        if let Some((_, value)) = repeated {
            return Err(refused(&format!("has the value {value} twice")));
        }
        Ok(Self { key, values })
    }
}

fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quote) = (vec![String::new()], 0_usize, None);
    for letter in text.chars() {
        match (letter, quote) {
            ('"' | '\'', None) => quote = Some(letter),
            (_, Some(open)) if letter == open => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth = depth.saturating_sub(1),
            (',', None) if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
        .into_iter()
        .map(|part| part.trim().to_owned())
        .collect()
}

/// Returns every combination, as a list of `key=value`; the last setting changes first.
///
/// # Errors
/// If there are more than [`MOST`] combinations, or a setting is in two axes.
pub fn combinations(axes: &[Axis]) -> Result<Vec<Vec<String>>, Error> {
    let repeated = axes
        .iter()
        .enumerate()
        .find(|(at, it)| axes[..*at].iter().any(|before| before.key == it.key));
    if let Some((_, axis)) = repeated {
        return Err(Error::Session(format!(
            "`--grid` names `{0}` twice; name all its values at once, for example `--grid {0}={1},…`",
            axis.key, axis.values[0]
        )));
    }
    let count = axes
        .iter()
        .try_fold(1_usize, |all, axis| all.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MOST) {
        return Err(Error::Session(format!(
            "the grid has more than {MOST} combinations; leave out values or settings"
        )));
    }
    let begin = vec![Vec::new()];
    Ok(axes.iter().fold(begin, |begun, axis| {
        let with = |run: Vec<String>| {
            let setting = |value: &String| format!("{}={value}", axis.key);
            let added = axis
                .values
                .iter()
                .map(move |it| [run.clone(), vec![setting(it)]].concat());
            added.collect::<Vec<_>>()
        };
        begun.into_iter().flat_map(with).collect()
    }))
}

/// Most bytes of a name; file systems have 255, and files in the folder are written beside
/// themselves.
const LONGEST: usize = 120;

/// Returns names for the runs' folders, all different even if case makes no difference. Values that
/// differ only in characters that a name cannot have, such as `a/b` and `a-b`, are told apart by a
/// digest.
pub fn names(runs: &[Vec<String>]) -> Vec<String> {
    let names: Vec<String> = runs.iter().map(|it| name(it)).collect();
    let mut count = HashMap::new();
    for name in &names {
        *count.entry(name.to_lowercase()).or_insert(0) += 1;
    }
    let named = runs.iter().zip(&names).map(|(run, name)| {
        if name.len() <= LONGEST && count[&name.to_lowercase()] == 1 {
            return name.clone();
        }
        let mut hasher = Sha256::new();
        hasher.update(run.join("\n"));
        let digest = hasher.finalize();
        let digest: String = digest
            .iter()
            .take(6)
            .map(|it| format!("{it:02x}"))
            .collect();
        format!("{}-{digest}", &name[..name.len().min(LONGEST)])
    });
    named.collect()
}

/// Returns the name of a run's folder: the last part of each setting's key, with its value.
fn name(settings: &[String]) -> String {
    let part = |setting: &String| {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        format!("{}={value}", key.rsplit('.').next().unwrap_or(key))
    };
    let ends: Vec<String> = settings.iter().map(part).collect();
    let mut names = ends.clone();
    names.sort();
    names.dedup_by_key(|it| it.split('=').next().map(str::to_owned));
    // Keys with the same last part, such as `encoder_self.kind` and `cross.kind`, are written in
    // full.
    let parts = if names.len() == ends.len() {
        ends
    } else {
        settings.to_vec()
    };
    let plain = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' | '=' | '+' => letter,
        _ => '-',
    };
    parts.join("-").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn axes(texts: &[&str]) -> Vec<Axis> {
        texts.iter().map(|it| Axis::read(it).unwrap()).collect()
    }

    #[test]
    fn every_combination_comes_once() {
        let all = combinations(&axes(&["model.width=32,64", "seed=1,2,3"])).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[0], ["model.width=32", "seed=1"]);
        assert_eq!(all[1], ["model.width=32", "seed=2"]);
        assert_eq!(all[5], ["model.width=64", "seed=3"]);
    }

    #[test]
    fn commas_in_brackets_and_quotes_belong_to_a_value() {
        assert_eq!(split("[1,2],'a,b', c"), ["[1,2]", "'a,b'", "c"]);
    }

    #[test]
    fn names_are_folders_and_tell_runs_apart() {
        let of = |settings: &[&str]| {
            name(
                &settings
                    .iter()
                    .map(|it| (*it).to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&["model.width=32", "seed=1"]), "width=32-seed=1");
        assert_eq!(of(&["task.source=a b/c.txt"]), "source=a-b-c.txt");
        assert_eq!(of(&["a.kind=x", "b.kind=y"]), "a.kind=x-b.kind=y");
    }

    #[test]
    fn no_two_runs_share_a_folder() {
        let long = format!("task.source={}", "a".repeat(400));
        let runs = [
            vec!["task.source=a/b"],
            vec!["task.source=a-b"],
            vec!["task.source=a b"],
            vec!["task.source=A-b"],
            vec!["task.source=c"],
            vec![&*long],
        ];
        let runs = runs.map(|it| it.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let names = names(&runs);
        let mut different: Vec<String> = names.iter().map(|it| it.to_lowercase()).collect();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), runs.len(), "{names:?}");
        assert_eq!(names[4], "source=c");
        assert!(names.iter().all(|it| it.len() < 150), "{names:?}");
    }

    #[test]
    fn what_is_no_axis_is_refused() {
        for wrong in ["width", "=1", "width=", "width=1,,2", "width=1,1"] {
            let refusal = Axis::read(wrong).unwrap_err().to_string();
            assert!(refusal.contains(wrong), "{refusal}");
        }
        let twice = combinations(&axes(&["a=1", "a=2"]))
            .unwrap_err()
            .to_string();
        assert!(twice.contains("`a` twice"), "{twice}");
    }
}
