//! Compares attention with gold word alignments.

use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use serde_json::json;
use strata_metrics::{AlignmentCounts, WordAlignments, strongest_links};
use strata_training::{Encoded, Inference};

use crate::base::error::Error;
use crate::base::output::print;
use crate::base::text_file;
use crate::display::format::percent;

/// Alignment by one cross-attention, or by the mean of all.
struct Site {
    name: String,
    counts: AlignmentCounts,
}

/// Prints the alignment error rate if each target word is aligned to the source word with the
/// largest weight.
pub fn run(inference: &Inference, gold: &Path, as_json: bool) -> Result<ExitCode, Error> {
    let sentences = gold.with_extension("src-tgt");
    let (pairs, links) = (text_file::read(&sentences)?, text_file::read(gold)?);
    let alignments = WordAlignments::read(&pairs, &links);
    let alignments = alignments.map_err(|source| Error::Alignment {
        path: gold.to_owned(),
        source,
    })?;
    let tokenizer = inference.tokenizer();
    let (mut sites, mut measured): (Vec<Site>, _) = (Vec::new(), 0);
    for pair in &alignments.pairs {
        let target = tokenizer.encode_target(&pair.target.join(" "));
        // Links are between words, so the model's tokens must be words, too.
        let words = |encoded: &Encoded| {
            encoded.ids.len() == pair.source.len()
                && target.len() == pair.target.len()
                && target.len() <= tokenizer.longest_target()
        };
        let source = tokenizer.encode(&pair.source.join(" ")).ok().filter(words);
        let Some(source) = source else { continue };
        measured += 1;
        for (at, (name, rows)) in looked_at(inference, &source, &target)?.iter().enumerate() {
            if sites.len() == at {
                sites.push(Site {
                    name: name.clone(),
                    counts: AlignmentCounts::default(),
                });
            }
            let rows = rows.chunks(source.ids.len()).take(target.len());
            sites[at].counts += pair.gold.compare(strongest_links(rows));
        }
    }
    if measured == 0 {
        return Err(Error::NothingToMeasure { path: sentences });
    }
    tell(&sites, measured, alignments.pairs.len(), as_json);
    Ok(ExitCode::SUCCESS)
}

/// Returns the weights of all source words for all target words, for each cross-attention and, if
/// there are several, for their mean. The weights are those of the last level, averaged over the
/// heads.
fn looked_at(
    inference: &Inference,
    source: &Encoded,
    target: &[u32],
) -> Result<Vec<(String, Vec<f32>)>, Error> {
    let attended = inference.attend(&source.ids, target);
    let mut all: Vec<(String, Vec<f32>)> = Vec::new();
    for site in attended.map_or_else(Vec::new, |it| it.sites) {
        if site.site.is_cross() {
            let weights = site.weights.last().mean_dim(1); // [1, 1, T, S]
            let data = block_on(weights.into_data_async())?;
            all.push((site.site.to_string(), data.iter::<f32>().collect()));
        }
    }
    if all.len() > 1 {
        let mut mean = vec![0.0; all[0].1.len()];
        for (_, weights) in &all {
            mean.iter_mut()
                .zip(weights)
                .for_each(|(sum, weight)| *sum += weight);
        }
        all.push(("mean of all".to_owned(), mean));
    }
    Ok(all)
}

fn tell(sites: &[Site], measured: usize, pairs: usize, as_json: bool) {
    let share = |share: Option<f64>| share.unwrap_or(0.0);
    if as_json {
        let site = |site: &Site| {
            json!({
                "site": site.name,
                "alignment_error_rate": site.counts.error_rate(),
                "precision": site.counts.precision(),
                "recall": site.counts.recall(),
            })
        };
        let sites: Vec<_> = sites.iter().map(site).collect();
        let line = json!({ "sentences": measured, "of": pairs, "sites": sites });
        return print(&line.to_string());
    }
    print(&format!(
        "Attention against the hand-made links of {measured} of {pairs} sentence pairs (the others \
         are too long, or cut into other words):"
    ));
    for site in sites {
        print(&format!(
            "  {}: alignment error rate {}, precision {}, recall {}",
            site.name,
            percent(share(site.counts.error_rate())),
            percent(share(site.counts.precision())),
            percent(share(site.counts.recall())),
        ));
    }
}
