//! The measures of `strata score` under one interface, from sentences to a report.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use strata_metrics::{
    Bleu, BleuStatistics, BleuTokenizer, Chrf, MetricError, Running, Ter, answer_exact_match,
    answer_f1, rouge_l, rouge_l_f1, words,
};

use crate::display::rouge;

use super::arguments::{MetricName, ScoreArguments};

/// A hypothesis with its references.
pub type Sentence<'a> = (&'a str, Vec<&'a str>);

/// A measure with its options.
pub enum Measure {
    Bleu(Bleu),
    Chrf(Chrf),
    Ter(Ter),
    BleuN(Words),
    RougeL(Words),
    Rouge,
    Exact,
}

/// Splits texts into words.
pub struct Words {
    tokenizer: BleuTokenizer,
    lowercase: bool,
}

/// Result of a measure.
pub struct Report {
    /// Scores with their names, the most important first.
    scores: Vec<(String, f64)>,
    /// Parts of the score, in the form in which sacreBLEU prints a score.
    details: Option<String>,
    /// True if scores range from 0 to 1, not to 100.
    fractions: bool,
}

impl Measure {
    /// Returns the measure of this name with the given options.
    pub fn new(name: MetricName, arguments: &ScoreArguments) -> Result<Self, MetricError> {
        let words = || Words {
            tokenizer: arguments.tokenizer_of_others(),
            lowercase: arguments.lowercase,
        };
        Ok(match name {
            MetricName::Bleu => Self::Bleu(arguments.bleu()?),
            MetricName::Chrf => Self::Chrf(arguments.chrf(0)),
            MetricName::ChrfPlusPlus => Self::Chrf(arguments.chrf(2)),
            MetricName::Ter => Self::Ter(Ter {
                case_sensitive: arguments.ter_case_sensitive,
            }),
            MetricName::BleuN => Self::BleuN(words()),
            MetricName::RougeL => Self::RougeL(words()),
            MetricName::Rouge => Self::Rouge,
            MetricName::Exact => Self::Exact,
            MetricName::Squad | MetricName::Cmrc | MetricName::Dureader | MetricName::Msmarco => {
                return Err(MetricError::NoAnswers);
            }
        })
    }

    /// Measures all sentences together.
    pub fn measure(&self, sentences: &[Sentence]) -> Report {
        let pairs = sentences
            .iter()
            .map(|(hypothesis, references)| (hypothesis, references));
        match self {
            Self::Bleu(bleu) => {
                let score = bleu.corpus(pairs);
                Report {
                    scores: vec![("BLEU".to_owned(), score.score)],
                    details: Some(score.details()),
                    fractions: false,
                }
            }
            Self::Chrf(chrf) => {
                let score = chrf.corpus(pairs);
                Report::of(vec![(score.name(), score.score)], false)
            }
            Self::Ter(ter) => Report::of(vec![("TER".to_owned(), ter.corpus(pairs).score)], false),
            Self::BleuN(words) => {
                let statistics: BleuStatistics = sentences
                    .iter()
                    .map(|sentence| {
                        words.with(sentence, |hypothesis, references| {
                            BleuStatistics::of_tokens(hypothesis, references)
                        })
                    })
                    .sum();
                let scores = (1..).zip(statistics.cumulative());
                let scores = scores.map(|(order, score)| (format!("BLEU-{order}"), score));
                Report::of(scores.collect(), true)
            }
            Self::RougeL(words) => {
                let [rouge, f1] = means(sentences, |sentence| {
                    words.with(sentence, |hypothesis, references| {
                        [
                            rouge_l(hypothesis, references),
                            rouge_l_f1(hypothesis, references),
                        ]
                    })
                });
                Report::of(
                    vec![("ROUGE-L".to_owned(), rouge), ("F1".to_owned(), f1)],
                    true,
                )
            }
            Self::Rouge => {
                let scores = rouge::scores(
                    sentences
                        .iter()
                        .map(|(hypothesis, references)| (*hypothesis, references.as_slice())),
                );
                let scores = rouge::NAMES.map(str::to_owned).into_iter().zip(scores);
                Report::of(scores.collect(), false)
            }
            Self::Exact => {
                let [exact, f1] = means(sentences, |(hypothesis, references)| {
                    let exact = answer_exact_match(hypothesis, references);
                    [
                        100.0 * f64::from(u8::from(exact)),
                        100.0 * answer_f1(hypothesis, references),
                    ]
                });
                let scores = vec![("exact match".to_owned(), exact), ("F1".to_owned(), f1)];
                Report::of(scores, false)
            }
        }
    }

    /// Returns the signature, which lists all settings that decide the scores.
    pub fn signature(&self, references: usize) -> String {
        let version = env!("CARGO_PKG_VERSION");
        match self {
            Self::Bleu(bleu) => bleu.signature(Some(references)),
            Self::Chrf(chrf) => chrf.signature(Some(references)),
            Self::Ter(ter) => ter.signature(Some(references)),
            Self::BleuN(words) => {
                format!("nrefs:{references}|{words}|smooth:none|strata:{version}")
            }
            Self::RougeL(words) => format!("nrefs:{references}|{words}|beta:1.2|strata:{version}"),
            Self::Rouge => {
                format!("nrefs:{references}|case:lc|tok:alphanumeric|stemmer:no|strata:{version}")
            }
            Self::Exact => format!("nrefs:{references}|rules:squad-1.1|strata:{version}"),
        }
    }
}

/// Returns the means of two scores over the sentences.
fn means(sentences: &[Sentence], scores: impl Fn(&Sentence) -> [f64; 2]) -> [f64; 2] {
    let mut sums = [Running::default(); 2];
    for sentence in sentences {
        for (sum, score) in sums.iter_mut().zip(scores(sentence)) {
            sum.add(score, 1);
        }
    }
    sums.map(|sum| sum.mean().unwrap_or_default())
}

impl Words {
    /// Calls `measure` with the words of a sentence and of its references.
    fn with<R>(
        &self,
        (hypothesis, references): &Sentence,
        measure: impl FnOnce(&[&str], &[Vec<&str>]) -> R,
    ) -> R {
        let hypothesis = self.apart(hypothesis);
        let references: Vec<_> = references.iter().map(|it| self.apart(it)).collect();
        let references: Vec<Vec<&str>> = references.iter().map(|it| words(it).collect()).collect();
        measure(&words(&hypothesis).collect::<Vec<_>>(), &references)
    }

    fn apart(&self, text: &str) -> String {
        if self.lowercase {
            self.tokenizer.tokenize(&text.to_lowercase())
        } else {
            self.tokenizer.tokenize(text)
        }
    }
}

impl std::fmt::Display for Words {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let case = if self.lowercase { "lc" } else { "mixed" };
        write!(formatter, "case:{case}|tok:{}", self.tokenizer)
    }
}

impl Report {
    pub fn of(scores: Vec<(String, f64)>, fractions: bool) -> Self {
        Self {
            scores,
            details: None,
            fractions,
        }
    }

    fn decimals(&self, width: u8) -> usize {
        usize::from(width) + if self.fractions { 2 } else { 0 }
    }

    /// Writes the scores with their details: `BLEU = 29.31 62.4/…`.
    pub fn text(&self, width: u8) -> String {
        let decimals = self.decimals(width);
        let scores = self.scores.iter();
        let scores = scores.map(|(name, score)| format!("{name} = {score:.decimals$}"));
        let parts: Vec<_> = scores.chain(self.details.clone()).collect();
        parts.join(" ")
    }

    /// Like [`text`](Self::text), with the signature after the name, as sacreBLEU prints it:
    /// `BLEU|nrefs:1|… = 29.31 62.4/…`.
    pub fn signed_text(&self, width: u8, signature: &str) -> String {
        self.text(width)
            .replacen(" = ", &format!("|{signature} = "), 1)
    }

    /// Returns a JSON object with sacreBLEU's keys; further scores have their own names as keys.
    pub fn json(&self, width: u8, signature: &str) -> Object {
        let decimals = self.decimals(width);
        let rounded = |score: f64| {
            let digits = format!("{score:.decimals$}");
            digits.parse::<f64>().map_or(Value::Null, Value::from)
        };
        let mut entries = Vec::new();
        for (index, (name, score)) in self.scores.iter().enumerate() {
            if index == 0 {
                entries.push(("name", json!(name)));
                entries.push(("score", rounded(*score)));
                entries.push(("signature", json!(signature)));
            } else {
                entries.push((name, rounded(*score)));
            }
        }
        if let Some(details) = &self.details {
            entries.push(("verbose_score", json!(details)));
        }
        let decisions = signature.split('|').filter_map(|it| it.split_once(':'));
        entries.extend(decisions.map(|(key, value)| (key, json!(value))));
        let owned = entries.into_iter();
        Object(owned.map(|(key, value)| (key.to_owned(), value)).collect())
    }
}

/// A JSON object that keeps the order of its keys.
pub struct Object(Vec<(String, Value)>);

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
