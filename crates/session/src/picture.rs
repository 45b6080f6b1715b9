//! Views of a model, read from the device.
//!
//! - this file: a translation with its attention; `reading`: an answer with a reader's attention
//! - `answer`: answers in their passages; `beside`: two runs on one sentence
//! - `details`: intermediate results of the mechanism of a site
//! - `sight`: views of the watched example, read in one transaction
//! - `site`: attention weights; `shares`: shares of levels; `descent`: path down a pyramid;
//!   `norms`: norms of parameters; `network`: the whole model

mod answer;
mod beside;
mod cell;
mod descent;
mod details;
mod network;
mod norms;
mod reading;
mod rollout;
mod shares;
mod sight;
mod site;

use burn::tensor::{ExecutionError, Transaction};
use strata_models::{EOS, Search, SiteWeights};
use strata_tasks::Pipeline;
use strata_training::{Encoded, Inference, SearchOptions, Translation, TranslationError};

use crate::protocol::TranslationView;
use crate::searching::{self, CANDIDATES};
pub(crate) use answer::of_question;
pub use details::{Heads, PyramidLevel, SiteDetails};
pub use reading::{details_of_answer, of_answer};
pub(crate) use shares::Shares;
pub(crate) use sight::of_example;
pub(crate) use site::{LEVELS_SHOWN, SiteTensors};

/// Translates a text, where the target begins with `prefix`, and returns the translation with its
/// attention and, with `details`, the view of the search. Also returns source and translation as
/// token ids.
pub(crate) async fn of_text(
    inference: &Inference,
    text: &str,
    prefix: &[String],
    search: &Search,
    details: bool,
) -> Result<(TranslationView, Encoded, Translation), TranslationError> {
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
    let translation = inference.translation(&encoded, &found.hypotheses[0]);
    let mut picture =
        of_translation(inference, encoded.clone(), &translation, LEVELS_SHOWN).await?;
    picture.search = details.then(|| searching::picture(inference, &sources[0], found));
    Ok((picture, encoded, translation))
}

/// Returns the view of a translation with the attention of every site, of at most `levels` levels.
///
/// # Errors
/// If the device fails.
pub async fn of_translation(
    inference: &Inference,
    source: Encoded,
    translation: &Translation,
    levels: usize,
) -> Result<TranslationView, ExecutionError> {
    let (attended, rows) = attended(inference, &source, translation);
    let mut transaction = Transaction::default();
    let mut sites = Vec::with_capacity(attended.len());
    for site in &attended {
        let part = SiteTensors::all(site, rows.len(), levels);
        transaction = part.register(transaction);
        sites.push(part);
    }
    let mut data = match sites.is_empty() {
        true => Vec::new(),
        false => transaction.execute_async().await?,
    }
    .into_iter();
    Ok(TranslationView {
        step: inference.step(),
        target: inference.tokenizer().written_tokens(&source, &rows),
        source: source.tokens,
        text: translation.text.clone(),
        unknown: source.unknown,
        sites: sites.into_iter().map(|it| it.read(&mut data)).collect(),
        search: None,
    })
}

/// Returns details of each site for a translation, in the order of the sites of [`of_translation`].
///
/// # Errors
/// If the device fails.
pub async fn details_of_translation(
    inference: &Inference,
    source: &Encoded,
    translation: &Translation,
) -> Result<Vec<SiteDetails>, ExecutionError> {
    let (attended, rows) = attended(inference, source, translation);
    details::of_sites(&attended, rows.len()).await
}

/// Returns all sites of one pass over source and translation, and the token ids of the rows.
fn attended(
    inference: &Inference,
    source: &Encoded,
    translation: &Translation,
) -> (Vec<SiteWeights>, Vec<u32>) {
    // Decoding token by token attends in the decoder only, and chained levels have only their last
    // rows. One more pass over the whole translation gives the matrices of all sites.
    let form = inference.tokenizer().pipeline();
    let mut rows = translation.ids.clone();
    let attended = match (form, &rows[..]) {
        (Pipeline::Translation | Pipeline::Poetry, written) => {
            inference.attend(&source.ids, written)
        }
        // A reader writes no text.
        (Pipeline::QuestionAnswering, _) => None,
        // Without tokens there is nothing to attend to.
        (Pipeline::TextGeneration, []) => None,
        (Pipeline::TextGeneration, [read @ .., _]) => {
            let read = [&[EOS], read].concat();
            inference.attend(&read, &rows)
        }
    };
    let attended = attended.map_or_else(Vec::new, |it| it.sites);
    if translation.finished && form.has_pairs() {
        rows.push(EOS);
    }
    (attended, rows)
}
