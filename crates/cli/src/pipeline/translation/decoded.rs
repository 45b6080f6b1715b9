//! Translations of held-out sentences, with their scores.

use std::path::Path;

use strata_metrics::{Bleu, BleuScore, Chrf, ChrfScore, Running, Ter, TerScore};
use strata_models::Search;
use strata_training::{Encoded, Inference};

use super::n_best::NBest;
use super::sentences::Sentence;
use crate::base::error::Error;
use crate::base::output_file;
use crate::model::search::Bounds;
use crate::pipeline::generation::decoding::translate_all;

/// Translations of the first sentences, in order.
pub struct Decoded<'a> {
    /// One text per sentence; empty if the source is empty or too long.
    pub texts: Vec<String>,
    sentences: &'a [Sentence],
    exact: Running,
    /// Measures of all translations of a sentence that the search returned.
    pub n_best: NBest,
}

/// BLEU, chrF and TER with their signatures.
pub struct Scores {
    pub bleu: BleuScore,
    pub chrf: ChrfScore,
    pub ter: TerScore,
    pub signatures: [String; 3],
}

impl<'a> Decoded<'a> {
    /// Translates the sentences, except empty sentences and sentences that are too long.
    pub fn write(
        inference: &Inference,
        sentences: &'a [Sentence],
        search: &Search,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        let sources = (0u64..).zip(sentences);
        let sources =
            sources.filter_map(|(number, sentence)| Some((number, sentence.source.clone()?)));
        let (numbers, sources): (Vec<u64>, Vec<Encoded>) = sources.unzip();
        let found = translate_all(inference, &sources, &numbers, search, bounds)?;
        let mut decoded = Self {
            texts: vec![String::new(); sentences.len()],
            sentences,
            exact: Running::default(),
            n_best: NBest::default(),
        };
        for (number, translations) in numbers.into_iter().zip(found) {
            let at = number as usize;
            let sentence = &sentences[at];
            decoded.n_best.add(&translations);
            let best = translations.into_iter().next();
            let (ids, text) = best.map(|best| (best.ids, best.text)).unwrap_or_default();
            if sentence.is_whole {
                let right = if bounds.replace_unknown {
                    // With `--replace-unknown`, the text contains source words that no token ids
                    // spell.
                    text == sentence.reference
                } else {
                    inference.tokenizer().is_right(&ids, &sentence.reference)
                };
                decoded.exact.add(f64::from(u8::from(right)), 1);
            }
            decoded.texts[at] = text;
        }
        Ok(decoded)
    }

    /// Returns the share of translations that equal their reference, letter by letter.
    pub fn exact_match(&self) -> f64 {
        self.exact.mean().unwrap_or(0.0)
    }

    /// Returns the number of sentences that count for [`exact_match`](Self::exact_match): those
    /// with both sides.
    pub fn compared(&self) -> usize {
        self.exact.count as usize
    }

    /// Writes the translations to a file, each on a line.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let text: String = self.texts.iter().map(|text| format!("{text}\n")).collect();
        output_file::write(path, text.as_bytes()).map_err(output_file::unwritable(
            path,
            "translations",
            "--output",
        ))
    }

    /// BLEU by `bleu`, and chrF and TER by sacreBLEU's defaults, against the text of the file, line
    /// by line.
    pub fn scores(&self, bleu: Bleu) -> Scores {
        let references = self.sentences.iter().map(|sentence| [&sentence.reference]);
        let pairs = self.texts.iter().zip(references);
        let chrf = Chrf {
            lowercase: bleu.lowercase,
            ..Chrf::default()
        };
        let ter = Ter::default();
        Scores {
            bleu: bleu.corpus(pairs.clone()),
            chrf: chrf.corpus(pairs.clone()),
            ter: ter.corpus(pairs),
            signatures: [
                bleu.signature(Some(1)),
                chrf.signature(Some(1)),
                ter.signature(Some(1)),
            ],
        }
    }
}
