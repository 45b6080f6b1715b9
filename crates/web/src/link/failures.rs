//! Counts failures of workers: after too many in a short time no other worker is started.

/// Number of failures within `PERIOD_MS` that are too many.
const TOO_MANY: usize = 3;
/// Milliseconds after which a failure no longer counts.
const PERIOD_MS: f64 = 60_000.0;

/// Times of the workers' failures, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    times: Vec<f64>,
}

impl Failures {
    /// Records a failure; returns true if there were too many within `PERIOD_MS`.
    pub fn add(&mut self, now: f64) -> bool {
        self.times.retain(|time| now - time < PERIOD_MS);
        self.times.push(now);
        self.times.len() >= TOO_MANY
    }

    /// Forgets all failures, when a user tries again.
    pub fn forgive(&mut self) {
        self.times.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_within_a_minute_are_too_many() {
        let mut failures = Failures::default();
        assert!(!failures.add(0.0));
        assert!(!failures.add(30_000.0));
        assert!(!failures.add(61_000.0));
        assert!(failures.add(62_000.0));
        failures.forgive();
        assert!(!failures.add(63_000.0));
    }
}
