//! Answers in place: the model predicts a token for each token of the source, all at once.
//!
//! Request and result are those of `translation`; what differs is here. The rows of an answer are
//! the places of the source, and there is no row of `</s>`.

use strata_models::{EOS, SiteWeights};
use strata_training::{Encoded, Inference, Translation};

use super::{GeneratedTokens, Generation, sites_of};

/// Generation in place: a target has the length of its source.
pub(crate) struct InPlace;

impl Generation for InPlace {
    fn ends_with_eos(&self) -> bool {
        false
    }

    fn predicted<'a>(&self, predicted: &'a [u32], rows: usize) -> &'a [u32] {
        predicted.get(..rows).unwrap_or_default()
    }

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
        let ids = inference.tokenizer().target_ids(written);
        let kept = ids.len() - usize::from(ids.last() == Some(&EOS));
        GeneratedTokens {
            source: prompt.tokens.clone(),
            target: written[..kept].to_vec(),
            source_ids: prompt.ids.clone(),
            target_ids: ids[..kept].to_vec(),
            ends: false,
        }
    }

    fn source_of_other(&self, _other: &Inference, prompt: Encoded, _source: &[String]) -> Vec<u32> {
        prompt.ids
    }
}
