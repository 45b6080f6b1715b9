//! One site in full: a head or the mean of all, a level, as a heat-map or as lines.

use super::empty::empty;
use super::forcing::ForceRow;
use super::lines::{Lines, lines};
use super::muting::{self, Muting};
use super::network::axes;
use super::overview;
use super::words::Words;
use crate::by_pointer::ByPointer;
use crate::page::form::fields::{Check, Select};
use crate::page::watch::drawing::{self, Drawing};
use crate::page::watch::heat_map::{HeatMap, Scale};
use crate::page::watch::view::{Matrix, heads, site_option};
use gloo::timers::callback::Interval;
use std::rc::Rc;
use strata_models::SiteName;
use strata_session::protocol::{SiteOutline, View, ViewData, ViewUpdate};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Milliseconds that each level is shown while the levels are played.
const LEVEL_MILLISECONDS: u32 = 700;

#[derive(Properties, PartialEq)]
pub struct SiteProperties {
    pub update: ByPointer<ViewUpdate>,
    /// The requested view, whose data may not have come yet.
    pub view: View,
    pub to_view: Callback<View>,
    pub muting: Muting,
}

/// The site, head and level that the user asks for.
#[derive(Clone, PartialEq)]
struct Wanted {
    site: SiteName,
    head: Option<usize>,
    level: usize,
}

impl Wanted {
    fn view(self) -> View {
        View::Site {
            site: Some(self.site),
            head: self.head,
            level: Some(self.level),
        }
    }
}

/// The matrix and its controls.
#[component]
pub fn Site(properties: &SiteProperties) -> Html {
    let (stretch, as_lines) = (use_state_eq(|| false), use_state_eq(|| false));
    let playing = use_state_eq(|| false);
    let row = use_state_eq(|| None::<usize>);
    let update = &properties.update;
    let matrix = use_memo(update.clone(), |update| {
        Matrix::of_update(update).map(Rc::new)
    });
    let found = found(update);
    let wanted = found.map(|(outline, level)| wanted(&properties.view, outline, level));
    let levels = found.map_or(1, |(outline, _)| outline.levels);
    {
        let to_view = properties.to_view.clone();
        let play = (*playing && levels > 1).then(|| wanted.clone()).flatten();
        use_effect_with((play, levels), move |(play, levels)| {
            // A new timer each time, because the next level depends on the present one.
            let timer = play.clone().map(|wanted| {
                let level = wanted.level % levels + 1;
                Interval::new(LEVEL_MILLISECONDS, move || {
                    let wanted = wanted.clone();
                    to_view.emit(Wanted { level, ..wanted }.view());
                })
            });
            move || drop(timer)
        });
    }
    let (Some(matrix), Some((outline, _)), Some(wanted)) = ((*matrix).clone(), found, wanted)
    else {
        return empty("This model has no attention to show.");
    };
    let id: AttrValue = "attention".into();
    let to_cell = {
        let (to_view, wanted) = (properties.to_view.clone(), wanted.clone());
        to_view.reform(move |(row, column)| View::Cell {
            site: Some(wanted.site),
            head: wanted.head.unwrap_or(0),
            level: Some(wanted.level),
            row,
            column,
        })
    };
    let to_row = {
        let row = row.clone();
        Callback::from(move |at| row.set(Some(at)))
    };
    html! {
        <div class="attention">
            <div class="attention-controls">
                { site_control(update, &wanted, &properties.to_view) }
                { head_control(outline, &wanted, &properties.to_view) }
                { level_control(outline, &wanted, &properties.to_view, &playing) }
                { muting::levels(&properties.muting, wanted.site) }
                { muting::buttons(&properties.muting, wanted.site, wanted.head, wanted.level) }
                { display_controls(&id, &stretch, &as_lines) }
            </div>
            { matrix_view(&id, matrix.clone(), *stretch, *as_lines, Some(to_cell), Some(to_row)) }
            <p class="note">{ axes(wanted.site) }</p>
            <ForceRow muting={properties.muting.clone()} site={outline.clone()} head={wanted.head} rows={matrix.rows.clone()}
                columns={matrix.columns.clone()} at={*row} />
        </div>
    }
}

/// Renders a heat-map or lines, and the words below. `to_cell` is called with a cell that is
/// pressed, `to_row` with a row that is selected.
pub fn matrix_view(
    id: &AttrValue,
    matrix: Rc<Matrix>,
    stretch: bool,
    as_lines: bool,
    to_cell: Option<Callback<(usize, usize)>>,
    to_row: Option<Callback<usize>>,
) -> Html {
    let scale = if stretch {
        Scale::Stretched
    } else {
        Scale::Weights
    };
    html! {
        <>
            if as_lines {
                <Lines matrix={matrix.clone()} />
            } else {
                <HeatMap id={id.clone()} matrix={matrix.clone()} {scale} {to_cell} {to_row} />
            }
            <Words {matrix} />
        </>
    }
}

/// Renders the controls of how a matrix is drawn.
pub fn display_controls(
    id: &AttrValue,
    stretch: &UseStateHandle<bool>,
    as_lines: &UseStateHandle<bool>,
) -> Html {
    let set = |state: &UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |on| state.set(on))
    };
    html! {
        <div class="display-controls">
            <Check id={format!("{id}-stretch")} label="Stretch colours" checked={**stretch} onchange={set(stretch)} />
            <Check id={format!("{id}-lines")} label="As lines" checked={**as_lines} onchange={set(as_lines)} />
        </div>
    }
}

/// Draws the picture for a file.
pub fn picture(update: &ViewUpdate) -> Drawing {
    match Matrix::of_update(update) {
        Some(matrix) => {
            let as_lines = web_sys::window()
                .and_then(|window| window.document())
                .is_some_and(|document| {
                    document
                        .query_selector("#seeing .lines")
                        .is_ok_and(|it| it.is_some())
                });
            if as_lines {
                lines(&matrix, None)
            } else {
                drawing::heat_map(&matrix, 1.0)
            }
        }
        None => overview::picture(update),
    }
}

/// Returns the site of the last view, and its level.
fn found(update: &ViewUpdate) -> Option<(&SiteOutline, usize)> {
    let ViewData::Sites(sites) = &update.data else {
        return None;
    };
    let site = sites.first()?;
    let outline = update.sites.iter().find(|it| it.site == site.site)?;
    Some((outline, *site.level_numbers.first()?))
}

/// Returns the requested head and level, as far as the site has them; otherwise those of the last
/// view.
fn wanted(view: &View, outline: &SiteOutline, seen_level: usize) -> Wanted {
    let (head, level) = match view {
        View::Site { head, level, .. } => (*head, *level),
        _ => (None, None),
    };
    Wanted {
        site: outline.site,
        head: head.filter(|head| *head < outline.heads),
        level: level.unwrap_or(seen_level).clamp(1, outline.levels.max(1)),
    }
}

fn site_control(update: &ViewUpdate, wanted: &Wanted, to_view: &Callback<View>) -> Html {
    let options = update.sites.iter().map(|it| site_option(it.site));
    let (to_view, head) = (to_view.clone(), wanted.head);
    let change = Callback::from(move |name: String| {
        to_view.emit(View::Site {
            site: name.parse().ok(),
            head,
            level: None,
        });
    });
    html! {
        <Select id="attention-site" label="Site" options={options.collect::<Vec<(AttrValue, AttrValue)>>()}
            value={wanted.site.to_string()} onchange={change} />
    }
}

fn head_control(outline: &SiteOutline, wanted: &Wanted, to_view: &Callback<View>) -> Html {
    let (label, _) = heads(outline.site, outline.heads);
    let options = heads_of(outline);
    let (to_view, own) = (to_view.clone(), wanted.clone());
    let change = Callback::from(move |value: String| {
        let head = value.parse().ok();
        to_view.emit(
            Wanted {
                head,
                ..own.clone()
            }
            .view(),
        );
    });
    let value = wanted
        .head
        .map_or("mean".to_owned(), |head| head.to_string());
    html! {
        <Select id="attention-head" {label} {options} {value} onchange={change} disabled={outline.heads < 2} />
    }
}

/// Returns the options of a select: each head of a site, and the mean of all.
pub fn heads_of(outline: &SiteOutline) -> Vec<(AttrValue, AttrValue)> {
    let mean = ("mean".into(), "mean".into());
    let (_, titles) = heads(outline.site, outline.heads);
    let titles = titles.into_iter().enumerate();
    let titles = titles.map(|(head, title)| (head.to_string().into(), title.into()));
    std::iter::once(mean).chain(titles).collect()
}

/// Renders a slider through the levels, and a button that plays them.
fn level_control(
    outline: &SiteOutline,
    wanted: &Wanted,
    to_view: &Callback<View>,
    playing: &UseStateHandle<bool>,
) -> Html {
    let levels = outline.levels;
    let (to_view, own) = (to_view.clone(), wanted.clone());
    let slide = Callback::from(move |event: InputEvent| {
        let input = event.target_unchecked_into::<HtmlInputElement>();
        let level = (input.value_as_number().max(1.0) as usize).min(levels);
        to_view.emit(
            Wanted {
                level,
                ..own.clone()
            }
            .view(),
        );
    });
    let play = {
        let playing = playing.clone();
        Callback::from(move |_: MouseEvent| playing.set(!*playing))
    };
    let one = levels < 2;
    let words = format!("level {} of {levels}", wanted.level);
    html! {
        <div class="field level">
            <label for="attention-level">{ "Level " }<b translate="no">{ wanted.level }</b>{ " of " }<span translate="no">{ levels }</span></label>
            <div>
                <input id="attention-level" type="range" min="1" max={levels.to_string()} step="1" disabled={one}
                    value={wanted.level.to_string()} aria-valuetext={words} oninput={slide} />
                <button type="button" class="quiet" id="attention-play" aria-pressed={playing.to_string()} onclick={play}
                    disabled={one}>{ if **playing { "Stop" } else { "Play" } }</button>
            </div>
        </div>
    }
}
