//! A heat-map as a picture: tokens, cells and the colour scale.

use super::{Anchor, Drawing, Paint, Shape, Text, width_of};
use crate::page::watch::view::Matrix;

const CELL: f64 = 20.0;
const MARGIN: f64 = 12.0;
const SIZE: f64 = 12.0;

/// Draws a matrix with its tokens; `top` is the weight at the end of the colour scale.
pub fn heat_map(matrix: &Matrix, top: f32) -> Drawing {
    let letters = |tokens: &[String]| {
        tokens
            .iter()
            .map(|token| token.chars().count())
            .max()
            .unwrap_or(0)
    };
    let left = MARGIN + width_of(letters(&matrix.rows), SIZE) + 8.0;
    let above = MARGIN + width_of(letters(&matrix.columns), SIZE) + 30.0;
    let (rows, columns) = (matrix.rows.len() as f64, matrix.columns.len() as f64);
    let width = (left + columns * CELL + MARGIN).max(360.0);
    let height = above + rows * CELL + 50.0;
    let mut drawing = Drawing::new(
        format!("Attention weights: {}", matrix.site.title()),
        width,
        height,
    );
    drawing.text(
        (MARGIN, 20.0),
        matrix.site.title(),
        Anchor::Start,
        Paint::Ink,
    );
    for (index, token) in matrix.columns.iter().enumerate() {
        drawing.shapes.push(Shape::Text(Text {
            at: (left + (index as f64 + 0.7) * CELL, above - 6.0),
            text: token.clone(),
            anchor: Anchor::Start,
            fill: Paint::Ink,
            size: SIZE,
            upright: true,
            handle: None,
        }));
    }
    let scale = if top > 0.0 { top } else { 1.0 };
    for (row, token) in matrix.rows.iter().enumerate() {
        let y = above + row as f64 * CELL;
        drawing.text((left - 6.0, y + 14.0), token, Anchor::End, Paint::Ink);
        for column in 0..matrix.columns.len() {
            let weight = matrix.weight(row, column) / scale;
            let at = (left + column as f64 * CELL, y);
            drawing.rectangle(at, (CELL, CELL), Paint::Weight(weight));
        }
    }
    let y = above + rows * CELL + 18.0;
    drawing.text((left, y + 11.0), "0", Anchor::End, Paint::Soft);
    for tick in 0..40 {
        let at = (left + 6.0 + f64::from(tick) * 4.0, y);
        drawing.rectangle(at, (4.2, 12.0), Paint::Weight(tick as f32 / 39.0));
    }
    let end = (left + 174.0, y + 11.0);
    drawing.text(end, format!("{scale:.2}"), Anchor::Start, Paint::Soft);
    drawing
}
