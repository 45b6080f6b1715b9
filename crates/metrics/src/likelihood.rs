//! The mean cross-entropy per token, in the units that people report.

/// Perplexity: e to the mean loss, which is in nats per token.
///
/// A loss above 709.78 gives [`f64::MAX`], not infinity: reports are written as JSON, which has no
/// infinity. NaN stays NaN.
pub fn perplexity(mean_loss: f64) -> f64 {
    let perplexity = mean_loss.exp();
    if perplexity.is_infinite() {
        f64::MAX
    } else {
        perplexity
    }
}

/// Bits per token: the mean loss, which is in nats, over ln 2.
pub fn bits(mean_loss: f64) -> f64 {
    mean_loss / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_among_equals_has_their_number_as_perplexity() {
        let loss = 32f64.ln();
        assert!((perplexity(loss) - 32.0).abs() < 1e-12);
        assert!((bits(loss) - 5.0).abs() < 1e-12);
        assert_eq!(perplexity(0.0), 1.0);
    }

    #[test]
    fn a_diverged_loss_stays_a_number_that_json_can_hold() {
        assert_eq!(perplexity(1e6), f64::MAX);
        assert_eq!(perplexity(f64::INFINITY), f64::MAX);
        assert!(perplexity(f64::NAN).is_nan());
    }
}
