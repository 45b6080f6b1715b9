//! Text generation: a beginning in, its continuation out.
//!
//! Request and result are those of `translation`; what differs is here. A language model has no
//! source of its own: each row predicts the token after those that it reads, so the tokens read are
//! the target, shifted by one behind `<s>`.

use strata_models::{EOS, SiteWeights};
use strata_training::{Encoded, Inference, Translation};

use super::{GeneratedTokens, Generation, sites_of};

/// Generation from a text: the model goes on after the text.
pub(crate) struct FromText;

impl Generation for FromText {
    fn attend(
        &self,
        inference: &Inference,
        _source: &Encoded,
        translation: &Translation,
    ) -> (Vec<SiteWeights>, Vec<u32>) {
        let rows = translation.ids.clone();
        let sites = match &rows[..] {
            // Without tokens there is nothing to attend to.
            [] => Vec::new(),
            [read @ .., _] => sites_of(inference.attend(&behind_eos(read), &rows)),
        };
        (sites, rows)
    }

    fn tokens(
        &self,
        inference: &Inference,
        _prompt: &Encoded,
        written: &[String],
    ) -> GeneratedTokens {
        let tokenizer = inference.tokenizer();
        let ids = tokenizer.target_ids(written);
        let read = behind_eos(&ids[..ids.len().saturating_sub(1)]);
        GeneratedTokens {
            source: tokenizer.target_tokens(&read),
            target: written.to_vec(),
            source_ids: read,
            target_ids: ids,
            ends: false,
        }
    }

    fn source_of_other(&self, other: &Inference, _prompt: Encoded, source: &[String]) -> Vec<u32> {
        other.tokenizer().target_ids(source)
    }
}

/// Returns the tokens that a language model reads: `</s>` ends the text before, and so begins
/// another.
fn behind_eos(tokens: &[u32]) -> Vec<u32> {
    [&[EOS], tokens].concat()
}
