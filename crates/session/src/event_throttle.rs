//! Rate limit for events: reports of short steps are sent together.

use crate::protocol::{Event, StepReport};

/// Least time between two progress events: at most 20 a second.
const PROGRESS_MILLISECONDS: f64 = 50.0;
/// Least time between two views: at most 4 a second.
const VIEW_MILLISECONDS: f64 = 250.0;
/// Least time of training after a view, relative to the time between beginning and sending the
/// view. With 19, at most a twentieth of the time goes into views. The page spends as much on
/// drawing (`web::link::pace`), which also slows training on a machine with few processors; both
/// together stay under a tenth.
const TRAINING_SHARE: f64 = 19.0;

/// Step reports that wait to be sent, and the times of the last events.
#[derive(Default)]
pub(crate) struct EventThrottle {
    waiting: Vec<StepReport>,
    progress_at: Option<f64>,
    view_at: Option<f64>,
    /// Least time to the next view by the cost of the last one, in milliseconds.
    view_spacing: f64,
}

impl EventThrottle {
    /// Records a step, and reports all waiting steps if the last report is long enough ago.
    pub fn step(&mut self, report: StepReport, now: f64, emit: &mut dyn FnMut(Event)) {
        self.waiting.push(report);
        if is_due(self.progress_at, now, PROGRESS_MILLISECONDS) {
            self.flush(now, emit);
        }
    }

    /// Reports the waiting steps. Called before any other event is sent: the page must see a
    /// validation or a view after the steps that led to it.
    pub fn flush(&mut self, now: f64, emit: &mut dyn FnMut(Event)) {
        if !self.waiting.is_empty() {
            self.progress_at = Some(now);
            emit(Event::Progress {
                steps: std::mem::take(&mut self.waiting),
            });
        }
    }

    /// True if the next view is due.
    pub fn view_is_due(&self, now: f64) -> bool {
        is_due(self.view_at, now, self.view_spacing.max(VIEW_MILLISECONDS))
    }

    /// Records that a view was computed and sent from `began` until `now`, in milliseconds.
    pub fn view_sent(&mut self, began: f64, now: f64) {
        self.view_at = Some(now);
        self.view_spacing = TRAINING_SHARE * (now - began);
    }

    /// Records that another view was requested. The user waits for that view, so the cost of the
    /// last one does not delay it.
    pub fn view_changed(&mut self) {
        self.view_spacing = 0.0;
    }
}

/// True if `interval` milliseconds have passed since `last`, or if the clock jumped back.
fn is_due(last: Option<f64>, now: f64, interval: f64) -> bool {
    last.is_none_or(|last| !(last..last + interval).contains(&now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(step: u64) -> StepReport {
        StepReport {
            step,
            loss: 1.0,
            accuracy: 0.0,
            learning_rate: 0.1,
            gradient_norm: 1.0,
            tokens: 1,
            milliseconds: 1.0,
            overflows: 0,
        }
    }

    /// Returns the numbers of the steps in each emitted event, if steps end at `times`.
    fn groups(times: &[f64]) -> Vec<Vec<u64>> {
        let mut throttle = EventThrottle::default();
        let mut groups = Vec::new();
        let mut emit = |event| {
            if let Event::Progress { steps } = event {
                groups.push(steps.iter().map(|report| report.step).collect());
            }
        };
        for (step, &now) in (1..).zip(times) {
            throttle.step(report(step), now, &mut emit);
        }
        throttle.flush(1e6, &mut emit);
        throttle.flush(1e6, &mut emit);
        groups
    }

    #[test]
    fn quick_steps_are_told_of_together() {
        let groups = groups(&[0.0, 10.0, 20.0, 49.0, 50.0, 99.0, 130.0, 131.0]);
        assert_eq!(groups, [vec![1], vec![2, 3, 4, 5], vec![6, 7], vec![8]]);
    }

    #[test]
    fn slow_steps_are_told_of_at_once() {
        assert_eq!(groups(&[0.0, 60.0, 120.0]), [[1], [2], [3]]);
    }

    #[test]
    fn costly_views_are_rare_and_cheap_ones_come_four_times_a_second() {
        let mut throttle = EventThrottle::default();
        assert!(throttle.view_is_due(0.0));
        throttle.view_sent(0.0, 5.0);
        assert!(!throttle.view_is_due(254.0));
        assert!(throttle.view_is_due(255.0));
        throttle.view_sent(380.0, 400.0);
        assert!(!throttle.view_is_due(779.0));
        assert!(throttle.view_is_due(780.0));
        throttle.view_changed();
        assert!(!throttle.view_is_due(649.0));
        assert!(throttle.view_is_due(650.0));
    }

    #[test]
    fn a_clock_that_jumps_back_silences_nothing() {
        assert_eq!(groups(&[1000.0, 5.0, 6.0]), [[1], [2], [3]]);
    }
}
