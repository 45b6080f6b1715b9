//! Tabs of the panel, one per kind of view.

use crate::page::focus::focus;
use crate::state::FIRST_LOOK;
use strata_session::protocol::{View, ViewUpdate};
use yew::prelude::*;

/// Names and titles of the tabs, in their order.
const TABS: [(&str, &str); 7] = [
    ("network", "Network"),
    ("site", "One in full"),
    ("overview", "All heads"),
    ("shares", "Level shares"),
    ("descent", "Descent"),
    ("probabilities", "Probabilities"),
    ("norms", "Norms"),
];

/// Name of a view's tab.
pub fn of(view: &View) -> &'static str {
    match view {
        View::Network { .. } => "network",
        View::Site { .. } => "site",
        View::Overview => "overview",
        View::Shares => "shares",
        View::Descent { .. } => "descent",
        View::Probabilities => "probabilities",
        View::Norms => "norms",
    }
}

/// The view that a tab shows at first.
fn view(name: &str) -> View {
    match name {
        "site" => View::default(),
        "overview" => View::Overview,
        "shares" => View::Shares,
        "descent" => View::Descent {
            site: None,
            head: 0,
            row: 0,
        },
        "probabilities" => View::Probabilities,
        "norms" => View::Norms,
        _ => FIRST_LOOK.view,
    }
}

/// True if a model has something to show in a tab, as far as it has been seen.
pub fn has(name: &str, sight: Option<&ViewUpdate>) -> bool {
    match (name, sight) {
        ("site" | "overview", Some(sight)) => !sight.sites.is_empty(),
        ("shares", Some(sight)) => sight.sites.iter().any(|it| it.mixes),
        ("descent", Some(sight)) => sight.sites.iter().any(|it| it.descends),
        ("shares" | "descent", None) => false,
        _ => true,
    }
}

/// Row of the tabs that have something to show; arrow keys go from one to the next.
pub fn tabs(shown: &View, sight: Option<&ViewUpdate>, to_view: &Callback<View>) -> Html {
    let here = of(shown);
    let there: Vec<(&str, &str)> = TABS
        .into_iter()
        .filter(|(name, _)| *name == here || has(name, sight))
        .collect();
    let tab = |(name, title): &(&'static str, &'static str)| {
        let (name, title) = (*name, *title);
        let open = to_view.reform(move |_: MouseEvent| view(name));
        let selected = name == here;
        html! {
            <button key={name} type="button" role="tab" id={format!("tab-{name}")} aria-selected={selected.to_string()}
                aria-controls="seeing" tabindex={if selected { "0" } else { "-1" }} onclick={open}>{ title }</button>
        }
    };
    let drawn: Html = there.iter().map(tab).collect();
    let walk = {
        let to_view = to_view.clone();
        Callback::from(move |event: KeyboardEvent| {
            let count = there.len();
            let place = there.iter().position(|(name, _)| *name == here);
            let place = place.unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowLeft" => (place + count - 1) % count,
                "ArrowRight" => (place + 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            let name = there[next].0;
            to_view.emit(view(name));
            focus(&format!("tab-{name}"));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label="What to look at" onkeydown={walk}>{ drawn }</div>
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_models::{Site, SiteName};
    use strata_session::protocol::{SiteOutline, ViewData, ViewRequest};

    #[test]
    fn every_tab_opens_its_own_view() {
        for (name, _) in TABS {
            assert_eq!(of(&view(name)), name);
        }
    }

    #[test]
    fn a_model_has_the_tabs_in_which_it_has_something_to_show() {
        let site = |mixes, descends| SiteOutline {
            site: SiteName::in_layer(0, Site::EncoderSelf),
            heads: 1,
            levels: 1,
            rows: 1,
            columns: 1,
            mixes,
            descends,
        };
        let there = |sites: Vec<SiteOutline>| {
            let sight = ViewUpdate {
                step: 0,
                look: ViewRequest::default(),
                source: Vec::new(),
                target: Vec::new(),
                text: String::new(),
                reference: String::new(),
                is_right: false,
                unknown: Vec::new(),
                sites,
                seen: ViewData::Sites(Vec::new()),
            };
            let names = TABS.iter().map(|(name, _)| *name);
            names
                .filter(|name| has(name, Some(&sight)))
                .collect::<Vec<_>>()
        };
        assert_eq!(there(Vec::new()), ["network", "probabilities", "norms"]);
        let plain = ["network", "site", "overview", "probabilities", "norms"];
        assert_eq!(there(vec![site(false, false)]), plain);
        assert_eq!(there(vec![site(true, false)])[3], "shares");
        assert_eq!(there(vec![site(false, true)])[3], "descent");
        assert_eq!(there(vec![site(true, false), site(false, true)]).len(), 7);
    }
}
