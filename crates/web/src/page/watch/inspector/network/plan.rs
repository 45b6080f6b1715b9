//! Places of the blocks of a drawn model. Pure.
//!
//! Source and target stand side by side if there is room, otherwise one below the other; data flow
//! downwards.

use super::letters::{LETTERS, WIDTH, width_in_letters};
use strata_models::{Block, BlockKind, Diagram, Side, Stack};

/// Width of a block, in units of the drawing.
pub const BLOCK: f64 = 192.0;
/// Width at either side of a stack, for wires around its blocks.
pub const LANE: f64 = 16.0;
/// Width between two stacks, for wires from one to the other.
const GUTTER: f64 = 30.0;
/// Distance between two blocks.
const GAP: f64 = 12.0;
/// Distance between two blocks if there is the sign of a sum between them.
const SUM_GAP: f64 = 28.0;
/// Height of a line of text.
const LINE: f64 = 22.0;

/// A rectangle of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(self) -> f64 {
        self.y + self.height
    }

    /// Centre of the rectangle, across and down.
    pub fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// Places of all stacks in the drawing, and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub width: f64,
    pub height: f64,
    /// True if the stacks stand side by side.
    pub is_wide: bool,
    /// Stacks, in the order of the diagram.
    pub stacks: Vec<PlacedStack>,
}

/// Places of a stack's texts, frames and blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedStack {
    /// Place of the stack's title, on the base line.
    pub title: (f64, f64),
    /// Place of the tokens that the stack reads, on the base line.
    pub tokens: (f64, f64),
    /// Centre and width of each token, from the left of the stack, if a recurrent stack is drawn
    /// token by token because its tokens fit side by side.
    pub cells: Option<Vec<(f64, f64)>>,
    /// Frames around the blocks of each layer, with their titles.
    pub layers: Vec<(Rect, String)>,
    /// Places of the blocks, in the order of the stack.
    pub blocks: Vec<Rect>,
    /// Place of the token that the stack writes, on the base line.
    pub end: (f64, f64),
}

impl Plan {
    /// Places a diagram; `tokens` returns the tokens that each stack reads.
    pub fn of(diagram: &Diagram, is_wide: bool, tokens: impl Fn(Side) -> Vec<String>) -> Self {
        let is_wide = is_wide && diagram.stacks.len() > 1;
        let several = diagram.stacks.len() > 1;
        // Stacks in one column need room on their left for wires from one to the other.
        let left = if several && !is_wide { GUTTER } else { LANE };
        let (mut x, mut y) = (left, 0.0);
        let (mut width, mut height) = (0.0f64, 0.0f64);
        let mut stacks = Vec::new();
        for stack in &diagram.stacks {
            let (placed, bottom) = place(stack, (x, y), &tokens(stack.side));
            stacks.push(placed);
            width = width.max(x + BLOCK + LANE);
            height = height.max(bottom);
            if is_wide {
                x += BLOCK + 2.0 * LANE + GUTTER
            } else {
                y = bottom + GAP
            }
        }
        Self {
            width,
            height,
            is_wide,
            stacks,
        }
    }

    /// Returns the place of a block by its name, and the number of its stack.
    pub fn find(&self, diagram: &Diagram, name: &str) -> Option<(usize, Rect)> {
        let mut stacks = diagram.stacks.iter().zip(&self.stacks).enumerate();
        stacks.find_map(|(at, (stack, placed))| {
            let place = stack.blocks.iter().position(|block| block.name == name)?;
            Some((at, placed.blocks[place]))
        })
    }
}

/// Returns the height of a drawn block.
fn height(block: &Block) -> f64 {
    match block.kind {
        BlockKind::Attention(_) => 68.0,
        BlockKind::Recurrent { .. } => 44.0,
        // One line and a bar.
        BlockKind::FeedForward { .. } => 30.0,
        _ => 24.0,
    }
}

/// Places a stack below and right of this corner; returns the places and the stack's lower end.
fn place(stack: &Stack, (x, top): (f64, f64), tokens: &[String]) -> (PlacedStack, f64) {
    let recurs = |block: &Block| matches!(block.kind, BlockKind::Recurrent { .. });
    let mut placed = PlacedStack {
        title: (x, top + 14.0),
        tokens: (x, top + LINE + 12.0),
        cells: stack
            .blocks
            .iter()
            .any(recurs)
            .then(|| unrolled(tokens))
            .flatten(),
        layers: Vec::new(),
        blocks: Vec::new(),
        end: (x, 0.0),
    };
    let mut y = top + 2.0 * LINE + 6.0;
    let mut begun = y;
    for (at, block) in stack.blocks.iter().enumerate() {
        let same_layer = |other: Option<&Block>| {
            other.is_some_and(|it| it.layer == block.layer && it.residual.is_some())
        };
        let before = at.checked_sub(1).and_then(|at| stack.blocks.get(at));
        if block.residual.is_some() && !same_layer(before) {
            begun = y;
            y += LINE;
        }
        let rect = Rect {
            x,
            y,
            width: BLOCK,
            height: height(block),
        };
        placed.blocks.push(rect);
        y = rect.bottom();
        y += match block.residual {
            None => GAP,
            Some(_) if same_layer(stack.blocks.get(at + 1)) => SUM_GAP,
            Some(_) => {
                let frame = Rect {
                    x: x - LANE + 2.0,
                    y: begun,
                    width: BLOCK + 2.0 * LANE - 4.0,
                    height: rect.bottom() + LINE - begun,
                };
                placed.layers.push((frame, block.place.clone()));
                LINE + GAP
            }
        };
    }
    placed.end = (x, y + 8.0);
    let bottom = if stack.writes() {
        y + LINE
    } else {
        y - GAP + 4.0
    };
    (placed, bottom)
}

/// Returns centre and width of each token, if all tokens fit side by side in readable letters.
fn unrolled(tokens: &[String]) -> Option<Vec<(f64, f64)>> {
    const MARGIN: f64 = 4.0;
    let widths: Vec<f64> = tokens
        .iter()
        .map(|token| (width_in_letters(token) * WIDTH * LETTERS + 3.0).max(9.0))
        .collect();
    let room = BLOCK - 2.0 * MARGIN - widths.iter().sum::<f64>();
    if tokens.is_empty() || room < 0.0 {
        return None;
    }
    let gap = room / widths.len() as f64;
    let mut x = MARGIN;
    let cells = widths.into_iter().map(|width| {
        let middle = x + (width + gap) / 2.0;
        x += width + gap;
        (middle, width)
    });
    Some(cells.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_models::{ModelConfig, Vocabularies};

    fn diagrams() -> Vec<Diagram> {
        let vocabularies = Vocabularies {
            source: 10,
            target: 10,
        };
        let all = ModelConfig::all();
        all.iter().map(|it| it.diagram(vocabularies)).collect()
    }

    fn tokens(_: Side) -> Vec<String> {
        "die Katze schläft".split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn no_block_covers_another_and_all_are_inside() {
        for diagram in diagrams() {
            for is_wide in [true, false] {
                let plan = Plan::of(&diagram, is_wide, tokens);
                let mut rects: Vec<Rect> = Vec::new();
                for (stack, placed) in diagram.stacks.iter().zip(&plan.stacks) {
                    assert_eq!(stack.blocks.len(), placed.blocks.len());
                    rects.extend(&placed.blocks);
                }
                for (at, one) in rects.iter().enumerate() {
                    assert!(one.x >= LANE && one.right() + LANE <= plan.width);
                    assert!(one.y > 0.0 && one.bottom() <= plan.height);
                    for other in &rects[at + 1..] {
                        let apart = one.right() <= other.x
                            || other.right() <= one.x
                            || one.bottom() <= other.y
                            || other.bottom() <= one.y;
                        assert!(apart, "{one:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_phone_has_one_column() {
        for diagram in diagrams() {
            let plan = Plan::of(&diagram, false, tokens);
            assert!(plan.width <= 320.0 && !plan.is_wide, "{}", plan.width);
        }
    }

    #[test]
    fn short_texts_are_unrolled_and_long_ones_are_not() {
        let short = unrolled(&tokens(Side::Source)).unwrap();
        assert_eq!(short.len(), 3);
        assert!(short.windows(2).all(|pair| {
            let [(one, width), (other, next)] = [pair[0], pair[1]];
            one + width / 2.0 <= other - next / 2.0
        }));
        assert!(short[2].0 + short[2].1 / 2.0 <= BLOCK);
        assert_eq!(unrolled(&vec!["Katze".to_owned(); 9]), None);
        assert_eq!(unrolled(&[]), None);
    }
}
