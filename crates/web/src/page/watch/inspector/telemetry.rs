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

/// Size of a chart. A phone shows the width nearly as it is, so that letters stay readable.
const WIDTH: f64 = 370.0;
const HEIGHT: f64 = 120.0;
const LEFT: f64 = 40.0;
/// Room for the names of the curves.
const RIGHT: f64 = 96.0;
/// Height of a line of text.
const LINE: f64 = 13.0;
/// The most curves of a chart that have their names beside their ends.
const NAMED: usize = 8;
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

/// Draws the curves of a site: a line for each head and level, in the colour of its head and the
/// stronger the higher its level, and a vertical line at each jump.
fn chart(site: SiteName, curves: &[TelemetryCurve], measure: WeightMeasure) -> Drawing {
    let of_site = || curves.iter().filter(|curve| curve.name.site == site);
    let points = || of_site().flat_map(|curve| &curve.points);
    let first = points().map(|point| point.0).min().unwrap_or(0);
    let last = points().map(|point| point.0).max().unwrap_or(0);
    let most = points().map(|point| point.1).fold(1.0, f64::max);
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
        let at = (LEFT - 6.0, y(value) + 4.0);
        drawing.text(at, words, Anchor::End, Paint::Soft);
        let ends = ((LEFT, y(value)), (WIDTH - RIGHT, y(value)));
        drawing.line(ends.0, ends.1, Paint::Rule, 1.0);
    }
    for (step, anchor) in [(first, Anchor::Start), (last, Anchor::End)] {
        let words = format!("step {}", format::count(step));
        drawing.text((x(step), HEIGHT + 42.0), words, anchor, Paint::Soft);
    }
    for jump in of_site().filter_map(|curve| curve.jump) {
        let at = x(jump.step);
        drawing.line((at, y(most)), (at, y(0.0)), Paint::Second, 1.0);
    }
    let levels = of_site().filter_map(|curve| curve.name.level).max();
    for curve in of_site() {
        let mut path = String::new();
        for (at, (step, value)) in curve.points.iter().enumerate() {
            let letter = if at == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", x(*step), y(*value));
        }
        drawing.shapes.push(Shape::Path {
            path,
            stroke: Paint::Run(curve.name.head),
            width: 1.8,
            opacity: opacity(curve.name.level, levels),
            dashed: false,
        });
    }
    let ends = of_site().filter_map(|curve| {
        let (_, value) = curve.points.last()?;
        Some((y(*value) + 4.0, curve))
    });
    let mut ends: Vec<(f64, &TelemetryCurve)> = ends.collect();
    if ends.len() > NAMED {
        let words = [
            "a colour for",
            "each head;",
            "higher levels",
            "are stronger",
        ];
        for (at, words) in words.into_iter().enumerate() {
            let at = (WIDTH - RIGHT + 6.0, y(most) + 10.0 + at as f64 * LINE);
            drawing.text(at, words, Anchor::Start, Paint::Soft);
        }
        return drawing;
    }
    spread(&mut ends, y(0.0) + 4.0);
    for (at, curve) in ends {
        let head = curve.name.head;
        let words = match curve.name.level {
            Some(level) if levels > Some(1) => format!("head {}, level {level}", head + 1),
            _ => format!("head {}", head + 1),
        };
        let at = (WIDTH - RIGHT + 6.0, at);
        drawing.text(at, words, Anchor::Start, Paint::Run(head));
    }
    drawing
}

/// Opacity of the line of a level of `levels` levels.
fn opacity(level: Option<usize>, levels: Option<usize>) -> f64 {
    match (level, levels) {
        (Some(level), Some(levels)) if levels > 1 => {
            0.35 + 0.65 * (level - 1) as f64 / (levels - 1) as f64
        }
        _ => 1.0,
    }
}

/// Moves names up or down so that none lies on another, and none below `lowest`.
fn spread<T>(names: &mut [(f64, T)], lowest: f64) {
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    for at in 1..names.len() {
        names[at].0 = names[at].0.max(names[at - 1].0 + LINE);
    }
    let mut below = lowest + LINE;
    for name in names.iter_mut().rev() {
        name.0 = name.0.min(below - LINE);
        below = name.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_curves_lie_beside_each_other_and_in_the_order_of_the_curves() {
        let mut names = [(148.0, 'd'), (24.0, 'a'), (147.0, 'c'), (25.0, 'b')];
        spread(&mut names, 148.0);
        assert_eq!(names.map(|it| it.1), ['a', 'b', 'c', 'd']);
        assert_eq!(names.map(|it| it.0), [24.0, 37.0, 135.0, 148.0]);
    }

    #[test]
    fn higher_levels_are_stronger() {
        assert_eq!(opacity(Some(1), Some(1)), 1.0);
        assert_eq!(opacity(None, None), 1.0);
        assert!(opacity(Some(1), Some(3)) < opacity(Some(2), Some(3)));
        assert_eq!(opacity(Some(3), Some(3)), 1.0);
    }
}
