//! What a model makes of held-out sentences, and how good it is.

use std::fs;
use std::path::Path;

use strata_metrics::{Bleu, BleuScore, Chrf, ChrfScore, Running, exact_match};
use strata_models::Search;
use strata_training::{Encoded, Inference};

use super::Pairs;
use crate::error::Failure;
use crate::translate::translate_all;

/// Translations of the first sentences, in their order.
pub struct Decoded<'a> {
    pub texts: Vec<String>,
    references: &'a [String],
    exact: Running,
}

/// BLEU and chrF with their signatures.
pub struct Scores {
    pub bleu: BleuScore,
    pub chrf: ChrfScore,
    pub signatures: [String; 2],
}

impl<'a> Decoded<'a> {
    /// Translates the first `count` sentences.
    pub fn write(
        inference: &Inference,
        pairs: &'a Pairs,
        count: usize,
        search: &Search,
        limit: Option<usize>,
    ) -> Result<Self, Failure> {
        let sources: Vec<Encoded> = pairs.examples[..count]
            .iter()
            .map(|example| Encoded {
                tokens: Vec::new(),
                ids: example.source.clone(),
                unknown: Vec::new(),
            })
            .collect();
        let numbers: Vec<u64> = (0..count as u64).collect();
        let found = translate_all(inference, &sources, &numbers, search, limit)?;
        let mut decoded = Self {
            texts: Vec::with_capacity(count),
            references: &pairs.references[..count],
            exact: Running::default(),
        };
        for (translations, example) in found.into_iter().zip(&pairs.examples) {
            let best = translations.into_iter().next();
            let (ids, text) = best.map(|best| (best.ids, best.text)).unwrap_or_default();
            decoded.exact += exact_match(&ids, &example.target);
            decoded.texts.push(text);
        }
        Ok(decoded)
    }

    /// Share of translations that have every token right.
    pub fn exact_match(&self) -> f64 {
        self.exact.mean().unwrap_or(0.0)
    }

    /// Writes the translations, a line each.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let text: String = self.texts.iter().map(|text| format!("{text}\n")).collect();
        fs::write(path, text).map_err(|reason| Failure::Write {
            path: path.to_owned(),
            what: "translations",
            reason,
            advice: "name another file, or make room".to_owned(),
        })
    }

    /// By sacreBLEU's defaults.
    pub fn scores(&self) -> Scores {
        let pairs = || self.texts.iter().zip(self.references.iter().map(|it| [it]));
        let (bleu, chrf) = (Bleu::default(), Chrf::default());
        Scores {
            bleu: bleu.corpus(pairs()),
            chrf: chrf.corpus(pairs()),
            signatures: [bleu.signature(Some(1)), chrf.signature(Some(1))],
        }
    }
}
