//! Views of a search: the translations that were found, and the tree of hypotheses.

use strata_models::{Candidate, Hypothesis, SearchResult};
use strata_training::{Encoded, Inference};

use crate::protocol::{CandidateView, FoundTranslationView, NodeView, SearchView};

/// Number of candidate tokens shown at each position.
pub(crate) const CANDIDATES: usize = 5;
/// Most translations, and most hypotheses per step, that are shown.
const SHOWN: usize = 16;

/// Returns the view of the search for one source.
pub(crate) fn search_view(
    inference: &Inference,
    source: &Encoded,
    found: &SearchResult,
) -> SearchView {
    let tokenizer = inference.tokenizer();
    let translations = found.hypotheses.iter().take(SHOWN);
    let widest = found.tree.iter().map(Vec::len).max().unwrap_or(0);
    let tree = match widest {
        ..=SHOWN => &found.tree[..],
        _ => &[],
    };
    let token = |id: u32| tokenizer.target_tokens(&[id]).concat();
    SearchView {
        translations: translations
            .map(|hypothesis| translation(inference, source, found, hypothesis))
            .collect(),
        tree: tree
            .iter()
            .map(|step| {
                let node = |node: &strata_models::Node| NodeView {
                    parent: node.parent,
                    token: token(node.id),
                    log_probability: node.log_probability,
                    score: node.score,
                };
                step.iter().map(node).collect()
            })
            .collect(),
    }
}

fn translation(
    inference: &Inference,
    source: &Encoded,
    found: &SearchResult,
    hypothesis: &Hypothesis,
) -> FoundTranslationView {
    let tokenizer = inference.tokenizer();
    let written = found.tree.iter().zip(&hypothesis.path);
    let ids: Vec<u32> = written.map(|(step, &at)| step[at].id).collect();
    let candidate = |candidate: &Candidate| CandidateView {
        token: tokenizer.target_tokens(&[candidate.id]).concat(),
        log_probability: candidate.log_probability,
    };
    FoundTranslationView {
        text: inference.translation(source, hypothesis).text,
        tokens: tokenizer.written_tokens(source, &ids),
        log_probabilities: hypothesis.log_probabilities.clone(),
        score: hypothesis.score,
        normalised: hypothesis.normalised,
        candidates: found
            .candidates(hypothesis)
            .into_iter()
            .map(|step| step.iter().map(candidate).collect())
            .collect(),
        path: hypothesis.path.clone(),
    }
}
