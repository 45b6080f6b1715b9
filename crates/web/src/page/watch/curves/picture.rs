//! All charts as one picture, for a file.

use super::axis::Axis;
use super::chart::{path, smooth_line};
use super::series::{Series, in_view};
use super::shown::Shown;
use super::stages::{self, Stage, marked};
use crate::page::base::foreign::quoted;
use crate::page::base::format::count;
use crate::page::base::quantity::Quantity;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, Shape};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 64.0;
const STEP: f64 = HEIGHT + 70.0;

/// Draws all charts, one above the other, with a legend: the names of the runs, which marks are
/// validations, and the stages of a curriculum. `title` is the present run's title, for the caption; if it is empty, every run has
/// its own name.
pub fn picture(
    series: &[Series],
    quantities: &[Quantity],
    shown: &Shown,
    stages: &[Stage],
    title: &str,
) -> Drawing {
    let charts = quantities.len() as f64;
    let dotted = series.iter().filter(|it| has_dots(it, quantities));
    let told = stages::list(stages);
    let lines = series.len() + dotted.count() + told.len();
    let height = 20.0 + charts * STEP + 22.0 * lines as f64;
    let mut drawing = Drawing::new("Learning curves", WIDTH, height);
    let mut top = 34.0;
    for &quantity in quantities {
        chart(&mut drawing, quantity, series, shown, stages, top);
        top += STEP;
    }
    for one in series {
        drawing.shapes.push(Shape::Path {
            path: format!("M{LEFT} {:.1}h30", top - 4.0),
            stroke: Paint::Run(one.run),
            width: 2.5,
            opacity: 1.0,
            dashed: false,
        });
        let name = legend(one, title);
        drawing.text((LEFT + 40.0, top), name, Anchor::Start, Paint::Ink);
        top += 22.0;
        if has_dots(one, quantities) {
            dot(&mut drawing, (LEFT + 15.0, top - 4.0), one.run);
            let words = match (title, one.run) {
                ("", _) => format!("{}: validation", one.name),
                (_, 0) => "validation of this run, on held-out examples".to_owned(),
                _ => format!("validation of {}", one.name),
            };
            drawing.text((LEFT + 40.0, top), words, Anchor::Start, Paint::Ink);
            top += 22.0;
        }
    }
    for line in told {
        drawing.text((LEFT + 40.0, top), line, Anchor::Start, Paint::Ink);
        top += 22.0;
    }
    if !title.is_empty() {
        drawing.caption(&caption(series, shown, title), Paint::Soft);
    }
    drawing
}

/// True if validations of a run are drawn as dots.
fn has_dots(series: &Series, quantities: &[Quantity]) -> bool {
    let validations = &series.history.validation;
    let has = |quantity: &Quantity| {
        !quantity.is_of_training() && validations.iter().any(|it| quantity.of(it).is_some())
    };
    quantities.iter().any(has)
}

/// Returns the legend of a run's line.
fn legend(series: &Series, title: &str) -> String {
    match (series.run, title) {
        (_, "") => series.name.clone(),
        (0, title) => format!("this run, {}: training", quoted(title)),
        _ => format!("{}: training", series.name),
    }
}

/// Returns the caption: the run, its last step, and the smoothing of lines.
fn caption(series: &[Series], shown: &Shown, title: &str) -> Vec<String> {
    let step = series.first().map_or(0, |it| it.history.last_step());
    let smoothed = match (shown.smoothing * 100.0).round() {
        0.0 => "Lines are not smoothed.".to_owned(),
        percent => format!("Lines are smoothed by {percent:.0}\u{202f}%, dots are as measured."),
    };
    vec![
        format!("{}, after {} steps.", quoted(title), count(step)),
        smoothed,
    ]
}

fn dot(drawing: &mut Drawing, at: (f64, f64), run: usize) {
    drawing.shapes.push(Shape::Circle {
        at,
        radius: 2.5,
        fill: Paint::Run(run),
        stroke: Paint::Nothing,
    });
}

fn chart(
    drawing: &mut Drawing,
    quantity: Quantity,
    series: &[Series],
    shown: &Shown,
    stages: &[Stage],
    top: f64,
) {
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
    for stage in marked(stages, range) {
        let at = x(stage.from as f64);
        drawing.line((at, top), (at, top + HEIGHT), Paint::Soft, 1.0);
        let number = stage.number.to_string();
        drawing.text((at + 3.0, top + 10.0), number, Anchor::Start, Paint::Soft);
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
            dashed: false,
        });
        if quantity.is_of_training() {
            continue;
        }
        for point in in_view(&one.history.validation, range) {
            if let Some(value) = quantity.of(&point) {
                dot(drawing, (x(point.step as f64), y(value)), one.run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_pointer::ByPointer;
    use crate::state::history::History;
    use crate::testing::step_report;
    use strata_session::protocol::Validation;

    fn words(validated: bool) -> String {
        let mut history = History::default();
        history.push(&step_report(60, 1.0, 0.5));
        if validated {
            history.validate(&Validation {
                step: 60,
                loss: 1.5,
                ..Validation::default()
            });
        }
        let series = [Series {
            name: "this run".to_owned(),
            run: 0,
            history: ByPointer::new(history),
        }];
        let quantities = [Quantity::Loss, Quantity::Speed];
        let stages = [0, 30].map(|from| Stage {
            number: if from == 0 { 1 } else { 2 },
            from,
            settings: "hops 4".to_owned(),
        });
        let shown = Shown::default();
        let drawing = picture(&series, &quantities, &shown, &stages, "Copy, seed 7");
        let texts = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn saved_curves_say_their_run_their_step_and_which_marks_are_validations() {
        let words = words(true);
        for expected in [
            "this run, “Copy, seed 7”: training",
            "validation of this run",
            "“Copy, seed 7”, after 60 steps.",
            "smoothed by 80",
            "Stage 2 from step 30: hops 4",
        ] {
            assert!(words.contains(expected), "{expected}: {words}");
        }
    }

    #[test]
    fn there_is_no_legend_of_dots_that_are_not_drawn() {
        assert!(!words(false).contains("validation"));
    }
}
