//! A matrix of weights with its tokens: one canvas pixel per cell, scaled up by the style sheet.

mod scale;

use crate::page::base::foreign::{foreign, use_languages};
use crate::page::base::styles::use_styles;
use crate::page::watch::view::Matrix;
pub use scale::Scale;
use std::rc::Rc;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};
use yew::prelude::*;

/// Number of labels on an axis beyond which some are left out.
const MOST_LABELS: usize = 42;

/// Number of letters up to which tokens stand upright above their columns.
const SHORT: usize = 2;

#[derive(Properties, PartialEq)]
pub struct HeatMapProperties {
    pub id: AttrValue,
    pub matrix: Rc<Matrix>,
    /// Colour scale of the weights.
    #[prop_or_default]
    pub scale: Scale,
    /// Called with the row and column of a cell that is pressed.
    #[prop_or_default]
    pub to_cell: Option<Callback<(usize, usize)>>,
    /// Called with the row of a cell that arrow keys or a finger select.
    #[prop_or_default]
    pub to_row: Option<Callback<usize>>,
}

/// The matrix; pointer and arrow keys select the cell whose weight is shown.
#[component]
pub fn HeatMap(properties: &HeatMapProperties) -> Html {
    let HeatMapProperties {
        id,
        matrix,
        scale,
        to_cell,
        to_row,
    } = properties;
    let scale = *scale;
    let canvas = use_node_ref();
    let plot = use_node_ref();
    let whole = use_node_ref();
    use_styles(&whole);
    let cursor = use_state_eq(|| None::<(usize, usize)>);
    // The cell that a second press would open: a finger first selects a cell, then presses it.
    let pressed = use_state_eq(|| None::<(usize, usize)>);
    // Text for screen readers: it changes with the keyboard, not with each step of training.
    let spoken = use_state_eq(String::new);
    let top = scale.top(matrix);
    {
        let canvas = canvas.clone();
        use_effect_with((matrix.clone(), scale), move |(matrix, scale)| {
            let columns = matrix.columns.len();
            paint_in(scale.colour(), &canvas, &matrix.weights, columns, top);
        });
    }
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    // The selected cell may lie outside of this picture, which can be smaller than the last.
    let cell = cursor.filter(|(row, column)| *row < rows && *column < columns);
    let point = {
        let (cursor, pressed, plot) = (cursor.clone(), pressed.clone(), plot.clone());
        let to_row = to_row.clone();
        Callback::from(move |event: PointerEvent| {
            if let Some(plot) = plot.cast::<Element>() {
                let area = plot.get_bounding_client_rect();
                let place = |offset: f64, size: f64, count: usize| {
                    ((offset / size * count as f64).max(0.0) as usize).min(count - 1)
                };
                let row = place(
                    f64::from(event.client_y()) - area.top(),
                    area.height(),
                    rows,
                );
                let column = place(
                    f64::from(event.client_x()) - area.left(),
                    area.width(),
                    columns,
                );
                let here = (row, column);
                if event.type_() == "pointerdown" {
                    pressed.set((*cursor == Some(here)).then_some(here));
                    if let Some(to_row) = &to_row {
                        to_row.emit(row);
                    }
                }
                cursor.set(Some(here));
            }
        })
    };
    let press = {
        let (to_cell, pressed) = (to_cell.clone(), pressed.clone());
        Callback::from(move |_: MouseEvent| {
            if let (Some(to_cell), Some(here)) = (&to_cell, *pressed) {
                to_cell.emit(here);
            }
        })
    };
    let leave = {
        let cursor = cursor.clone();
        Callback::from(move |event: PointerEvent| {
            // A lifted finger leaves its cell selected, so that the weight can be read.
            if event.pointer_type() != "touch" {
                cursor.set(None);
            }
        })
    };
    let walk = {
        let (cursor, spoken, matrix) = (cursor.clone(), spoken.clone(), matrix.clone());
        let (to_cell, to_row) = (to_cell.clone(), to_row.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let (" ", Some(to_cell), Some(here)) = (event.key().as_str(), &to_cell, cell) {
                event.prevent_default();
                to_cell.emit(here);
            }
            // Prevents scrolling by arrow keys even if the selected cell stays the same.
            if let Some(next) = step(&matrix, cell, &event.key()) {
                event.prevent_default();
                cursor.set(Some(next));
                if let Some(to_row) = &to_row {
                    to_row.emit(next.0);
                }
                spoken.set(scale.in_words(&matrix, next));
            }
        })
    };
    let enter = {
        let (cursor, matrix) = (cursor.clone(), matrix.clone());
        Callback::from(move |_: FocusEvent| cursor.set(cell.or(Some((0, matrix.strongest(0))))))
    };
    let read_out = match cell {
        Some(cell) if scale == Scale::Differences => {
            html! { <span translate="no">{ scale.in_words(matrix, cell) }</span> }
        }
        Some((row, column)) => html! {
            <>
                { "“" }{ foreign(&matrix.rows[row]) }{ "” attends to “" }{ foreign(&matrix.columns[column]) }{ "”: " }
                <span translate="no">{ format!("{:.2}", matrix.weight(row, column)) }</span>
                if let Some(position) = matrix.position(row) {
                    { ". It looks around position " }<span translate="no">{ format!("{:.1}", position + 1.0) }</span>
                }
            </>
        },
        None if to_cell.is_some() => {
            html! { "Point at a cell, or walk with the arrow keys; press it, or Space, to see how its weight comes about." }
        }
        None => html! { "Point at a cell, or walk with the arrow keys." },
    };
    let [row_language, column_language] = use_languages().at(matrix.site);
    let read_out_id = format!("{id}-read-out");
    let (row_letters, column_letters) = (longest(&matrix.rows), longest(&matrix.columns));
    let shape = format!(
        "--rows: {rows}; --columns: {columns}; --row-letters: {row_letters}; --column-letters: {column_letters}"
    );
    let label = format!(
        "{}: {rows} rows of writing, {columns} columns of reading",
        scale.title()
    );
    let [low, high] = scale.ends(top);
    html! {
        <div class="heat-map" id={id.clone()} ref={whole} data-site={matrix.site.to_string()}
            data-rows={rows.to_string()} data-columns={columns.to_string()} data-weights={matrix.json()}>
            <div class={classes!("matrix", (column_letters <= SHORT).then_some("short"))} data-style={shape}>
                { labels("column-labels", &matrix.columns, column_language, cell.map(|cell| cell.1)) }
                { labels("row-labels", &matrix.rows, row_language, cell.map(|cell| cell.0)) }
                <div class="plot" ref={plot} tabindex="0" role="application" aria-label={label}
                    aria-describedby={read_out_id.clone()} onpointermove={point.clone()} onpointerdown={point} onclick={press}
                    onpointerleave={leave} onkeydown={walk} onfocus={enter}>
                    <canvas ref={canvas} width={columns.to_string()} height={rows.to_string()} />
                    { for matrix.positions.iter().enumerate().map(predicted) }
                    if let Some((row, column)) = cell {
                        <span class="cell" data-style={format!("--row: {row}; --column: {column}")} />
                    }
                </div>
            </div>
            <div class="below">
                <p id={read_out_id} class="read-out">{ read_out }</p>
                <span class="unseen" aria-live="polite">{ &*spoken }</span>
                <span class="legend" aria-hidden="true" translate="no">
                    <span>{ low }</span>
                    <span class="scale" data-style={format!("background-image: {}", scale.gradient())} />
                    <span class="top">{ high }</span>
                </span>
            </div>
        </div>
    }
}

/// Returns the mark of the position that a row of local attention predicts.
fn predicted((row, position): (usize, &f32)) -> Html {
    html! {
        <span key={row} class="predicted" data-style={format!("--row: {row}; --position: {position}")} />
    }
}

/// Returns the number of letters of the longest token.
fn longest(tokens: &[String]) -> usize {
    let letters = tokens.iter().map(|token| token.chars().count());
    letters.max().unwrap_or(0)
}

fn labels(
    class: &'static str,
    tokens: &[String],
    language: Option<&'static str>,
    marked: Option<usize>,
) -> Html {
    let stride = tokens.len().div_ceil(MOST_LABELS).max(1);
    let label = |(index, token): (usize, &String)| {
        let here = marked == Some(index);
        let shown = here || index % stride == 0;
        html! {
            <span key={index} class={classes!(here.then_some("here"))}>
                if shown { <span dir="auto">{ token }</span> }
            </span>
        }
    };
    html! {
        <div {class} aria-hidden="true" translate="no" lang={language}>{ for tokens.iter().enumerate().map(label) }</div>
    }
}

/// Returns the cell to which a key leads; `None` for other keys.
fn step(matrix: &Matrix, cell: Option<(usize, usize)>, key: &str) -> Option<(usize, usize)> {
    let (row, column) = cell.unwrap_or_default();
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    match key {
        "ArrowUp" => Some((row.saturating_sub(1), column)),
        "ArrowDown" => Some(((row + 1).min(rows - 1), column)),
        "ArrowLeft" => Some((row, column.saturating_sub(1))),
        "ArrowRight" => Some((row, (column + 1).min(columns - 1))),
        "Home" => Some((row, 0)),
        "End" => Some((row, columns - 1)),
        "PageUp" => Some((0, column)),
        "PageDown" => Some((rows - 1, column)),
        "Enter" => Some((row, matrix.strongest(row))),
        _ => None,
    }
}

/// Paints weights, row by row, a pixel per weight; `top` is the weight at the end of the colour
/// scale.
pub fn paint(canvas: &NodeRef, weights: &[f32], columns: usize, top: f32) {
    paint_in(Scale::Weights.colour(), canvas, weights, columns, top);
}

fn paint_in(
    colour: fn(f32) -> [u8; 3],
    canvas: &NodeRef,
    weights: &[f32],
    columns: usize,
    top: f32,
) {
    let rows = (weights.len() / columns.max(1)) as u32;
    let columns = columns as u32;
    let scale = if top > 0.0 { 1.0 / top } else { 1.0 };
    let pixels: Vec<u8> = weights
        .iter()
        .flat_map(|weight| {
            let [red, green, blue] = colour(weight * scale);
            [red, green, blue, 255]
        })
        .collect();
    let context = canvas
        .cast::<HtmlCanvasElement>()
        .and_then(|canvas| canvas.get_context("2d").ok().flatten())
        .and_then(|context| context.dyn_into::<CanvasRenderingContext2d>().ok());
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), columns, rows);
    if let (Some(context), Ok(image)) = (context, image) {
        // `put_image_data` fails only for images of another origin.
        let _ = context.put_image_data(&image, 0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};

    #[test]
    fn keys_stay_inside_the_matrix() {
        let words = |count: usize| vec![String::new(); count];
        let mut weights = vec![0.0; 6];
        weights[5] = 1.0;
        let matrix = Matrix {
            site: SiteName::in_layer(0, Site::Cross),
            rows: words(2),
            columns: words(3),
            weights,
            positions: Vec::new(),
        };
        assert_eq!(step(&matrix, Some((0, 0)), "ArrowUp"), Some((0, 0)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowDown"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowRight"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 2)), "ArrowLeft"), Some((1, 1)));
        assert_eq!(step(&matrix, Some((1, 0)), "Enter"), Some((1, 2)));
        assert_eq!(step(&matrix, Some((1, 1)), "PageUp"), Some((0, 1)));
        assert_eq!(step(&matrix, Some((0, 1)), "PageDown"), Some((1, 1)));
        assert_eq!(step(&matrix, None, "Tab"), None);
        assert_eq!(step(&matrix, Some((1, 1)), "Tab"), None);
    }
}
