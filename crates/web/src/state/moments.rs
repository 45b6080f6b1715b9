//! Values at some steps of a run, thinned out so that a long run keeps its beginning and its end.

/// Values at some steps, in order, at most a fixed number.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments<T> {
    moments: Vec<(u64, T)>,
    /// The most values that are kept.
    most: usize,
    /// Number of values seen per value kept, as a power of two: 2^`halvings`.
    halvings: u32,
    seen: u64,
}

impl<T> Moments<T> {
    /// Returns an empty list that keeps at most this many values.
    pub fn new(most: usize) -> Self {
        Self {
            moments: Vec::new(),
            most,
            halvings: 0,
            seen: 0,
        }
    }

    /// Adds the value at a step, in place of those at this or a later step.
    pub fn push(&mut self, step: u64, value: T) {
        self.moments.retain(|(of, _)| *of < step);
        self.seen += 1;
        // The last value is always in the list; it stays only if its turn, every 2^`halvings`, has
        // come.
        if self.moments.len() >= 2 && !self.seen.is_multiple_of(1 << self.halvings) {
            self.moments.pop();
        }
        self.moments.push((step, value));
        if self.moments.len() > self.most {
            let mut keep = false;
            self.moments.retain(|_| {
                keep = !keep;
                keep
            });
            self.halvings += 1;
        }
    }

    /// Forgets everything after `step`.
    pub fn go_back_to(&mut self, step: u64) {
        self.moments.retain(|(of, _)| *of <= step);
    }

    /// Iterates over the values, each with its step.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.moments.iter().map(|(step, value)| (*step, value))
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        self.moments.len()
    }

    /// Returns the value at a place in the list, with its step.
    pub fn get(&self, place: usize) -> Option<(u64, &T)> {
        self.moments.get(place).map(|(step, value)| (*step, value))
    }

    /// Returns the place of the last value at or before a step.
    pub fn place(&self, step: u64) -> usize {
        let after = self.moments.partition_point(|(of, _)| *of <= step);
        after.saturating_sub(1)
    }

    /// Returns the last value.
    pub fn last(&self) -> Option<&T> {
        self.moments.last().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_seen_again_takes_the_place_of_what_was_seen() {
        let mut moments = Moments::new(100);
        (0..9).for_each(|step| moments.push(step, 0));
        moments.push(3, 1);
        assert_eq!(moments.iter().last(), Some((3, &1)));
        moments.push(0, 2);
        assert_eq!(moments.iter().collect::<Vec<_>>(), [(0, &2)]);
    }

    #[test]
    fn a_place_is_that_of_the_last_moment_until_a_step() {
        let mut moments = Moments::new(4);
        (0..100).for_each(|step| moments.push(10 * step, step));
        assert_eq!(moments.get(0), Some((0, &0)));
        assert_eq!(moments.last(), Some(&99));
        assert!(moments.count() <= 5);
        assert_eq!(moments.place(0), 0);
        assert_eq!(moments.place(u64::MAX), moments.count() - 1);
        let (step, _) = moments.get(1).unwrap_or((0, &0));
        assert_eq!((moments.place(step - 1), moments.place(step + 1)), (0, 1));
    }
}
