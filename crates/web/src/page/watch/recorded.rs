//! The recorded run that plays on a first visit: the map of a small Transformer that learns to copy,
//! before the visitor's own model has learned anything.
//!
//! `cargo xtask film` records `recorded/copy.json` by a real run of the preset.

use crate::page::base::format::count;
use crate::page::base::motion::prefers_stillness;
use crate::page::watch::heat_map::HeatMap;
use crate::page::watch::view::Matrix;
use gloo::timers::callback::Interval;
use serde::Deserialize;
use std::cell::Cell;
use std::rc::Rc;
use strata_models::{Site, SiteName};
use yew::prelude::*;

/// The recording, as JSON.
const COPY: &str = include_str!("recorded/copy.json");
/// Milliseconds that each moment is shown, and the last one.
const EACH: f64 = 100.0;
const LAST: f64 = 2_500.0;
/// Characters that stand for weights from 0 to 1, in order.
const LEVELS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

/// Site whose map is shown.
const SITE: SiteName = SiteName::in_layer(0, Site::Cross);

thread_local! {
    /// Time at which the recording began. The recording plays once a visit, also if the panel is drawn
    /// anew.
    static BEGUN: Cell<Option<f64>> = const { Cell::new(None) };
}

/// A recorded run: one map of one held-out example, at several steps.
#[derive(Clone, Debug, Deserialize, PartialEq)]
struct Recording {
    /// Tokens of the columns.
    source: Vec<String>,
    /// Tokens of the rows.
    target: Vec<String>,
    /// The moments, in order.
    moments: Vec<Moment>,
}

/// The map at a step.
#[derive(Clone, Debug, Deserialize, PartialEq)]
struct Moment {
    step: u64,
    /// A character of [`LEVELS`] for each weight, row by row.
    weights: String,
}

impl Recording {
    fn read() -> Option<Self> {
        serde_json::from_str(COPY).ok()
    }

    /// Returns the map at a moment; `None` beyond the end.
    fn matrix(&self, moment: usize) -> Option<Matrix> {
        let weights = self.moments.get(moment)?.weights.bytes();
        let weight = |letter: u8| LEVELS.iter().position(|it| *it == letter);
        let weights = weights.map(|it| Some(weight(it)? as f32 / (LEVELS.len() - 1) as f32));
        Some(Matrix {
            site: SITE,
            rows: self.target.clone(),
            columns: self.source.clone(),
            weights: weights.collect::<Option<_>>()?,
            positions: Vec::new(),
        })
    }

    /// Returns the moment that is shown after these milliseconds; `None` after the end.
    fn at(&self, elapsed: f64) -> Option<usize> {
        let last = self.moments.len().checked_sub(1)?;
        let end = last as f64 * EACH + LAST;
        (elapsed < end).then(|| ((elapsed.max(0.0) / EACH) as usize).min(last))
    }
}

/// Properties of [`Recorded`].
#[derive(Clone, PartialEq, Properties)]
pub struct RecordedProperties {
    /// True to write the site's name above the recording, where no map is drawn yet.
    #[prop_or_default]
    pub titled: bool,
}

/// The recording, over the map or in place of the map; empty once played, and for users who prefer
/// reduced motion.
#[component]
pub fn Recorded(properties: &RecordedProperties) -> Html {
    let recording = use_memo((), |()| Recording::read().filter(|_| !prefers_stillness()));
    let moment = use_state_eq(|| recording.as_ref().as_ref().and_then(|it| it.at(elapsed())));
    {
        let (recording, moment) = (recording.clone(), moment.setter());
        use_effect_with((), move |()| {
            let timer = recording.is_some().then(|| {
                Interval::new(EACH as u32 / 2, move || {
                    let here = recording.as_ref().as_ref().and_then(|it| it.at(elapsed()));
                    moment.set(here);
                })
            });
            move || drop(timer)
        });
    }
    let shown = (*recording).as_ref().zip(*moment);
    let Some((recording, moment)) = shown else {
        return Html::default();
    };
    let Some(matrix) = recording.matrix(moment) else {
        return Html::default();
    };
    // As above the map of the same site.
    let title = properties.titled.then(|| {
        html! { <header><h3>{ format!("{}-attention", SITE.title()) }</h3></header> }
    });
    html! {
        <>
        { title }
        <div class="recorded" id="recorded" inert=true data-step={recording.moments[moment].step.to_string()}>
            <HeatMap id="recorded-map" matrix={Rc::new(matrix)} />
            <p class="note"><b>{ "Recorded" }</b>{ ": a model learns to copy, step " }
                <span translate="no">{ count(recording.moments[moment].step) }</span>
                { ". Press Train, and the map is of yours." }</p>
        </div>
        </>
    }
}

/// Returns the milliseconds since the recording began, at the latest now.
fn elapsed() -> f64 {
    let now = js_sys::Date::now();
    BEGUN.with(|begun| {
        let start = begun.get().unwrap_or(now);
        begun.set(Some(start));
        now - start
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Returns the share of rows whose largest weight is near the diagonal.
    fn near_diagonal(matrix: &Matrix) -> f64 {
        let rows = matrix.rows.len();
        let near = (0..rows).filter(|row| matrix.strongest(*row).abs_diff(*row) <= 1);
        near.count() as f64 / rows as f64
    }

    #[test]
    fn the_recording_begins_without_a_diagonal_and_ends_with_it() {
        let recording = Recording::read().unwrap();
        let steps: Vec<u64> = recording.moments.iter().map(|it| it.step).collect();
        assert!(steps.is_sorted() && steps[0] == 0, "{steps:?}");
        let size = recording.source.len() * recording.target.len();
        let maps = (0..steps.len()).map(|moment| recording.matrix(moment).unwrap());
        let maps: Vec<Matrix> = maps.collect();
        assert!(maps.iter().all(|it| it.weights.len() == size));
        assert!(near_diagonal(&maps[0]) < 0.5);
        assert!(near_diagonal(maps.last().unwrap()) > 0.8);
    }

    #[test]
    fn the_recording_plays_once_and_rests_at_its_end() {
        let recording = Recording::read().unwrap();
        let last = recording.moments.len() - 1;
        assert_eq!(recording.at(0.0), Some(0));
        assert_eq!(recording.at(EACH * 2.5), Some(2));
        assert_eq!(recording.at(EACH * last as f64 + LAST - 1.0), Some(last));
        assert_eq!(recording.at(EACH * last as f64 + LAST), None);
    }
}
