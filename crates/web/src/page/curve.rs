//! One quantity over the steps: training as a line, validation as dots, and a read-out.

use crate::history::{History, Point};
use crate::page::format;
use crate::page::scale::{label, marks};
use crate::shared::Shared;
use std::fmt::Write;
use web_sys::Element;
use yew::prelude::*;

/// Width and height of the drawing; the style sheet stretches it.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;

/// Which quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Nats per token.
    Loss,
    /// Share of tokens.
    Accuracy,
}

impl Quantity {
    fn of(self, point: &Point) -> f64 {
        match self {
            Self::Loss => point.loss,
            Self::Accuracy => point.accuracy,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Accuracy => "Accuracy",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Loss => "nats per token",
            Self::Accuracy => "of tokens",
        }
    }

    fn read(self, value: f64) -> String {
        match self {
            Self::Loss => format::loss(value),
            Self::Accuracy => format::percent(value),
        }
    }

    fn marks(self, history: &History) -> Vec<f64> {
        match self {
            Self::Loss => {
                let points = history.training.iter().chain(&history.validation);
                marks(points.map(|point| point.loss).fold(0.0, f64::max), 4)
            }
            Self::Accuracy => vec![0.0, 0.25, 0.5, 0.75, 1.0],
        }
    }

    fn mark(self, value: f64, step: f64) -> String {
        match self {
            Self::Loss => label(value, step),
            Self::Accuracy => format!("{:.0}\u{202f}%", value * 100.0),
        }
    }
}

#[derive(Properties, PartialEq)]
pub struct CurveProperties {
    pub quantity: Quantity,
    pub history: Shared<History>,
}

/// The chart.
#[component]
pub fn Curve(properties: &CurveProperties) -> Html {
    let CurveProperties { quantity, history } = properties;
    let area = use_node_ref();
    let cursor = use_state_eq(|| None::<u64>);
    let steps = marks(history.last_step().max(20) as f64, 4);
    let values = quantity.marks(history);
    let (last_step, top) = (steps[steps.len() - 1], values[values.len() - 1]);
    let x = move |step: u64| step as f64 / last_step;
    let y = move |value: f64| 1.0 - value / top;
    let point = {
        let (cursor, area) = (cursor.clone(), area.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(area) = area.cast::<Element>() {
                let area = area.get_bounding_client_rect();
                let share = (f64::from(event.client_x()) - area.left()) / area.width();
                cursor.set(Some((share.clamp(0.0, 1.0) * last_step).round() as u64));
            }
        })
    };
    let leave = {
        let cursor = cursor.clone();
        Callback::from(move |_: PointerEvent| cursor.set(None))
    };
    let walk = {
        let cursor = cursor.clone();
        Callback::from(move |event: KeyboardEvent| {
            let stride = (last_step / 100.0).max(1.0) as u64;
            let here = cursor.unwrap_or(last_step as u64);
            let next = match event.key().as_str() {
                "ArrowLeft" => here.saturating_sub(stride),
                "ArrowRight" => (here + stride).min(last_step as u64),
                "Escape" => return cursor.set(None),
                _ => return,
            };
            event.prevent_default();
            cursor.set(Some(next));
        })
    };
    let limit = cursor.unwrap_or(u64::MAX);
    let training = at(&history.training, limit);
    let validation = at(&history.validation, limit);
    let read = |point: Option<Point>| {
        point.map_or("–".to_owned(), |point| quantity.read(quantity.of(&point)))
    };
    let raw = line(&history.training, |point| {
        (x(point.step), y(quantity.of(point)))
    });
    let smooth = smoothed(&history.training, *quantity);
    let smooth = line(&smooth, |(step, value)| (x(*step), y(*value)));
    let checked = line(&history.validation, |point| {
        (x(point.step), y(quantity.of(point)))
    });
    let name = quantity.title();
    html! {
        <figure class="curve" data-quantity={name.to_lowercase()}>
            <figcaption>
                <span class="name">{ name }<small>{ quantity.unit() }</small></span>
                <output class="read-out" aria-live="off">
                    <span class="step">{ cursor.and(training.or(validation)).map(|point| format!("step {}", format::count(point.step))) }</span>
                    <span class="training">{ "training " }<b>{ read(training) }</b></span>
                    <span class="validation">{ "validation " }<b>{ read(validation) }</b></span>
                </output>
            </figcaption>
            <div class="chart">
                <div class="marks vertical" aria-hidden="true">
                    { for values.iter().map(|value| html! {
                        <span ~style={format!("top: {:.2}%", y(*value) * 100.0)}>{ quantity.mark(*value, values[1]) }</span>
                    }) }
                </div>
                <div class="area" ref={area} tabindex="0" role="application"
                    aria-label={format!("{name} over training steps; arrow keys move the read-out")}
                    onpointermove={point.clone()} onpointerdown={point} onpointerleave={leave} onkeydown={walk}>
                    <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" aria-hidden="true">
                        <path class="grid" d={grid(&values, y)} />
                        <path class="raw" d={raw} />
                        <path class="smooth" d={smooth} />
                        <path class="checked" d={checked} />
                        <path class="dots" d={dots(&history.validation, |point| (x(point.step), y(quantity.of(point))))} />
                    </svg>
                    if let Some(step) = *cursor {
                        <span class="crosshair" ~style={format!("left: {:.2}%", x(step) * 100.0)} />
                    }
                </div>
                <div class="marks horizontal" aria-hidden="true">
                    { for steps.iter().map(|step| html! {
                        <span ~style={format!("left: {:.2}%", step / last_step * 100.0)}>{ label(*step, steps[1]) }</span>
                    }) }
                </div>
            </div>
        </figure>
    }
}

/// The last point up to `step`.
fn at(points: &[Point], step: u64) -> Option<Point> {
    let after = points.partition_point(|point| point.step <= step);
    after.checked_sub(1).map(|index| points[index])
}

/// The mean of each point and those around it: a line without lag, but for its ends, where there
/// are fewer neighbours.
fn smoothed(points: &[Point], quantity: Quantity) -> Vec<(u64, f64)> {
    let reach = (points.len() / 40).min(12);
    let mean = |index: usize| {
        let last = (index + reach).min(points.len() - 1);
        let around = &points[index.saturating_sub(reach)..=last];
        around.iter().map(|point| quantity.of(point)).sum::<f64>() / around.len() as f64
    };
    let steps = points.iter().map(|point| point.step);
    steps.zip((0..points.len()).map(mean)).collect()
}

fn line<T>(points: &[T], place: impl Fn(&T) -> (f64, f64)) -> String {
    let mut path = String::new();
    for (index, point) in points.iter().enumerate() {
        let (x, y) = place(point);
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {:.1}", x * WIDTH, y * HEIGHT);
    }
    path
}

/// Lines without length: with round ends they are dots however the drawing is stretched.
fn dots<T>(points: &[T], place: impl Fn(&T) -> (f64, f64)) -> String {
    let mut path = String::new();
    for point in points {
        let (x, y) = place(point);
        let _ = write!(path, "M{:.1} {:.1}h0", x * WIDTH, y * HEIGHT);
    }
    path
}

fn grid(values: &[f64], y: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    for value in values {
        let _ = write!(path, "M0 {:.1}H{WIDTH}", y(*value) * HEIGHT);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(losses: impl Iterator<Item = f64>) -> Vec<Point> {
        let point = |(step, loss)| Point {
            step,
            loss,
            accuracy: 0.0,
        };
        (1..).zip(losses).map(point).collect()
    }

    #[test]
    fn smoothing_keeps_a_straight_line_and_calms_a_ragged_one() {
        let straight = points((0..200).map(f64::from));
        let smooth = smoothed(&straight, Quantity::Loss);
        assert_eq!(smooth.len(), straight.len());
        for (point, (step, value)) in straight.iter().zip(smooth).skip(20).take(160) {
            assert_eq!(step, point.step);
            assert!((value - point.loss).abs() < 1e-9);
        }
        let ragged = points((0..200).map(|index| f64::from(index % 2)));
        let smooth = smoothed(&ragged, Quantity::Loss);
        assert!(
            smooth[20..180]
                .iter()
                .all(|(_, value)| (value - 0.5).abs() < 0.1)
        );
        assert!(smoothed(&[], Quantity::Loss).is_empty());
    }

    #[test]
    fn the_read_out_shows_the_last_point_up_to_the_cursor() {
        let points = points([3.0, 2.0, 1.0].into_iter());
        assert_eq!(at(&points, 0), None);
        assert_eq!(at(&points, 2).map(|point| point.loss), Some(2.0));
        assert_eq!(at(&points, 99).map(|point| point.loss), Some(1.0));
    }
}
