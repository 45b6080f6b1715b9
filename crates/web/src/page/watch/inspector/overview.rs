//! Every site, head and level as a thumbnail; a click opens it in full.

use super::empty::empty;
use crate::by_pointer::ByPointer;
use crate::page::watch::drawing::{Anchor, Drawing, Paint};
use crate::page::watch::heat_map::paint;
use strata_models::SiteName;
use strata_session::protocol::{SiteView, View, ViewData, ViewUpdate};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct OverviewProperties {
    pub update: ByPointer<ViewUpdate>,
    pub to_view: Callback<View>,
}

/// The thumbnails, site by site: one row per head, one column per level.
#[component]
pub fn Overview(properties: &OverviewProperties) -> Html {
    let grid = use_node_ref();
    let walk = {
        let grid = grid.clone();
        Callback::from(move |event: KeyboardEvent| {
            let forward = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => true,
                "ArrowLeft" | "ArrowUp" => false,
                _ => return,
            };
            event.prevent_default();
            if let Some(grid) = grid.cast::<Element>() {
                move_focus(&grid, forward);
            }
        })
    };
    let sites = sites(&properties.update);
    if sites.is_empty() {
        return empty("This model has no attention to show.");
    }
    html! {
        <div class="overview" ref={grid} onkeydown={walk} ~style={columns(most_levels(sites))}>
            { for sites.iter().map(|site| of_site(site, &properties.update, &properties.to_view)) }
            <p class="note">{ "A row for each head, a column for each level. Each is coloured up to its own largest weight. Arrow keys go from one to the next; Enter opens it." }</p>
        </div>
    }
}

/// Returns the style of a grid with this many levels side by side.
fn columns(levels: usize) -> String {
    format!("--levels: {levels}")
}

/// Returns the largest number of levels that are shown of a site.
fn most_levels(sites: &[SiteView]) -> usize {
    let levels = sites.iter().map(|it| it.level_numbers.len());
    levels.max().unwrap_or(1)
}

fn sites(update: &ViewUpdate) -> &[SiteView] {
    match &update.data {
        ViewData::Sites(sites) => sites,
        _ => &[],
    }
}

fn of_site(site: &SiteView, update: &ByPointer<ViewUpdate>, to_view: &Callback<View>) -> Html {
    let head = |head: usize| {
        let level = |(place, level): (usize, &usize)| {
            let (name, level) = (site.site, *level);
            let open = to_view.reform(move |_: MouseEvent| View::Site {
                site: Some(name),
                head: Some(head),
                level: Some(level),
            });
            let label = format!(
                "{}, head {} of {}, level {level} of {}",
                site.site.title(),
                head + 1,
                site.heads,
                site.levels
            );
            html! {
                <Thumbnail key={format!("{head}-{level}")} update={update.clone()} site={site.site}
                    matrix={place * site.heads + head} first={head == 0 && place == 0} {label} {open} />
            }
        };
        html! {
            <>
                <span aria-hidden="true">{ format!("head {}", head + 1) }</span>
                { for site.level_numbers.iter().enumerate().map(level) }
            </>
        }
    };
    let number =
        |level: &usize| html! { <span aria-hidden="true">{ format!("level {level}") }</span> };
    html! {
        <section key={site.site.to_string()} aria-label={site.site.title()}>
            <h3>{ site.site.title() }</h3>
            <div class="heads" ~style={columns(site.level_numbers.len())}>
                if site.levels > 1 {
                    <span />
                    { for site.level_numbers.iter().map(number) }
                }
                { for (0..site.heads).map(head) }
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ThumbnailProperties {
    update: ByPointer<ViewUpdate>,
    site: SiteName,
    /// Number of the matrix among those of its site.
    matrix: usize,
    /// True if Tab reaches this thumbnail; arrow keys move on from there.
    first: bool,
    label: String,
    open: Callback<MouseEvent>,
}

#[component]
fn Thumbnail(properties: &ThumbnailProperties) -> Html {
    let canvas = use_node_ref();
    let site = sites(&properties.update)
        .iter()
        .find(|it| it.site == properties.site);
    let (rows, columns) = site.map_or((1, 1), |it| (it.rows, it.columns));
    {
        let canvas = canvas.clone();
        let drawn = (
            properties.update.clone(),
            properties.site,
            properties.matrix,
        );
        use_effect_with(drawn, move |(update, site, matrix)| {
            let site = sites(update).iter().find(|it| it.site == *site);
            if let Some((site, weights)) =
                site.and_then(|site| Some((site, weights(site, *matrix)?)))
            {
                paint(&canvas, weights, site.columns, largest(weights));
            }
        });
    }
    html! {
        <button type="button" class="thumbnail" aria-label={properties.label.clone()} title={properties.label.clone()}
            tabindex={if properties.first { "0" } else { "-1" }} onclick={properties.open.clone()}>
            <canvas ref={canvas} width={columns.to_string()} height={rows.to_string()} />
        </button>
    }
}

/// Returns the weights of one of a site's matrices.
fn weights(site: &SiteView, matrix: usize) -> Option<&[f32]> {
    let size = site.rows * site.columns;
    site.weights.get(matrix * size..(matrix + 1) * size)
}

fn largest(weights: &[f32]) -> f32 {
    weights.iter().copied().fold(0.0, f32::max)
}

/// Moves the keyboard's focus to the next or the previous thumbnail.
fn move_focus(grid: &Element, forward: bool) {
    let Ok(all) = grid.query_selector_all(".thumbnail") else {
        return;
    };
    let here = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.active_element());
    let nodes: Vec<Option<Element>> = (0..all.length())
        .map(|index| all.get(index).and_then(|node| node.dyn_into().ok()))
        .collect();
    let place = nodes.iter().position(|node| *node == here).unwrap_or(0);
    let next = if forward {
        (place + 1).min(nodes.len().saturating_sub(1))
    } else {
        place.saturating_sub(1)
    };
    let element = nodes.into_iter().nth(next).flatten();
    if let Some(element) = element.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        // `focus` on an element that cannot have the focus does nothing.
        let _ = element.focus();
    }
}

/// Draws the thumbnails as one picture, with the numbers of heads and levels.
pub fn picture(update: &ViewUpdate) -> Drawing {
    /// Width of a thumbnail; `STEP` is the distance between two, `LEFT` the room for the heads'
    /// numbers.
    const SIDE: f64 = 72.0;
    const STEP: f64 = 82.0;
    const LEFT: f64 = 68.0;
    let sites = sites(update);
    // Above each site there is room for its title and the numbers of its levels.
    let heights = sites.iter().map(|it| 54.0 + it.heads as f64 * STEP);
    let height = 12.0 + heights.sum::<f64>();
    let width = (LEFT + 12.0 + most_levels(sites) as f64 * STEP).max(300.0);
    let mut drawing = Drawing::new("All heads", width, height);
    let mut top = 12.0;
    for site in sites {
        drawing.text(
            (12.0, top + 14.0),
            site.site.title(),
            Anchor::Start,
            Paint::Ink,
        );
        top += 38.0;
        for (place, level) in site.level_numbers.iter().enumerate() {
            let at = (LEFT + place as f64 * STEP + SIDE / 2.0, top - 5.0);
            drawing.text(at, format!("level {level}"), Anchor::Middle, Paint::Soft);
        }
        for head in 0..site.heads {
            let at = (LEFT - 8.0, top + SIDE / 2.0 + 4.0);
            drawing.text(at, format!("head {}", head + 1), Anchor::End, Paint::Soft);
            for place in 0..site.level_numbers.len() {
                let Some(weights) = weights(site, place * site.heads + head) else {
                    continue;
                };
                let top_weight = largest(weights).max(f32::MIN_POSITIVE);
                let (cell_width, cell_height) =
                    (SIDE / site.columns as f64, SIDE / site.rows as f64);
                for (cell, weight) in weights.iter().enumerate() {
                    let (row, column) = (cell / site.columns, cell % site.columns);
                    let x = LEFT + place as f64 * STEP + column as f64 * cell_width;
                    let y = top + row as f64 * cell_height;
                    drawing.rectangle(
                        (x, y),
                        (cell_width, cell_height),
                        Paint::Weight(weight / top_weight),
                    );
                }
            }
            top += STEP;
        }
        top += 16.0;
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::watch::drawing::Shape;
    use strata_models::Site;

    #[test]
    fn a_picture_of_all_heads_numbers_them_and_their_levels() {
        let site = SiteView {
            site: SiteName::in_layer(0, Site::EncoderSelf),
            heads: 2,
            levels: 100,
            level_numbers: vec![1, 50, 100],
            rows: 1,
            columns: 2,
            weights: vec![0.5; 12],
            positions: Vec::new(),
        };
        let update = ViewUpdate {
            data: ViewData::Sites(vec![site]),
            ..ViewUpdate::default()
        };
        let drawing = picture(&update);
        let mut texts = Vec::new();
        for shape in &drawing.shapes {
            match shape {
                Shape::Text(text) => texts.push(text.text.as_str()),
                Shape::Rectangle { at, size, .. } => {
                    assert!(at.0 + size.0 <= drawing.width && at.1 + size.1 <= drawing.height);
                }
                _ => {}
            }
        }
        let numbers = ["level 1", "level 50", "level 100", "head 1", "head 2"];
        assert_eq!(texts[1..], numbers);
    }
}
