//! Choosing a mechanism and its parameters.

use crate::page::fields::{Number, Select};
use strata_attention::{MechanismConfig, ScoreKind};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct MechanismProperties {
    pub id: AttrValue,
    pub label: AttrValue,
    pub value: MechanismConfig,
    pub onchange: Callback<MechanismConfig>,
}

/// A mechanism, its score function, and how many levels it has if it has any.
#[component]
pub fn Mechanism(properties: &MechanismProperties) -> Html {
    let MechanismProperties {
        id,
        label,
        value,
        onchange,
    } = properties;
    let kinds = MechanismConfig::all();
    let kinds: Vec<_> = kinds
        .iter()
        .map(|kind| (kind.name().into(), title(kind).into()))
        .collect();
    let scores = ScoreKind::ALL.map(|score| (score_name(score).into(), score_title(score).into()));
    let old = *value;
    let set_kind = onchange.reform(move |name: String| {
        let chosen = MechanismConfig::all()
            .into_iter()
            .find(|it| it.name() == name);
        with_score(chosen.unwrap_or(old), old.score())
    });
    let set_score = onchange.reform(move |name: String| {
        let chosen = ScoreKind::ALL
            .into_iter()
            .find(|it| score_name(*it) == name);
        with_score(old, chosen.unwrap_or(old.score()))
    });
    let set_levels = onchange.reform(move |levels: f64| with_levels(old, levels as usize));
    html! {
        <fieldset>
            <legend>{ label }</legend>
            <Select id={format!("{id}-mechanism")} label="Mechanism" options={kinds} value={value.name()}
                onchange={set_kind} help={value.help()} />
            <Select id={format!("{id}-score")} label="Score" options={scores.to_vec()} value={score_name(value.score())}
                onchange={set_score} help={score_help(value.score())} />
            if let Some(levels) = levels(value) {
                <Number id={format!("{id}-levels")} label="Levels" value={levels as f64} maximum={100.0}
                    onchange={set_levels} help="How often it attends; 1 is the same as vanilla." />
            }
        </fieldset>
    }
}

fn title(mechanism: &MechanismConfig) -> &'static str {
    match mechanism {
        MechanismConfig::Vanilla(_) => "Vanilla",
        MechanismConfig::Multilevel(_) => "Multilevel",
        MechanismConfig::HamV(_) => "Ham-V",
        MechanismConfig::HamS(_) => "Ham-S",
    }
}

fn levels(mechanism: &MechanismConfig) -> Option<usize> {
    match mechanism {
        MechanismConfig::Vanilla(_) => None,
        MechanismConfig::Multilevel(config) => Some(config.levels),
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => Some(config.depth),
    }
}

fn with_levels(mut mechanism: MechanismConfig, levels: usize) -> MechanismConfig {
    match &mut mechanism {
        MechanismConfig::Vanilla(_) => {}
        MechanismConfig::Multilevel(config) => config.levels = levels,
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => config.depth = levels,
    }
    mechanism
}

fn with_score(mut mechanism: MechanismConfig, score: ScoreKind) -> MechanismConfig {
    match &mut mechanism {
        MechanismConfig::Vanilla(config) => config.score = score,
        MechanismConfig::Multilevel(config) => config.score = score,
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => config.score = score,
    }
    mechanism
}

fn score_name(score: ScoreKind) -> &'static str {
    match score {
        ScoreKind::Dot => "dot",
        ScoreKind::ScaledDot => "scaled_dot",
        ScoreKind::Bilinear => "bilinear",
        ScoreKind::Additive => "additive",
    }
}

fn score_title(score: ScoreKind) -> &'static str {
    match score {
        ScoreKind::Dot => "Dot product",
        ScoreKind::ScaledDot => "Scaled dot product",
        ScoreKind::Bilinear => "Bilinear",
        ScoreKind::Additive => "Additive",
    }
}

fn score_help(score: ScoreKind) -> &'static str {
    match score {
        ScoreKind::Dot => "hᵀg (Luong et al. 2015).",
        ScoreKind::ScaledDot => "hᵀg / √D (Vaswani et al. 2017).",
        ScoreKind::Bilinear => "hᵀ W g (Luong et al. 2015, “general”).",
        ScoreKind::Additive => "vᵀ tanh(W h + W g + b) (Bahdanau et al. 2015).",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_levels_are_set_in_every_mechanism() {
        for mechanism in MechanismConfig::all() {
            let changed = with_levels(with_score(mechanism, ScoreKind::Additive), 7);
            assert_eq!(changed.score(), ScoreKind::Additive);
            assert!(levels(&changed).is_none_or(|levels| levels == 7));
            assert_eq!(changed.name(), mechanism.name());
        }
    }
}
