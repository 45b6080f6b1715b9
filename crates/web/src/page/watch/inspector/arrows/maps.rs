//! The weights of some levels as small maps.

use super::words;
use crate::page::watch::heat_map::paint;
use std::rc::Rc;
use strata_session::protocol::{ArrowsView, SiteView};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LevelMapProperties {
    pub of: Rc<ArrowsView>,
    /// Number of the map among all maps of the view.
    pub number: usize,
    /// Place whose row is marked.
    pub place: usize,
    pub open: Callback<()>,
}

/// The weights of a level among the places, with the row of the chosen place marked. A press opens
/// the level in full.
#[component]
pub fn LevelMap(properties: &LevelMapProperties) -> Html {
    let LevelMapProperties {
        of,
        number,
        place,
        open,
    } = properties;
    let canvas = use_node_ref();
    {
        let canvas = canvas.clone();
        use_effect_with((of.clone(), *number), move |(of, number)| {
            let map = of_level(of, *number);
            paint(&canvas, &map.weights, map.columns, 1.0);
        });
    }
    let level = of.maps.level_numbers.get(*number).copied().unwrap_or(1);
    let places = of.names.len();
    let label = format!("Weights of level {level} of {}: open in full", of.levels);
    html! {
        <figure>
            <figcaption translate="no" data-words="">{ words::level(of, level) }</figcaption>
            <button type="button" class="thumbnail" aria-label={label.clone()} title={label} data-level={level.to_string()}
                onclick={open.reform(|_: MouseEvent| ())}>
                <canvas ref={canvas} width={places.to_string()} height={places.to_string()} />
                <span class="row" ~style={format!("--row: {place}; --rows: {places}")} />
            </button>
        </figure>
    }
}

/// Returns one map of the view, as a site of one level.
pub fn of_level(of: &ArrowsView, number: usize) -> SiteView {
    let size = of.maps.rows * of.maps.columns;
    let weights = of.maps.weights.get(number * size..(number + 1) * size);
    let level = of.maps.level_numbers.get(number).copied();
    SiteView {
        level_numbers: level.into_iter().collect(),
        weights: weights.map_or(Vec::new(), <[f32]>::to_vec),
        positions: Vec::new(),
        ..of.maps
    }
}
