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
    /// Returns mean and deviation of `values`; `None` without values.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        // A third of three equal values' sum may differ from the value in its last bit.
        let is_one = values.iter().all(|it| *it == values[0]);
        let mean = if is_one {
            values[0]
        } else {
            values.iter().sum::<f64>() / count
        };
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        Some(Self {
            mean,
            deviation: (values.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            values,
        })
    }

    /// Returns the 95 % interval of the mean, by Student's t; `None` for a single run.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let deviation = self.deviation?;
        let count = self.values.len();
        let half = student(count - 1) * deviation / (count as f64).sqrt();
        Some([self.mean - half, self.mean + half])
    }
}

impl Spread {
    /// Returns the interval of this confidence, such as 0.9, by Student's t; `None` for a single
    /// run.
    pub fn interval_of(&self, confidence: f64) -> Option<[f64; 2]> {
        let deviation = self.deviation?;
        let freedom = self.values.len() - 1;
        let half = quantile(freedom, confidence) * deviation / (self.values.len() as f64).sqrt();
        Some([self.mean - half, self.mean + half])
    }

    /// Returns the two-sided p-value of a mean of 0, by Student's t; `None` for a single run, or if
    /// all values are equal: a deviation of 0 says nothing of chance.
    pub fn p_value(&self) -> Option<f64> {
        let deviation = self.deviation.filter(|&it| it > 0.0)?;
        let count = self.values.len() as f64;
        Some(two_sided(
            self.values.len() - 1,
            self.mean.abs() * count.sqrt() / deviation,
        ))
    }
}

/// Returns the probability of a |t| above `t`.
fn two_sided(freedom: usize, t: f64) -> f64 {
    let n = freedom as f64;
    incomplete_beta(n / 2.0, 0.5, n / (n + t * t))
}

/// Returns the t within which Student's distribution has this probability, by bisection.
fn quantile(freedom: usize, confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if two_sided(freedom, middle) > 1.0 - confidence {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// Regularised incomplete beta function Iₓ(a, b), by the continued fraction of Lentz (Press et al.
/// 2007, 6.4).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let away = |it: f64| if it.abs() < 1e-300 { 1e-300 } else { it };
    let front =
        (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for m in 1..300 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    front * fraction / a
}

/// Returns ln Γ(x) for x > 0, by Stirling's series after a shift to where its error is below 1e-13.
fn ln_gamma(x: f64) -> f64 {
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < 12.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inverse = 1.0 / shifted;
    let square = inverse * inverse;
    let series =
        inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * std::f64::consts::TAU.ln() + series
        - product.ln()
}

/// Corrects p-values of a family by Holm (1979) and returns them in their order: the chance of one
/// false alarm among all stays below the level with which they are compared.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&one, &other| p_values[one].total_cmp(&p_values[other]));
    let mut corrected = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &at) in order.iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        largest = largest.max((p_values[at] * left).min(1.0));
        corrected[at] = largest;
    }
    corrected
}

/// 97.5 % quantiles of Student's t, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
    2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905,
    2.109_816, 2.100_922, 2.093_024, 2.085_963, 2.079_614, 2.073_873, 2.068_658, 2.063_899,
    2.059_539, 2.055_529, 2.051_831, 2.048_407, 2.045_230, 2.042_272,
];

/// Returns the 97.5 % quantile of Student's t with at least one degree of freedom.
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

    /// Figures of three seeds in docs/results; a third of their sum is another number.
    #[test]
    fn equal_values_have_no_deviation() {
        for value in [
            48.583_868_508_144_676,
            3.883_291_552_106_857,
            218.983_568_423_792_52,
        ] {
            let spread = Spread::of(vec![value; 3]).unwrap();
            assert_eq!((spread.mean, spread.deviation), (value, Some(0.0)));
            assert_eq!(spread.p_value(), None);
        }
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

    /// By SciPy: `ttest_1samp`, `t.interval(0.9, …)`.
    #[test]
    fn p_values_are_students() {
        let spread = Spread::of(vec![1.0, 2.0, 4.0]).unwrap();
        assert!(
            (spread.p_value().unwrap() - 0.118_083).abs() < 1e-5,
            "{:?}",
            spread.p_value()
        );
        let [low, high] = spread.interval_of(0.9).unwrap();
        assert!(
            (low - -0.241_852).abs() < 1e-5 && (high - 4.908_519).abs() < 1e-5,
            "{low} {high}"
        );
        let [low, high] = spread.interval_of(0.95).unwrap();
        let [same, other] = spread.interval().unwrap();
        assert!((low - same).abs() < 1e-5 && (high - other).abs() < 1e-5);
        assert_eq!(Spread::of(vec![1.0, 1.0, 1.0]).unwrap().p_value(), None);
        assert_eq!(Spread::of(vec![1.0]).unwrap().p_value(), None);
        // The value agrees with the table of quantiles.
        assert!((two_sided(30, 2.042_272) - 0.05).abs() < 1e-6);
        assert!((two_sided(1, 12.706_205) - 0.05).abs() < 1e-6);
    }

    /// Holm's own scheme: the smallest p-value times their number, and none below the one before.
    #[test]
    fn several_comparisons_are_corrected_by_holm() {
        let close =
            |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(
            &holm(&[0.01, 0.04, 0.03, 0.005]),
            &[0.03, 0.06, 0.06, 0.02]
        ));
        assert!(close(&holm(&[0.5, 0.9]), &[1.0, 1.0]));
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }
}
