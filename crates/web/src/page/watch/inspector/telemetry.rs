//! How attention changed: statistics of its weights at each validation, as curves. The step at which
//! a curve jumps is marked, and a button winds the view back to this step.

use crate::by_pointer::ByPointer;
use crate::page::base::format;
use crate::page::watch::drawing::{Anchor, Drawing, OnPage, Paint, Shape};
use crate::state::telemetry::{TelemetryCurve, TelemetryHistory};
use std::fmt::Write;
use strata_attention::WeightMeasure;
use strata_models::SiteName;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::shares::level_weight;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 120.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 12.0;
/// The most jumps that have a button, the largest ones.
const JUMPS: usize = 8;

#[derive(Properties, PartialEq)]
pub struct TelemetryProperties {
    pub telemetry: ByPointer<TelemetryHistory>,
    /// True if there are earlier views to wind back to.
    pub winds: bool,
    pub to_moment: Callback<Option<u64>>,
}

/// The curves of a chosen measure; nothing before the second validation, and for a model without
/// attention.
#[component]
pub fn Telemetry(properties: &TelemetryProperties) -> Html {
    let chosen = use_state_eq(|| WeightMeasure::Entropy);
    let open = use_state_eq(|| false);
    let telemetry = &properties.telemetry;
    let measures = telemetry.measures();
    if !telemetry.has_curves() || measures.is_empty() {
        return Html::default();
    }
    let measure = if measures.contains(&chosen) {
        *chosen
    } else {
        measures[0]
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlSelectElement>().value();
            let found = WeightMeasure::ALL.into_iter().find(|it| it.key() == value);
            if let Some(found) = found {
                chosen.set(found);
            }
        })
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            open.set(!*open);
        })
    };
    let option = |it: &WeightMeasure| {
        html! { <option key={it.key()} value={it.key()} selected={*it == measure}>{ title(*it) }</option> }
    };
    // While it is closed, nothing is computed.
    let curves = if *open {
        telemetry.curves(measure)
    } else {
        Vec::new()
    };
    html! {
        <details class="telemetry" id="telemetry" open={*open} data-measure={measure.key()}>
            <summary onclick={toggle}>{ "How attention changed" }</summary>
            if *open {
                <div class="field">
                    <label for="telemetry-measure">{ "Measure of the weights" }</label>
                    <select id="telemetry-measure" onchange={choose}>{ for measures.iter().map(option) }</select>
                </div>
                <p class="note">{ words(measure) }</p>
                { for sites(&curves).into_iter().map(|site| chart(site, &curves, measure).view()) }
                { jumps(properties, &curves) }
            }
        </details>
    }
}

/// Renders the largest jumps, each with a button that winds back to its step.
fn jumps(properties: &TelemetryProperties, curves: &[TelemetryCurve]) -> Html {
    let found = curves.iter().filter_map(|curve| Some((curve, curve.jump?)));
    let mut found: Vec<_> = found.collect();
    found.sort_by(|one, other| other.1.change.total_cmp(&one.1.change));
    found.truncate(JUMPS);
    if found.is_empty() {
        return html! { <p class="note">{ "No curve jumps so far." }</p> };
    }
    let jump = |(curve, jump): (&TelemetryCurve, strata_attention::Jump)| {
        let words = format!("{}: step {}", of(curve), format::count(jump.step));
        let wind = properties
            .to_moment
            .reform(move |_: MouseEvent| Some(jump.step));
        html! {
            <li key={words.clone()} data-step={jump.step.to_string()}>
                if properties.winds {
                    <button type="button" class="quiet" onclick={wind} title="Wind the view back to this step">{ words }</button>
                } else {
                    { words }
                }
            </li>
        }
    };
    html! {
        <>
            <p class="note">{ "A curve jumps where its value and the next differ most from the two before." }</p>
            <ul class="jumps">{ for found.into_iter().map(jump) }</ul>
        </>
    }
}

/// Name of a curve in words.
fn of(curve: &TelemetryCurve) -> String {
    let name = &curve.name;
    let head = name.head + 1;
    match name.level {
        Some(level) => format!("{}, head {head}, level {level}", name.site.title()),
        None => format!("{}, head {head}", name.site.title()),
    }
}

fn title(measure: WeightMeasure) -> &'static str {
    match measure {
        WeightMeasure::Entropy => "Entropy of a row",
        WeightMeasure::Peak => "Largest weight of a row",
        WeightMeasure::Diagonal => "Weight on the diagonal",
        WeightMeasure::Previous => "Weight on the token before",
        WeightMeasure::Permutation => "Agreement with a permutation",
        WeightMeasure::EffectiveDepth => "Effective depth",
    }
}

/// Explains a measure.
fn words(measure: WeightMeasure) -> &'static str {
    match measure {
        WeightMeasure::Entropy => {
            "In nats: 0 if a row has all weight on one token, ln S if S tokens have the same weight."
        }
        WeightMeasure::Peak => "1 if every row has all weight on one token.",
        WeightMeasure::Diagonal => {
            "In self-attention the weight of a token on itself; in cross-attention the weight on the \
             token at the same relative position."
        }
        WeightMeasure::Previous => {
            "In self-attention the weight of a token on the token before, without the first token."
        }
        WeightMeasure::Permutation => {
            "Share of the tokens to which exactly one row points, with its largest weight."
        }
        WeightMeasure::EffectiveDepth => {
            "The mean of the levels' numbers, weighted by the shares that the mechanism has learned."
        }
    }
}

/// Sites of some curves, in their order.
fn sites(curves: &[TelemetryCurve]) -> Vec<SiteName> {
    let mut sites: Vec<SiteName> = Vec::new();
    for curve in curves {
        if !sites.contains(&curve.name.site) {
            sites.push(curve.name.site);
        }
    }
    sites
}

/// Draws the curves of a site: a line for each head and level, with the colour of its level, and a
/// vertical line at each jump.
fn chart(site: SiteName, curves: &[TelemetryCurve], measure: WeightMeasure) -> Drawing {
    let of_site = || curves.iter().filter(|curve| curve.name.site == site);
    let points = || of_site().flat_map(|curve| &curve.points);
    let first = points().map(|point| point.0).min().unwrap_or(0);
    let last = points().map(|point| point.0).max().unwrap_or(0);
    let most = points().map(|point| point.1).fold(1.0, f64::max);
    let levels = of_site().filter_map(|curve| curve.name.level).max();
    let x = |step: u64| {
        let share = (step - first) as f64 / (last - first).max(1) as f64;
        LEFT + share * (WIDTH - LEFT - RIGHT)
    };
    let y = |value: f64| 24.0 + HEIGHT * (1.0 - value / most);
    let name = format!(
        "{} of {}, over training steps",
        title(measure),
        site.title()
    );
    let mut drawing = Drawing::new(name, WIDTH, HEIGHT + 50.0);
    drawing.text((LEFT, 14.0), site.title(), Anchor::Start, Paint::Ink);
    for value in [0.0, most / 2.0, most] {
        let words = format!("{value:.2}");
        drawing.text(
            (LEFT - 6.0, y(value) + 4.0),
            words,
            Anchor::End,
            Paint::Soft,
        );
        drawing.line(
            (LEFT, y(value)),
            (WIDTH - RIGHT, y(value)),
            Paint::Rule,
            1.0,
        );
    }
    for (step, anchor) in [(first, Anchor::Start), (last, Anchor::End)] {
        let words = format!("step {}", format::count(step));
        drawing.text((x(step), HEIGHT + 42.0), words, anchor, Paint::Soft);
    }
    for curve in of_site() {
        if let Some(jump) = curve.jump {
            let at = x(jump.step);
            drawing.line((at, y(most)), (at, y(0.0)), Paint::Second, 1.0);
        }
        let mut path = String::new();
        for (at, (step, value)) in curve.points.iter().enumerate() {
            let letter = if at == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x(*step), y(*value));
        }
        let level = curve.name.level.unwrap_or(1) - 1;
        drawing.shapes.push(Shape::Path {
            path,
            stroke: Paint::Weight(level_weight(level, levels.unwrap_or(1))),
            width: 1.6,
            opacity: 1.0,
            dashed: false,
        });
    }
    drawing
}
