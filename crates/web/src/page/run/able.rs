//! Stops a run without errors on held-out examples, and asks the user whether to continue: further
//! training would change nothing visible.

use crate::page::run::intent::Intent;
use crate::state::Phase;
use strata_session::protocol::{Activity, Validation};
use yew::prelude::*;

/// Number of validations in a row that must be without a fault.
const TIMES: usize = 2;
/// Share of right answers without a fault; what is missing from 1 is left to rounding.
const ALL: f64 = 0.999_999;

#[derive(Properties, PartialEq)]
pub struct AbleProperties {
    /// Id of the run.
    pub run: AttrValue,
    /// True for a run that is asked: one of a preset, outside of lessons, which ends by itself.
    pub is_asked: bool,
    pub phase: Phase,
    /// Number of steps that the run has taken, and of those that it will take.
    pub steps: (u64, u64),
    pub validation: Option<Validation>,
    pub act: Callback<Intent>,
}

/// Summary of the validations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    run: AttrValue,
    /// Step of the last validation.
    step: u64,
    /// Number of validations without a fault up to the last.
    perfect: usize,
    /// True once the run was stopped, which happens once.
    is_stopped: bool,
}

impl Seen {
    /// Takes in a validation; returns true if the run is to be stopped now.
    fn take(&mut self, run: &AttrValue, validation: &Validation) -> bool {
        if self.run != *run || validation.step < self.step {
            *self = Self {
                run: run.clone(),
                ..Self::default()
            };
        } else if validation.step == self.step {
            return false;
        }
        self.step = validation.step;
        let is_perfect = validation.accuracy.min(validation.exact_match) >= ALL;
        self.perfect = if is_perfect { self.perfect + 1 } else { 0 };
        let stops = self.perfect >= TIMES && !self.is_stopped;
        self.is_stopped |= stops;
        stops
    }
}

/// The question, while the run that was stopped for it waits.
#[component]
pub fn Able(properties: &AbleProperties) -> Html {
    let seen = use_mut_ref(Seen::default);
    // Run and step at which the question was asked.
    let asked = use_state_eq(|| None::<(AttrValue, u64)>);
    let is_training = properties.phase == Phase::Active(Activity::Training);
    {
        let (seen, asked, act) = (seen, asked.setter(), properties.act.clone());
        let AbleProperties {
            run,
            is_asked,
            steps: (_, steps),
            ..
        } = properties;
        let (run, is_asked, steps) = (run.clone(), *is_asked && is_training, *steps);
        use_effect_with(properties.validation, move |validation| {
            if let Some(validation) = validation.as_ref().filter(|_| is_asked)
                && seen.borrow_mut().take(&run, validation)
                && validation.step < steps
            {
                asked.set(Some((run, validation.step)));
                act.emit(Intent::Pause);
            }
        });
    }
    let (step, steps) = properties.steps;
    let is_paused = properties.phase == Phase::Active(Activity::Paused);
    let is_here = |(run, at): &(AttrValue, u64)| *run == properties.run && *at <= step;
    let is_open = asked.as_ref().is_some_and(|it| is_paused && is_here(it));
    let go_on = {
        let (asked, act) = (asked.setter(), properties.act.clone());
        Callback::from(move |_: MouseEvent| {
            asked.set(None);
            act.emit(Intent::Train);
        })
    };
    let enough = {
        let asked = asked.setter();
        Callback::from(move |_: MouseEvent| asked.set(None))
    };
    let question = is_open.then_some("It can do it: no fault in two validations. Go on?");
    // The sentence alone is spoken, once: the place for it is always there, and the buttons are beside.
    html! {
        <div class={if is_open { "able" } else { "unasked" }}>
            <p role="status">{ question }</p>
            if is_open {
                <button type="button" id="go-on" onclick={go_on}>{ format!("Go on, {} steps", steps - step.min(steps)) }</button>
                <button type="button" class="quiet" id="enough" onclick={enough}>{ "Enough" }</button>
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stopped_once_after_two_validations_without_a_fault() {
        let (mut seen, run) = (Seen::default(), AttrValue::from("a"));
        let mut take = |run: &AttrValue, step, accuracy, exact_match| {
            let validation = Validation {
                step,
                accuracy,
                exact_match,
                ..Validation::default()
            };
            seen.take(run, &validation)
        };
        assert!(!take(&run, 50, 1.0, 1.0));
        assert!(!take(&run, 100, 1.0, 0.9));
        assert!(!take(&run, 150, 1.0, 1.0));
        // The same validation does not count twice.
        assert!(!take(&run, 150, 1.0, 1.0));
        assert!(take(&run, 200, 1.0, 1.0));
        assert!(!take(&run, 250, 1.0, 1.0));
        let other = AttrValue::from("b");
        assert!(!take(&other, 50, 1.0, 1.0));
        assert!(take(&other, 100, 1.0, 1.0));
    }
}
