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

/// A mechanism, its score function, and its one number if it has one.
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
    let set_number = onchange.reform(move |number: f64| with_number(old, number as usize));
    html! {
        <fieldset>
            <legend>{ label }</legend>
            <Select id={format!("{id}-mechanism")} label="Mechanism" options={kinds} value={value.name()}
                onchange={set_kind} help={value.help()} />
            <Select id={format!("{id}-score")} label="Score" options={scores.to_vec()} value={score_name(value.score())}
                onchange={set_score} help={score_help(value.score())} />
            if let Some((label, number, help)) = number(value) {
                <Number id={format!("{id}-levels")} {label} value={number as f64} maximum={100.0}
                    onchange={set_number} {help} />
            }
        </fieldset>
    }
}

fn title(mechanism: &MechanismConfig) -> &'static str {
    match mechanism {
        MechanismConfig::Vanilla(_) => "Vanilla",
        MechanismConfig::Local(_) => "Local",
        MechanismConfig::Multilevel(_) => "Multilevel",
        MechanismConfig::HamV(_) => "Ham-V",
        MechanismConfig::HamS(_) => "Ham-S",
    }
}

/// The number that a person may set: its label, its value, one line of help.
fn number(mechanism: &MechanismConfig) -> Option<(&'static str, usize, &'static str)> {
    let levels = |levels| {
        (
            "Levels",
            levels,
            "How often it attends; 1 is the same as vanilla.",
        )
    };
    match mechanism {
        MechanismConfig::Vanilla(_) => None,
        MechanismConfig::Local(config) => {
            let help = "How many keys it sees on either side of its own position.";
            Some(("Window", config.window, help))
        }
        MechanismConfig::Multilevel(config) => Some(levels(config.levels)),
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => Some(levels(config.depth)),
    }
}

fn with_number(mut mechanism: MechanismConfig, number: usize) -> MechanismConfig {
    match &mut mechanism {
        MechanismConfig::Vanilla(_) => {}
        MechanismConfig::Local(config) => config.window = number,
        MechanismConfig::Multilevel(config) => config.levels = number,
        MechanismConfig::HamV(config) | MechanismConfig::HamS(config) => config.depth = number,
    }
    mechanism
}

fn with_score(mut mechanism: MechanismConfig, score: ScoreKind) -> MechanismConfig {
    match &mut mechanism {
        MechanismConfig::Vanilla(config) => config.score = score,
        MechanismConfig::Local(config) => config.score = score,
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
    fn score_and_number_are_set_in_every_mechanism() {
        for mechanism in MechanismConfig::all() {
            let changed = with_number(with_score(mechanism, ScoreKind::Additive), 7);
            assert_eq!(changed.score(), ScoreKind::Additive);
            assert!(number(&changed).is_none_or(|(_, number, _)| number == 7));
            assert_eq!(changed.name(), mechanism.name());
        }
    }
}
