//! Translations of held-out sentences, with their scores.

use std::path::Path;

use serde_json::{Value as Json, json};
use strata_metrics::{Bleu, BleuScore, Chrf, ChrfScore, Running, Ter, TerScore};
use strata_models::Search;
use strata_training::{Encoded, Inference};

use super::n_best::NBest;
use super::sentences::Sentence;
use crate::base::error::Error;
use crate::base::output_file;
use crate::display::rouge;
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

/// ROUGE of summaries or paraphrases, in percent.
pub struct Rouge {
    /// F1 of ROUGE-1, ROUGE-2 and ROUGE-L.
    pub f1: [f64; 3],
    /// Share of the words, and of the pairs of words, that stand in the source; `None` if there are
    /// none.
    pub copied: [Option<f64>; 2],
    /// The same shares of the references.
    pub copied_by_references: [Option<f64>; 2],
}

impl Rouge {
    /// Returns scores and shares as an object.
    pub fn json(&self) -> Json {
        let [rouge_1, rouge_2, rouge_l] = self.f1;
        let shares = |[words, pairs]: [Option<f64>; 2]| json!({ "words": words, "pairs": pairs });
        json!({
            "rouge_1": rouge_1,
            "rouge_2": rouge_2,
            "rouge_l": rouge_l,
            "copied": shares(self.copied),
            "copied_by_references": shares(self.copied_by_references),
        })
    }

    /// Writes the scores on a line, and the shares on another.
    pub fn lines(&self) -> Vec<String> {
        let scores = rouge::NAMES.iter().zip(self.f1);
        let scores: Vec<String> = scores
            .map(|(name, f1)| format!("{name} = {f1:.2}"))
            .collect();
        let scores = format!("{} (F1, as rouge_score computes it)", scores.join(", "));
        let ([Some(words), Some(pairs)], [Some(in_words), Some(in_pairs)]) =
            (self.copied, self.copied_by_references)
        else {
            return vec![scores];
        };
        let copied = format!(
            "Copied: {words:.1} % of the words and {pairs:.1} % of the pairs of words stand in the \
             source (of the references {in_words:.1} % and {in_pairs:.1} %)."
        );
        vec![scores, copied]
    }
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

    /// ROUGE against the text of the file, line by line, and shares of copied words.
    pub fn rouge(&self) -> Rouge {
        let sentences = || self.texts.iter().zip(self.sentences);
        let references: Vec<[&str; 1]> =
            sentences().map(|(_, it)| [it.reference.as_str()]).collect();
        let texts = self.texts.iter().zip(&references);
        Rouge {
            f1: rouge::scores(texts.map(|(text, references)| (text.as_str(), &references[..]))),
            copied: rouge::copied(sentences().map(|(text, it)| (text.as_str(), &*it.source_text))),
            copied_by_references: rouge::copied(
                sentences().map(|(_, it)| (it.reference.as_str(), &*it.source_text)),
            ),
        }
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
