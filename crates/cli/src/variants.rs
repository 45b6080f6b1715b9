//! The variants of tables such as `task` and `model.cross`, found out by asking for one that there
//! is not: the experiment's own types answer with all that there are.

use serde_json::{Map, Value as Json};
use strata_training::Experiment;

use crate::schema::TAGS;
use crate::suggestion::nearest;

/// The experiment of these settings, if they make one.
pub fn experiment(settings: &Json) -> Result<Experiment, String> {
    serde_json::from_value(settings.clone()).map_err(|error| error.to_string())
}

/// An experiment as settings, in which a number stands as it was written.
pub fn as_written(experiment: &Experiment) -> Json {
    let text = serde_json::to_string(experiment).expect("an experiment is plain data");
    serde_json::from_str(&text).expect("it was just written")
}

/// The settings with another value at `path`.
pub fn with(settings: &Json, path: &[&str], value: Json) -> Json {
    let mut changed = settings.clone();
    let mut place = &mut changed;
    for name in path {
        place = &mut place[*name];
    }
    *place = value;
    changed
}

/// The setting that chooses the variant of a table, if it has variants.
pub fn tag(table: &Json) -> Option<&'static str> {
    TAGS.into_iter()
        .find(|&tag| table.get(tag).is_some_and(Json::is_string))
}

/// The values that a setting takes by name: of `settings`, at `path`.
pub fn names(settings: &Json, path: &[&str]) -> Vec<String> {
    let refusal = match experiment(&with(settings, path, "?".into())) {
        Ok(_) => return Vec::new(),
        Err(refusal) => refusal,
    };
    // "unknown variant `?`, expected one of `dot`, `scaled_dot`, …"
    let Some((_, expected)) = refusal.split_once("expected ") else {
        return Vec::new();
    };
    let names = expected.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

/// The settings with each variant of the table at `path`, by its name; what the variant has not
/// is gone, what it has more has its default.
pub fn of_table(settings: &Json, path: &[&str]) -> Vec<(String, Json)> {
    let table = path
        .iter()
        .try_fold(settings, |table, name| table.get(name));
    let Some(tag) = table.and_then(tag) else {
        return Vec::new();
    };
    let path_of_tag = [path, &[tag]].concat();
    let variant = |name: String| {
        let bare = Map::from_iter([(tag.to_owned(), Json::from(name.as_str()))]);
        let changed = with(settings, path, bare.into());
        let resolved = experiment(&changed).or_else(|_| {
            // A schedule may demand its warm-up; any will do to see what there is.
            let warmup = [path, &["warmup"]].concat();
            experiment(&with(&changed, &warmup, 1.into()))
        });
        Some((name, as_written(&resolved.ok()?)))
    };
    let names = names(settings, &path_of_tag);
    names.into_iter().filter_map(variant).collect()
}

/// The setting that is called `name`, or nearly so, in some variants of the table at `path`, and
/// those variants.
pub fn having(settings: &Json, path: &str, name: &str) -> Option<(String, Vec<String>)> {
    let path: Vec<&str> = path.split('.').filter(|it| !it.is_empty()).collect();
    let variants = of_table(settings, &path);
    let tables: Vec<(&String, &Map<String, Json>)> = variants
        .iter()
        .filter_map(|(variant, settings)| {
            let table = path
                .iter()
                .try_fold(settings, |table, name| table.get(name));
            Some((variant, table?.as_object()?))
        })
        .collect();
    let names = tables.iter().flat_map(|(_, table)| table.keys());
    let meant = nearest(name, names.map(String::as_str))?;
    let having = tables.iter().filter(|(_, table)| table.contains_key(meant));
    let having = having.map(|(variant, _)| (*variant).clone()).collect();
    Some((meant.to_owned(), having))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_attention::MechanismConfig;
    use strata_tasks::TaskConfig;

    use super::*;

    fn settings() -> Json {
        serde_json::to_value(Experiment::default()).expect("an experiment is plain data")
    }

    #[test]
    fn all_variants_of_a_table_are_found() {
        let found = of_table(&settings(), &["task"]);
        assert_eq!(found.len(), TaskConfig::kinds().len());
        let found = of_table(&settings(), &["model", "cross"]);
        assert_eq!(found.len(), MechanismConfig::all().len());
        assert!(
            found
                .iter()
                .all(|(name, it)| it["model"]["cross"]["kind"] == **name)
        );
        assert_eq!(of_table(&settings(), &["training", "schedule"]).len(), 3);
        assert!(of_table(&settings(), &["training"]).is_empty());
    }

    #[test]
    fn a_setting_is_found_in_the_variants_that_have_it() {
        let having = |path: &str, name: &str| having(&settings(), path, name);
        let (meant, found) = having("model.cross", "level").unwrap();
        assert_eq!(meant, "levels");
        assert!(found.iter().any(|name| name == "multilevel"), "{found:?}");
        assert!(!found.iter().any(|name| name == "vanilla"), "{found:?}");
        assert_eq!(having("model", "cell").unwrap().1[0], "seq2seq");
        assert_eq!(having("task", "xyzzy"), None);
        assert_eq!(having("training", "steps"), None);
    }
}
