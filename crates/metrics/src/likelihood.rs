//! Converts cross-entropy to perplexity, bits per token, and bits per character.

/// Computes perplexity, exp(mean loss), with the loss in nats per token.
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

/// Computes bits per token: the mean loss in nats, divided by ln 2.
pub fn bits(mean_loss: f64) -> f64 {
    mean_loss / std::f64::consts::LN_2
}

/// Computes bits per character: the loss in nats, summed over all tokens of a text, per character
/// of the text, so that models with different tokens are comparable. `None` without characters.
pub fn bits_per_character(summed_loss: f64, characters: u64) -> Option<f64> {
    (characters > 0).then(|| bits(summed_loss / characters as f64))
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
    fn characters_share_the_loss_of_their_words() {
        // Two words of 5 characters and a space, 3 bits each.
        let summed_loss = 2.0 * 8f64.ln();
        let bits = bits_per_character(summed_loss, 12);
        assert!(bits.is_some_and(|bits| (bits - 0.5).abs() < 1e-12));
        assert_eq!(bits_per_character(summed_loss, 0), None);
    }

    #[test]
    fn a_diverged_loss_stays_a_number_that_json_can_hold() {
        assert_eq!(perplexity(1e6), f64::MAX);
        assert_eq!(perplexity(f64::INFINITY), f64::MAX);
        assert!(perplexity(f64::NAN).is_nan());
    }
}
