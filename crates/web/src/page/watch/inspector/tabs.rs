//! Tabs of the panel, one for each kind of view.

use crate::page::base::focus::focus;
use crate::page::pipeline::{FIRST_ARROWS, follows_arrows};
use crate::state::FIRST_VIEW;
use strata_models::Site;
use strata_session::protocol::{View, ViewUpdate};
use strata_training::Experiment;
use yew::prelude::*;

/// Returns the first view of each tab, in the order of the tabs.
fn views() -> [View; 12] {
    [
        FIRST_VIEW.view,
        View::Answer,
        FIRST_ARROWS,
        View::default(),
        View::Overview,
        View::Cell {
            site: None,
            head: 0,
            level: None,
            row: 0,
            column: 0,
        },
        View::Shares,
        View::Descent {
            site: None,
            head: 0,
            row: 0,
        },
        View::Rollout { row: 0 },
        View::Probabilities,
        View::Norms,
        View::Beside {
            site: None,
            head: None,
            level: None,
            text: None,
        },
    ]
}

/// Returns name and title of a view's tab.
fn words(view: &View) -> (&'static str, &'static str) {
    match view {
        View::Network { .. } => ("network", "Network"),
        View::Site { .. } => ("site", "Map"),
        View::Overview => ("overview", "All heads"),
        View::Cell { .. } => ("cell", "Inside a cell"),
        View::Shares => ("shares", "Level shares"),
        View::Descent { .. } => ("descent", "Descent"),
        View::Rollout { .. } => ("rollout", "Sources of a token"),
        View::Probabilities => ("probabilities", "Probabilities"),
        View::Answer => ("answer", "Answer"),
        View::Norms => ("norms", "Norms"),
        View::Arrows { .. } => ("arrows", "Arrows"),
        View::Beside { .. } => ("beside", "Two runs"),
    }
}

/// Returns the name of a view's tab.
pub fn of(view: &View) -> &'static str {
    words(view).0
}

/// Returns the title of a view's tab.
pub fn title(view: &View) -> &'static str {
    words(view).1
}

/// True if the model has something to show in the tab of a view, judging by the last update and the
/// run's experiment.
pub fn has(view: &View, update: Option<&ViewUpdate>, experiment: Option<&Experiment>) -> bool {
    let sites = || update.iter().flat_map(|update| &update.sites);
    match view {
        View::Network { .. } | View::Norms => true,
        View::Arrows { .. } => experiment.is_some_and(follows_arrows),
        View::Site { .. } | View::Overview => update.is_none_or(|it| !it.sites.is_empty()),
        // For a reader the worker sends weights alone, without the numbers of their computation.
        View::Cell { .. } => update.is_none_or(|it| !it.sites.is_empty() && !reads(it)),
        View::Shares => sites().any(|site| site.mixes),
        View::Descent { .. } => sites().any(|site| site.descends),
        View::Rollout { .. } => {
            let places = [Site::EncoderSelf, Site::DecoderSelf];
            sites().any(|it| places.contains(&it.site.place))
        }
        View::Probabilities | View::Beside { .. } => update.is_none_or(|it| !reads(it)),
        View::Answer => update.is_some_and(reads),
    }
}

/// True if the model is a reader, which looks for an answer in a passage.
pub fn reads(update: &ViewUpdate) -> bool {
    let places = [Site::ContextToQuery, Site::Matching];
    update
        .sites
        .iter()
        .any(|it| places.contains(&it.site.place))
}

/// True if the attention that is shown is that of an encoder alone, which answers in place.
pub fn answers_in_place(update: &ViewUpdate) -> bool {
    let mut sites = update.sites.iter();
    !update.sites.is_empty() && sites.all(|it| it.site.place == Site::EncoderSelf)
}

/// Renders the tabs that have something to show; arrow keys move from tab to tab. `has_others` is
/// true if there are models to compare with.
pub fn tabs(
    shown: &View,
    update: Option<&ViewUpdate>,
    experiment: Option<&Experiment>,
    has_others: bool,
    to_view: &Callback<View>,
) -> Html {
    let here = of(shown);
    let there = views()
        .into_iter()
        .filter(|view| of(view) == here || has(view, update, experiment))
        .filter(|view| !matches!(view, View::Beside { .. }) || has_others || of(view) == here);
    let (first, more): (Vec<View>, Vec<View>) = there.partition(is_first);
    let folded = more.iter().find(|view| of(view) == here);
    html! {
        <div class="tab-lines">
            { list(first, here, "What to look at", to_view) }
            if !more.is_empty() {
                <details class="more-tabs">
                    <summary>{ "More" }{ folded.map(|view| format!(": {}", words(view).1)) }</summary>
                    { list(more, here, "More to look at", to_view) }
                </details>
            }
        </div>
    }
}

/// True for views that come first: what a user looks at most. All others are folded.
fn is_first(view: &View) -> bool {
    matches!(
        view,
        View::Network { .. }
            | View::Site { .. }
            | View::Probabilities
            | View::Answer
            | View::Arrows { .. }
    )
}

/// Renders a line of tabs; arrow keys move within the line.
pub fn list(
    there: Vec<View>,
    here: &'static str,
    label: &'static str,
    to_view: &Callback<View>,
) -> Html {
    // One tab of each line can be reached by Tab.
    let has_here = there.iter().any(|view| of(view) == here);
    let tab = |(place, view): (usize, &View)| {
        let (name, title) = words(view);
        let first = view.clone();
        let open = to_view.reform(move |_: MouseEvent| first.clone());
        let selected = name == here;
        let is_stop = selected || (!has_here && place == 0);
        html! {
            <button key={name} type="button" role="tab" id={format!("tab-{name}")} aria-selected={selected.to_string()}
                aria-controls="seeing" tabindex={if is_stop { "0" } else { "-1" }} onclick={open}>{ title }</button>
        }
    };
    let drawn: Html = there.iter().enumerate().map(tab).collect();
    let walk = {
        let to_view = to_view.clone();
        Callback::from(move |event: KeyboardEvent| {
            let count = there.len();
            let place = there.iter().position(|view| of(view) == here);
            let place = place.unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowLeft" => (place + count - 1) % count,
                "ArrowRight" => (place + 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            to_view.emit(there[next].clone());
            focus(&format!("tab-{}", of(&there[next])));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label={label} onkeydown={walk}>{ drawn }</div>
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;
    use strata_models::SiteName;
    use strata_session::protocol::SiteOutline;
    use strata_settings::presets::Preset;

    #[test]
    fn every_tab_opens_its_own_view() {
        let names: BTreeSet<_> = views().iter().map(of).collect();
        assert_eq!(names.len(), views().len());
    }

    /// `views` lists each variant of [`View`], by the names that serde expects.
    #[test]
    fn every_view_has_its_tab() {
        let refusal = serde_json::from_str::<View>("\"none\"").unwrap_err();
        let refusal = refusal.to_string();
        let (_, expected) = refusal.split_once("expected one of ").unwrap();
        let expected: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
        let views = views();
        let names = views
            .iter()
            .map(|view| match serde_json::to_value(view).unwrap() {
                serde_json::Value::String(name) => name,
                value => value.as_object().unwrap().keys().next().unwrap().clone(),
            });
        let names: BTreeSet<String> = names.collect();
        assert!(names.iter().map(String::as_str).eq(expected), "{refusal}");
    }

    #[test]
    fn a_model_has_the_tabs_in_which_it_has_something_to_show() {
        let at = |place, mixes, descends| SiteOutline {
            site: SiteName::in_layer(0, place),
            heads: 1,
            levels: 1,
            rows: 1,
            columns: 1,
            mixes,
            descends,
        };
        let site = |mixes, descends| at(Site::EncoderSelf, mixes, descends);
        let there = |sites: Vec<SiteOutline>| {
            let update = ViewUpdate {
                sites,
                ..ViewUpdate::default()
            };
            let views = views();
            let shown = views.iter().filter(|view| has(view, Some(&update), None));
            shown.map(of).collect::<Vec<_>>()
        };
        assert_eq!(
            there(Vec::new()),
            ["network", "probabilities", "norms", "beside"]
        );
        let plain = [
            "network",
            "site",
            "overview",
            "cell",
            "rollout",
            "probabilities",
            "norms",
            "beside",
        ];
        assert_eq!(there(vec![site(false, false)]), plain);
        assert_eq!(there(vec![site(true, false)])[4], "shares");
        assert_eq!(there(vec![site(false, true)])[4], "descent");
        assert_eq!(there(vec![site(true, false), site(false, true)]).len(), 10);
        let in_place = |places: &[Site]| {
            answers_in_place(&ViewUpdate {
                sites: places.iter().map(|&it| at(it, false, false)).collect(),
                ..ViewUpdate::default()
            })
        };
        assert!(in_place(&[Site::EncoderSelf, Site::EncoderSelf]));
        assert!(!in_place(&[Site::EncoderSelf, Site::Cross]) && !in_place(&[]));
        let arrows = Preset::Arrows.experiment();
        assert!(has(&FIRST_ARROWS, None, Some(&arrows)));
        for preset in [Preset::Copy, Preset::Reading, Preset::Sentences] {
            assert!(
                !has(&FIRST_ARROWS, None, Some(&preset.experiment())),
                "{preset:?}"
            );
        }
        let reader = ["network", "answer", "site", "overview", "shares", "norms"];
        assert_eq!(there(vec![at(Site::ContextToQuery, true, false)]), reader);
    }
}
