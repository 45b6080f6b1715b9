//! The tabs of the panel: what can be looked at.

use strata_session::protocol::View;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Names and titles, in their order.
const TABS: [(&str, &str); 6] = [
    ("site", "One in full"),
    ("overview", "All heads"),
    ("shares", "Level shares"),
    ("descent", "Descent"),
    ("probabilities", "Probabilities"),
    ("norms", "Norms"),
];

/// The name of a view's tab.
pub fn of(view: &View) -> &'static str {
    match view {
        View::Site { .. } => "site",
        View::Overview => "overview",
        View::Shares => "shares",
        View::Descent { .. } => "descent",
        View::Probabilities => "probabilities",
        View::Norms => "norms",
    }
}

/// What a tab shows at first.
fn view(name: &str) -> View {
    match name {
        "overview" => View::Overview,
        "shares" => View::Shares,
        "descent" => View::Descent {
            site: None,
            head: 0,
            row: 0,
        },
        "probabilities" => View::Probabilities,
        "norms" => View::Norms,
        _ => View::default(),
    }
}

/// The row of tabs; arrow keys go from one to the next.
pub fn tabs(shown: &View, to_view: &Callback<View>) -> Html {
    let here = of(shown);
    let tab = |(name, title): (&'static str, &'static str)| {
        let open = to_view.reform(move |_: MouseEvent| view(name));
        let selected = name == here;
        html! {
            <button key={name} type="button" role="tab" id={format!("tab-{name}")} aria-selected={selected.to_string()}
                aria-controls="seeing" tabindex={if selected { "0" } else { "-1" }} onclick={open}>{ title }</button>
        }
    };
    let walk = {
        let to_view = to_view.clone();
        Callback::from(move |event: KeyboardEvent| {
            let place = TABS.iter().position(|(name, _)| *name == here).unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowLeft" => (place + TABS.len() - 1) % TABS.len(),
                "ArrowRight" => (place + 1) % TABS.len(),
                "Home" => 0,
                "End" => TABS.len() - 1,
                _ => return,
            };
            event.prevent_default();
            let name = TABS[next].0;
            to_view.emit(view(name));
            focus(&format!("tab-{name}"));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label="What to look at" onkeydown={walk}>{ for TABS.into_iter().map(tab) }</div>
    }
}

/// Moves the keyboard's focus to the element of this name.
fn focus(id: &str) {
    let element = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id(id))
        .and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(element) = element {
        // An element that cannot have the focus leaves it where it was.
        let _ = element.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_opens_its_own_view() {
        for (name, _) in TABS {
            assert_eq!(of(&view(name)), name);
        }
    }
}
