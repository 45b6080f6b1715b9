//! Places on a circle, arrows between them, and the path that the attention follows.

use super::path::Path;
use super::words;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, Shape, Text, width_of};
use std::f64::consts::TAU;
use strata_session::protocol::ArrowsView;

/// Width and height of the picture: on a phone almost as many pixels, so that letters stay large.
pub const SIDE: f64 = 336.0;
/// Centre of the circle.
const CENTRE: f64 = SIDE / 2.0;
/// Radius of the circle on which the places stand.
const RING: f64 = 112.0;
/// Radius of the circle on which the names stand.
const NAMES: f64 = 134.0;
/// Radius of the circle on which the signs of right and wrong stand.
const SIGNS: f64 = 155.0;
/// Places up to which names are large and dots are wide.
const FEW: usize = 26;
/// Bend of an arrow, as a share of the arrow's length: arrows to and fro lie side by side.
const BEND: f64 = 0.12;
/// Length that a self-loop reaches into the circle.
const LOOP: f64 = 30.0;

type Point = (f64, f64);

/// Returns the point of a place at a distance from the centre; place 0 is at the top, and the
/// others follow clockwise.
fn point(place: usize, places: usize, radius: f64) -> Point {
    let angle = TAU * (place as f64 / places.max(1) as f64 - 0.25);
    (CENTRE + radius * angle.cos(), CENTRE + radius * angle.sin())
}

/// Returns centre and radius of the area in which a press chooses a place.
pub fn button(place: usize, places: usize) -> (Point, f64) {
    let apart = TAU * RING / places.max(1) as f64;
    (
        point(place, places, (RING + NAMES) / 2.0),
        (apart / 2.0).clamp(5.0, 22.0),
    )
}

/// Draws the circle with the path.
pub fn draw(of: &ArrowsView, path: &Path) -> Drawing {
    let n = of.names.len();
    let mut drawing = Drawing::new(words::answer(of, path), SIDE, SIDE);
    for (place, &to) in of.pointers.iter().enumerate() {
        Arrow::between(place, to, n).draw(&mut drawing, Stroke::POINTER);
    }
    for step in &path.steps {
        let arrow = Arrow::between(step.from, step.to, n);
        arrow.draw(
            &mut drawing,
            Stroke::of_weight(step.weight, step.is_after_gap),
        );
    }
    if let (Some(named), Some(last)) = (path.named, path.steps.last()) {
        Arrow::between(last.to, named, n).draw(&mut drawing, Stroke::VALUE);
    }
    for step in &path.steps {
        let at = Arrow::between(step.from, step.to, n).label;
        number(&mut drawing, at, step.level);
    }
    for place in 0..n {
        dot(&mut drawing, of, path, place);
    }
    verdict(&mut drawing, path, n);
    drawing
}

/// How an arrow is drawn.
#[derive(Clone, Copy)]
struct Stroke {
    paint: Paint,
    width: f64,
    opacity: f64,
    dashed: bool,
}

impl Stroke {
    /// An arrow of the task.
    const POINTER: Self = Self {
        paint: Paint::Soft,
        width: 1.0,
        opacity: 0.6,
        dashed: false,
    };
    /// The last step, from the value that is read to the place that the value names.
    const VALUE: Self = Self {
        paint: Paint::Second,
        width: 3.0,
        opacity: 1.0,
        dashed: true,
    };

    /// A step of the path: a larger weight is broader and stronger.
    fn of_weight(weight: f32, dashed: bool) -> Self {
        let weight = f64::from(weight).clamp(0.0, 1.0);
        Self {
            paint: Paint::Accent,
            width: 1.5 + 3.0 * weight,
            opacity: 0.3 + 0.7 * weight,
            dashed,
        }
    }
}

/// Arrow between two places.
struct Arrow {
    /// SVG path of the line.
    line: String,
    /// End of the line.
    tip: Point,
    /// Direction in which the line ends, of length 1.
    direction: Point,
    /// Point near the beginning of the line, for a number.
    label: Point,
}

impl Arrow {
    /// Places an arrow, bent to one side; an arrow from a place to itself is a loop.
    fn between(from: usize, to: usize, places: usize) -> Self {
        let (start, end) = (point(from, places, RING), point(to, places, RING));
        let gap = if places <= FEW { 9.0 } else { 5.0 };
        if from == to {
            return Self::loop_at(start, gap);
        }
        let across = (end.0 - start.0, end.1 - start.1);
        let length = across.0.hypot(across.1);
        let gap = gap.min(length * 0.3);
        let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        let bend = (middle.0 - across.1 * BEND, middle.1 + across.0 * BEND);
        let begin = towards(start, bend, gap);
        let tip = towards(end, bend, gap);
        Self {
            line: format!(
                "M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
                begin.0, begin.1, bend.0, bend.1, tip.0, tip.1
            ),
            tip,
            direction: unit((tip.0 - bend.0, tip.1 - bend.1)),
            label: quadratic(begin, bend, tip, 0.27),
        }
    }

    /// Places a loop from a point into the circle and back.
    fn loop_at(at: Point, gap: f64) -> Self {
        let inward = unit((CENTRE - at.0, CENTRE - at.1));
        let side = (-inward.1, inward.0);
        let at_side = |along: f64, aside: f64| {
            (
                at.0 + inward.0 * along + side.0 * aside,
                at.1 + inward.1 * along + side.1 * aside,
            )
        };
        let (begin, tip) = (
            at_side(gap * 0.7, gap * 0.7),
            at_side(gap * 0.7, -gap * 0.7),
        );
        let (out, back) = (at_side(LOOP, LOOP * 0.6), at_side(LOOP, -LOOP * 0.6));
        Self {
            line: format!(
                "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
                begin.0, begin.1, out.0, out.1, back.0, back.1, tip.0, tip.1
            ),
            tip,
            direction: unit((tip.0 - back.0, tip.1 - back.1)),
            label: at_side(LOOP * 0.8, 0.0),
        }
    }

    fn draw(&self, drawing: &mut Drawing, stroke: Stroke) {
        let Stroke {
            paint,
            width,
            opacity,
            dashed,
        } = stroke;
        let head = self.head(4.0 + 1.6 * width);
        let path = |path: String, dashed: bool| Shape::Path {
            path,
            stroke: paint,
            width,
            opacity,
            dashed,
        };
        if dashed {
            // A dashed head would be no head.
            drawing.shapes.push(path(self.line.clone(), true));
            drawing.shapes.push(path(head, false));
        } else {
            drawing
                .shapes
                .push(path(format!("{}{head}", self.line), false));
        }
    }

    /// Returns the SVG path of the arrow's head.
    fn head(&self, length: f64) -> String {
        let (x, y) = self.direction;
        let barb = |side: f64| {
            (
                self.tip.0 - length * (0.87 * x - side * 0.5 * y),
                self.tip.1 - length * (0.87 * y + side * 0.5 * x),
            )
        };
        let (left, right) = (barb(-1.0), barb(1.0));
        format!(
            "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}",
            left.0, left.1, self.tip.0, self.tip.1, right.0, right.1
        )
    }
}

/// Returns the point at a distance from `at` on the way to `goal`.
fn towards(at: Point, goal: Point, distance: f64) -> Point {
    let (x, y) = unit((goal.0 - at.0, goal.1 - at.1));
    (at.0 + distance * x, at.1 + distance * y)
}

fn unit((x, y): Point) -> Point {
    let length = x.hypot(y).max(f64::MIN_POSITIVE);
    (x / length, y / length)
}

/// Returns the point at a share of a quadratic curve.
fn quadratic(from: Point, bend: Point, to: Point, share: f64) -> Point {
    let rest = 1.0 - share;
    let mix = |from: f64, bend: f64, to: f64| {
        rest * rest * from + 2.0 * rest * share * bend + share * share * to
    };
    (mix(from.0, bend.0, to.0), mix(from.1, bend.1, to.1))
}

/// Draws the number of a step on the arrow of the step.
fn number(drawing: &mut Drawing, (x, y): Point, level: usize) {
    let text = level.to_string();
    let width = width_of(text.len(), 11.0) + 3.0;
    drawing.rectangle((x - width / 2.0, y - 6.5), (width, 13.0), Paint::Panel);
    let mut text = Text::new((x, y + 4.0), text, Anchor::Middle, Paint::Ink);
    text.size = 11.0;
    drawing.shapes.push(Shape::Text(text));
}

/// Draws a place and the name of the place.
fn dot(drawing: &mut Drawing, of: &ArrowsView, path: &Path, place: usize) {
    let n = of.names.len();
    let (radius, size) = if n <= FEW { (4.5, 14.0) } else { (2.5, 11.0) };
    let is_chosen = place == path.place;
    let (fill, radius) = if is_chosen {
        (Paint::Accent, radius + 2.5)
    } else {
        (Paint::Ink, radius)
    };
    drawing.shapes.push(Shape::Circle {
        at: point(place, n, RING),
        radius,
        fill,
        stroke: fill,
    });
    let (x, y) = point(place, n, NAMES);
    let fill = if is_chosen { Paint::Accent } else { Paint::Ink };
    let mut text = Text::new(
        (x, y + size * 0.35),
        words::bare(of, place),
        Anchor::Middle,
        fill,
    );
    text.size = size;
    drawing.shapes.push(Shape::Text(text));
}

/// Marks the answer as right or wrong, and beside a wrong one the place that would be right.
fn verdict(drawing: &mut Drawing, path: &Path, places: usize) {
    let is_right = path.is_right();
    let radius = if places <= FEW { 10.0 } else { 6.0 };
    let mut mark = |place: usize, paint: Paint, sign: Option<&str>| {
        let (x, y) = point(place, places, RING);
        drawing.shapes.push(Shape::Path {
            path: format!(
                "M{:.1} {y:.1}a{radius} {radius} 0 1 0 {d} 0a{radius} {radius} 0 1 0 -{d} 0",
                x - radius,
                d = 2.0 * radius
            ),
            stroke: paint,
            width: 2.5,
            opacity: 1.0,
            dashed: sign.is_none(),
        });
        if let Some(sign) = sign {
            let (x, y) = point(place, places, SIGNS);
            let mut text = Text::new((x, y + 5.0), sign, Anchor::Middle, paint);
            text.size = 15.0;
            drawing.shapes.push(Shape::Text(text));
        }
    };
    match (path.answer, path.right) {
        (Some(answer), Some(_)) if is_right => mark(answer, Paint::Good, Some("✓")),
        (Some(answer), Some(_)) => mark(answer, Paint::Bad, Some("✗")),
        (Some(answer), None) => mark(answer, Paint::Ink, Some("?")),
        (None, _) => {}
    }
    if let Some(right) = path.right.filter(|_| !is_right) {
        mark(right, Paint::Good, None);
    }
}
