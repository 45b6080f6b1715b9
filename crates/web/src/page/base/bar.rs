//! A bar for a share, in the page's colours: browsers draw `<meter>` each in their own way.

use yew::prelude::*;

/// Returns a bar that stands beside its number; screen readers skip it.
pub fn bar(share: f64) -> Html {
    html! {
        <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            { parts(share) }
        </svg>
    }
}

/// Returns a bar without a number beside it; screen readers say `words` instead.
pub fn told_bar(share: f64, words: String) -> Html {
    html! {
        <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={words}>
            { parts(share) }
        </svg>
    }
}

fn parts(share: f64) -> Html {
    let share = if share.is_finite() { share } else { 0.0 };
    html! {
        <>
            <rect class="whole" width="100" height="4" />
            <rect width={format!("{:.2}", 100.0 * share.clamp(0.0, 1.0))} height="4" />
        </>
    }
}
