//! When a run is saved: often enough that its end costs little, seldom enough that nobody notices.

use strata_session::protocol::{Activity, Event};

/// Milliseconds between two saves of a run that trains, whatever they cost.
const SOONEST: f64 = 10_000.0;
const LATEST: f64 = 25_000.0;
/// Saving takes at most one part in so many of the time, as long as that is soon enough.
const SHARE: f64 = 50.0;

/// Watches what a worker tells, and says when it should be asked for a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Autosave {
    /// The last step that was told of.
    step: u64,
    /// The last step that was saved.
    saved: u64,
    saved_at: f64,
    /// When a checkpoint was asked for that has not come yet.
    asked_at: Option<f64>,
    /// Milliseconds that the last one took.
    cost: f64,
    is_training: bool,
}

impl Autosave {
    /// A new worker has the run of the last checkpoint.
    pub fn restart(&mut self, now: f64) {
        self.step = self.saved;
        self.saved_at = now;
        self.asked_at = None;
        self.is_training = false;
    }

    /// A checkpoint is asked for.
    pub fn ask(&mut self, now: f64) {
        self.asked_at.get_or_insert(now);
    }

    /// Notes what a worker tells; true if it should be asked for a checkpoint.
    pub fn event(&mut self, event: &Event, now: f64) -> bool {
        match event {
            Event::Ready(ready) => {
                (self.step, self.saved) = (ready.step, ready.step);
                self.saved_at = now;
                self.asked_at = None;
                self.is_training = false;
            }
            Event::Progress { steps } => {
                self.step = steps.last().map_or(self.step, |step| step.step);
            }
            Event::Saved { step, .. } => {
                self.cost = self.asked_at.take().map_or(self.cost, |asked| now - asked);
                self.saved = *step;
                self.saved_at = now;
            }
            Event::Activity { activity } => self.is_training = *activity == Activity::Training,
            // Perhaps of the checkpoint; it is asked for again.
            Event::Refused { .. } => self.asked_at = None,
            _ => return false,
        }
        self.asked_at.is_none() && self.is_worth_it() && (!self.is_training || self.is_due(now))
    }

    /// Whether steps would be lost with the worker.
    pub fn is_worth_it(&self) -> bool {
        self.step > self.saved
    }

    fn is_due(&self, now: f64) -> bool {
        now - self.saved_at >= (SHARE * self.cost).clamp(SOONEST, LATEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_session::protocol::StepMetrics;

    fn progress(step: u64) -> Event {
        Event::Progress {
            steps: vec![StepMetrics {
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

    #[test]
    fn a_quick_save_comes_every_ten_seconds_and_a_slow_one_every_twenty_five() {
        let mut autosave = training();
        assert!(!autosave.event(&progress(1), 9_000.0));
        assert!(autosave.event(&progress(2), 10_000.0));
        autosave.ask(10_000.0);
        assert!(!autosave.event(&progress(3), 20_500.0), "one at a time");
        assert!(!autosave.event(&saved(3), 20_500.0));
        // It took 10.5 s, of which 2 % would be far too late.
        assert!(!autosave.event(&progress(4), 45_000.0));
        assert!(autosave.event(&progress(5), 45_500.0));
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
