//! Pauses between two drawings of the page, from the cost of a drawing.

/// Milliseconds from one drawing to the next if drawing costs nothing: five drawings a second. The
/// eye cannot read numbers that change faster, nor see a curve grow by a pixel.
const LEAST: f64 = 200.0;
/// Longest pause between two drawings, in milliseconds: a picture stays alive, whatever it costs.
const MOST: f64 = 500.0;
/// Pause after a drawing, in multiples of the time that the drawing took: at most a twentieth of
/// the time goes into drawing. On few processors that time is taken from training, and the worker
/// has spent as much on the picture already (`strata_session`, `event_throttle`): both together
/// stay under a tenth.
const SHARE: f64 = 19.0;
/// Weight of the last drawing in the mean cost: a single slow drawing, such as the first, soon
/// counts for little.
const WEIGHT: f64 = 0.3;

/// Exponential moving average of the cost of a drawing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Mean cost in milliseconds, or `None` before the first drawing.
    cost: Option<f64>,
}

impl Pace {
    /// Takes the cost of a drawing, in milliseconds, into the mean.
    pub fn note(&mut self, cost: f64) {
        if !cost.is_finite() || cost < 0.0 {
            // The clock was set back: the measurement says nothing.
            return;
        }
        self.cost = Some(match self.cost {
            Some(mean) => mean + WEIGHT * (cost - mean),
            None => cost,
        });
    }

    /// Returns the milliseconds to wait from the end of a drawing to the next.
    pub fn pause(self) -> f64 {
        // Never beyond `MOST`, even if drawing then takes more than its share of the time: a page
        // that stands still looks broken.
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
