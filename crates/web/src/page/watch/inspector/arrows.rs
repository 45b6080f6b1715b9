//! The task `hops` as a picture: places on a circle, arrows between them, and the path along the
//! largest weights of each level.
//!
//! `path`: what is drawn and told; `circle`: the drawing; `places`: the places as buttons; `maps`:
//! the weights of some levels; `table`: the numbers; `words`: the sentences

mod circle;
mod maps;
mod path;
mod places;
mod table;
mod words;

use super::empty::empty;
use super::muting::{self, Muting};
use crate::by_pointer::ByPointer;
use crate::page::form::fields::Select;
use crate::page::watch::drawing::{Anchor, Drawing, Paint};
use crate::page::watch::inspector::network::stamp_to;
use crate::page::watch::view::{Matrix, site_option};
use maps::LevelMap;
use path::{Path, count_right};
use places::Places;
use std::rc::Rc;
use strata_models::{Site, SiteName};
use strata_session::protocol::{ArrowsView, HeadChoice, View, ViewData, ViewUpdate};
use table::Numbers;
use yew::prelude::*;

/// Side of a map in a file, and the distance between two.
const MAP: f64 = 120.0;
const MAP_STEP: f64 = MAP + 34.0;

#[derive(Properties, PartialEq)]
pub struct ArrowsProperties {
    pub update: ByPointer<ViewUpdate>,
    pub of: Rc<ArrowsView>,
    /// The requested view, whose data may not have come yet.
    pub view: View,
    pub to_view: Callback<View>,
    pub muting: Muting,
}

/// The site, heads and place that the user asks for.
#[derive(Clone, Copy, PartialEq)]
struct Wanted {
    site: SiteName,
    heads: HeadChoice,
    place: usize,
}

impl Wanted {
    /// Reads the request; a place that the view lacks becomes the last.
    fn of(view: &View, of: &ArrowsView) -> Self {
        let (heads, place) = match view {
            View::Arrows { heads, place, .. } => (*heads, *place),
            _ => (HeadChoice::default(), 0),
        };
        Self {
            site: of.maps.site,
            heads,
            place: place.min(of.names.len().saturating_sub(1)),
        }
    }

    fn view(self) -> View {
        View::Arrows {
            site: Some(self.site),
            heads: self.heads,
            place: self.place,
        }
    }
}

/// Picture with maps, sentences and controls.
#[component]
pub fn Arrows(properties: &ArrowsProperties) -> Html {
    let ArrowsProperties {
        update,
        of,
        view,
        to_view,
        muting,
    } = properties;
    if of.names.is_empty() {
        return empty("This example has no arrows to follow.");
    }
    let wanted = Wanted::of(view, of);
    let path = Path::of(of, wanted.place);
    let to_place = to_view.reform(move |place| Wanted { place, ..wanted }.view());
    let places_right = path.arrows.map(|arrows| count_right(of, arrows));
    let map = |number: usize| {
        let open = to_view.reform({
            let (site, head) = (wanted.site, of.head);
            let level = of.maps.level_numbers.get(number).copied();
            move |()| View::Site {
                site: Some(site),
                head,
                level,
            }
        });
        html! { <LevelMap key={number} of={of.clone()} {number} place={path.place} {open} /> }
    };
    html! {
        <div class="arrows" data-place={path.place.to_string()} data-levels={of.levels.to_string()}
            data-arrows={path.arrows.map(|it| it.to_string())} data-lit={path.steps.len().to_string()}
            data-right={path.is_right().to_string()} data-places-right={places_right.map(|it| it.to_string())}>
            <div class="attention-controls">{ controls(update, of, wanted, to_view) }</div>
            <div class="arrows-picture">
                <Places of={of.clone()} path={Rc::new(path.clone())} {to_place} />
                <div class="arrows-maps">
                    { for (0..of.maps.level_numbers.len()).map(map) }
                </div>
            </div>
            <div class="attention-controls">{ muting::levels(muting, wanted.site) }</div>
            <p id="arrows-words" translate="no" data-words="">{ words::answer(of, &path) }</p>
            <p id="arrows-counts" translate="no" data-words="">{ words::counts(of, &path) }</p>
            <p id="arrows-walk" translate="no" data-words="">{ words::walk(of, &path) }</p>
            <p class="note">{ legend(of) }</p>
            <Numbers of={of.clone()} path={Rc::new(path)} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct CircleProperties {
    pub of: Rc<ArrowsView>,
    pub view: View,
    pub to_view: Callback<View>,
}

/// Circle and sentences alone, for the frame of an article.
#[component]
pub fn Circle(properties: &CircleProperties) -> Html {
    let CircleProperties { of, view, to_view } = properties;
    let wanted = Wanted::of(view, of);
    let path = Path::of(of, wanted.place);
    let told = words::answer(of, &path);
    let to_place = to_view.reform(move |place| Wanted { place, ..wanted }.view());
    html! {
        <div class="arrows-frame" data-place={path.place.to_string()} data-levels={of.levels.to_string()}>
            <Places of={of.clone()} path={Rc::new(path)} {to_place} />
            <p translate="no" data-words="">{ told }</p>
        </div>
    }
}

/// Returns the weights of the last level among the places.
pub fn last_map(of: &ArrowsView) -> Matrix {
    let last = maps::of_level(of, of.maps.level_numbers.len().saturating_sub(1));
    Matrix {
        site: last.site,
        rows: of.names.clone(),
        columns: of.names.clone(),
        weights: last.weights,
        positions: Vec::new(),
    }
}

/// Draws the picture for a file: the circle, and the maps beside it.
pub fn picture(update: &ViewUpdate) -> Drawing {
    let ViewData::Arrows(Some(of)) = &update.data else {
        return Drawing::new("No arrows", 100.0, 100.0);
    };
    let wanted = Wanted::of(&update.request.view, of);
    let mut drawing = circle::draw(of, &Path::of(of, wanted.place));
    let left = circle::SIDE + 16.0;
    for (number, level) in of.maps.level_numbers.iter().enumerate() {
        let x = left + MAP_STEP * (number % 2) as f64;
        let y = 16.0 + MAP_STEP * (number / 2) as f64;
        drawing.text(
            (x, y + 8.0),
            words::level(of, *level),
            Anchor::Start,
            Paint::Ink,
        );
        let map = maps::of_level(of, number);
        drawing
            .shapes
            .extend(stamp_to(1.0, Some(&map), (x, y + 16.0), MAP));
    }
    drawing.width = left + 2.0 * MAP_STEP;
    drawing
}

/// Returns which attention the picture shows and what the picture tells, for a file.
pub fn sentences(update: &ViewUpdate, of: &ArrowsView) -> String {
    let wanted = Wanted::of(&update.request.view, of);
    let path = Path::of(of, wanted.place);
    let counts = words::counts(of, &path);
    let parts = [words::shown(of) + ".", words::answer(of, &path), counts];
    parts.join(" ").trim_end().to_owned()
}

fn controls(
    update: &ViewUpdate,
    of: &ArrowsView,
    wanted: Wanted,
    to_view: &Callback<View>,
) -> Html {
    let sites = update.sites.iter().map(|it| it.site);
    let sites = sites.filter(|site| site.place == Site::EncoderSelf);
    let sites: Vec<(AttrValue, AttrValue)> = sites.map(site_option).collect();
    let to_site = to_view.reform(move |name: String| View::Arrows {
        site: name.parse().ok(),
        heads: wanted.heads,
        place: wanted.place,
    });
    let to_heads = to_view.reform(move |name: String| {
        let heads = heads_named(&name);
        Wanted { heads, ..wanted }.view()
    });
    html! {
        <>
            <Select id="arrows-site" label="Site" disabled={sites.len() < 2} options={sites} value={wanted.site.to_string()} onchange={to_site} />
            <Select id="arrows-head" label="Head" options={heads(of)} value={name_of(wanted.heads)} disabled={of.heads < 2} onchange={to_heads} />
        </>
    }
}

/// Returns the options of the heads.
fn heads(of: &ArrowsView) -> Vec<(AttrValue, AttrValue)> {
    let clearest = match of.head {
        Some(head) if of.heads > 1 => format!("clearest ({})", head + 1),
        _ => "clearest".to_owned(),
    };
    let first = [
        (HeadChoice::Clearest, clearest),
        (HeadChoice::Mean, "mean".to_owned()),
    ];
    let all = (0..of.heads).map(|head| {
        let title = format!("{} of {}", head + 1, of.heads);
        (HeadChoice::One(head), title)
    });
    let options = first.into_iter().chain(all);
    let option = |(choice, title): (HeadChoice, String)| (name_of(choice).into(), title.into());
    options.map(option).collect()
}

fn name_of(heads: HeadChoice) -> String {
    match heads {
        HeadChoice::Clearest => "clearest".to_owned(),
        HeadChoice::Mean => "mean".to_owned(),
        HeadChoice::One(head) => head.to_string(),
    }
}

fn heads_named(name: &str) -> HeadChoice {
    match name {
        "mean" => HeadChoice::Mean,
        name => name.parse().map_or(HeadChoice::Clearest, HeadChoice::One),
    }
}

/// Says what the arrows and signs of the picture are.
fn legend(of: &ArrowsView) -> Html {
    let value = if of.followed.is_some() {
        "The dashed arrow is the last step: the name that stands where the path ends. "
    } else {
        ""
    };
    html! {
        <>
            { "Press a place to begin there; arrow keys go round the circle. A thin arrow leads from each place to the place that it names. " }
            { "A thick arrow is the largest weight of a level, and bears the level’s number: the larger the weight, the thicker. " }
            { value }
            { "✓ marks the model’s answer if it is right, ✗ if it is wrong; then a dashed ring marks the right place. " }
            { "In the maps a row for each place shows where that place looks; press a map to open it." }
        </>
    }
}

#[cfg(test)]
mod tests;
