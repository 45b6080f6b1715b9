//! The path of one token down a pyramid of input blocks: a tree from the top to the tokens, with
//! broad lines below opened nodes.

use crate::{Anchor, Drawing, Shape, Text, width_of};

/// Distance between two leaves, in units of the drawing.
const COLUMN: f64 = 34.0;
/// Distance between two levels.
const ROW: f64 = 74.0;
/// Distance of the nodes from the edges of the tree.
const MARGIN: f64 = 26.0;
/// Shares and weights below this are not written.
const FAINT: f32 = 0.005;
/// Most letters of a token below a leaf.
const LETTERS: usize = 11;
/// Font size of the tokens.
const LETTER_SIZE: f64 = 12.0;

/// Nodes of one level of a pyramid.
#[derive(Clone, Copy, Debug)]
pub struct TreeLevel<'a> {
    /// Weight with which each node was reached from the top.
    pub reached: &'a [f32],
    /// Share of each node in the result; an opened node passes its share to the nodes below.
    pub shares: &'a [f32],
    /// Pairs of a node and a member of the node in the level below; empty for leaves.
    pub members: &'a [[usize; 2]],
}

impl TreeLevel<'_> {
    /// True if a node passed its share on to the nodes below.
    pub fn is_opened(&self, node: usize) -> bool {
        let [reached, share] =
            [self.reached, self.shares].map(|of| of.get(node).copied().unwrap_or(0.0));
        reached - share > FAINT / 10.0
    }
}

/// Colours of a tree.
#[derive(Clone, Copy, Debug)]
pub struct TreeColours<P> {
    /// Colour of the tokens.
    pub ink: P,
    /// Colour of nodes that were not reached.
    pub soft: P,
    /// Colour of lines below nodes that were not opened.
    pub rule: P,
    /// Colour behind the tree.
    pub panel: P,
    /// Colour of reached nodes, and of lines below opened nodes.
    pub accent: P,
    /// Colour of the shares.
    pub second: P,
}

/// A pyramid of nodes above the tokens of the input.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// Levels, from the leaves to the top.
    pub levels: &'a [TreeLevel<'a>],
    /// Token below each leaf.
    pub tokens: &'a [String],
}

impl Tree<'_> {
    /// Returns the width and height of the drawn tree.
    pub fn size(&self) -> (f64, f64) {
        let leaves = self.levels.first().map_or(0, |leaves| leaves.reached.len());
        let letters = self.tokens.iter().map(|token| token.chars().count());
        let letters = letters.max().unwrap_or(0).min(LETTERS);
        (
            2.0 * MARGIN + leaves as f64 * COLUMN,
            self.height_of(0) + 34.0 + width_of(letters, LETTER_SIZE),
        )
    }

    /// Returns the distance of a level from the upper edge.
    pub fn height_of(&self, level: usize) -> f64 {
        MARGIN + self.levels.len().saturating_sub(level + 1) as f64 * ROW
    }

    /// Returns the distance of each node from the left edge, level by level: leaves side by side,
    /// other nodes above the middle of their members.
    pub fn places(&self) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::with_capacity(self.levels.len());
        for level in self.levels {
            let places = match all.last() {
                None => (0..level.reached.len())
                    .map(|leaf| MARGIN + (leaf as f64 + 0.5) * COLUMN)
                    .collect(),
                Some(below) => above(level, below),
            };
            all.push(places);
        }
        all
    }

    /// Draws the tree with the upper left corner at `corner`. Nodes for which `is_away` is true,
    /// by level and number, are crossed out.
    pub fn draw<P: Copy>(
        &self,
        drawing: &mut Drawing<P>,
        corner: (f64, f64),
        colours: &TreeColours<P>,
        is_away: impl Fn(usize, usize) -> bool,
    ) {
        let places = self.places();
        let at = |level: usize, x: f64| (corner.0 + x, corner.1 + self.height_of(level));
        for (number, level) in self.levels.iter().enumerate().skip(1) {
            for &[node, member] in level.members {
                let ends = (places[number].get(node), places[number - 1].get(member));
                let (Some(&from), Some(&to)) = ends else {
                    continue;
                };
                // A line below an opened node is as broad as the weight that goes down.
                let (colour, width) = if level.is_opened(node) {
                    let below = self.levels[number - 1].reached;
                    let weight = below.get(member).copied().unwrap_or(0.0);
                    (colours.accent, 1.2 + 5.0 * f64::from(weight))
                } else {
                    (colours.rule, 1.0)
                };
                drawing.line(at(number, from), at(number - 1, to), colour, width);
            }
        }
        for (number, level) in self.levels.iter().enumerate() {
            let nodes = level.reached.iter().zip(&places[number]);
            for (node, (&reached, &x)) in nodes.enumerate() {
                if is_away(number, node) {
                    draw_away(drawing, at(number, x), colours);
                } else {
                    let share = level.shares.get(node).copied().unwrap_or(0.0);
                    draw_node(drawing, at(number, x), [reached, share], colours);
                }
            }
        }
        for (&x, token) in places.iter().take(1).flatten().zip(self.tokens) {
            let (x, y) = at(0, x);
            drawing.shapes.push(Shape::Text(Text {
                size: LETTER_SIZE,
                upright: true,
                ..Text::new(
                    (x + 4.0, y + 20.0),
                    token.chars().take(LETTERS).collect::<String>(),
                    Anchor::End,
                    colours.ink,
                )
            }));
        }
    }
}

/// Returns the place of each node: above the middle of the node's members, whose places are `below`.
fn above(level: &TreeLevel<'_>, below: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0u32); level.reached.len()];
    for &[node, member] in level.members {
        if let (Some((sum, count)), Some(place)) = (sums.get_mut(node), below.get(member)) {
            *sum += place;
            *count += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| match count {
        0 => MARGIN,
        _ => sum / f64::from(count),
    };
    sums.into_iter().map(mean).collect()
}

/// Draws a node as a circle, as large as the weight that reached the node, with the share that
/// stays there.
fn draw_node<P: Copy>(
    drawing: &mut Drawing<P>,
    (x, y): (f64, f64),
    [reached, share]: [f32; 2],
    colours: &TreeColours<P>,
) {
    let (fill, stroke) = if reached > FAINT {
        (colours.accent, colours.accent)
    } else {
        (colours.panel, colours.soft)
    };
    drawing.shapes.push(Shape::Circle {
        at: (x, y),
        radius: 3.0 + 8.0 * f64::from(reached.clamp(0.0, 1.0)).sqrt(),
        fill,
        stroke,
    });
    if share > FAINT {
        let y = y - 14.0;
        // The text has a background, since a line may lie behind it.
        drawing.rectangle((x - 16.0, y - 11.0), (32.0, 14.0), colours.panel);
        drawing.text(
            (x, y),
            format!("{share:.2}"),
            Anchor::Middle,
            colours.second,
        );
    }
}

/// Draws the sign of a node that was taken away.
fn draw_away<P: Copy>(drawing: &mut Drawing<P>, (x, y): (f64, f64), colours: &TreeColours<P>) {
    let sign = |path: String, stroke, dashed| Shape::Path {
        path,
        stroke,
        width: 1.8,
        opacity: 1.0,
        dashed,
    };
    let round = format!("M{:.1} {y:.1}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0", x - 8.0);
    let cross = format!("M{:.1} {:.1}l8 8m0 -8l-8 8", x - 4.0, y - 4.0);
    let signs = [(round, colours.soft, true), (cross, colours.ink, false)];
    let signs = signs.map(|(path, stroke, dashed)| sign(path, stroke, dashed));
    drawing.shapes.extend(signs);
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOURS: TreeColours<char> = TreeColours {
        ink: 'i',
        soft: 's',
        rule: 'r',
        panel: 'p',
        accent: 'a',
        second: '2',
    };

    fn level<'a>(
        reached: &'a [f32],
        shares: &'a [f32],
        members: &'a [[usize; 2]],
    ) -> TreeLevel<'a> {
        TreeLevel {
            reached,
            shares,
            members,
        }
    }

    /// Returns a pyramid whose top and first node of two are opened.
    fn levels() -> [TreeLevel<'static>; 3] {
        [
            level(&[0.5, 0.2, 0.0], &[0.5, 0.2, 0.0], &[]),
            level(&[0.7, 0.3], &[0.0, 0.3], &[[0, 0], [0, 1], [1, 2]]),
            level(&[1.0], &[0.0], &[[0, 0], [0, 1]]),
        ]
    }

    #[test]
    fn nodes_stand_above_the_middle_of_theirs() {
        let tree = Tree {
            levels: &levels(),
            tokens: &[],
        };
        let places = tree.places();
        assert_eq!(places[1][0], (places[0][0] + places[0][1]) / 2.0);
        assert_eq!(places[1][1], places[0][2]);
        assert_eq!(places[2][0], (places[1][0] + places[1][1]) / 2.0);
        assert!(tree.height_of(2) < tree.height_of(1) && tree.height_of(1) < tree.height_of(0));
    }

    #[test]
    fn a_node_that_kept_its_weight_was_not_opened() {
        let level = level(&[0.5, 0.3, 0.2], &[0.5, 0.0, 0.1], &[]);
        assert!(!level.is_opened(0) && level.is_opened(1) && level.is_opened(2));
        assert!(!level.is_opened(9));
    }

    #[test]
    fn all_is_drawn_inside_of_the_tree_and_an_opened_node_has_broad_lines() {
        let tokens = ["the", "spotted", "extraordinarily"].map(str::to_owned);
        let tree = Tree {
            levels: &levels(),
            tokens: &tokens,
        };
        let (width, height) = tree.size();
        let mut drawing = Drawing::new("", width, height);
        tree.draw(&mut drawing, (100.0, 1000.0), &COLOURS, |level, node| {
            (level, node) == (0, 1)
        });
        let lines = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Path {
                stroke,
                width,
                dashed: false,
                ..
            } if "ar".contains(*stroke) => Some((*stroke, *width)),
            _ => None,
        });
        let lines: Vec<(char, f64)> = lines.collect();
        assert_eq!(lines.len(), 5);
        // Below the node that was not opened.
        assert_eq!(lines.iter().filter(|it| it.0 == 'r').count(), 1);
        assert!(
            lines
                .iter()
                .any(|it| (it.1 - (1.2 + 5.0 * 0.7)).abs() < 1e-6)
        );
        let circles = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Circle { at, radius, .. } => Some((*at, *radius)),
            _ => None,
        });
        let circles: Vec<((f64, f64), f64)> = circles.collect();
        // Six nodes, of which one is crossed out.
        assert_eq!(circles.len(), 5);
        for ((x, y), radius) in circles {
            assert!(x - radius >= 100.0 && x + radius <= 100.0 + width, "{x}");
            assert!(y - radius >= 1000.0 && y + radius <= 1000.0 + height, "{y}");
        }
        let texts = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        assert_eq!(texts, ["0.50", "0.30", "the", "spotted", "extraordina"]);
    }

    #[test]
    fn a_pyramid_without_nodes_is_drawn_as_nothing() {
        let tree = Tree {
            levels: &[],
            tokens: &[],
        };
        let mut drawing = Drawing::new("", tree.size().0, tree.size().1);
        tree.draw(&mut drawing, (0.0, 0.0), &COLOURS, |_, _| false);
        assert!(drawing.shapes.is_empty() && tree.places().is_empty());
    }
}
