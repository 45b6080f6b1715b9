//! Curves and bars as pictures.

use strata_drawing::{Anchor, Drawing, Shape, width_of};

use super::paint::Paint;
use super::scale::Scale;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
/// Room for the numbers on the left, in pixels.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 28.0;
/// Height of a line of a legend, and of a bar, in pixels.
const LINE: f64 = 18.0;
const BAR: f64 = 26.0;
/// Height of letters, in pixels.
const LETTERS: f64 = 12.0;

/// Most characters on a line of a legend.
const LEGEND: usize = 90;

/// Breaks a name in a legend into lines, between its parts.
fn legend_lines(name: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive(", ") {
        let length = lines.last().map_or(0, |it| it.chars().count());
        if length > 0 && length + part.chars().count() > LEGEND {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(part);
        }
    }
    // A part that is longer than a line, such as a path, breaks anywhere.
    let split = |line: String| {
        let characters: Vec<char> = line.trim_end().chars().collect();
        characters
            .chunks(LEGEND)
            .map(|it| it.iter().collect())
            .collect::<Vec<String>>()
    };
    lines.into_iter().flat_map(split).collect()
}

/// A line of a chart.
pub struct Curve {
    pub name: String,
    /// Points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Draws lines at the marks of the loss, and writes the marks of both axes.
fn axes(drawing: &mut Drawing<Paint>, x: &Scale, y: &Scale) {
    let (marks, digits) = y.marks();
    for mark in marks {
        let at = y.at(mark);
        drawing.line((LEFT, at), (WIDTH - RIGHT, at), Paint::Faint, 1.0);
        let words = format!("{mark:.digits$}");
        drawing.text((LEFT - 8.0, at + 4.0), words, Anchor::End, Paint::Ink);
    }
    let (marks, digits) = x.marks();
    for mark in marks {
        let at = (x.at(mark), HEIGHT + 18.0);
        drawing.text(at, format!("{mark:.digits$}"), Anchor::Middle, Paint::Ink);
    }
    let end = (WIDTH - RIGHT, HEIGHT + 36.0);
    drawing.text(end, "training steps", Anchor::End, Paint::Ink);
}

/// Curves over training steps, with a legend below.
pub fn curves(title: &str, curves: &[Curve]) -> Drawing<Paint> {
    let points = || curves.iter().flat_map(|it| it.points.iter());
    let x = Scale::of(points().map(|it| it.0), [LEFT, WIDTH - RIGHT]);
    let y = Scale::of(points().map(|it| it.1), [HEIGHT, TOP]);
    let names: Vec<Vec<String>> = curves.iter().map(|it| legend_lines(&it.name)).collect();
    let legend = names.iter().map(Vec::len).sum::<usize>() as f64 * LINE;
    let mut below = HEIGHT + 52.0;
    let mut drawing = Drawing::new(title, WIDTH, HEIGHT + 52.0 + legend);
    drawing.text((0.0, 14.0), title, Anchor::Start, Paint::Ink);
    axes(&mut drawing, &x, &y);
    for (number, curve) in curves.iter().enumerate() {
        let paint = Paint::Series(number);
        let finite = |it: &&(f64, f64)| it.0.is_finite() && it.1.is_finite();
        let places: Vec<(f64, f64)> = curve
            .points
            .iter()
            .filter(finite)
            .map(|it| (x.at(it.0), y.at(it.1)))
            .collect();
        let path = places.iter().enumerate().map(|(at, (x, y))| {
            let letter = if at == 0 { 'M' } else { 'L' };
            format!("{letter}{x:.1} {y:.1}")
        });
        drawing.shapes.push(Shape::Path {
            path: path.collect(),
            stroke: paint,
            width: 2.0,
            opacity: 1.0,
            // Dashes tell curves apart besides their colours.
            dashed: number % 2 == 1,
        });
        // A curve of a single validation would be invisible without a dot.
        for &at in places.iter().filter(|_| places.len() < 12) {
            drawing.shapes.push(Shape::Circle {
                at,
                radius: 2.5,
                fill: paint,
                stroke: Paint::Clear,
            });
        }
        let line = below;
        below += names[number].len() as f64 * LINE;
        drawing.shapes.push(Shape::Path {
            path: format!("M{LEFT:.1} {:.1}h28", line - 4.0),
            stroke: paint,
            width: 2.0,
            opacity: 1.0,
            dashed: number % 2 == 1,
        });
        for (at, words) in names[number].iter().enumerate() {
            let at = (LEFT + 36.0, line + at as f64 * LINE);
            drawing.text(at, words.clone(), Anchor::Start, Paint::Ink);
        }
    }
    drawing
}

/// A bar of a chart.
pub struct Bar {
    pub name: String,
    pub value: f64,
    /// 95 % interval of the value.
    pub interval: Option<[f64; 2]>,
    /// Published figure, marked with a diamond.
    pub published: Option<f64>,
    /// Value as text.
    pub words: String,
}

/// Draws a bar from 0 around the height `middle`, with its interval and its published figure.
fn draw_bar(drawing: &mut Drawing<Paint>, bar: &Bar, x: &Scale, middle: f64) {
    let (zero, end) = (x.at(0.0), x.at(bar.value));
    let at = (zero.min(end), middle - BAR * 0.3);
    drawing.rectangle(at, ((end - zero).abs(), BAR * 0.6), Paint::Series(0));
    if let Some([low, high]) = bar.interval.map(|it| it.map(|it| x.at(it))) {
        drawing.line((low, middle), (high, middle), Paint::Ink, 1.5);
        for end in [low, high] {
            drawing.line((end, middle - 4.0), (end, middle + 4.0), Paint::Ink, 1.5);
        }
    }
    if let Some(published) = bar.published {
        let at = x.at(published);
        let diamond = Shape::Path {
            path: format!("M{:.1} {middle:.1}l5 -5l5 5l-5 5z", at - 5.0),
            stroke: Paint::Mark,
            width: 2.0,
            opacity: 1.0,
            dashed: false,
        };
        let note = format!("{}: published {published}", bar.name);
        drawing.shapes.push(Shape::Noted(Box::new(diamond), note));
    }
}

/// Draws bars from 0, with intervals, and a diamond at each published figure.
pub fn bars(title: &str, bars: &[Bar]) -> Drawing<Paint> {
    let longest = bars
        .iter()
        .map(|it| it.name.chars().count())
        .max()
        .unwrap_or(0);
    let left = width_of(longest, LETTERS).min(WIDTH / 2.0) + 12.0;
    let words = bars
        .iter()
        .map(|it| it.words.chars().count())
        .max()
        .unwrap_or(0);
    let right = width_of(words, LETTERS).min(WIDTH / 3.0) + 16.0;
    let numbers = bars.iter().flat_map(|it| {
        let [low, high] = it.interval.unwrap_or([it.value; 2]);
        [Some(it.value), Some(low), Some(high), it.published]
    });
    let numbers = numbers.flatten().chain([0.0]);
    let x = Scale::of(numbers, [left, WIDTH - right]);
    let bottom = TOP + bars.len() as f64 * BAR;
    let mut drawing = Drawing::new(title, WIDTH, bottom + 24.0);
    drawing.text((0.0, 14.0), title, Anchor::Start, Paint::Ink);
    let (marks, digits) = x.marks();
    for mark in marks {
        let at = x.at(mark);
        drawing.line((at, TOP), (at, bottom), Paint::Faint, 1.0);
        let words = format!("{mark:.digits$}");
        drawing.text((at, bottom + 16.0), words, Anchor::Middle, Paint::Ink);
    }
    for (number, bar) in bars.iter().enumerate() {
        let middle = TOP + (number as f64 + 0.5) * BAR;
        let name = (left - 8.0, middle + 4.0);
        drawing.text(name, bar.name.clone(), Anchor::End, Paint::Ink);
        if bar.value.is_finite() {
            draw_bar(&mut drawing, bar, &x, middle);
            let words = (WIDTH - right + 12.0, middle + 4.0);
            drawing.text(words, bar.words.clone(), Anchor::Start, Paint::Ink);
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_leave_out_what_is_no_number() {
        let points = vec![(1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0)];
        let drawing = curves(
            "loss",
            &[Curve {
                name: "<a>".to_owned(),
                points,
            }],
        );
        let svg = drawing.svg(Paint::Clear);
        assert!(!svg.contains("NaN"), "{svg}");
        assert!(
            svg.contains("&lt;a&gt;") && svg.contains("var(--series-0)"),
            "{svg}"
        );
    }

    #[test]
    fn a_long_name_takes_several_lines_of_the_legend() {
        let part = "model.encoder_self.levels=100";
        let name = [part; 7].join(", ");
        let lines = legend_lines(&name);
        assert_eq!(lines.len(), 4);
        assert!(lines.iter().all(|it| it.chars().count() <= LEGEND));
        assert_eq!(lines.join(" "), name);
        assert_eq!(legend_lines(&"x".repeat(200)).len(), 3);
        assert_eq!(legend_lines("all runs"), ["all runs"]);
    }

    #[test]
    fn a_bar_ends_where_its_value_is() {
        let bar = |value: f64| Bar {
            name: "a".to_owned(),
            value,
            interval: Some([value - 1.0, value + 1.0]),
            published: Some(4.0),
            words: format!("{value:.1}"),
        };
        let svg = bars("BLEU", &[bar(2.0), bar(f64::NAN)]).svg(Paint::Clear);
        assert!(!svg.contains("\"NaN"), "{svg}");
        assert_eq!(svg.matches("published 4").count(), 1, "{svg}");
    }
}
