//! Pauses between two drawings of the page, by what a drawing costs.

/// Milliseconds from one drawing to the next where drawing costs nothing: five a second. The eye
/// cannot read numbers that change faster, and a curve that grows by a pixel is not seen.
const LEAST: f64 = 200.0;
/// The longest pause: a picture stays alive, however long it takes.
const MOST: f64 = 500.0;
/// Pause after a drawing, relative to the time that it took: at most a twentieth of the time goes
/// into drawing. Where there are few processors, that time is taken from training, and the worker
/// has spent as much on the picture already (`strata_session`, `event_throttle`): both together
/// stay under a tenth.
const SHARE: f64 = 19.0;
/// Weight of the last drawing in the mean cost: one slow drawing, or the first, soon counts for
/// little.
const WEIGHT: f64 = 0.3;

/// Mean cost of a drawing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Milliseconds.
    cost: Option<f64>,
}

impl Pace {
    /// Notes that a drawing took so many milliseconds.
    pub fn note(&mut self, cost: f64) {
        if !cost.is_finite() || cost < 0.0 {
            // A clock that was set back.
            return;
        }
        self.cost = Some(match self.cost {
            Some(mean) => mean + WEIGHT * (cost - mean),
            None => cost,
        });
    }

    /// Milliseconds from the end of a drawing to the next.
    pub fn pause(self) -> f64 {
        let cost = self.cost.unwrap_or(0.0);
        (SHARE * cost).clamp(LEAST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(costs: &[f64]) -> f64 {
        let mut pace = Pace::default();
        costs.iter().for_each(|cost| pace.note(*cost));
        pace.pause()
    }

    #[test]
    fn drawing_takes_at_most_a_twentieth_of_the_time() {
        for cost in [11.0, 15.0, 20.0, 26.0] {
            let pause = after(&[cost; 5]);
            assert!(cost / (cost + pause) <= 0.05 + 1e-9, "{cost}: {pause}");
        }
    }

    #[test]
    fn a_picture_is_drawn_several_times_a_second_whatever_it_costs() {
        assert_eq!(after(&[]), LEAST);
        assert_eq!(after(&[0.5]), LEAST);
        assert_eq!(after(&[400.0]), MOST);
    }

    #[test]
    fn one_slow_drawing_is_soon_forgotten_and_a_clock_that_jumps_counts_for_nothing() {
        let mut costs = vec![300.0];
        costs.extend([5.0; 12]);
        assert_eq!(after(&costs), LEAST);
        assert_eq!(after(&[12.0, -1e9, f64::NAN]), after(&[12.0]));
    }
}
