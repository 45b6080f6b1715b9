//! A drawn model as shapes, from its background to the blocks.

use super::letters::{Font, LETTERS, SMALL, WIDTH, fitted, letters};
use super::live::Live;
use super::parts::{MARGIN, block};
use super::plan::{BLOCK, LANE, PlacedStack, Plan};
use super::wires::{goes_left, wires};
use crate::page::base::foreign::or_nothing;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, Shape};
use strata_models::{Diagram, Stack};

/// Draws what lies behind the blocks: titles, tokens, frames of layers, wires.
pub fn backdrop(diagram: &Diagram, plan: &Plan, live: &Live<'_>) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
        let on_left = goes_left(plan, stack.side);
        for (rect, title) in &placed.layers {
            shapes.push(Shape::Frame {
                at: (rect.x, rect.y),
                size: (rect.width, rect.height),
                fill: Paint::Sunk,
                stroke: Paint::Rule,
                dashed: false,
            });
            // The output is written on the side where no wire runs around the blocks.
            let (x, anchor) = if on_left {
                (rect.right() - MARGIN, Anchor::End)
            } else {
                (rect.x + MARGIN, Anchor::Start)
            };
            shapes.push(letters(
                (x, rect.y + 14.0),
                title,
                anchor,
                Font {
                    fill: Paint::Soft,
                    size: SMALL,
                },
            ));
        }
    }
    shapes.extend(wires(diagram, plan));
    for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
        texts(&mut shapes, stack, placed, live);
    }
    shapes
}

/// Draws a stack's title and tokens, and for the last stack the output.
fn texts(shapes: &mut Vec<Shape>, stack: &Stack, placed: &PlacedStack, live: &Live<'_>) {
    let title = letters(
        placed.title,
        &stack.heading(),
        Anchor::Start,
        Font {
            fill: Paint::Ink,
            size: 13.5,
        },
    );
    shapes.push(title);
    let tokens = live.tokens(stack.side);
    let (x, y) = placed.tokens;
    match &placed.cells {
        Some(cells) => {
            for (token, (middle, _)) in tokens.iter().zip(cells) {
                let at = (x + middle, y);
                shapes.push(letters(
                    at,
                    token,
                    Anchor::Middle,
                    Font {
                        fill: Paint::Ink,
                        size: LETTERS,
                    },
                ));
            }
        }
        None => {
            let line = fitted(&tokens.join(" "), BLOCK, WIDTH * SMALL);
            let at = (x + BLOCK / 2.0, y);
            shapes.push(letters(
                at,
                &line,
                Anchor::Middle,
                Font {
                    fill: Paint::Ink,
                    size: SMALL,
                },
            ));
        }
    }
    if stack.writes() {
        let (x, y) = placed.end;
        let written = fitted(or_nothing(&live.update.text), BLOCK - 14.0, WIDTH * SMALL);
        let sign = if live.update.is_right { " ✓" } else { "" };
        let at = (x + BLOCK / 2.0, y + 6.0);
        let line = format!("{written}{sign}");
        shapes.push(letters(
            at,
            &line,
            Anchor::Middle,
            Font {
                fill: Paint::Ink,
                size: SMALL,
            },
        ));
    }
}

/// Draws the picture for a file.
pub fn file(diagram: &Diagram, plan: &Plan, live: &Live<'_>) -> Drawing {
    let title = format!("The model after {} steps", live.update.step);
    let mut drawing = Drawing::new(title, plan.width + LANE, plan.height + LANE);
    drawing.shapes = backdrop(diagram, plan, live);
    for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
        for (it, rect) in stack.blocks.iter().zip(&placed.blocks) {
            let shapes = block(it, *rect, placed, live);
            drawing.shapes.extend(shapes.body);
            drawing.shapes.extend(shapes.mechanism);
        }
    }
    drawing
}
