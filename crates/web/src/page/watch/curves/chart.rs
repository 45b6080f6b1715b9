//! One quantity over the steps: runs as lines, validation as dots, a crosshair, a range to zoom to.

use super::axis::Axis;
use super::read_out::{caption, spoken};
use super::series::{DRAWN, Range, Series, in_view, smoothed};
use super::shown::Shown;
use super::stages::{Stage, Stages, marked};
use crate::page::base::quantity::Quantity;
use crate::state::history::Point;
use std::fmt::Write;
use web_sys::Element;
use yew::prelude::*;

/// Width and height of the drawing, in its own units; the style sheet stretches the drawing.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;
/// Least share of the width that a dragged range must have; less counts as a click.
const LEAST: f64 = 0.02;

#[derive(Properties, PartialEq)]
pub struct ChartProperties {
    pub quantity: Quantity,
    /// The runs, the present one first.
    pub series: Vec<Series>,
    /// Stages of the present run's curriculum.
    #[prop_or_default]
    pub stages: Stages,
    pub shown: Shown,
    pub show: Callback<Shown>,
}

/// The chart.
#[component]
pub fn Chart(properties: &ChartProperties) -> Html {
    let ChartProperties {
        quantity,
        series,
        stages,
        shown,
        ..
    } = properties;
    let area = use_node_ref();
    let drag = use_state_eq(|| None::<u64>);
    let range = shown.range(series);
    let steps = Axis::of_steps(range);
    let log = shown.log && *quantity == Quantity::Loss;
    let values = Axis::of_values(*quantity, series, range, shown.range.is_none(), log);
    let pointer = Pointer {
        area: area.clone(),
        steps: steps.clone(),
        range,
        shown: shown.clone(),
        show: properties.show.clone(),
        drag: drag.clone(),
    };
    // Text for screen readers: it changes with the keyboard, not with each step of training.
    let said = use_state_eq(String::new);
    let walk = {
        let (show, shown) = (properties.show.clone(), shown.clone());
        let (said, quantity, series) = (said.clone(), *quantity, series.clone());
        let stages = stages.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = by_key(&shown, range, &event.key()) {
                event.prevent_default();
                said.set(spoken(quantity, &series, &stages, [&shown, &next]));
                show.emit(next);
            }
        })
    };
    let reset = {
        let (show, shown) = (properties.show.clone(), shown.clone());
        Callback::from(move |_: MouseEvent| {
            show.emit(Shown {
                range: None,
                ..shown.clone()
            });
        })
    };
    let axes = Axes { steps, values };
    let selected = drag.zip(shown.cursor);
    let selected = selected.map(|(one, other)| axes.selection(one, other));
    let name = quantity.title();
    html! {
        <figure class="curve" data-quantity={name.to_ascii_lowercase()}
            data-from={range.0.to_string()} data-to={range.1.to_string()} data-log={log.to_string()}>
            { caption(*quantity, series, shown) }
            <span class="unseen" aria-live="polite" translate="no" data-words="">{ &*said }</span>
            <div class="chart">
                { axes.vertical(*quantity) }
                <div class="area" ref={area} tabindex="0" role="application"
                    aria-label={format!("{name} over training steps. Left and right move the read-out, plus and minus zoom, Escape shows all")}
                    onpointermove={pointer.moved()} onpointerdown={pointer.pressed()} onpointerup={pointer.released()}
                    onpointerleave={pointer.left()} ondblclick={reset} onkeydown={walk}>
                    <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" aria-hidden="true">
                        <path class="grid" d={grid(&axes.values)} />
                        { for series.iter().rev().map(|series| lines(series, *quantity, shown, range, &axes)) }
                    </svg>
                    { for marked(stages, range).map(|stage| axes.stage(stage)) }
                    if let Some(style) = selected {
                        <span class="selection" ~style={style} />
                    }
                    if let Some(step) = shown.cursor {
                        <span class="crosshair" ~style={format!("left: {:.2}%", axes.percent(step))} />
                    }
                </div>
                { axes.horizontal() }
            </div>
        </figure>
    }
}

/// The two axes of a chart.
struct Axes {
    steps: Axis,
    values: Axis,
}

impl Axes {
    /// Returns the place of a value at a step in the drawing.
    fn place(&self, step: u64, value: f64) -> (f64, f64) {
        let (x, y) = (self.steps.place(step as f64), self.values.place(value));
        (WIDTH * x, HEIGHT * (1.0 - y))
    }

    /// Returns the place of a step within the chart's width, in percent.
    fn percent(&self, step: u64) -> f64 {
        100.0 * self.steps.place(step as f64).clamp(0.0, 1.0)
    }

    /// Returns the style of the range between two steps.
    fn selection(&self, one: u64, other: u64) -> String {
        let [from, to] = [one.min(other), one.max(other)].map(|step| self.percent(step));
        format!("left: {from:.2}%; width: {:.2}%", to - from)
    }

    /// Renders the mark of a stage: a line with the stage's number.
    fn stage(&self, stage: &Stage) -> Html {
        let style = format!("left: {:.2}%", self.percent(stage.from));
        html! {
            <span key={stage.number} class="stage-mark" data-step={stage.from.to_string()} ~style={style}
                title={stage.words()} aria-hidden="true"><b translate="no">{ stage.number }</b></span>
        }
    }

    /// Renders the marks of the values.
    fn vertical(&self, quantity: Quantity) -> Html {
        let values = &self.values;
        html! {
            <div class="marks vertical" aria-hidden="true" translate="no">
                { for values.marks.iter().map(|mark| html! {
                    <span ~style={format!("top: {:.2}%", 100.0 - values.place(*mark) * 100.0)}>{ values.words(Some(quantity), *mark) }</span>
                }) }
            </div>
        }
    }

    /// Renders the marks of the steps.
    fn horizontal(&self) -> Html {
        let steps = &self.steps;
        html! {
            <div class="marks horizontal" aria-hidden="true" translate="no">
                { for steps.marks.iter().map(|mark| html! {
                    <span ~style={format!("left: {:.2}%", 100.0 * steps.place(*mark))}>{ steps.words(None, *mark) }</span>
                }) }
            </div>
        }
    }
}

/// Handles pointer events, which move the crosshair and select a range.
struct Pointer {
    area: NodeRef,
    steps: Axis,
    range: Range,
    shown: Shown,
    show: Callback<Shown>,
    drag: UseStateHandle<Option<u64>>,
}

impl Pointer {
    /// Returns a function from pointer events to the step under the pointer.
    fn step(&self) -> impl Fn(&PointerEvent) -> Option<u64> + 'static {
        let (area, steps) = (self.area.clone(), self.steps.clone());
        move |event| {
            let area = area.cast::<Element>()?.get_bounding_client_rect();
            let place = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0);
            Some(steps.value(place).round() as u64)
        }
    }

    fn to_cursor(&self) -> impl Fn(Option<u64>) + 'static {
        let (show, shown) = (self.show.clone(), self.shown.clone());
        move |cursor| {
            show.emit(Shown {
                cursor,
                ..shown.clone()
            });
        }
    }

    fn moved(&self) -> Callback<PointerEvent> {
        let (step, to) = (self.step(), self.to_cursor());
        Callback::from(move |event: PointerEvent| to(step(&event)))
    }

    fn pressed(&self) -> Callback<PointerEvent> {
        let (step, to, drag) = (self.step(), self.to_cursor(), self.drag.clone());
        Callback::from(move |event: PointerEvent| {
            let here = step(&event);
            // A finger moves the crosshair and scrolls; zooming by touch is left to the buttons.
            if event.button() == 0 && event.pointer_type() != "touch" {
                drag.set(here);
            }
            to(here);
        })
    }

    fn released(&self) -> Callback<PointerEvent> {
        let (step, drag) = (self.step(), self.drag.clone());
        let (show, shown, range) = (self.show.clone(), self.shown.clone(), self.range);
        Callback::from(move |event: PointerEvent| {
            let Some((one, other)) = drag.zip(step(&event)) else {
                return;
            };
            drag.set(None);
            let dragged = (one.min(other), one.max(other));
            let least = ((range.1 - range.0) as f64 * LEAST).max(2.0) as u64;
            if dragged.1 - dragged.0 >= least {
                show.emit(Shown {
                    range: Some(dragged),
                    ..shown.clone()
                });
            }
        })
    }

    fn left(&self) -> Callback<PointerEvent> {
        let (to, drag) = (self.to_cursor(), self.drag.clone());
        Callback::from(move |_: PointerEvent| {
            drag.set(None);
            to(None);
        })
    }
}

/// Returns the charts' settings after a key is pressed; `None` for other keys.
fn by_key(shown: &Shown, range: Range, key: &str) -> Option<Shown> {
    let (from, to) = range;
    let stride = ((to - from) / 100).max(1);
    let here = shown.cursor.unwrap_or(to).clamp(from, to);
    let cursor = match key {
        "ArrowLeft" => here.saturating_sub(stride).max(from),
        "ArrowRight" => (here + stride).min(to),
        "Home" => from,
        "End" => to,
        "+" | "=" => return shown.zoomed(range, 0.5),
        "-" => return shown.zoomed(range, 2.0),
        "Escape" => {
            return Some(Shown {
                cursor: None,
                range: None,
                ..shown.clone()
            });
        }
        _ => return None,
    };
    Some(Shown {
        cursor: Some(cursor),
        ..shown.clone()
    })
}

/// Renders the lines and dots of a run.
fn lines(series: &Series, quantity: Quantity, shown: &Shown, range: Range, axes: &Axes) -> Html {
    let place = |step: u64, value: f64| axes.place(step, value);
    let history = &series.history;
    let smooth = smooth_line(series, quantity, shown, range);
    let smooth = path(smooth.into_iter().map(|(step, value)| place(step, value)));
    let class = format!("run-{}", series.run % 6);
    let of = |point: &Point| Some((point.step, quantity.of(point)?));
    let checked = in_view(&history.validation, range);
    let checked: Vec<_> = checked
        .iter()
        .filter_map(of)
        .map(|(step, value)| place(step, value))
        .collect();
    let checked = if quantity.is_of_training() {
        String::new()
    } else {
        dots(&checked)
    };
    if series.run > 0 {
        return html! {
            <g key={series.run}>
                <path class={classes!("smooth", "other", class.clone())} d={smooth} />
                <path class={classes!("dots", class)} d={checked} />
            </g>
        };
    }
    let points = in_view(&history.training, range);
    let raw = points.iter().filter_map(of);
    let raw = path(raw.map(|(step, value)| place(step, value)));
    html! {
        <g key={series.run}>
            <path class="band" d={band(&points, quantity, place)} />
            <path class="raw" d={raw} />
            <path class="smooth" d={smooth} />
            <path class="halo" d={checked.clone()} />
            <path class="dots" d={checked} />
        </g>
    }
}

/// Returns the smoothed line in view. Smoothing comes before cutting and thinning out, so the line
/// does not change with the range.
pub fn smooth_line(
    series: &Series,
    quantity: Quantity,
    shown: &Shown,
    (from, to): Range,
) -> Vec<(u64, f64)> {
    // Validations are few, and means over much data already: they are not smoothed.
    let smoothing = if quantity.is_validated() {
        0.0
    } else {
        shown.smoothing
    };
    let all = smoothed(quantity.points(&series.history), quantity, smoothing);
    let first = all
        .partition_point(|(step, _)| *step < from)
        .saturating_sub(1);
    let end = (all.partition_point(|(step, _)| *step <= to) + 1).min(all.len());
    let all = all.get(first..end).unwrap_or_default();
    let stride = all.len().div_ceil(DRAWN).max(1);
    let mut line: Vec<_> = all.iter().copied().step_by(stride).collect();
    if let (Some(last), Some(end)) = (line.last().copied(), all.last().copied())
        && last != end
    {
        line.push(end);
    }
    line
}

/// Writes a line through points as the `d` of an SVG path.
pub fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        // Writing into a string cannot fail.
        let _ = write!(path, "{command}{x:.1} {y:.1}");
    }
    path
}

/// Returns the area between the lowest and the highest value of points that stand for several
/// steps.
fn band(points: &[Point], quantity: Quantity, place: impl Fn(u64, f64) -> (f64, f64)) -> String {
    if points.iter().all(|point| point.steps < 2) {
        return String::new();
    }
    let edge = |pick: fn((f64, f64)) -> f64| {
        let of = |point: &Point| Some(place(point.step, pick(quantity.range(point)?)));
        points.iter().filter_map(of).collect::<Vec<_>>()
    };
    let (below, above) = (edge(|range| range.0), edge(|range| range.1));
    // A path must begin with a place: an area without points is no path at all.
    if above.is_empty() {
        return String::new();
    }
    path(above.into_iter().chain(below.into_iter().rev())) + "Z"
}

/// Writes dots as lines of no length: with round line ends they stay round when the drawing is
/// stretched.
fn dots(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let _ = write!(path, "M{x:.1} {y:.1}h0");
    }
    path
}

fn grid(values: &Axis) -> String {
    let mut path = String::new();
    for mark in &values.marks {
        let _ = write!(
            path,
            "M0 {:.1}H{WIDTH}",
            HEIGHT * (1.0 - values.place(*mark))
        );
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_of_points_without_the_quantity_is_no_path() {
        let point = Point {
            step: 8,
            steps: 4,
            loss: 1.0,
            loss_range: (0.5, 1.5),
            accuracy: 0.5,
            accuracy_range: (0.4, 0.6),
            speed: None,
            answers: None,
        };
        let place = |step: u64, value: f64| (step as f64, value);
        assert_eq!(band(&[point, point], Quantity::Exact, place), "");
        assert!(band(&[point, point], Quantity::Loss, place).starts_with('M'));
    }

    #[test]
    fn keys_walk_zoom_and_show_all_again() {
        let shown = Shown::default();
        let at = |shown: &Shown, key| by_key(shown, (0, 1000), key);
        let walked = at(&shown, "ArrowLeft").unwrap_or_default();
        assert_eq!(walked.cursor, Some(990));
        let zoomed = at(&walked, "+").unwrap_or_default();
        assert_eq!(zoomed.range, Some((740, 1240)));
        assert_eq!(at(&zoomed, "Escape").map(|it| it.range), Some(None));
        assert_eq!(at(&shown, "-").map(|it| it.range), Some(None));
        assert_eq!(at(&shown, "x"), None);
    }
}
