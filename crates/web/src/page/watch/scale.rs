//! Ranges and marks of axes.

/// Marks at round distances (1, 2 or 5 times a power of ten), the first at or below `low`, the last
/// at or above `high`: about `wanted` many.
pub fn between(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let low = if low.is_finite() { low } else { 0.0 };
    let high = if high.is_finite() && high > low {
        high
    } else {
        low + 1.0
    };
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        // The tolerance keeps rounding errors from skipping a step that fits exactly.
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(10.0 * power);
    let first = (low / step + 1e-6).floor();
    let count = (high / step - first - 1e-6).ceil().max(1.0) as usize;
    (0..=count)
        .map(|index| (first + index as f64) * step)
        .collect()
}

/// Returns marks at powers of ten, or at 1, 2 and 5 times these if the range covers few powers. The
/// first is at or below `low`, the last at or above `high`; both limits must be above 0.
pub fn log_marks(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first > 3 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let all: Vec<f64> = (first..=last.max(first + 1))
        .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
        .collect();
    let below = all
        .iter()
        .rposition(|mark| *mark <= low * 1.000_001)
        .unwrap_or(0);
    let above = all.iter().position(|mark| *mark >= high * 0.999_999);
    let above = above.unwrap_or(all.len() - 1).max(below + 1);
    all[below..=above.min(all.len() - 1)].to_vec()
}

/// Writes the number of a mark, with as many digits as the distance between marks needs.
pub fn label(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    if value >= 1e6 {
        return format!("{value:e}");
    }
    if value >= 1000.0 && digits == 0 {
        return crate::page::base::format::count(value as u64);
    }
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_cover_the_range() {
        assert_eq!(between(0.0, 100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(between(0.0, 3.2, 4), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(between(0.0, f64::NAN, 2), [0.0, 0.5, 1.0]);
        assert_eq!(
            between(120.0, 155.0, 4),
            [120.0, 130.0, 140.0, 150.0, 160.0]
        );
        for maximum in [0.013, 0.9, 7.0, 1499.0, 1e6] {
            let marks = between(0.0, maximum, 4);
            assert!(*marks.last().unwrap_or(&0.0) >= maximum * 0.999_999);
            assert!((2..=6).contains(&marks.len()), "{marks:?}");
        }
    }

    #[test]
    fn logarithmic_marks_cover_the_range() {
        for (low, high) in [
            (0.013, 3.7),
            (0.5, 0.5),
            (1e-4, 1e3),
            (2.0, 2.2),
            (1.0, 10.0),
        ] {
            let marks = log_marks(low, high);
            assert!(
                marks[0] <= low * 1.001 && marks[marks.len() - 1] >= high * 0.999,
                "{marks:?}"
            );
            assert!((2..=10).contains(&marks.len()), "{low} {high}: {marks:?}");
        }
    }

    #[test]
    fn labels_have_the_digits_that_they_need() {
        assert_eq!(label(0.5, 0.5), "0.5");
        assert_eq!(label(3.0, 1.0), "3");
        assert_eq!(label(0.02, 0.01), "0.02");
        assert_eq!(label(2e7, 1e7), "2e7");
        assert_eq!(label(1500.0, 500.0), "1\u{202f}500");
    }
}
