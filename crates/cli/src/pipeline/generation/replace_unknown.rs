//! `--replace-unknown`: replaces `<unk>` by the source word to which the model attends most (Jean
//! et al. 2015, Luong et al. 2015).

use pollster::block_on;
use strata_text::special;
use strata_training::{Encoded, Inference, Translation};

use crate::base::error::Error;

/// Refuses a model that has no attention to a source.
///
/// # Errors
/// If the model is a language model, or has no attention.
pub fn check(inference: &Inference) -> Result<(), Error> {
    let attends = inference.tokenizer().pipeline().has_pairs()
        && !weights(inference, &[special::EOS], &[special::UNK])?.is_empty();
    if attends {
        return Ok(());
    }
    Err(Error::Search(
        "`--replace-unknown` takes words of the source, to which this model does not attend; leave \
         it out, or forbid `<unk>` by `--forbid-unknown`"
            .to_owned(),
    ))
}

/// Replaces every `<unk>` in a translation's text, except in `prefix`, the tokens with which the
/// user made the translation begin. The translation's token ids and scores stay.
///
/// # Errors
/// If the device fails.
pub fn replace(
    inference: &Inference,
    source: &Encoded,
    prefix: &[String],
    translation: &mut Translation,
) -> Result<(), Error> {
    let ids = &translation.ids;
    if !ids.contains(&special::UNK) {
        return Ok(());
    }
    let tokenizer = inference.tokenizer();
    let weights = weights(inference, &source.ids, ids)?;
    let mut tokens = tokenizer.target_tokens(ids);
    let rows = weights.chunks(source.ids.len()).zip(ids).zip(&mut tokens);
    for ((row, _), token) in rows.filter(|((_, id), _)| **id == special::UNK) {
        if let Some(word) = source.tokens.get(largest(row)) {
            token.clone_from(word);
        }
    }
    for (token, typed) in tokens.iter_mut().zip(prefix) {
        token.clone_from(typed);
    }
    translation.text = tokenizer.joined_target(&tokens, ids);
    Ok(())
}

/// Returns the index of the largest weight; of several, the first.
fn largest(row: &[f32]) -> usize {
    let mut best = 0;
    for (at, weight) in row.iter().enumerate() {
        if *weight > row[best] {
            best = at;
        }
    }
    best
}

/// Returns the weights of all source tokens for each target token, row by row: the sum over
/// cross-attentions and heads, at the last level. Empty if there is no cross-attention.
fn weights(inference: &Inference, source: &[u32], target: &[u32]) -> Result<Vec<f32>, Error> {
    let attended = inference.attend(source, target);
    let sites = attended.map_or_else(Vec::new, |it| it.sites);
    let mut sum: Vec<f32> = Vec::new();
    for site in sites.iter().filter(|site| site.site.is_cross()) {
        let weights = site.weights.last().sum_dim(1); // [1, 1, T, S]
        let data = block_on(weights.into_data_async())?;
        let numbers = data.iter::<f32>();
        if sum.is_empty() {
            sum = numbers.collect();
        } else {
            let all = sum.iter_mut().zip(numbers);
            all.for_each(|(sum, number)| *sum += number);
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equal_weights_the_first_counts() {
        assert_eq!(largest(&[0.1, 0.4, 0.4, 0.1]), 1);
        assert_eq!(largest(&[f32::NAN]), 0);
    }
}
