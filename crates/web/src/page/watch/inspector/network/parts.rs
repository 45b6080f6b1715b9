//! The blocks of a drawn model as shapes.

use super::letters::{Font, SMALL, TITLE, WIDTH, fitted, letters};
use super::live::Live;
use super::plan::{PlacedStack, Rect};
use super::stamp::{stamp, tree};
use super::wires::pointing_right;
use crate::language::said;
use crate::page::watch::drawing::{Anchor, Paint, Shape};
use crate::page::watch::inspector::shares::level_weight;
use strata_models::{AttentionBlock, Axis, Block, BlockKind};

/// Side of a stamp, in units of the drawing.
const STAMP: f64 = 56.0;
/// Distance from the border of a block to its contents.
pub const MARGIN: f64 = 6.0;
/// Side of the sign that mutes a block.
const SIGN: f64 = 16.0;

/// Shapes of a block, grouped by the actions on them.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockShapes {
    /// The block without its actions.
    pub body: Vec<Shape>,
    /// Name of the block's mechanism, which leads to the mechanism's settings.
    pub mechanism: Vec<Shape>,
    /// Sign that mutes the block or unmutes it.
    pub away: Vec<Shape>,
}

/// Returns the shapes of a block, which lies at `rect` in a stack, with the values of the block in
/// the present view.
pub fn block(block: &Block, rect: Rect, placed: &PlacedStack, live: &Live<'_>) -> BlockShapes {
    let is_muted = live.is_muted(block);
    let mut shapes = BlockShapes {
        body: vec![Shape::Frame {
            at: (rect.x, rect.y),
            size: (rect.width, rect.height),
            fill: Paint::Panel,
            stroke: Paint::Soft,
            dashed: is_muted,
        }],
        mechanism: Vec::new(),
        away: Vec::new(),
    };
    match block.attention() {
        Some(attention) => site(&mut shapes, attention, block, rect, live),
        None => plain(&mut shapes, block, rect, placed),
    }
    if let Some(change) = live.change(block).filter(|_| !is_muted) {
        bar(&mut shapes.body, rect, change, block.attention().is_some());
    }
    if is_muted {
        shapes.body.push(Shape::Path {
            path: format!(
                "M{:.1} {:.1}L{:.1} {:.1}",
                rect.x,
                rect.bottom(),
                rect.right(),
                rect.y
            ),
            stroke: Paint::Second,
            width: 2.0,
            opacity: 1.0,
            dashed: false,
        });
    }
    if block.part().is_some() {
        shapes.away = sign(rect, is_muted);
    }
    shapes
}

/// Draws a site of attention: its stamp, its mechanism, its levels.
fn site(
    shapes: &mut BlockShapes,
    attention: &AttentionBlock,
    block: &Block,
    rect: Rect,
    live: &Live<'_>,
) {
    let (top, x) = (rect.y, rect.x + STAMP + 2.0 * MARGIN + 2.0);
    let room = rect.right() - MARGIN - x;
    shapes.body.extend(stamp(
        live.stamp(attention.site),
        (rect.x + MARGIN, top + MARGIN),
        STAMP,
    ));
    shapes.body.push(letters(
        (x, top + 18.0),
        block.title(),
        Anchor::Start,
        Font {
            fill: Paint::Ink,
            size: TITLE,
        },
    ));
    let name = fitted(&said(attention.mechanism_title()), room, WIDTH * SMALL);
    let width = (name.chars().count() as f64 * WIDTH * SMALL).min(room);
    shapes.mechanism = vec![
        // An invisible area that makes the whole line sensitive to the pointer.
        Shape::Rectangle {
            at: (x - 2.0, top + 22.0),
            size: (width + 6.0, 17.0),
            fill: Paint::Panel,
        },
        letters(
            (x, top + 34.0),
            &name,
            Anchor::Start,
            Font {
                fill: Paint::Accent,
                size: SMALL,
            },
        ),
    ];
    let levels = live.levels(attention);
    let heads = (attention.heads > 1).then(|| format!("{} heads", attention.heads));
    let counted = levels.map(|levels| format!("{levels} levels"));
    let line: Vec<String> = heads.into_iter().chain(counted).collect();
    let line = fitted(&said(&line.join(" · ")), room, WIDTH * SMALL);
    shapes.body.push(letters(
        (x, top + 49.0),
        &line,
        Anchor::Start,
        Font {
            fill: Paint::Soft,
            size: SMALL,
        },
    ));
    if live.outline(attention.site).is_some_and(|it| it.descends) {
        let size = (30.0, 18.0);
        shapes
            .body
            .extend(tree((rect.right() - MARGIN - size.0, top + 22.0), size));
    }
    if let Some(shares) = live.shares(attention.site) {
        let mut at = x;
        for (level, share) in shares.iter().enumerate() {
            let width = room * f64::from(*share);
            shapes.body.push(Shape::Rectangle {
                at: (at, top + 52.5),
                size: (width, 4.5),
                fill: Paint::Weight(level_weight(level, shares.len())),
            });
            at += width;
        }
    }
}

/// Draws a block without attention: its title, its width, and the cells of a recurrent layer.
fn plain(shapes: &mut BlockShapes, block: &Block, rect: Rect, placed: &PlacedStack) {
    let y = rect.y + 16.0;
    let title = match block.kind {
        BlockKind::Recurrent {
            bidirectional: true,
            ..
        } => format!("{}, both ways", block.title()),
        _ => block.title().to_owned(),
    };
    let at = (rect.x + 8.0, y);
    shapes.body.push(letters(
        at,
        &title,
        Anchor::Start,
        Font {
            fill: Paint::Ink,
            size: TITLE,
        },
    ));
    let width = match (&block.kind, block.shape.0.last()) {
        (BlockKind::FeedForward { inner, .. }, _) => Some(*inner),
        (_, Some(Axis::Size(width))) => Some(*width),
        _ => None,
    };
    if let Some(width) = width {
        let right = match block.part() {
            Some(_) => rect.right() - SIGN - 10.0,
            None => rect.right() - 8.0,
        };
        let width = width.to_string();
        shapes.body.push(letters(
            (right, y),
            &width,
            Anchor::End,
            Font {
                fill: Paint::Soft,
                size: SMALL,
            },
        ));
    }
    if let BlockKind::Recurrent { bidirectional, .. } = block.kind {
        recurrent(&mut shapes.body, rect, placed, bidirectional);
    }
}

/// Draws a recurrent layer token by token, or as one cell that reads its own state.
fn recurrent(shapes: &mut Vec<Shape>, rect: Rect, placed: &PlacedStack, both_ways: bool) {
    const HEIGHT: f64 = 12.0;
    let top = rect.y + 25.0;
    let mut cell = |middle: f64, width: f64| {
        shapes.push(Shape::Frame {
            at: (middle - width / 2.0, top),
            size: (width, HEIGHT),
            fill: Paint::Sunk,
            stroke: Paint::Soft,
            dashed: false,
        });
    };
    let mut path = String::new();
    match &placed.cells {
        Some(cells) => {
            for (middle, width) in cells {
                cell(rect.x + middle, *width);
            }
            let heights: &[f64] = if both_ways { &[3.5, 8.5] } else { &[6.0] };
            for pair in cells.windows(2) {
                let [(one, width), (other, next)] = [pair[0], pair[1]];
                let (from, to) = (rect.x + one + width / 2.0, rect.x + other - next / 2.0);
                for height in heights {
                    path += &format!("M{from:.1} {:.1}H{to:.1}", top + height);
                }
            }
        }
        None => {
            let (x, _) = rect.middle();
            cell(x, 60.0);
            let y = top + HEIGHT / 2.0;
            // A loop: out on the right of the cell, below it, and in again on the left.
            path = format!(
                "M{:.1} {y:.1}h12q5 0 5 5v1q0 4 -5 4H{:.1}q-5 0 -5 -4v-1q0 -5 5 -5h8",
                x + 30.0,
                x - 42.0
            );
            shapes.push(pointing_right((x - 30.0, y)));
        }
    }
    shapes.push(Shape::Path {
        path,
        stroke: Paint::Soft,
        width: 1.25,
        opacity: 1.0,
        dashed: false,
    });
}

/// Draws how much a block changes its input as a bar, which is full if the change is as large as
/// the input.
fn bar(shapes: &mut Vec<Shape>, rect: Rect, change: f32, is_site: bool) {
    let left = if is_site {
        STAMP + 2.0 * MARGIN + 2.0
    } else {
        8.0
    };
    let room = rect.width - left - if is_site { MARGIN } else { 8.0 };
    let (x, y) = (rect.x + left, rect.bottom() - 6.0);
    shapes.push(Shape::Rectangle {
        at: (x, y),
        size: (room, 3.0),
        fill: Paint::Rule,
    });
    let share = f64::from(change).clamp(0.0, 1.0);
    shapes.push(Shape::Rectangle {
        at: (x, y),
        size: (room * share, 3.0),
        fill: Paint::Second,
    });
}

/// Draws the sign that mutes a block (a cross) or unmutes it (a plus).
fn sign(rect: Rect, is_muted: bool) -> Vec<Shape> {
    let (x, y) = (rect.right() - SIGN - 4.0, rect.y + 4.0);
    let (low, high) = (4.5, SIGN - 4.5);
    let middle = SIGN / 2.0;
    let path = match is_muted {
        false => format!("M{:.1} {:.1}l7 7m0 -7l-7 7", x + low, y + low),
        true => format!(
            "M{:.1} {:.1}V{:.1}M{:.1} {:.1}H{:.1}",
            x + middle,
            y + low,
            y + high,
            x + low,
            y + middle,
            x + high
        ),
    };
    vec![
        Shape::Rectangle {
            at: (x, y),
            size: (SIGN, SIGN),
            fill: Paint::Panel,
        },
        Shape::Path {
            path,
            stroke: Paint::Soft,
            width: 1.5,
            opacity: 1.0,
            dashed: false,
        },
    ]
}
