//! Ratios of target to source length. A pair with an unusual ratio is often no translation.

use serde::Serialize;

/// Factor by which an outlier's ratio differs from the median, in either direction.
const FAR: f64 = 3.0;
/// Least length, in tokens, of a pair that counts: shorter pairs have any ratio, as `Go!` may take
/// five words.
const SHORTEST: usize = 8;
/// Width of the bins of the ratio's logarithm; `BINS` is their number.
const WIDTH: f64 = 0.02;
const BINS: usize = 1001;
/// Number of outliers that are listed at each end.
const NAMED: usize = 3;

/// Counts of the ratios of target to source length.
pub struct Ratios {
    bins: Vec<u64>,
    pairs: u64,
    smallest: Vec<Extreme>,
    largest: Vec<Extreme>,
}

#[derive(Clone, Copy)]
struct Extreme {
    line: u64,
    ratio: f64,
}

/// Statistics of ratios.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct RatiosReport {
    /// Median ratio of target to source length, in tokens.
    pub median: f64,
    /// Number of pairs with a side more than three times as long as the median ratio predicts.
    pub outliers: u64,
    /// Line numbers of the farthest outliers.
    pub lines: Vec<u64>,
}

impl Default for Ratios {
    fn default() -> Self {
        Self {
            bins: vec![0; BINS],
            pairs: 0,
            smallest: Vec::new(),
            largest: Vec::new(),
        }
    }
}

impl Ratios {
    /// Counts a pair.
    pub fn add(&mut self, line: u64, source: usize, target: usize) {
        if source == 0 || target == 0 || source.max(target) < SHORTEST {
            return;
        }
        let ratio = target as f64 / source as f64;
        self.bins[bin(ratio)] += 1;
        self.pairs += 1;
        let extreme = Extreme { line, ratio };
        keep(&mut self.largest, extreme, |new, old| new > old);
        keep(&mut self.smallest, extreme, |new, old| new < old);
    }

    /// Returns the statistics so far; `None` if no pair counts.
    pub fn report(&self) -> Option<RatiosReport> {
        let mut so_far = 0;
        let middle = self.bins.iter().position(|count| {
            so_far += count;
            2 * so_far >= self.pairs && self.pairs > 0
        })?;
        let median = ratio(middle);
        let (low, high) = (bin(median / FAR), bin(median * FAR));
        let outliers = self.bins[..low].iter().chain(&self.bins[high + 1..]).sum();
        let is_far = |it: &&Extreme| bin(it.ratio) < low || bin(it.ratio) > high;
        let far = self.smallest.iter().chain(&self.largest).filter(is_far);
        let mut lines: Vec<u64> = far.map(|it| it.line).collect();
        lines.sort_unstable();
        Some(RatiosReport {
            median,
            outliers,
            lines,
        })
    }
}

fn bin(ratio: f64) -> usize {
    let middle = (BINS / 2) as f64;
    (ratio.ln() / WIDTH + middle)
        .round()
        .clamp(0.0, (BINS - 1) as f64) as usize
}

fn ratio(bin: usize) -> f64 {
    ((bin as f64 - (BINS / 2) as f64) * WIDTH).exp()
}

fn keep(extremes: &mut Vec<Extreme>, new: Extreme, beyond: impl Fn(f64, f64) -> bool) {
    let place = extremes
        .iter()
        .position(|old| beyond(new.ratio, old.ratio))
        .unwrap_or(extremes.len());
    if place < NAMED {
        extremes.insert(place, new);
        extremes.truncate(NAMED);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn pairs_far_from_the_rest_are_named() {
        let mut ratios = Ratios::default();
        for line in 1..=1000 {
            match line {
                500 => ratios.add(line, 10, 100),
                700 => ratios.add(line, 40, 10),
                // These pairs are too short to count.
                800 => ratios.add(line, 1, 6),
                900 => ratios.add(line, 0, 50),
                _ => ratios.add(line, 10, 12),
            }
        }
        let report = ratios.report().unwrap();
        assert!((report.median - 1.2).abs() < 0.02, "{report:?}");
        assert_eq!((report.outliers, report.lines), (2, vec![500, 700]));
        assert_eq!(Ratios::default().report(), None);
    }
}
