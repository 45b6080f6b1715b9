//! Arguments of `strata score`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use strata_metrics::{AnswerRules, Bleu, BleuTokenizer, Chrf, MetricError, Smoothing};
use strata_settings::numeral::parse;

use crate::base::error::Error;
use crate::model::bleu_tokenizer::names;

#[derive(Args, Debug)]
pub struct ScoreArguments {
    /// Hypotheses to score, a sentence per line, or with `--answers` predictions; `-` or nothing is
    /// standard input; may be `.gz`. Several are compared with the first one, by `--paired-bs`.
    #[arg(value_name = "HYP")]
    pub hypotheses: Vec<PathBuf>,
    /// Reference translation of every line, or answer; may be repeated.
    #[arg(long, value_name = "REF", required_unless_present = "answers")]
    pub reference: Vec<PathBuf>,
    /// Questions with their answers, for the measures `squad`, `cmrc`, `dureader` and `msmarco`.
    ///
    /// Predictions are then one JSON object of id and text, or lines of `query_id` (or
    /// `question_id`) and `answers`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reference", "sentence"])]
    pub answers: Option<PathBuf>,
    /// Measures to compute, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "bleu")]
    pub metric: Vec<MetricName>,
    /// Tokeniser that splits text into words: 13a as in WMT, intl by all Unicode punctuation, zh
    /// Chinese by the character, char by the character, none at white space [default: 13a for
    /// `bleu`, else none].
    #[arg(long, value_name = "TOKENIZER", value_parser = names())]
    pub tokenize: Option<BleuTokenizer>,
    /// Smoothing of n-gram orders without a match in BLEU.
    #[arg(long, value_name = "METHOD", default_value = "exp",
          value_parser = PossibleValuesParser::new(["exp", "floor", "add-k", "none"]))]
    pub smooth: String,
    /// Value that `floor` and `add-k` add [default: 0.1 and 1].
    #[arg(long, value_name = "VALUE", value_parser = parse::real, allow_negative_numbers = true)]
    pub smooth_value: Option<f64>,
    /// Ignore case.
    #[arg(long)]
    pub lowercase: bool,
    /// Score every sentence by itself.
    #[arg(long)]
    pub sentence: bool,
    /// Compare the BLEU of the further hypotheses with that of the first ones by paired bootstrap
    /// resampling, as sacreBLEU does.
    #[arg(long, conflicts_with = "sentence")]
    pub paired_bs: bool,
    /// Draw N samples.
    #[arg(long, value_name = "N", requires = "paired_bs", default_value_t = 1000,
          value_parser = parse::whole_in::<u32>(1..=100_000), allow_negative_numbers = true)]
    pub paired_bs_n: u32,
    /// Print JSON, an object per line.
    #[arg(long)]
    pub json: bool,
    /// Print scores with N decimals; fractions have two more.
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = parse::whole_in::<u8>(0..=15), allow_negative_numbers = true)]
    pub width: u8,
    /// Mind case in TER.
    #[arg(long)]
    pub ter_case_sensitive: bool,
    /// Do not warn of hypotheses that look tokenised.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub chrf: ChrfArguments,
}

/// chrF, with the names that sacreBLEU gives its options.
#[derive(Args, Debug)]
#[command(next_help_heading = "chrF")]
pub struct ChrfArguments {
    /// Length of the longest character n-grams.
    #[arg(long, value_name = "N", default_value_t = 6,
          value_parser = parse::whole_in::<u8>(1..=20), allow_negative_numbers = true)]
    pub chrf_char_order: u8,
    /// Length of the longest word n-grams [default: 0 for `chrf`, 2 for `chrf++`].
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<u8>(0..=20), allow_negative_numbers = true)]
    pub chrf_word_order: Option<u8>,
    /// Weight of recall over precision.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub chrf_beta: u32,
    /// Count white space as a character.
    #[arg(long)]
    pub chrf_whitespace: bool,
    /// Count an order without n-grams on one side as almost 0 instead of leaving it out.
    #[arg(long)]
    pub chrf_eps_smoothing: bool,
}

/// Name of a measure on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MetricName {
    /// BLEU, as sacreBLEU computes it.
    Bleu,
    /// chrF, as sacreBLEU computes it.
    Chrf,
    /// chrF++, as sacreBLEU computes it.
    #[value(name = "chrf++")]
    ChrfPlusPlus,
    /// TER, as sacreBLEU computes it: less is better, and case is ignored.
    Ter,
    /// BLEU-1 to BLEU-4 as fractions, not smoothed, as papers on reading and poems report them.
    BleuN,
    /// F1 of ROUGE-1, ROUGE-2 and ROUGE-L in percent, of summaries, as the package `rouge_score`
    /// computes them.
    Rouge,
    /// ROUGE-L as MS MARCO computes it (β = 1.2), and its plain F1.
    RougeL,
    /// Exact match and F1 in percent, by SQuAD's rules for answers.
    Exact,
    /// Exact match and F1 of predictions for `--answers`, by SQuAD's rules.
    Squad,
    /// Exact match and F1 of predictions for `--answers`, by the rules of CMRC 2018.
    Cmrc,
    /// ROUGE-L and BLEU of predictions for `--answers`, by the rules of DuReader.
    Dureader,
    /// ROUGE-L and BLEU of predictions for `--answers`, by the rules of MS MARCO.
    Msmarco,
}

impl MetricName {
    /// Returns the rules of a measure of answers to questions about passages; `None` for other
    /// measures.
    pub fn rules(self) -> Option<AnswerRules> {
        Some(match self {
            Self::Squad => AnswerRules::Squad,
            Self::Cmrc => AnswerRules::Cmrc,
            Self::Dureader => AnswerRules::Dureader,
            Self::Msmarco => AnswerRules::Msmarco,
            _ => return None,
        })
    }
}

impl ScoreArguments {
    /// Refuses an option that none of the measures uses.
    ///
    /// # Errors
    /// Names the option, and the measures that use it.
    pub fn check_used(&self) -> Result<(), Error> {
        use MetricName::{Bleu, BleuN, Chrf, ChrfPlusPlus, RougeL, Ter};
        let chrf = [Chrf, ChrfPlusPlus];
        let of_chrf = "`chrf` and `chrf++`";
        let options: [(bool, &str, &[MetricName], &str); 6] = [
            (
                self.tokenize.is_some(),
                "--tokenize",
                &[Bleu, BleuN, RougeL],
                "`bleu`, `bleu-n` and `rouge-l`",
            ),
            (
                self.smooth_value.is_some(),
                "--smooth-value",
                &[Bleu],
                "`bleu`",
            ),
            (
                self.ter_case_sensitive,
                "--ter-case-sensitive",
                &[Ter],
                "`ter`",
            ),
            (
                self.chrf.chrf_word_order.is_some(),
                "--chrf-word-order",
                &chrf,
                of_chrf,
            ),
            (
                self.chrf.chrf_whitespace,
                "--chrf-whitespace",
                &chrf,
                of_chrf,
            ),
            (
                self.chrf.chrf_eps_smoothing,
                "--chrf-eps-smoothing",
                &chrf,
                of_chrf,
            ),
        ];
        let unused = options.into_iter().find(|(is_given, _, measures, _)| {
            *is_given && !self.metric.iter().any(|it| measures.contains(it))
        });
        match unused {
            Some((_, option, _, measures)) => Err(Error::Session(format!(
                "`{option}` is for {measures}, which `--metric` does not ask for; leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// Returns BLEU with the given options.
    pub fn bleu(&self) -> Result<Bleu, MetricError> {
        Ok(Bleu {
            tokenizer: self.tokenize.unwrap_or_default(),
            smoothing: Smoothing::named(&self.smooth, self.smooth_value)?,
            lowercase: self.lowercase,
            effective_order: self.sentence,
            ..Bleu::default()
        })
    }

    /// Returns chrF with the given options; `word_order` is the default for words.
    pub fn chrf(&self, word_order: usize) -> Chrf {
        Chrf {
            character_order: self.chrf.chrf_char_order.into(),
            word_order: self.chrf.chrf_word_order.map_or(word_order, usize::from),
            beta: self.chrf.chrf_beta,
            lowercase: self.lowercase,
            white_space: self.chrf.chrf_whitespace,
            epsilon_smoothing: self.chrf.chrf_eps_smoothing,
        }
    }

    /// Returns the tokeniser for measures other than BLEU.
    pub fn tokenizer_of_others(&self) -> BleuTokenizer {
        self.tokenize.unwrap_or(BleuTokenizer::None)
    }
}
