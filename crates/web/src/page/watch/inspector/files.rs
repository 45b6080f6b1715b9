//! The view as files: a picture, the views so far as a moving picture, and the numbers.

use super::{
    InspectorProperties, arrows, caption, descent, network, probabilities, rollout, shares, site,
    tabs,
};
use crate::by_pointer::ByPointer;
use crate::page::run::run_title::RunTitle;
use crate::page::watch::drawing::{Drawing, Paint};
use crate::page::watch::exporting::{Content, Export, export_menu, view_json};
use crate::state::Past;
use crate::state::level_weights::SharesHistory;
use strata_session::protocol::{Part, Ready, ViewData, ViewUpdate};
use yew::prelude::*;

/// Returns the menu of files: of the present view, and of the views so far as a moving picture.
pub fn exports(
    update: &ByPointer<ViewUpdate>,
    properties: &InspectorProperties,
    run: &RunTitle,
) -> Html {
    let draw = {
        let (ready, muted) = (properties.ready.clone(), properties.muted.clone());
        let (shares, run) = (properties.shares.clone(), run.words.clone());
        let examples = properties.examples;
        move |update: &ViewUpdate| {
            let mut drawing = drawn(update, ready.as_deref(), &muted, &shares);
            // The sentence on what is shown names another number of levels itself.
            let is_away = |part: &&Part| !matches!(part, Part::Levels { .. });
            let away = muted.iter().filter(is_away).count();
            let caption = caption::caption(update, &run, examples, away);
            drawing.caption(&caption, Paint::Soft);
            drawing
        }
    };
    let mut exports = Vec::new();
    if has_picture(&update.data) {
        let (pictured, past) = (update.clone(), properties.past.clone());
        let (winds, later) = (past.count() > 1, draw.clone());
        exports = Export::picture(move || draw(&pictured));
        if winds && !matches!(update.data, ViewData::Shares(_)) {
            exports.push(Export::new("moving.svg", move || {
                Content::MovingSvg(spread(&past).map(&later).collect())
            }));
        }
    }
    let numbers = update.clone();
    exports.push(Export::new("json", move || {
        Content::Json(view_json(&numbers))
    }));
    export_menu("seeing", tabs::of(&update.request.view), exports)
}

/// True if a file can show what a view has as a picture.
fn has_picture(data: &ViewData) -> bool {
    !matches!(
        data,
        ViewData::Descent(None)
            | ViewData::Arrows(None)
            | ViewData::Norms(_)
            | ViewData::Answer(_)
            | ViewData::Cell(_)
            | ViewData::Beside(_)
    )
}

/// Returns earlier views in order, evenly spread, as many as a file may have.
fn spread(past: &Past) -> impl Iterator<Item = &ViewUpdate> {
    const MOST: usize = 40;
    let (count, last) = (past.count().min(MOST), past.count().saturating_sub(1));
    let places = (0..count).map(move |place| place * last / count.max(2).saturating_sub(1));
    places.filter_map(|place| past.get(place).map(|(_, update)| &**update))
}

/// Draws a view for a file.
fn drawn(
    update: &ViewUpdate,
    ready: Option<&Ready>,
    muted: &[Part],
    shares: &SharesHistory,
) -> Drawing {
    match (&update.data, ready) {
        (ViewData::Sites(_), _) => site::picture(update),
        (ViewData::Shares(_), _) => shares::picture(shares),
        (ViewData::Descent(_), _) => descent::picture(update, muted),
        (ViewData::Probabilities(_), _) => probabilities::picture(update),
        (ViewData::Rollout(_), _) => rollout::picture(update),
        (ViewData::Arrows(_), _) => arrows::picture(update),
        (ViewData::Network(_), Some(ready)) => network::picture(update, ready, muted),
        (ViewData::Network(_), None)
        | (ViewData::Norms(_) | ViewData::Answer(_) | ViewData::Cell(_) | ViewData::Beside(_), _) => {
            Drawing::new("Nothing", 100.0, 100.0)
        }
    }
}
