//! A matrix of weights with its tokens: one canvas pixel per cell, scaled up by the style sheet.
//!
//! `scale`: colours of the weights; `selection`: the selected cell; `found`: the line that a map has

mod found;
mod scale;
mod selection;

use crate::page::base::foreign::{foreign, use_languages};
use crate::page::watch::view::Matrix;
use found::{Found, Line};
pub use scale::Scale;
use selection::{Cell, Selection, use_selection};
use std::rc::Rc;
use strata_models::Site;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
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
        id, matrix, scale, ..
    } = properties;
    let top = scale.top(matrix);
    let nodes = [use_node_ref(), use_painted(matrix, *scale, top)];
    let selection = use_selection(properties);
    let cell = selection.cell();
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let [row_language, column_language] = use_languages().at(matrix.site);
    let (row_letters, column_letters) = (longest(&matrix.rows), longest(&matrix.columns));
    let shape = format!(
        "--rows: {rows}; --columns: {columns}; --row-letters: {row_letters}; --column-letters: {column_letters}"
    );
    let [low, high] = scale.ends(top);
    html! {
        <div class="heat-map" id={id.clone()} data-site={matrix.site.to_string()}
            data-rows={rows.to_string()} data-columns={columns.to_string()} data-weights={matrix.json()}>
            <div class={classes!("matrix", (column_letters <= SHORT).then_some("short"))} ~style={shape}>
                { axes(matrix.site.place) }
                { labels("column-labels", &matrix.columns, column_language, cell.map(|cell| cell.1)) }
                { labels("row-labels", &matrix.rows, row_language, cell.map(|cell| cell.0)) }
                { plot(properties, &selection, &nodes) }
            </div>
            <div class="below">
                <p id={read_out_id(id)} class="read-out">{ read_out(properties, cell) }</p>
                <span class="unseen" aria-live="polite">{ &*selection.spoken }</span>
                <span class="legend" aria-hidden="true" translate="no" data-words="">
                    <span>{ low }</span>
                    <span class="scale" ~style={format!("background-image: {}", scale.gradient())} />
                    <span class="top">{ high }</span>
                </span>
            </div>
        </div>
    }
}

/// Returns the canvas, on which the weights are painted.
#[hook]
fn use_painted(matrix: &Rc<Matrix>, scale: Scale, top: f32) -> NodeRef {
    let canvas = use_node_ref();
    {
        let canvas = canvas.clone();
        use_effect_with((matrix.clone(), scale), move |(matrix, scale)| {
            let columns = matrix.columns.len();
            paint_in(scale.colour(), &canvas, &matrix.weights, columns, top);
        });
    }
    canvas
}

/// Renders the canvas and the marks, and takes pointer and keys.
fn plot(properties: &HeatMapProperties, selection: &Selection, nodes: &[NodeRef; 2]) -> Html {
    let HeatMapProperties {
        id, matrix, scale, ..
    } = properties;
    let [plot, canvas] = nodes;
    let (rows, columns) = (matrix.rows.len(), matrix.columns.len());
    let point = selection.point(plot);
    let label = format!(
        "{}: {rows} rows of writing, {columns} columns of reading",
        scale.title()
    );
    html! {
        <div class="plot" ref={plot} tabindex="0" role="application" aria-label={label}
            aria-describedby={read_out_id(id)} onpointermove={point.clone()} onpointerdown={point} onclick={selection.press()}
            onpointerleave={selection.leave()} onkeydown={selection.walk()} onfocus={selection.enter()}>
            <canvas ref={canvas} width={columns.to_string()} height={rows.to_string()} />
            { for matrix.positions.iter().enumerate().map(predicted) }
            if let Some((row, column)) = selection.cell() {
                <span class="cell" ~style={format!("--row: {row}; --column: {column}")} />
                { bubble(matrix, *scale, (row, column)) }
            }
            if *scale != Scale::Differences {
                <Found line={Line::of(matrix)} is_of_letters={longest(&matrix.columns[..columns.saturating_sub(1)]) <= SHORT} size={(rows, columns)} />
            }
        </div>
    }
}

/// Renders the titles of both axes: the text that is read, to the right, and the text that is
/// written, downwards: the style sheet turns that title, arrow and all.
fn axes(place: Site) -> Html {
    let (across, down) = match place {
        Site::Cross => ("reads →", "writes →"),
        Site::DecoderSelf => ("has written →", "writes →"),
        Site::ContextToQuery | Site::Matching => ("question →", "passage →"),
        Site::QueryToContext => ("passage →", "question →"),
        Site::EncoderSelf | Site::SelfMatching => ("looks at →", "each word →"),
    };
    html! {
        <>
            <span class="axis across" aria-hidden="true">{ across }</span>
            <span class="axis down" aria-hidden="true">{ down }</span>
        </>
    }
}

/// Renders the number and words of the selected cell beside the cell.
fn bubble(matrix: &Matrix, scale: Scale, (row, column): Cell) -> Html {
    let share = column as f64 / matrix.columns.len().saturating_sub(1).max(1) as f64;
    let below = (row < 3).then_some("below");
    let (from, to) = (&matrix.rows[row], &matrix.columns[column]);
    let number = matrix.weight(row, column);
    let number = match scale {
        Scale::Differences => format!("{number:+.2}").replace('-', "−"),
        _ => format!("{number:.2}"),
    };
    let place = format!("--row: {row}; --column: {column}; --share: {share:.3}");
    html! {
        <span class={classes!("bubble", below)} ~style={place} aria-hidden="true" translate="no">
            <b>{ number }</b>{ " " }<bdi>{ from }</bdi>{ " → " }<bdi>{ to }</bdi>
        </span>
    }
}

/// Id of the sentence on the selected cell.
fn read_out_id(id: &AttrValue) -> String {
    format!("{id}-read-out")
}

/// Renders the sentence on the selected cell.
fn read_out(properties: &HeatMapProperties, cell: Option<Cell>) -> Html {
    let HeatMapProperties {
        matrix,
        scale,
        to_cell,
        ..
    } = properties;
    match cell {
        Some(cell) if *scale == Scale::Differences => {
            html! { <span translate="no" data-words="">{ scale.in_words(matrix, cell) }</span> }
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
    }
}

/// Returns the mark of the position that a row of local attention predicts.
fn predicted((row, position): (usize, &f32)) -> Html {
    html! {
        <span key={row} class="predicted" ~style={format!("--row: {row}; --position: {position}")} />
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
