//! A sentence with its attention, read from the device.

use burn::tensor::{ExecutionError, Tensor, Transaction};
use strata_models::{EOS, Search, SiteWeights};
use strata_tasks::{Example, Form};
use strata_training::{Encoded, Inference, SearchOptions, Translation, TranslationError};

use crate::protocol::{Picture, SitePicture};
use crate::searching::{self, CANDIDATES};

/// More levels than a person looks through, fewer than a message can carry.
const LEVELS_SHOWN: usize = 8;

/// Translates a text, its target beginning with `prefix`, and shows where the model looked; with
/// `details`, how it was found.
pub(crate) async fn of_text(
    inference: &Inference,
    text: &str,
    prefix: &[String],
    search: &Search,
    details: bool,
) -> Result<Picture, TranslationError> {
    let tokenizer = inference.tokenizer();
    let encoded = tokenizer.encode(text)?;
    let options = SearchOptions {
        candidates: if details { CANDIDATES } else { 0 },
        prefixes: vec![tokenizer.target_ids(prefix)],
        ..SearchOptions::default()
    };
    let sources = std::slice::from_ref(&encoded);
    let searched = inference.search(sources, search, options).await?;
    let found = &searched.items[0];
    let translation = inference.translation(&found.hypotheses[0]);
    let mut picture = of_translation(inference, encoded, &translation, LEVELS_SHOWN).await?;
    picture.search = details.then(|| searching::picture(tokenizer, found));
    Ok(picture)
}

/// Shows where the model looked while it wrote a translation, with as many levels at most.
///
/// # Errors
/// If the device fails.
pub async fn of_translation(
    inference: &Inference,
    source: Encoded,
    translation: &Translation,
    levels: usize,
) -> Result<Picture, ExecutionError> {
    // Decoding step by step shows the decoder only, and of chained levels only their last rows.
    // One more pass over what was written shows every site whole.
    let form = inference.tokenizer().form();
    let mut rows = translation.ids.clone();
    let attended = match form {
        Form::Pairs => inference.attend(&source.ids, &rows).await?,
        Form::Text => {
            let read = [&[EOS], &rows[..rows.len().saturating_sub(1)]].concat();
            inference.attend(&read, &rows).await?
        }
    };
    if translation.finished && form == Form::Pairs {
        rows.push(EOS);
    }
    Ok(Picture {
        step: inference.step(),
        source: source.tokens,
        target: inference.tokenizer().target_tokens(&rows),
        text: translation.text.clone(),
        reference: None,
        unknown: source.unknown,
        sites: read(attended.sites, rows.len(), levels).await?,
        search: None,
    })
}

/// Shows where the model looks in one example, whose answer is known.
pub(crate) async fn of_example(
    inference: &Inference,
    example: &Example,
) -> Result<Picture, ExecutionError> {
    let tokenizer = inference.tokenizer();
    let attended = inference.attend(&example.source, &example.target).await?;
    let rows = match tokenizer.form() {
        Form::Pairs => [&example.target[..], &[EOS]].concat(),
        Form::Text => example.target.clone(),
    };
    let chosen = match tokenizer.form() {
        Form::Pairs => attended.predicted.split(|&id| id == EOS).next(),
        Form::Text => attended.predicted.get(..rows.len()),
    };
    Ok(Picture {
        step: inference.step(),
        source: tokenizer.source_tokens(&example.source),
        target: tokenizer.target_tokens(&rows),
        text: tokenizer.target_text(chosen.unwrap_or_default()),
        reference: Some(tokenizer.target_text(&example.target)),
        unknown: Vec::new(),
        sites: read(attended.sites, rows.len(), LEVELS_SHOWN).await?,
        search: None,
    })
}

/// Reads all sites in one transaction, those of the decoder up to its first `rows` tokens, with
/// `shown` levels at most.
async fn read(
    sites: Vec<SiteWeights>,
    rows: usize,
    shown: usize,
) -> Result<Vec<SitePicture>, ExecutionError> {
    let mut transaction = Transaction::default();
    let mut pictures = Vec::with_capacity(sites.len());
    for SiteWeights { site, weights, .. } in sites {
        let levels = weights.levels();
        let level_numbers = spread(levels, shown);
        let mut dims = [0; 4];
        for &number in &level_numbers {
            let level = weights.level(number); // [1, H, T, S]
            let level = match site.strip_prefix("decoder.") {
                Some(of_decoder) => first_rows(level, of_decoder.ends_with("self"), rows),
                None => level,
            };
            dims = level.dims();
            transaction = transaction.register(level);
        }
        let [_, heads, rows, columns] = dims;
        pictures.push(SitePicture {
            site,
            heads,
            levels,
            level_numbers,
            rows,
            columns,
            weights: Vec::new(),
        });
    }
    if pictures.is_empty() {
        return Ok(pictures);
    }
    let mut data = transaction.execute_async().await?.into_iter();
    for picture in &mut pictures {
        for level in data.by_ref().take(picture.level_numbers.len()) {
            picture.weights.extend(level.iter::<f32>());
        }
    }
    Ok(pictures)
}

/// Leaves out the row after the last token, and where keys are the same tokens, its column.
fn first_rows(level: Tensor<4>, keys_too: bool, rows: usize) -> Tensor<4> {
    let level = level.narrow(2, 0, rows);
    if keys_too {
        level.narrow(3, 0, rows)
    } else {
        level
    }
}

/// All levels 1 ..= `levels`, or `shown` of them, at least 2, spread from first to last.
fn spread(levels: usize, shown: usize) -> Vec<usize> {
    if levels <= shown {
        return (1..=levels).collect();
    }
    let gaps = shown.max(2) - 1;
    (0..=gaps).map(|i| 1 + (levels - 1) * i / gaps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_levels_are_all_shown() {
        assert_eq!(spread(1, LEVELS_SHOWN), [1]);
        assert_eq!(spread(8, LEVELS_SHOWN), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn many_levels_are_spread_from_first_to_last() {
        assert_eq!(spread(9, LEVELS_SHOWN), [1, 2, 3, 4, 5, 6, 7, 9]);
        assert_eq!(spread(100, LEVELS_SHOWN), [1, 15, 29, 43, 57, 71, 85, 100]);
    }
}
