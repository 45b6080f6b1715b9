//! Translation: a sentence in, the best translation and the attention of every site out.
//!
//! The request serves text generation, too: there the text is a beginning, and the “translation” is
//! what the model writes on.

use burn::tensor::ExecutionError;
use strata_models::{EOS, SiteWeights};
use strata_training::{Encoded, Inference, SearchOptions, Translation, TranslationError};

use super::{GeneratedTokens, Generation, generation, sites_of};
use crate::error::SessionError;
use crate::protocol::{Event, Output, TranslateRequest, TranslationView};
use crate::session::Session;
use crate::view::{
    CANDIDATES, LEVELS_SHOWN, SiteDetails, SiteTensors, details_of_sites, read_sites, search_view,
};

/// Generation from pairs: the model reads the whole source, and ends the target with `</s>`.
pub(crate) struct FromPairs;

impl Generation for FromPairs {
    fn ends_with_eos(&self) -> bool {
        true
    }

    fn predicted<'a>(&self, predicted: &'a [u32], _rows: usize) -> &'a [u32] {
        predicted.split(|&id| id == EOS).next().unwrap_or_default()
    }

    fn attend(
        &self,
        inference: &Inference,
        source: &Encoded,
        translation: &Translation,
    ) -> (Vec<SiteWeights>, Vec<u32>) {
        let mut rows = translation.ids.clone();
        let sites = sites_of(inference.attend(&source.ids, &rows));
        if translation.finished {
            rows.push(EOS);
        }
        (sites, rows)
    }

    fn tokens(
        &self,
        inference: &Inference,
        prompt: &Encoded,
        written: &[String],
    ) -> GeneratedTokens {
        GeneratedTokens::of_pair(inference, prompt, written)
    }
}

/// Carries out the request: reports the translation, and shows the sentence in place of held-out
/// examples if the model lacks these.
pub(super) async fn run(
    session: &mut Session,
    request: &TranslateRequest,
    emit: &mut dyn FnMut(Event),
) -> Result<(), SessionError> {
    let inference = session.loaded()?.inference();
    let search = request.search.check();
    search.map_err(|error| SessionError::refused(error.to_string()))?;
    let (view, source, translation) = translate(&inference, request).await?;
    emit(Event::Done(Output::Translation(view)));
    session
        .watch_instead(|trainer| trainer.look_at(&source, &translation), emit)
        .await
}

/// Translates a text. Returns the translation with its attention and, with `details`, with the view
/// of the search; also returns source and translation as token ids.
async fn translate(
    inference: &Inference,
    request: &TranslateRequest,
) -> Result<(TranslationView, Encoded, Translation), TranslationError> {
    let tokenizer = inference.tokenizer();
    let encoded = tokenizer.encode(&request.text)?;
    let options = SearchOptions {
        candidates: if request.details { CANDIDATES } else { 0 },
        prefixes: vec![tokenizer.target_ids(&request.prefix)],
        ..SearchOptions::default()
    };
    let sources = std::slice::from_ref(&encoded);
    let searched = inference.search(sources, &request.search, options).await?;
    let found = &searched.items[0];
    let translation = inference.translation(&encoded, &found.hypotheses[0]);
    let mut view =
        view_of_translation(inference, encoded.clone(), &translation, LEVELS_SHOWN).await?;
    view.search = request
        .details
        .then(|| search_view(inference, &sources[0], found));
    Ok((view, encoded, translation))
}

/// Returns the view of a translation with the attention of every site, of at most `levels` levels.
///
/// # Errors
/// If the device fails.
pub async fn view_of_translation(
    inference: &Inference,
    source: Encoded,
    translation: &Translation,
    levels: usize,
) -> Result<TranslationView, ExecutionError> {
    let (attended, rows) = attended(inference, &source, translation);
    let sites = attended
        .iter()
        .map(|site| SiteTensors::all(site, rows.len(), levels));
    let sites = sites.collect();
    Ok(TranslationView {
        step: inference.step(),
        target: inference.tokenizer().written_tokens(&source, &rows),
        source: source.tokens,
        text: translation.text.clone(),
        unknown: source.unknown,
        sites: read_sites(sites).await?,
        search: None,
    })
}

/// Returns details of each site for a translation, in the order of the sites of
/// [`view_of_translation`].
///
/// # Errors
/// If the device fails.
pub async fn details_of_translation(
    inference: &Inference,
    source: &Encoded,
    translation: &Translation,
) -> Result<Vec<SiteDetails>, ExecutionError> {
    let (attended, rows) = attended(inference, source, translation);
    details_of_sites(&attended, rows.len()).await
}

/// Returns all sites of one pass over source and translation, and the token ids of the rows.
fn attended(
    inference: &Inference,
    source: &Encoded,
    translation: &Translation,
) -> (Vec<SiteWeights>, Vec<u32>) {
    // Decoding token by token attends in the decoder only, and chained levels have only their last
    // rows. One more pass over the whole translation gives the matrices of all sites.
    generation(inference.tokenizer()).attend(inference, source, translation)
}
