//! Answers in place: the model predicts a token for each token of the source, all at once.
//!
//! Request and result are as in `translation`. The rows of an answer are the places of the source,
//! and there is no row of `</s>`.

use strata_models::SiteWeights;
use strata_training::{Encoded, Inference, Translation};

use super::{GeneratedTokens, Generation, sites_of};

/// Generation in place: a target has the length of its source.
pub(crate) struct InPlace;

impl Generation for InPlace {
    fn attend(
        &self,
        inference: &Inference,
        source: &Encoded,
        translation: &Translation,
    ) -> (Vec<SiteWeights>, Vec<u32>) {
        let rows = translation.ids.clone();
        let sites = sites_of(inference.attend(&source.ids, &rows));
        (sites, rows)
    }

    fn tokens(
        &self,
        inference: &Inference,
        prompt: &Encoded,
        written: &[String],
    ) -> GeneratedTokens {
        GeneratedTokens {
            ends: false,
            ..GeneratedTokens::of_pair(inference, prompt, written)
        }
    }
}
