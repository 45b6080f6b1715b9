//! The loop of benchmarks: times work again and again, and prints a line of JSON for each figure,
//! of which `cargo xtask bench` makes tables.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;

/// Most runs for each figure.
const ROUNDS: usize = 100;

/// A benchmark program.
pub struct Bench {
    /// Text that the names of figures must contain; others are skipped.
    wanted: String,
}

impl Bench {
    /// Reads the wanted text from the command line: `cargo bench --bench layers -- multilevel`.
    pub fn from_arguments() -> Self {
        let mut arguments = std::env::args().skip(1);
        // Cargo passes `--bench`, too.
        let wanted = arguments.find(|argument| !argument.starts_with("--"));
        Self {
            wanted: wanted.unwrap_or_default(),
        }
    }

    /// Times 100 runs of the closure that `prepare` returns, or as many as begin within `limit`,
    /// and prints median, minimum and maximum in milliseconds. The first run counts, but dropping a
    /// run's result does not.
    pub fn measure<T, R: FnMut() -> T>(
        &self,
        name: &str,
        limit: Duration,
        prepare: impl FnOnce() -> R,
    ) {
        if !name.contains(&self.wanted) {
            return;
        }
        let mut run = prepare();
        let mut times = Vec::with_capacity(ROUNDS);
        let begin = Instant::now();
        while times.is_empty() || (times.len() < ROUNDS && begin.elapsed() < limit) {
            let start = Instant::now();
            let output = black_box(run());
            times.push(start.elapsed().as_secs_f64() * 1e3);
            drop(output);
        }
        times.sort_unstable_by(f64::total_cmp);
        let line = json!({
            "bench": name,
            "rounds": times.len(),
            "ms_median": median(&times),
            "ms_min": times[0],
            "ms_max": times[times.len() - 1],
        });
        println!("{line}");
    }
}

/// Returns the median of sorted numbers.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => (sorted[half - 1] + sorted[half]) / 2.0,
        _ => sorted[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }

    #[test]
    fn a_figure_has_100_runs_or_as_many_as_there_is_time_for() {
        let bench = Bench {
            wanted: "this".to_owned(),
        };
        let count = |name: &str, limit| {
            let mut runs = 0;
            bench.measure(name, limit, || || runs += 1);
            runs
        };
        assert_eq!(count("all/this", Duration::MAX), ROUNDS);
        assert_eq!(count("this/1", Duration::ZERO), 1);
        assert_eq!(count("that", Duration::MAX), 0);
    }
}
