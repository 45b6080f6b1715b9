//! Title of the browser tab: progress of the run, for users who look at another tab.

use crate::state::{Phase, State};
use strata_session::protocol::Activity;
use yew::prelude::*;

/// Title of the page, as `index.html` has it; the document's may be in another language by now.
const OWN: &str = "Strata — a laboratory for attention";

/// Keeps the tab's title up to date; the title is that of the page's file until a run trains or fails in
/// this visit.
#[hook]
pub fn use_title(state: &State) {
    let has_news = use_mut_ref(|| false);
    let is_own = use_mut_ref(|| true);
    *has_news.borrow_mut() |=
        matches!(state.phase, Phase::Active(Activity::Training) | Phase::Lost);
    let title = title(state.phase, state.step(), state.experiment.training.steps)
        .filter(|_| *has_news.borrow());
    use_effect_with(title, move |title| {
        // The file may be of another version, with another title: it is left alone until there is news.
        let was_own = is_own.replace(title.is_none());
        if let Some(document) = document().filter(|_| title.is_some() || !was_own) {
            document.set_title(title.as_deref().unwrap_or(OWN));
        }
    });
}

fn document() -> Option<web_sys::Document> {
    web_sys::window().and_then(|window| window.document())
}

/// Returns the progress of a run as a title; `None` if the run has not begun.
fn title(phase: Phase, step: u64, steps: u64) -> Option<String> {
    // Whole percents: a title that changes all the time costs more than it tells.
    let percent = 100 * step.min(steps) / steps.max(1);
    Some(match phase {
        Phase::Active(Activity::Training) => format!("{percent}\u{202f}% · Strata"),
        Phase::Active(Activity::Finished) => "Finished · Strata".to_owned(),
        Phase::Active(Activity::Diverged) => "Diverged · Strata".to_owned(),
        Phase::Lost => "Stopped · Strata".to_owned(),
        _ if step > 0 => format!("Paused at {percent}\u{202f}% · Strata"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_at_rest_has_the_title_of_its_file() {
        let page = include_str!("../../../../../index.html");
        assert!(page.contains(&format!("<title>{OWN}</title>")));
    }

    #[test]
    fn the_title_tells_how_far_a_run_is() {
        let active = |activity| Phase::Active(activity);
        let title = |phase, step, steps| title(phase, step, steps).unwrap_or_default();
        assert_eq!(title(active(Activity::Paused), 0, 1000), "");
        assert_eq!(
            title(active(Activity::Training), 379, 1000),
            "37\u{202f}% · Strata"
        );
        let paused = title(active(Activity::Paused), 379, 1000);
        assert_eq!(paused, "Paused at 37\u{202f}% · Strata");
        assert_eq!(title(active(Activity::Finished), 9, 9), "Finished · Strata");
        assert_eq!(
            title(active(Activity::Training), 0, 0),
            "0\u{202f}% · Strata"
        );
    }
}
