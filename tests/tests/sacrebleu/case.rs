//! A case: a measure with its options, sentences with references, and the lines that both programs
//! print.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strata_metrics::{Bleu, Chrf, Smoothing, Ter};

/// A case, which is also a line of JSON to and from the real program.
#[derive(Serialize, Deserialize)]
pub struct Case {
    metric: String,
    options: Value,
    /// Hypotheses, each with its references.
    pub pairs: Vec<(String, Vec<String>)>,
    /// Lines that sacreBLEU prints: for the corpus, then for every sentence, each with 2 and 9
    /// decimals.
    #[serde(default)]
    pub expected: Vec<String>,
}

impl Case {
    pub fn bleu(bleu: &Bleu, pairs: Vec<(String, Vec<String>)>) -> Self {
        let (method, value) = match bleu.smoothing {
            Smoothing::None => ("none", None),
            Smoothing::Exponential => ("exp", None),
            Smoothing::Floor(value) => ("floor", Some(value)),
            Smoothing::AddK(value) => ("add-k", Some(value)),
        };
        let options = json!({
            "lowercase": bleu.lowercase,
            "tokenize": bleu.tokenizer.name(),
            "smooth_method": method,
            "smooth_value": value,
            "effective_order": bleu.effective_order,
            "max_ngram_order": bleu.maximum_order,
        });
        Self {
            metric: "bleu".to_owned(),
            options,
            pairs,
            expected: Vec::new(),
        }
    }

    pub fn chrf(chrf: &Chrf, pairs: Vec<(String, Vec<String>)>) -> Self {
        let options = json!({
            "char_order": chrf.character_order,
            "word_order": chrf.word_order,
            "beta": chrf.beta,
            "lowercase": chrf.lowercase,
            "whitespace": chrf.white_space,
            "eps_smoothing": chrf.epsilon_smoothing,
        });
        Self {
            metric: "chrf".to_owned(),
            options,
            pairs,
            expected: Vec::new(),
        }
    }

    pub fn ter(ter: &Ter, pairs: Vec<(String, Vec<String>)>) -> Self {
        Self {
            metric: "ter".to_owned(),
            options: json!({ "case_sensitive": ter.case_sensitive }),
            pairs,
            expected: Vec::new(),
        }
    }

    /// Fails unless Strata prints the same as sacreBLEU.
    pub fn check(&self) {
        let sentences = self.pairs.len();
        assert_eq!(
            self.expected.len(),
            2 + 2 * sentences,
            "answers are missing"
        );
        let counts: Vec<_> = self.pairs.iter().map(|(_, it)| it.len()).collect();
        let even = counts.iter().all(|&it| it == counts[0]);
        let mut expected = self.expected.chunks(2);
        let ours = self.lines(&self.pairs, even.then_some(counts[0]));
        assert_eq!(
            ours,
            expected.next().unwrap(),
            "the corpus, {}",
            self.options
        );
        for (pair, expected) in self.pairs.iter().zip(expected) {
            let ours = self.lines(std::slice::from_ref(pair), Some(pair.1.len()));
            assert_eq!(ours, expected, "{pair:?}, {}", self.options);
        }
    }

    /// Returns the lines that Strata prints for these pairs together.
    fn lines(&self, pairs: &[(String, Vec<String>)], references: Option<usize>) -> [String; 2] {
        let pairs = pairs.iter().map(|(hypothesis, them)| (hypothesis, them));
        let (signature, lines) = if self.metric == "bleu" {
            let bleu = self.to_bleu();
            let score = bleu.corpus(pairs);
            let lines = [format!("{score}"), format!("{score:.9}")];
            (bleu.signature(references), lines)
        } else if self.metric == "ter" {
            let ter = Ter {
                case_sensitive: self.flag("case_sensitive"),
            };
            let score = ter.corpus(pairs);
            let lines = [format!("{score}"), format!("{score:.9}")];
            (ter.signature(references), lines)
        } else {
            let chrf = self.to_chrf();
            let score = chrf.corpus(pairs);
            let lines = [format!("{score}"), format!("{score:.9}")];
            (chrf.signature(references), lines)
        };
        lines.map(|line| line.replacen(" = ", &format!("|{signature} = "), 1))
    }

    fn to_bleu(&self) -> Bleu {
        let name = self.text("smooth_method");
        let value = self.options["smooth_value"].as_f64();
        Bleu {
            tokenizer: self.text("tokenize").parse().unwrap(),
            smoothing: Smoothing::named(name, value).unwrap(),
            lowercase: self.flag("lowercase"),
            effective_order: self.flag("effective_order"),
            maximum_order: self.number("max_ngram_order") as usize,
        }
    }

    fn to_chrf(&self) -> Chrf {
        Chrf {
            character_order: self.number("char_order") as usize,
            word_order: self.number("word_order") as usize,
            beta: self.number("beta") as u32,
            lowercase: self.flag("lowercase"),
            white_space: self.flag("whitespace"),
            epsilon_smoothing: self.flag("eps_smoothing"),
        }
    }

    fn text(&self, option: &str) -> &str {
        self.options[option].as_str().unwrap()
    }

    fn number(&self, option: &str) -> u64 {
        self.options[option].as_u64().unwrap()
    }

    fn flag(&self, option: &str) -> bool {
        self.options[option].as_bool().unwrap()
    }
}
