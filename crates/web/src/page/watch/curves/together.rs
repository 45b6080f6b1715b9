//! Many runs of one experiment as one picture: a thin line for each, mean and interval above.

use super::axis::Axis;
use super::chart::path;
use super::series::Series;
use crate::by_pointer::ByPointer;
use crate::page::base::quantity::Quantity;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, Shape};
use crate::state::history::{History, Point};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 44.0;

/// Runs to draw.
#[derive(Clone, Debug)]
pub struct Together {
    /// Words in place of the picture.
    pub title: String,
    /// Words above the axis of the values.
    pub heading: String,
    /// Words below the axis of the steps.
    pub steps: String,
    pub quantity: Quantity,
    /// Points of each run.
    pub lines: Vec<Vec<(u64, f64)>>,
    /// Mean over the runs: steps and values.
    pub mean: Vec<(u64, f64)>,
    /// Interval of the mean: steps, lower and upper end.
    pub interval: Vec<(u64, f64, f64)>,
    /// Words for the thin lines, the mean, and the interval of the mean.
    pub legend: [String; 3],
    /// Sentences below, for a file.
    pub caption: Vec<String>,
}

impl Together {
    /// Draws the runs as the page shows them, which has the sentences beside the picture.
    pub fn without_caption(&self) -> Drawing {
        let bare = Self {
            caption: Vec::new(),
            ..self.clone()
        };
        bare.drawing()
    }

    /// Draws the runs.
    pub fn drawing(&self) -> Drawing {
        let bottom = TOP + HEIGHT;
        let mut drawing = Drawing::new(self.title.clone(), WIDTH, bottom + 76.0);
        let steps = self.lines.iter().flatten().map(|it| it.0);
        let range = (0, steps.max().unwrap_or(1));
        // The values begin at 0 and end at the highest, also those of shares.
        let origin = [(0, 0.0)];
        let lines = self.lines.iter().map(Vec::as_slice);
        let series: Vec<Series> = lines.chain([&origin[..]]).map(series).collect();
        let (steps, values) = (
            Axis::of_steps(range),
            Axis::of_values(self.quantity, &series, range, false, false),
        );
        let x = |step: u64| LEFT + (WIDTH - LEFT - RIGHT) * steps.place(step as f64);
        let y = |value: f64| TOP + HEIGHT * (1.0 - values.place(value).clamp(0.0, 1.0));
        let at = |(step, value): (u64, f64)| (x(step), y(value));
        drawing.text(
            (LEFT, TOP - 18.0),
            self.heading.clone(),
            Anchor::Start,
            Paint::Ink,
        );
        for mark in &values.marks {
            let height = y(*mark);
            drawing.line((LEFT, height), (WIDTH - RIGHT, height), Paint::Rule, 1.0);
            let words = values.words(Some(self.quantity), *mark);
            drawing.text((LEFT - 6.0, height + 4.0), words, Anchor::End, Paint::Soft);
        }
        for mark in &steps.marks {
            let place = (x(*mark as u64), bottom + 18.0);
            drawing.text(place, steps.words(None, *mark), Anchor::Middle, Paint::Soft);
        }
        let words = (WIDTH - RIGHT, bottom + 34.0);
        drawing.text(words, self.steps.clone(), Anchor::End, Paint::Soft);
        if self.interval.len() > 1 {
            let upper = self.interval.iter().map(|it| at((it.0, it.2)));
            let lower = self.interval.iter().rev().map(|it| at((it.0, it.1)));
            drawing.shapes.push(Shape::Area {
                path: path(upper.chain(lower)) + "Z",
                fill: Paint::Sunk,
            });
        }
        for line in &self.lines {
            match line[..] {
                [] => {}
                // A line of one point would not be seen.
                [only] => drawing.shapes.push(Shape::Circle {
                    at: at(only),
                    radius: 1.5,
                    fill: Paint::Soft,
                    stroke: Paint::Nothing,
                }),
                _ => stroke(&mut drawing, path(line.iter().map(|it| at(*it))), THIN),
            }
        }
        if self.interval.len() > 1 {
            for is_upper in [false, true] {
                let edge = self
                    .interval
                    .iter()
                    .map(|&(step, lower, upper)| at((step, if is_upper { upper } else { lower })));
                stroke(&mut drawing, path(edge), EDGE);
            }
        }
        if self.mean.len() > 1 {
            stroke(
                &mut drawing,
                path(self.mean.iter().map(|it| at(*it))),
                THICK,
            );
        }
        self.explain(&mut drawing, bottom + 58.0);
        if !self.caption.is_empty() {
            drawing.caption(&self.caption, Paint::Soft);
        }
        drawing
    }

    /// Draws the legend in a row.
    fn explain(&self, drawing: &mut Drawing, top: f64) {
        let [lines, mean, interval] = &self.legend;
        let mut left = LEFT;
        let mut word = |drawing: &mut Drawing, text: &str| {
            drawing.text((left + 32.0, top), text, Anchor::Start, Paint::Ink);
            left += 32.0 + strata_drawing::width_of(text.chars().count(), 12.0) + 24.0;
            left
        };
        let sample = |left: f64| format!("M{left:.1} {:.1}h26", top - 4.0);
        stroke(drawing, sample(LEFT), THIN);
        let next = word(drawing, lines);
        if self.mean.len() < 2 {
            return;
        }
        stroke(drawing, sample(next), THICK);
        let next = word(drawing, mean);
        if self.interval.len() > 1 {
            drawing.rectangle((next, top - 10.0), (26.0, 12.0), Paint::Sunk);
            for height in [10.0, -2.0] {
                stroke(drawing, format!("M{next:.1} {:.1}h26", top - height), EDGE);
            }
            word(drawing, interval);
        }
    }
}

/// Colour, width and opacity of a line, and true for a dashed line.
type Stroke = (Paint, f64, f64, bool);

/// Lines of one run, of the mean, and of the ends of the interval.
const THIN: Stroke = (Paint::Soft, 1.0, 0.5, false);
const THICK: Stroke = (Paint::Second, 3.0, 1.0, false);
const EDGE: Stroke = (Paint::Second, 1.25, 1.0, true);

fn stroke(drawing: &mut Drawing, path: String, (stroke, width, opacity, dashed): Stroke) {
    drawing.shapes.push(Shape::Path {
        path,
        stroke,
        width,
        opacity,
        dashed,
    });
}

/// Returns points as a run, by which the axes are chosen.
fn series(points: &[(u64, f64)]) -> Series {
    let point = |&(step, value): &(u64, f64)| Point {
        step,
        steps: 1,
        loss: value,
        loss_range: (value, value),
        accuracy: value,
        accuracy_range: (value, value),
        speed: None,
        answers: None,
    };
    let mut history = History::default();
    history.validation = points.iter().map(point).collect();
    Series {
        name: String::new(),
        run: 1,
        history: ByPointer::new(history),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(lines: Vec<Vec<(u64, f64)>>) -> String {
        let together = Together {
            title: "All".to_owned(),
            heading: "Accuracy".to_owned(),
            steps: "steps".to_owned(),
            quantity: Quantity::Accuracy,
            mean: lines.first().cloned().unwrap_or_default(),
            interval: Vec::new(),
            lines,
            legend: ["each", "mean", "interval"].map(str::to_owned),
            caption: vec!["A sentence.".to_owned()],
        };
        together.drawing().svg(Paint::Panel)
    }

    #[test]
    fn none_one_and_many_lines_are_drawn() {
        for lines in [
            vec![],
            vec![vec![]],
            vec![vec![(0, 0.5)]],
            vec![vec![(100, 0.5), (200, 0.7)]; 500],
        ] {
            let svg = drawn(lines);
            assert!(svg.contains("A sentence") && !svg.contains("NaN"), "{svg}");
        }
    }
}
