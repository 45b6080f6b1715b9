//! Changes a mechanism by one choice. Settings are read and set by their names, through serde: the
//! page knows mechanisms only by their descriptions.

use serde_json::Value;
use strata_attention::{ConfigError, MechanismConfig};
use strata_describe::{Domain, Setting};

/// Returns the value of a setting; `null` if the mechanism has no such setting.
pub fn read(mechanism: &MechanismConfig, setting: &str) -> Value {
    let mut json = serde_json::to_value(mechanism).unwrap_or_default();
    json.get_mut(setting).map(Value::take).unwrap_or_default()
}

/// Returns the mechanism with another value of a setting; `None` if setting or value do not exist.
pub fn with(
    mechanism: &MechanismConfig,
    setting: &str,
    value: impl Into<Value>,
) -> Option<MechanismConfig> {
    let mut json = serde_json::to_value(mechanism).ok()?;
    *json.get_mut(setting)? = value.into();
    serde_json::from_value(json).ok()
}

/// Returns the mechanism of `kind` that is nearest to the present one: it keeps the settings that
/// both kinds describe alike, and changes options where they do not fit.
///
/// # Errors
/// If no combination of options fits. An error that the present mechanism has already is ignored.
pub fn of_kind(
    kind: &str,
    present: &MechanismConfig,
    check: impl Fn(&MechanismConfig) -> Result<(), ConfigError>,
) -> Result<MechanismConfig, ConfigError> {
    let Some(default) = MechanismConfig::of_kind(kind) else {
        return Ok(*present);
    };
    let settings = default.description().settings;
    let mut nearest = default;
    for setting in settings {
        if present.description().settings.contains(setting) {
            let name = setting.words.name;
            nearest = with(&nearest, name, read(present, name)).unwrap_or(nearest);
        }
    }
    let fits = |mechanism: &MechanismConfig| check(mechanism).is_ok();
    // If keeping the present settings leaves no fit, the kind's defaults are tried, for instance
    // when a number is out of range.
    let fitting =
        first_fit(nearest, settings, &fits).or_else(|| first_fit(default, settings, &fits));
    match (fitting, check(&nearest)) {
        (Some(fitting), _) => Ok(fitting),
        (None, Err(error)) if check(present).as_ref() != Err(&error) => Err(error),
        _ => Ok(nearest),
    }
}

/// Returns the first combination of options that fits, and that keeps as many of the first settings
/// as possible. Numbers are not changed.
fn first_fit(
    mechanism: MechanismConfig,
    settings: &[Setting],
    fits: &dyn Fn(&MechanismConfig) -> bool,
) -> Option<MechanismConfig> {
    let Some((setting, rest)) = settings.split_first() else {
        return fits(&mechanism).then_some(mechanism);
    };
    let options = match setting.domain {
        Domain::Choice { options, .. } => options,
        _ => &[],
    };
    first_fit(mechanism, rest, fits).or_else(|| {
        options.iter().find_map(|option| {
            let other = with(&mechanism, setting.words.name, option.name)?;
            first_fit(other, rest, fits)
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;
    use strata_attention::{Chain, HamConfig, MultilevelConfig, ScoreKind, Site, Widths};

    fn at(
        site: Site,
        widths: Widths,
    ) -> impl Fn(&MechanismConfig) -> Result<(), ConfigError> + Copy {
        move |mechanism| mechanism.check(site, widths)
    }

    /// Widths of a decoder of width 96 that attends to an encoder of width 128.
    fn unequal() -> Widths {
        Widths {
            query: 96,
            ..Widths::all(128)
        }
    }

    #[test]
    fn a_described_setting_is_read_and_changed() {
        for mechanism in MechanismConfig::all() {
            for setting in mechanism.description().settings {
                let name = setting.words.name;
                assert_eq!(
                    with(&mechanism, name, read(&mechanism, name)),
                    Some(mechanism)
                );
                assert_eq!(with(&mechanism, name, json!({ "no": "value" })), None);
                if let Domain::Whole {
                    minimum, maximum, ..
                } = setting.domain
                {
                    for number in [minimum, maximum] {
                        let changed = with(&mechanism, name, number).unwrap();
                        assert_eq!(read(&changed, name), json!(number));
                    }
                }
            }
            assert_eq!(with(&mechanism, "none", 1), None);
            assert_eq!(read(&mechanism, "none"), Value::Null);
        }
    }

    #[test]
    fn another_kind_keeps_what_both_describe_alike() {
        let check = at(Site::EncoderSelf, Widths::all(16));
        let present = MechanismConfig::HamV(HamConfig {
            depth: 9,
            score: ScoreKind::Additive,
            ..HamConfig::default()
        });
        let ham_s = of_kind("ham_s", &present, check).unwrap();
        assert_eq!(read(&ham_s, "depth"), 9);
        assert_eq!(read(&ham_s, "score"), "additive");
        let multilevel = of_kind("multilevel", &present, check).unwrap();
        assert_eq!(
            read(&multilevel, "levels"),
            MultilevelConfig::default().levels
        );
        assert_eq!(read(&multilevel, "score"), "additive");
        assert_eq!(of_kind("ham_v", &present, check), Ok(present));
        let impossible = with(&present, "depth", 0).unwrap();
        let ham_s = of_kind("ham_s", &impossible, check).unwrap();
        assert_eq!(read(&ham_s, "depth"), HamConfig::default().depth);
    }

    #[test]
    fn a_kind_that_cannot_stand_here_says_why() {
        let vanilla = MechanismConfig::default();
        let error = of_kind("ham_s", &vanilla, at(Site::Cross, Widths::all(16))).unwrap_err();
        assert!(error.to_string().contains("`ham_v`"), "{error}");
        of_kind("ham_s", &vanilla, at(Site::EncoderSelf, Widths::all(16))).unwrap();
    }

    #[test]
    fn a_kind_that_fits_with_other_options_takes_them() {
        let present = with(&MechanismConfig::default(), "score", "bilinear").unwrap();
        let MechanismConfig::Multilevel(config) =
            of_kind("multilevel", &present, at(Site::Cross, unequal())).unwrap()
        else {
            panic!("another kind was asked for");
        };
        assert_eq!(config.chain, Chain::Causal);
        assert_eq!(config.score, ScoreKind::Bilinear);
    }

    #[test]
    fn what_is_wrong_already_is_no_reason() {
        let present = MechanismConfig::default();
        let always = |_: &MechanismConfig| Err(ConfigError::new("the heads do not fit"));
        let local = of_kind("local", &present, always).unwrap();
        assert_eq!(local.name(), "local");
        // A dot product of unequal widths does not fit, so another score is chosen.
        let local = of_kind("local", &present, at(Site::Cross, unequal())).unwrap();
        assert_eq!(read(&local, "score"), "bilinear");
    }
}
