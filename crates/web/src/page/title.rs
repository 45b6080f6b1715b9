//! The tab's title: how far the run is, for who looks at another tab.

use crate::state::{Phase, State};
use strata_session::protocol::Activity;
use yew::prelude::*;

/// The title of a page whose run has taken no step.
const WHOLE: &str = "Strata — a laboratory for attention";

/// Keeps the title up to date.
#[hook]
pub fn use_title(state: &State) {
    let title = title(state.phase, state.step(), state.experiment.training.steps);
    use_effect_with(title, |title| {
        if let Some(document) = web_sys::window().and_then(|window| window.document()) {
            document.set_title(title);
        }
    });
}

fn title(phase: Phase, step: u64, steps: u64) -> String {
    // Only whole ones: a title that changes all the time costs more than it tells.
    let percent = 100 * step.min(steps) / steps.max(1);
    match phase {
        Phase::Active(Activity::Training) => format!("{percent}\u{202f}% · Strata"),
        Phase::Active(Activity::Finished) => "Finished · Strata".to_owned(),
        Phase::Active(Activity::Diverged) => "Diverged · Strata".to_owned(),
        Phase::Lost => "Stopped · Strata".to_owned(),
        _ if step > 0 => format!("Paused at {percent}\u{202f}% · Strata"),
        _ => WHOLE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_tells_how_far_a_run_is() {
        let active = |activity| Phase::Active(activity);
        assert_eq!(title(active(Activity::Paused), 0, 1000), WHOLE);
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
