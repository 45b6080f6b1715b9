//! Small pictures inside a block: the attention of a site, and the tree of a pyramid.

use crate::page::watch::drawing::{Paint, Shape};
use std::fmt::Write;
use strata_session::protocol::SiteView;

/// Number of shades in a stamp: each shade is one path, so few shades make few shapes.
const SHADES: usize = 24;

/// Returns the end of a site's colour scale, for its stamp and for the map beside the drawing: the
/// largest weight, or four times the weight of uniform attention if that is more. So a site that
/// has learned nothing is dark.
pub fn top(site: &SiteView) -> f32 {
    let largest = site.weights.iter().copied().fold(0.0, f32::max);
    largest.max(4.0 / site.columns.max(1) as f32).min(1.0)
}

/// Draws weights in a square of this side, coloured up to [`top`].
pub fn stamp(site: Option<&SiteView>, at: (f64, f64), side: f64) -> Vec<Shape> {
    stamp_to(site.map_or(1.0, top), site, at, side)
}

/// Draws weights in a square of this side, coloured up to the weight `top`.
pub fn stamp_to(top: f32, site: Option<&SiteView>, (x, y): (f64, f64), side: f64) -> Vec<Shape> {
    let mut shapes = vec![Shape::Rectangle {
        at: (x, y),
        size: (side, side),
        fill: Paint::Sunk,
    }];
    let Some(site) = site else {
        return shapes;
    };
    let (rows, columns) = (site.rows as f64, site.columns as f64);
    let cell = side / rows.max(columns);
    let (x, y) = (
        x + (side - cell * columns) / 2.0,
        y + (side - cell * rows) / 2.0,
    );
    let mut paths = vec![String::new(); SHADES];
    for (at, weight) in site.weights.iter().enumerate() {
        let shade = (weight / top * (SHADES - 1) as f32).round();
        let Some(path) = paths
            .get_mut(shade.max(0.0) as usize)
            .filter(|_| shade > 0.0)
        else {
            continue;
        };
        let (row, column) = ((at / site.columns) as f64, (at % site.columns) as f64);
        // Writing into a string cannot fail.
        let _ = write!(
            path,
            "M{:.2} {:.2}h{cell:.2}v{cell:.2}h-{cell:.2}z",
            x + column * cell,
            y + row * cell
        );
    }
    shapes.push(Shape::Rectangle {
        at: (x, y),
        size: (cell * columns, cell * rows),
        fill: Paint::Weight(0.0),
    });
    let shaded = paths
        .into_iter()
        .enumerate()
        .filter(|(_, path)| !path.is_empty());
    shapes.extend(shaded.map(|(shade, path)| Shape::Area {
        path,
        fill: Paint::Weight(shade as f32 / (SHADES - 1) as f32),
    }));
    shapes
}

/// Draws a tree whose leaves are tokens, with one strong path down: the sign of a pyramid.
pub fn tree((x, y): (f64, f64), (width, height): (f64, f64)) -> Vec<Shape> {
    let place = |level: usize, node: usize| {
        let nodes = 1 << level;
        let across = width * (node as f64 + 0.5) / f64::from(nodes);
        (x + across, y + 3.0 + (height - 6.0) * level as f64 / 2.0)
    };
    let mut branches = [String::new(), String::new()];
    for level in 0..2 {
        for node in 0..1 << level {
            for below in [2 * node, 2 * node + 1] {
                let is_opened = node == 0 && level == 0 || node == 1 && level == 1;
                let ((from_x, from_y), (to_x, to_y)) =
                    (place(level, node), place(level + 1, below));
                let _ = write!(
                    branches[usize::from(is_opened)],
                    "M{from_x:.1} {from_y:.1}L{to_x:.1} {to_y:.1}"
                );
            }
        }
    }
    let [closed, opened] = branches;
    let line = |path, stroke, width| Shape::Path {
        path,
        stroke,
        width,
        opacity: 1.0,
        dashed: false,
    };
    let mut shapes = vec![
        line(closed, Paint::Rule, 1.0),
        line(opened, Paint::Accent, 1.75),
    ];
    let nodes = (0..3).flat_map(|level| (0..1 << level).map(move |node| (level, node)));
    shapes.extend(nodes.map(|(level, node)| Shape::Circle {
        at: place(level, node),
        radius: 2.0,
        fill: Paint::Accent,
        stroke: Paint::Nothing,
    }));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};

    fn site(weights: Vec<f32>, columns: usize) -> SiteView {
        SiteView {
            site: SiteName::in_layer(0, Site::Cross),
            heads: 1,
            levels: 1,
            level_numbers: vec![1],
            rows: weights.len() / columns,
            columns,
            weights,
            positions: Vec::new(),
        }
    }

    fn shades(shapes: &[Shape]) -> Vec<f32> {
        let shade = |shape: &Shape| match shape {
            Shape::Area {
                fill: Paint::Weight(weight),
                ..
            } => Some(*weight),
            _ => None,
        };
        shapes.iter().filter_map(shade).collect()
    }

    #[test]
    fn a_diagonal_is_bright_and_even_attention_is_not() {
        let mut diagonal = vec![0.0; 64];
        (0..8).for_each(|at| diagonal[9 * at] = 0.9);
        assert_eq!(
            shades(&stamp(Some(&site(diagonal, 8)), (0.0, 0.0), 56.0)),
            [1.0]
        );
        let even = shades(&stamp(Some(&site(vec![0.125; 64], 8)), (0.0, 0.0), 56.0));
        assert!(even.len() == 1 && even[0] < 0.3, "{even:?}");
    }

    #[test]
    fn a_stamp_has_few_shapes_and_stays_in_its_square() {
        let weights = (0..576).map(|at| at as f32 / 576.0).collect();
        let shapes = stamp(Some(&site(weights, 24)), (10.0, 10.0), 56.0);
        assert!(shapes.len() <= SHADES + 2, "{}", shapes.len());
        assert_eq!(stamp(None, (0.0, 0.0), 56.0).len(), 1);
        let wide = stamp(Some(&site(vec![0.5; 6], 6)), (10.0, 10.0), 56.0);
        for shape in wide {
            if let Shape::Rectangle { at, size, .. } = shape {
                assert!(at.0 >= 10.0 && at.1 >= 10.0);
                assert!(at.0 + size.0 <= 66.01 && at.1 + size.1 <= 66.01);
            }
        }
    }
}
