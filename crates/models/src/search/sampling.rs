//! Draws tokens from the model's distribution, on the host: the same on every device.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::SamplingConfig;
use super::probabilities::or_none;
use crate::EOS;

/// Draws a token from a row of log-probabilities `[V]`; `None` if no token has any probability.
pub(super) fn draw(row: &[f32], config: &SamplingConfig, draws: &mut ChaCha8Rng) -> Option<u32> {
    let kept = kept(row, config);
    let whole: f64 = kept.iter().map(|&(_, mass)| mass).sum();
    let threshold = draws.random::<f64>() * whole;
    let mut below = 0.0;
    let passed = kept.iter().find(|&&(_, mass)| {
        below += mass;
        below > threshold
    });
    // Rounding may leave the sum a little below the threshold; then the last token is drawn.
    passed.or(kept.last()).map(|&(id, _)| id)
}

/// Returns the tokens that can be drawn, with their probabilities (up to a common factor), by id.
/// Applies the temperature first, then top-k, then top-p to the remaining tokens.
fn kept(row: &[f32], config: &SamplingConfig) -> Vec<(u32, f64)> {
    let tokens = row.iter().enumerate().skip(EOS as usize);
    let tokens = tokens.map(|(id, &log_probability)| (id as u32, or_none(log_probability)));
    let best = tokens
        .clone()
        .map(|(_, it)| it)
        .fold(f32::NEG_INFINITY, f32::max);
    if best == f32::NEG_INFINITY {
        return Vec::new();
    }
    let mass = |it: f32| (f64::from(it - best) / config.temperature).exp();
    let mut kept: Vec<(u32, f64)> = tokens.map(|(id, it)| (id, mass(it))).collect();
    let cut_to_k = (1..kept.len()).contains(&config.top_k);
    if !cut_to_k && config.top_p >= 1.0 {
        return kept;
    }
    kept.sort_by(|(id, mass), (other_id, other)| other.total_cmp(mass).then(id.cmp(other_id)));
    if cut_to_k {
        kept.truncate(config.top_k);
    }
    if config.top_p < 1.0 {
        let wanted = config.top_p * kept.iter().map(|&(_, mass)| mass).sum::<f64>();
        let mut sum = 0.0;
        let enough = kept.iter().position(|&(_, mass)| {
            sum += mass;
            sum >= wanted
        });
        kept.truncate(enough.map_or(kept.len(), |last| last + 1));
    }
    // Adding up in the order of ids depends least on a device's rounding.
    kept.sort_by_key(|&(id, _)| id);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-probabilities of p = 0.1, 0.4, 0.2, 0.3 for the tokens 2 to 5.
    const ROW: [f32; 6] = [
        0.0,
        0.0,
        -std::f32::consts::LN_10,
        -0.916_291,
        -1.609_438,
        -1.203_973,
    ];

    fn ids(config: SamplingConfig) -> Vec<u32> {
        kept(&ROW, &config).iter().map(|&(id, _)| id).collect()
    }

    #[test]
    fn top_k_and_top_p_keep_what_they_say() {
        let all = SamplingConfig::default();
        assert_eq!(ids(all), [2, 3, 4, 5]);
        assert_eq!(ids(SamplingConfig { top_k: 2, ..all }), [3, 5]);
        assert_eq!(ids(SamplingConfig { top_k: 9, ..all }), [2, 3, 4, 5]);
        let top_p = |top_p| ids(SamplingConfig { top_p, ..all });
        assert_eq!(top_p(0.0), [3]);
        assert_eq!(top_p(0.39), [3]);
        assert_eq!(top_p(0.5), [3, 5]);
        assert_eq!(top_p(0.71), [3, 4, 5]);
        assert_eq!(top_p(0.95), [2, 3, 4, 5]);
        // p is a share of the sum of the three tokens that top-k leaves, 0.9.
        let both = |top_p| {
            ids(SamplingConfig {
                top_k: 3,
                top_p,
                ..all
            })
        };
        assert_eq!(both(0.76), [3, 5]);
        assert_eq!(both(0.79), [3, 4, 5]);
    }

    #[test]
    fn the_temperature_is_an_exponent() {
        let temperature = 0.5;
        let config = SamplingConfig {
            temperature,
            ..SamplingConfig::default()
        };
        let kept = kept(&ROW, &config);
        let whole: f64 = kept.iter().map(|&(_, mass)| mass).sum();
        let squares = 0.01 + 0.16 + 0.04 + 0.09;
        for ((_, mass), p) in kept.iter().zip([0.1, 0.4, 0.2, 0.3f64]) {
            assert!((mass / whole - p * p / squares).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_is_drawn_of_numbers_that_are_none() {
        assert!(kept(&[f32::NAN; 5], &SamplingConfig::default()).is_empty());
    }
}
