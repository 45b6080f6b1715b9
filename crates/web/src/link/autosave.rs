//! Decides when a run is saved: often enough that little is lost, seldom enough to go unnoticed.
//!
//! A browser that leaves a page waits for nothing: steps that are not saved by then are lost. So a
//! new run is saved within its first second, and later so often that no large part of its training
//! is at risk.

use strata_session::protocol::{Activity, Event};

/// Training time per interval between two saves: a run that has trained for 12 seconds is saved
/// after another 2, if the limits below allow that.
const TRAINING_PER_INTERVAL: f64 = 6.0;
/// Least interval between two saves, in milliseconds.
const MIN_INTERVAL_MS: f64 = 300.0;
/// Largest interval that `TRAINING_PER_INTERVAL` asks for, in milliseconds.
const USUAL_INTERVAL_MS: f64 = 4_000.0;
/// Least interval between two saves, as a multiple of the time that the last save took.
const MIN_INTERVAL_PER_COST: f64 = 3.0;
/// Training time per time that all saves together may take: a twenty-fifth goes into saves.
const TRAINING_PER_COST: f64 = 25.0;
/// Time that saves may take beyond that part, in milliseconds. The time is spent at the beginning,
/// where a part of the training time would allow no save at all.
const FREE_COST_MS: f64 = 3_000.0;
/// Interval after which a run is saved whatever the cost, in milliseconds.
const MAX_INTERVAL_MS: f64 = 25_000.0;

/// Watches the events of a worker, and decides when to ask it for a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Autosave {
    /// The last step that the worker reported.
    step: u64,
    /// Time of the last report, in milliseconds.
    reported_at: f64,
    /// The step of the last checkpoint.
    saved: u64,
    /// Time when the last checkpoint was requested, in milliseconds.
    saved_at: f64,
    /// Time when a checkpoint was requested that has not come yet, in milliseconds.
    requested_at: Option<f64>,
    /// Milliseconds that the last checkpoint took, without the step that was under way before.
    cost: f64,
    /// Time since when the run trains, in milliseconds; `None` while it is paused.
    training_since: Option<f64>,
    /// Milliseconds that saves have taken since the training began.
    spent: f64,
}

impl Autosave {
    /// Starts anew for a new worker, which goes on from the last checkpoint.
    pub fn restart(&mut self, now: f64) {
        self.step = self.saved;
        self.saved_at = now;
        self.requested_at = None;
        self.training_since = None;
    }

    /// Records that a checkpoint is requested.
    pub fn ask(&mut self, now: f64) {
        self.requested_at.get_or_insert(now);
    }

    /// Records a worker's event; returns true if a checkpoint should be requested now.
    pub fn event(&mut self, event: &Event, now: f64) -> bool {
        match event {
            Event::Ready(ready) => {
                (self.step, self.saved) = (ready.step, ready.step);
                self.saved_at = now;
                self.requested_at = None;
                self.training_since = None;
            }
            Event::Progress { steps } => {
                self.step = steps.last().map_or(self.step, |step| step.step);
                self.reported_at = now;
            }
            Event::Saved { step, .. } => {
                let requested = self.requested_at.take();
                // The worker ends and reports its step before it saves: the wait for that step is
                // no cost.
                self.cost = requested.map_or(self.cost, |at| now - at.max(self.reported_at));
                self.spent += self.cost;
                self.saved = *step;
                self.saved_at = requested.unwrap_or(now);
            }
            Event::Activity { activity } => {
                self.training_since = match activity {
                    Activity::Training => self.training_since.or(Some(now)),
                    _ => None,
                };
                if self.training_since == Some(now) {
                    self.spent = 0.0;
                }
            }
            // The refused command may have been the request for a checkpoint; it is made again.
            Event::Refused { .. } => self.requested_at = None,
            _ => return false,
        }
        self.requested_at.is_none() && self.is_worth_it() && self.is_due(now)
    }

    /// True if steps would be lost if the worker ended now.
    pub fn is_worth_it(&self) -> bool {
        self.step > self.saved
    }

    fn is_due(&self, now: f64) -> bool {
        // A paused run is saved at once: no training is slowed down.
        let Some(since) = self.training_since else {
            return true;
        };
        let trained = now - since;
        let unsaved = now - self.saved_at.max(since);
        let usual = trained / TRAINING_PER_INTERVAL;
        let usual = usual.clamp(MIN_INTERVAL_MS, USUAL_INTERVAL_MS);
        let affordable = trained / TRAINING_PER_COST + FREE_COST_MS;
        let is_cheap = self.spent + self.cost <= affordable;
        let least = usual.max(MIN_INTERVAL_PER_COST * self.cost);
        unsaved >= MAX_INTERVAL_MS || (is_cheap && unsaved >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_session::protocol::StepReport;

    fn progress(step: u64) -> Event {
        Event::Progress {
            steps: vec![StepReport {
                step,
                loss: 1.0,
                accuracy: 0.0,
                learning_rate: 0.1,
                gradient_norm: 1.0,
                tokens: 1,
                milliseconds: 1.0,
                overflows: 0,
            }],
        }
    }

    fn saved(step: u64) -> Event {
        let checkpoint = Vec::new();
        Event::Saved { step, checkpoint }
    }

    fn activity(activity: Activity) -> Event {
        Event::Activity { activity }
    }

    fn training() -> Autosave {
        let mut autosave = Autosave::default();
        assert!(!autosave.event(&activity(Activity::Training), 0.0));
        autosave
    }

    /// Returns the times at which a run is saved if it reports a step every `each` milliseconds for
    /// `limit` milliseconds, and each save takes `cost` milliseconds.
    fn moments(each: f64, cost: f64, limit: f64) -> Vec<f64> {
        let mut autosave = training();
        let (mut now, mut step, mut moments) = (0.0, 0, Vec::new());
        while now < limit {
            now += each;
            step += 1;
            if autosave.event(&progress(step), now) {
                autosave.ask(now);
                moments.push(now);
                now += cost;
                autosave.event(&saved(step), now);
            }
        }
        moments
    }

    #[test]
    fn a_short_run_loses_less_than_a_quarter_of_its_steps() {
        // On a busy machine steps and saves both take long.
        for (each, cost) in [(5.0, 10.0), (30.0, 10.0), (200.0, 100.0), (180.0, 300.0)] {
            let moments = moments(each, cost, 60_000.0);
            for left in [4_000.0, 8_000.0, 19_000.0, 24_000.0, 59_000.0] {
                let kept = moments.iter().rfind(|at| **at + cost <= left);
                let lost = left - kept.copied().unwrap_or_default();
                assert!(
                    lost < left / 3.0 && (lost < left / 4.0 || cost > 100.0),
                    "{each}: {lost} of {left}"
                );
            }
        }
    }

    #[test]
    fn saves_take_a_small_part_of_the_time_unless_that_would_be_far_too_late() {
        for (cost, most) in [(10.0, 0.04), (200.0, 0.06), (900.0, 0.06)] {
            let all = moments(30.0, cost, 300_000.0).len() as f64 * cost;
            assert!(all / 300_000.0 < most, "{cost}: {all}");
        }
        let slow = moments(30.0, 5_000.0, 300_000.0);
        assert!(
            slow.windows(2).all(|two| two[1] - two[0] < 26_000.0),
            "{slow:?}"
        );
    }

    #[test]
    fn long_steps_are_no_cost_of_a_save() {
        let mut autosave = training();
        assert!(autosave.event(&progress(1), 3_000.0));
        autosave.ask(3_000.0);
        // The worker ends its step before it saves.
        assert!(!autosave.event(&progress(2), 6_000.0), "one at a time");
        assert!(!autosave.event(&saved(2), 6_050.0));
        assert!(autosave.event(&progress(3), 9_000.0));
    }

    #[test]
    fn a_pause_saves_what_is_not_saved() {
        let mut autosave = training();
        autosave.event(&progress(4), 100.0);
        assert!(autosave.event(&activity(Activity::Paused), 101.0));
        autosave.ask(101.0);
        assert!(!autosave.event(&saved(4), 110.0));
        assert!(!autosave.is_worth_it());
        assert!(!autosave.event(&activity(Activity::Paused), 111.0));
    }

    #[test]
    fn steps_after_the_asking_are_saved_when_the_run_stops() {
        let mut autosave = training();
        autosave.event(&progress(4), 10_000.0);
        autosave.ask(10_000.0);
        autosave.event(&progress(5), 10_001.0);
        autosave.event(&activity(Activity::Finished), 10_002.0);
        assert!(autosave.event(&saved(4), 10_003.0));
    }
}
