//! Where two experiments differ, as a person would name it.

use serde_json::Value;
use strata_training::Experiment;

/// The settings that `other` has and `base` has not: each one's path and its value in `other`, as
/// in `("model.encoder_self.levels", "8")`. Of a part of another kind, the kind comes first; what
/// only the old kind had is not told.
pub fn differences(base: &Experiment, other: &Experiment) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk("", &as_value(base), &as_value(other), &mut found);
    found
}

/// By way of the text: a number is told as it was written.
fn as_value(experiment: &Experiment) -> Value {
    let text = serde_json::to_string(experiment).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn walk(path: &str, base: &Value, other: &Value, found: &mut Vec<(String, String)>) {
    if base == other {
        return;
    }
    let Value::Object(settings) = other else {
        let value = match other {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            other => other.to_string(),
        };
        found.push((path.to_owned(), value));
        return;
    };
    let mut names: Vec<_> = settings.keys().collect();
    names.sort_by_key(|name| *name != "kind");
    for name in names {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let absent = &Value::Null;
        walk(
            &path,
            base.get(name).unwrap_or(absent),
            &settings[name],
            found,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_attention::{MechanismConfig, MultilevelConfig};
    use strata_models::{ModelConfig, TransformerConfig};
    use strata_tasks::{CopyConfig, TaskConfig};

    fn base() -> Experiment {
        Experiment {
            seed: 1,
            task: TaskConfig::Copy(CopyConfig::default()),
            model: ModelConfig::Transformer(TransformerConfig::default()),
            training: Default::default(),
        }
    }

    fn told(change: impl FnOnce(&mut Experiment)) -> Vec<String> {
        let mut other = base();
        change(&mut other);
        let all = differences(&base(), &other).into_iter();
        all.map(|(path, value)| format!("{path}={value}")).collect()
    }

    #[test]
    fn what_is_equal_has_no_differences() {
        assert!(told(|_| {}).is_empty());
    }

    #[test]
    fn settings_are_told_by_path_and_value() {
        let told = told(|other| {
            other.seed = 7;
            other.training.optimizer.beta_2 = 0.999;
        });
        assert_eq!(told, ["seed=7", "training.optimizer.beta_2=0.999"]);
    }

    #[test]
    fn another_kind_comes_before_its_settings() {
        let told = told(|other| {
            if let ModelConfig::Transformer(model) = &mut other.model {
                model.encoder_self = MechanismConfig::Multilevel(MultilevelConfig {
                    levels: 8,
                    ..MultilevelConfig::default()
                });
            }
        });
        assert_eq!(told[0], "model.encoder_self.kind=multilevel");
        assert!(
            told.contains(&"model.encoder_self.levels=8".to_owned()),
            "{told:?}"
        );
        assert!(told.iter().all(|it| it.starts_with("model.encoder_self.")));
    }
}
