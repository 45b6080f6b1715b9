//! A matrix as lines between two columns of tokens; a larger weight has a thicker line.

use crate::page::base::foreign::quoted;
use crate::page::watch::drawing::{Anchor, Drawing, OnPage, Paint, Shape, Text, width_of};
use crate::page::watch::view::Matrix;
use std::rc::Rc;
use yew::prelude::*;

const SIZE: f64 = 13.0;
/// Distance between the base lines of two tokens, in units of the drawing.
const STEP: f64 = 22.0;
/// Distance between the columns.
const GAP: f64 = 190.0;
/// Weights below this have no line, which would hardly be seen.
const FAINT: f32 = 0.015;

#[derive(Properties, PartialEq)]
pub struct LinesProperties {
    pub matrix: Rc<Matrix>,
}

/// The lines; while the pointer or the focus is on a token, only that token's lines stay strong.
#[component]
pub fn Lines(properties: &LinesProperties) -> Html {
    let token = use_state_eq(|| None::<usize>);
    let point = {
        let token = token.clone();
        Callback::from(move |handle| token.set(handle))
    };
    let matrix = &properties.matrix;
    let drawing = lines(matrix, *token);
    let words = token.map(|token| handle_words(matrix, token));
    html! {
        <div class="lines">
            <div class="lines-picture">{ drawing.interactive(&point) }</div>
            <p class="read-out" aria-hidden="true" translate="no" data-words="">
                { words.unwrap_or_else(|| "Point at a token, or go to it with the Tab key, to see its lines alone.".to_owned()) }
            </p>
        </div>
    }
}

/// Draws the lines. Handles are numbered: the rows' tokens from 0, then the columns' tokens. If
/// `token` is given, only its lines are strong.
pub fn lines(matrix: &Matrix, token: Option<usize>) -> Drawing {
    let longest = |tokens: &[String]| {
        let letters = tokens.iter().map(|token| token.chars().count()).max();
        // A column is at least as wide as its heading.
        width_of(letters.unwrap_or(0).clamp("writes".len(), 24), SIZE)
    };
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let left = 8.0 + longest(&matrix.columns);
    let right = left + GAP;
    let width = right + longest(&matrix.rows) + 8.0;
    let height = 34.0 + rows.max(columns) as f64 * STEP;
    let name = format!("Alignment lines: {}", matrix.site.title());
    let mut drawing = Drawing::new(name, width, height);
    drawing.text((left - 4.0, 14.0), "reads", Anchor::End, Paint::Soft);
    drawing.text((right + 4.0, 14.0), "writes", Anchor::Start, Paint::Soft);
    let y = |place: usize| 38.0 + place as f64 * STEP;
    for row in 0..rows {
        for column in 0..columns {
            let weight = matrix.weight(row, column);
            let strong = token.is_none_or(|token| token == row || token == rows + column);
            if weight < FAINT || !strong {
                continue;
            }
            let weight = f64::from(weight.clamp(0.0, 1.0));
            let ends = ((left + 2.0, y(column) - 4.0), (right - 2.0, y(row) - 4.0));
            let opacity = (0.08 + 0.9 * weight).min(0.99);
            drawing.curve(ends.0, ends.1, Paint::Accent, 0.6 + 5.0 * weight, opacity);
        }
    }
    let mut label = |place: usize, text: &str, handle: usize, writes: bool| {
        let here = token == Some(handle);
        let x = if writes { right + 4.0 } else { left - 4.0 };
        drawing.shapes.push(Shape::Text(Text {
            at: (x, y(place)),
            text: shortened(text),
            anchor: if writes { Anchor::Start } else { Anchor::End },
            fill: if here { Paint::Second } else { Paint::Ink },
            size: SIZE,
            upright: false,
            handle: Some((handle, handle_words(matrix, handle))),
        }));
    };
    for (column, text) in matrix.columns.iter().enumerate() {
        label(column, text, rows + column, false);
    }
    for (row, text) in matrix.rows.iter().enumerate() {
        label(row, text, row, true);
    }
    drawing
}

fn shortened(token: &str) -> String {
    if token.chars().count() <= 24 {
        return token.to_owned();
    }
    token.chars().take(23).chain(['…']).collect()
}

/// Describes the strongest lines of a token in words.
fn handle_words(matrix: &Matrix, token: usize) -> String {
    let rows = matrix.rows.len();
    let (name, verb, mut lines): (_, _, Vec<(&str, f32)>) = if token < rows {
        let columns = matrix.columns.iter().enumerate();
        (
            matrix.rows.get(token),
            "attends to",
            columns
                .map(|(column, text)| (text.as_str(), matrix.weight(token, column)))
                .collect(),
        )
    } else {
        let column = (token - rows).min(matrix.columns.len().saturating_sub(1));
        let all = matrix.rows.iter().enumerate();
        (
            matrix.columns.get(column),
            "is attended to by",
            all.map(|(row, text)| (text.as_str(), matrix.weight(row, column)))
                .collect(),
        )
    };
    lines.sort_by(|one, other| other.1.total_cmp(&one.1));
    let strongest = lines
        .iter()
        .take(3)
        .map(|(text, weight)| format!("{} {weight:.2}", quoted(text)));
    let strongest: Vec<_> = strongest.collect();
    let name = quoted(name.map_or("", String::as_str));
    format!("{name} {verb} {}", strongest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};

    fn matrix() -> Matrix {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        Matrix {
            site: SiteName::in_layer(0, Site::Cross),
            rows: words("the cat"),
            columns: words("die Katze </s>"),
            weights: vec![0.9, 0.1, 0.0, 0.2, 0.5, 0.3],
            positions: Vec::new(),
        }
    }

    fn strokes(drawing: &Drawing) -> usize {
        let of_lines = |shape: &&Shape| matches!(shape, Shape::Path { .. });
        drawing.shapes.iter().filter(of_lines).count()
    }

    #[test]
    fn a_token_keeps_its_own_lines() {
        assert_eq!(strokes(&lines(&matrix(), None)), 5);
        assert_eq!(strokes(&lines(&matrix(), Some(0))), 2);
        assert_eq!(strokes(&lines(&matrix(), Some(2 + 2))), 1);
        assert!(lines(&matrix(), None).height > 3.0 * STEP);
    }

    #[test]
    fn lines_are_told_in_words() {
        let matrix = matrix();
        assert_eq!(
            handle_words(&matrix, 1),
            "“cat” attends to “Katze” 0.50, “</s>” 0.30, “die” 0.20"
        );
        let of_column = handle_words(&matrix, 2);
        assert!(
            of_column.starts_with("“die” is attended to by “the” 0.90"),
            "{of_column}"
        );
    }
}
