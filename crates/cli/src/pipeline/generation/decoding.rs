//! Decodes sources in batches.

use std::cmp::Reverse;

use pollster::block_on;
use strata_kernels::is_host;
use strata_kernels::threads::par_map_long;
use strata_models::{BeamConfig, Hypothesis, Search, SearchOutput};
use strata_training::{Encoded, Inference, SearchOptions, Translation};

use super::replace_unknown;
use crate::base::error::Error;
use crate::model::search::{self, Bounds};

/// Returns translations of each source, in the order of the sources; sources of similar length are
/// batched. `numbers` are the indices of the sources among all that are translated, for sampling.
///
/// # Errors
/// If the device fails.
pub fn translate_all(
    inference: &Inference,
    sources: &[Encoded],
    numbers: &[u64],
    search: &Search,
    bounds: &Bounds,
) -> Result<Vec<Vec<Translation>>, Error> {
    let mut order: Vec<usize> = (0..sources.len()).collect();
    // The longest first: of batches on several threads the last to begin should be short.
    order.sort_by_key(|&at| Reverse(sources[at].ids.len()));
    let mut all = vec![Vec::new(); sources.len()];
    let results = search.results();
    let search = &all_results(search);
    let batches: Vec<&[usize]> = order.chunks(search::sentences_at_once(search)).collect();
    let searched = on_all_threads(inference, &batches, |indices| {
        let batch: Vec<Encoded> = indices.iter().map(|&at| sources[at].clone()).collect();
        let options = SearchOptions {
            limit: bounds.limit,
            constraints: bounds.constraints.clone(),
            prefixes: match &bounds.prefix {
                Some(prefix) => vec![prefix.ids.clone(); batch.len()],
                None => Vec::new(),
            },
            numbers: indices.iter().map(|&at| numbers[at]).collect(),
            ..SearchOptions::default()
        };
        Ok(block_on(inference.search(&batch, search, options))?)
    });
    for (indices, searched) in batches.into_iter().zip(searched) {
        for (found, &at) in searched?.items.iter().zip(indices) {
            for hypothesis in &found.hypotheses {
                let translation = translation(inference, &sources[at], hypothesis, bounds)?;
                // Different tokens may spell the same text; of samples every draw counts.
                let same = |other: &Translation| other.text == translation.text;
                if matches!(search, Search::Sampling(_)) || !all[at].iter().any(same) {
                    all[at].push(translation);
                }
            }
            all[at].truncate(results);
        }
    }
    Ok(all)
}

/// Searches batch by batch; on the CPU several batches at once, each on a thread of its own: the work
/// of a single step is too little for two threads.
fn on_all_threads(
    inference: &Inference,
    batches: &[&[usize]],
    search: impl Fn(&[usize]) -> Result<SearchOutput, Error> + Sync + Send,
) -> Vec<Result<SearchOutput, Error>> {
    if is_host(inference.device()) {
        return par_map_long(batches.iter(), |batch| search(batch));
    }
    batches.iter().map(|batch| search(batch)).collect()
}

/// Makes a hypothesis a translation within the bounds: begun with the prefix, cut at a stop, and
/// without unknown words if the bounds say so.
fn translation(
    inference: &Inference,
    source: &Encoded,
    hypothesis: &Hypothesis,
    bounds: &Bounds,
) -> Result<Translation, Error> {
    let mut translation = match &bounds.prefix {
        Some(prefix) => inference.translation_after(prefix, hypothesis),
        None => inference.translation(source, hypothesis),
    };
    if !bounds.stops.is_empty() {
        let beginning = inference
            .tokenizer()
            .joined_target(&source.tokens, &source.ids);
        stop(&mut translation.text, &beginning, &bounds.stops);
    }
    if bounds.replace_unknown {
        let prefix = bounds.prefix.as_ref().map(|prefix| &prefix.tokens[..]);
        replace_unknown::replace(
            inference,
            source,
            prefix.unwrap_or_default(),
            &mut translation,
        )?;
    }
    Ok(translation)
}

/// Returns the search with all results of a beam, some of which may be the same text.
fn all_results(search: &Search) -> Search {
    match *search {
        Search::Beam(config) if config.results > 1 => Search::Beam(BeamConfig {
            results: config.width,
            ..config
        }),
        other => other,
    }
}

/// Cuts a text before the first of the `stops` that comes after `beginning`.
fn stop(text: &mut String, beginning: &str, stops: &[String]) {
    let start = if text.starts_with(beginning) {
        beginning.len()
    } else {
        0
    };
    let found = stops
        .iter()
        .filter_map(|stop| text[start..].find(stop.as_str()));
    if let Some(at) = found.min() {
        text.truncate(start + at);
    }
}
