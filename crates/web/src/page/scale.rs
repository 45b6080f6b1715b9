//! Axes: where they end and where their marks are.

/// Marks from 0 on, at round distances (1, 2 or 5 times a power of ten), the last of which is at or
/// above `maximum`: about `wanted` many.
pub fn marks(maximum: f64, wanted: usize) -> Vec<f64> {
    let maximum = if maximum.is_finite() && maximum > 0.0 {
        maximum
    } else {
        1.0
    };
    let rough = maximum / wanted.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        // A hair's breadth, or rounding errors would skip the step that fits exactly.
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(10.0 * power);
    let count = (maximum / step - 1e-6).ceil().max(1.0) as usize;
    (0..=count).map(|index| index as f64 * step).collect()
}

/// A mark's number, with as many digits as the distance between marks needs.
pub fn label(value: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    if value >= 1e6 {
        return format!("{value:e}");
    }
    if value >= 1000.0 && digits == 0 {
        return super::format::count(value as u64);
    }
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_cover_the_range() {
        assert_eq!(marks(100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(marks(3.2, 4), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(marks(1.0, 4), [0.0, 0.5, 1.0]);
        assert_eq!(marks(f64::NAN, 2), [0.0, 0.5, 1.0]);
        for maximum in [0.013, 0.9, 7.0, 1499.0, 1e6] {
            let marks = marks(maximum, 4);
            assert!(*marks.last().unwrap_or(&0.0) >= maximum * 0.999_999);
            assert!((2..=6).contains(&marks.len()), "{marks:?}");
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
