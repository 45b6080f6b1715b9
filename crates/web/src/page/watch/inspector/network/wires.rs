//! Wires between the blocks of a drawn model.

use super::plan::{LANE, Plan, Rect};
use crate::page::watch::drawing::{Anchor, Paint, Shape, Text};
use strata_models::{Arrow, Block, Carries, Diagram, NormPlacement, Side};

/// Length of an arrow's tip, and half its breadth.
const TIP: (f64, f64) = (5.0, 3.5);
/// Radius of the sign of a sum, and its distance below the block.
const SUM: (f64, f64) = (5.0, 9.0);

/// Direction in which an arrow points.
#[derive(Clone, Copy)]
enum Points {
    Down,
    Right,
}

/// Draws all wires: from text to text through the stacks, around blocks, and from stack to stack.
pub fn wires(diagram: &Diagram, plan: &Plan) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
        let Some(first) = placed.blocks.first() else {
            continue;
        };
        let (x, _) = first.middle();
        down(&mut shapes, x, placed.tokens.1 + 4.0, first.y);
        if let (true, Some(last)) = (stack.writes(), placed.blocks.last()) {
            line(
                &mut shapes,
                format!("M{x:.1} {:.1}V{:.1}", last.bottom(), last.bottom() + 6.0),
                false,
            );
        }
    }
    for arrow in &diagram.arrows {
        let found = [&arrow.from, &arrow.to].map(|name| plan.find(diagram, name));
        if let [Some(from), Some(to)] = found {
            between(&mut shapes, diagram, plan, arrow, [from, to]);
        }
    }
    // Signs come last, so that they lie over the wires.
    for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
        let on_left = goes_left(plan, stack.side);
        for (block, rect) in stack.blocks.iter().zip(&placed.blocks) {
            around(&mut shapes, block, *rect, on_left);
        }
    }
    shapes
}

/// True if the wires around a stack's blocks are on the left, because the other stack is on the
/// right.
pub fn goes_left(plan: &Plan, side: Side) -> bool {
    plan.is_wide && side == Side::Source
}

/// Draws the residual connection around a block, and its LayerNorm.
fn around(shapes: &mut Vec<Shape>, block: &Block, rect: Rect, on_left: bool) {
    let Some(norm) = block.residual else {
        return;
    };
    let (x, _) = rect.middle();
    let (radius, below) = SUM;
    let sum = rect.bottom() + below;
    let side = if on_left {
        rect.x - LANE / 2.0
    } else {
        rect.right() + LANE / 2.0
    };
    let end = if on_left { x - radius } else { x + radius };
    let branch = match norm {
        NormPlacement::First => rect.y - 12.0,
        NormPlacement::Last => rect.y - 6.0,
    };
    line(
        shapes,
        format!("M{x:.1} {branch:.1}H{side:.1}V{sum:.1}H{end:.1}"),
        false,
    );
    shapes.push(Shape::Circle {
        at: (x, sum),
        radius,
        fill: Paint::Panel,
        stroke: Paint::Soft,
    });
    let arm = radius - 2.0;
    line(
        shapes,
        format!(
            "M{:.1} {sum:.1}H{:.1}M{x:.1} {:.1}V{:.1}",
            x - arm,
            x + arm,
            sum - arm,
            sum + arm
        ),
        false,
    );
    let at = match norm {
        NormPlacement::First => rect.y - 9.0,
        NormPlacement::Last => sum + 6.0,
    };
    shapes.push(norm_mark((x, at)));
}

/// Draws the sign of a LayerNorm on its wire.
pub fn norm_mark((x, y): (f64, f64)) -> Shape {
    Shape::Rectangle {
        at: (x - 8.0, y),
        size: (16.0, 3.0),
        fill: Paint::Accent,
    }
}

/// Draws the wire of an arrow between two blocks, each with its stack and place.
fn between(
    shapes: &mut Vec<Shape>,
    diagram: &Diagram,
    plan: &Plan,
    arrow: &Arrow,
    [(stack, from), (to_stack, to)]: [(usize, Rect); 2],
) {
    let (x, _) = from.middle();
    match arrow.carries {
        Carries::Result if stack == to_stack => {
            let blocks = &diagram.stacks[stack].blocks;
            let places = [&arrow.from, &arrow.to]
                .map(|name| blocks.iter().position(|block| block.name == *name));
            match places {
                [Some(one), Some(other)] if other == one + 1 => {
                    down(shapes, x, from.bottom(), to.y);
                }
                _ => {
                    let side = from.right() + LANE / 2.0;
                    let (leaves, joins) = (from.bottom() + 4.0, to.y - 7.0);
                    line(
                        shapes,
                        format!("M{x:.1} {leaves:.1}H{side:.1}V{joins:.1}H{x:.1}"),
                        false,
                    );
                }
            }
        }
        Carries::Result | Carries::Memory => across(shapes, plan, arrow, [from, to], 6.0),
        Carries::LastState if stack == to_stack => {
            let x = x - 24.0;
            line(
                shapes,
                format!("M{x:.1} {:.1}V{:.1}", from.bottom(), to.y - TIP.0),
                true,
            );
            shapes.push(tip((x, to.y), Points::Down));
        }
        Carries::LastState => across(shapes, plan, arrow, [from, to], -8.0),
        Carries::StepBefore => {
            let side = to.x - LANE / 2.0;
            let (leaves, enters) = (from.middle().1 + 18.0, to.middle().1 + 12.0);
            line(
                shapes,
                format!(
                    "M{:.1} {leaves:.1}H{side:.1}V{enters:.1}H{:.1}",
                    from.x,
                    to.x - TIP.0
                ),
                true,
            );
            shapes.push(pointing_right((to.x, enters)));
        }
    }
}

/// Draws a wire from one stack to another; `below` is its distance below the middle of each block.
fn across(shapes: &mut Vec<Shape>, plan: &Plan, arrow: &Arrow, [from, to]: [Rect; 2], below: f64) {
    let is_state = arrow.carries == Carries::LastState;
    let [leaves, enters] = [from, to].map(|rect| rect.middle().1 + below);
    let end = to.x - TIP.0;
    // Side by side, the wire runs between the stacks; in one column, on their left.
    let (start, side) = if plan.is_wide {
        (
            from.right(),
            to.x - LANE - 4.0 - if is_state { 16.0 } else { 0.0 },
        )
    } else {
        (from.x, if is_state { 14.0 } else { 6.0 })
    };
    line(
        shapes,
        format!("M{start:.1} {leaves:.1}H{side:.1}V{enters:.1}H{end:.1}"),
        is_state,
    );
    shapes.push(pointing_right((to.x, enters)));
    if plan.is_wide && (leaves - enters).abs() > 76.0 {
        shapes.push(Shape::Text(Text {
            at: (side - 4.0, (leaves + enters) / 2.0),
            text: arrow.carries.words().to_owned(),
            anchor: Anchor::Middle,
            fill: Paint::Soft,
            size: 10.5,
            upright: true,
            handle: None,
        }));
    }
}

/// Draws a wire straight down into a block.
fn down(shapes: &mut Vec<Shape>, x: f64, from: f64, to: f64) {
    line(
        shapes,
        format!("M{x:.1} {from:.1}V{:.1}", to - TIP.0),
        false,
    );
    shapes.push(tip((x, to), Points::Down));
}

fn line(shapes: &mut Vec<Shape>, path: String, dashed: bool) {
    shapes.push(Shape::Path {
        path,
        stroke: Paint::Soft,
        width: 1.25,
        opacity: 1.0,
        dashed,
    });
}

/// Draws the tip of an arrow to the right that ends at `at`.
pub fn pointing_right(at: (f64, f64)) -> Shape {
    tip(at, Points::Right)
}

/// Draws the tip of an arrow that ends at this point.
fn tip((x, y): (f64, f64), points: Points) -> Shape {
    let (long, half) = TIP;
    let [one, other] = match points {
        Points::Down => [(x - half, y - long), (x + half, y - long)],
        Points::Right => [(x - long, y - half), (x - long, y + half)],
    };
    Shape::Area {
        path: format!(
            "M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
            one.0, one.1, other.0, other.1
        ),
        fill: Paint::Soft,
    }
}
