//! Number of times that a worker may fail before it is no longer started again.

/// This many failures…
const MANY: usize = 3;
/// … within this many milliseconds are too many.
const PERIOD: f64 = 60_000.0;

/// Failures of workers, by their times.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    times: Vec<f64>,
}

impl Failures {
    /// Notes a failure; true if there were too many.
    pub fn add(&mut self, now: f64) -> bool {
        self.times.retain(|time| now - time < PERIOD);
        self.times.push(now);
        self.times.len() >= MANY
    }

    /// Forgets them: a user wants to try again.
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
