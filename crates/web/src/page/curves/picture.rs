//! The charts as one picture, for a file.

use super::axis::Axis;
use super::chart::{path, smooth_line};
use super::series::{Quantity, Series, in_view};
use super::shown::Shown;
use crate::page::drawing::{Anchor, Drawing, Paint, Shape};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 64.0;
const STEP: f64 = HEIGHT + 70.0;

/// All charts, one above the other, with the names of the runs.
pub fn picture(series: &[Series], quantities: &[Quantity], shown: &Shown) -> Drawing {
    let charts = quantities.len() as f64;
    let height = 20.0 + charts * STEP + 22.0 * series.len() as f64;
    let mut drawing = Drawing::new("Learning curves", WIDTH, height);
    let mut top = 34.0;
    for &quantity in quantities {
        chart(&mut drawing, quantity, series, shown, top);
        top += STEP;
    }
    for one in series {
        drawing.shapes.push(Shape::Path {
            path: format!("M{LEFT} {:.1}h30", top - 4.0),
            stroke: Paint::Run(one.run),
            width: 2.5,
            opacity: 1.0,
            dashed: one.run > 0,
        });
        drawing.text((LEFT + 40.0, top), &one.name, Anchor::Start, Paint::Ink);
        top += 22.0;
    }
    drawing
}

fn chart(drawing: &mut Drawing, quantity: Quantity, series: &[Series], shown: &Shown, top: f64) {
    let range = shown.range(series);
    let steps = Axis::of_steps(range);
    let log = shown.log && quantity == Quantity::Loss;
    let values = Axis::of_values(quantity, series, range, shown.range.is_none(), log);
    let x = |step: f64| LEFT + (WIDTH - LEFT - 20.0) * steps.place(step).clamp(0.0, 1.0);
    let y = |value: f64| top + HEIGHT * (1.0 - values.place(value).clamp(0.0, 1.0));
    let title = format!("{}, {}", quantity.title(), quantity.unit());
    drawing.text((LEFT, top - 12.0), title, Anchor::Start, Paint::Ink);
    for mark in &values.marks {
        let at = y(*mark);
        drawing.line((LEFT, at), (WIDTH - 20.0, at), Paint::Rule, 1.0);
        let words = values.words(Some(quantity), *mark);
        drawing.text((LEFT - 6.0, at + 4.0), words, Anchor::End, Paint::Soft);
    }
    for mark in &steps.marks {
        let at = (x(*mark), top + HEIGHT + 18.0);
        drawing.text(at, steps.words(None, *mark), Anchor::Middle, Paint::Soft);
    }
    for one in series.iter().rev() {
        let smooth = smooth_line(one, quantity, shown, range);
        let line = path(
            smooth
                .into_iter()
                .map(|(step, value)| (x(step as f64), y(value))),
        );
        drawing.shapes.push(Shape::Path {
            path: line,
            stroke: Paint::Run(one.run),
            width: 2.0,
            opacity: 1.0,
            dashed: one.run > 0,
        });
        if one.run > 0 {
            continue;
        }
        for point in in_view(&one.history.validation, range) {
            if let Some(value) = quantity.of(&point) {
                drawing.shapes.push(Shape::Circle {
                    at: (x(point.step as f64), y(value)),
                    radius: 2.5,
                    fill: Paint::Second,
                    stroke: Paint::Nothing,
                });
            }
        }
    }
}
