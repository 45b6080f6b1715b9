//! Spread of a figure over runs: mean, deviation, and Student's interval.

/// Mean and standard deviation over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// Sample standard deviation, with n − 1; `None` for a single run.
    pub deviation: Option<f64>,
    pub values: Vec<f64>,
}

impl Spread {
    /// Mean and deviation of these values; `None` if there are none.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        Some(Self {
            mean,
            deviation: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            values,
        })
    }

    /// 95 % interval of the mean, by Student's t; `None` for a single run.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let deviation = self.deviation?;
        let count = self.values.len();
        let half = student(count - 1) * deviation / (count as f64).sqrt();
        Some([self.mean - half, self.mean + half])
    }
}

/// Student's t that 97.5 % of the distribution lie below, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905,
    2.109_816, 2.100_922, 2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899,
    2.059_539, 2.055_529, 2.051_831, 2.048_407, 2.045_230, 2.042_272,
];

/// The 97.5 % quantile of Student's t with at least one degree of freedom.
fn student(freedom: usize) -> f64 {
    if let Some(&quantile) = freedom.checked_sub(1).and_then(|at| STUDENT.get(at)) {
        return quantile;
    }
    // Abramowitz and Stegun 26.7.5, whose error is below 1e-6 from here on.
    let (z, n) = (1.959_963_985_f64, freedom as f64);
    z + (z.powi(3) + z) / (4.0 * n)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n.powi(2))
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_deviation_is_that_of_a_sample() {
        let spread = Spread::of(vec![1.0, 2.0, 4.0]).unwrap();
        assert!((spread.mean - 7.0 / 3.0).abs() < 1e-12);
        assert!((spread.deviation.unwrap() - 1.527_525_231_65).abs() < 1e-9);
        assert_eq!(Spread::of(vec![3.0]).unwrap().deviation, None);
        assert_eq!(Spread::of(vec![3.0]).unwrap().interval(), None);
        assert_eq!(Spread::of(Vec::new()), None);
    }

    /// By SciPy: `t.interval`, `t.ppf(0.975, n)`.
    #[test]
    fn the_interval_is_students() {
        let [low, high] = Spread::of(vec![1.0, 2.0, 4.0]).unwrap().interval().unwrap();
        assert!((low - -1.461_250).abs() < 1e-5, "{low}");
        assert!((high - 6.127_917).abs() < 1e-5, "{high}");
        for (freedom, expected) in [(31, 2.039_513), (60, 2.000_298), (1000, 1.962_339)] {
            assert!((student(freedom) - expected).abs() < 2e-6, "{freedom}");
        }
    }
}
