//! Differences between experiments.

use crate::drawn::drawn;
use strata_settings::diff::{differences, with};
use strata_settings::overrides::Override;
use strata_settings::presets::Preset;

#[test]
fn differences_lead_from_one_experiment_to_the_other() {
    let drawn = drawn(120);
    for (base, other) in drawn.iter().zip(drawn.iter().skip(1)) {
        let settings = differences(base, other);
        assert_eq!(&with(base, settings).unwrap(), other);
    }
}

#[test]
fn equal_experiments_have_no_differences_and_one_change_is_one() {
    let base = Preset::Copy.experiment();
    assert!(differences(&base, &base).is_empty());
    let changed = with(&base, Override::parse("model.cross.kind=pyramid").ok()).unwrap();
    let found = differences(&base, &changed);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].dotted(), "model.cross.kind");
}
