//! Reads a search from the options of `translate` and `eval`.

use clap::Args;
use strata_models::{BeamConfig, Constraints, SamplingConfig, Search};
use strata_settings::numeral::parse;
use strata_text::special::UNK;
use strata_training::{Encoded, Tokenizer};

use crate::base::error::Error;

/// Search options; greedy search without any.
#[derive(Args, Debug)]
pub struct SearchArguments {
    /// Search with a beam of N hypotheses.
    #[arg(long, value_name = "N", conflicts_with_all = ["sample", "one_pass"], value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub beam: Option<usize>,
    /// Exponent of the length penalty of a beam, score / ((5 + length) / 6)^A: a higher one favours
    /// longer translations [default: 0.6].
    #[arg(long, value_name = "A", requires = "beam", value_parser = parse::real, allow_negative_numbers = true)]
    pub length_penalty: Option<f64>,
    /// Draw tokens from the model's distribution.
    #[arg(long, conflicts_with = "one_pass")]
    pub sample: bool,
    /// Divide the logits by T before drawing; 0 is greedy [default: 1].
    #[arg(long, value_name = "T", requires = "sample", value_parser = parse::real, allow_negative_numbers = true)]
    pub temperature: Option<f64>,
    /// Draw from the K most probable tokens; 0: from all [default: 0].
    #[arg(long, value_name = "K", requires = "sample", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub top_k: Option<usize>,
    /// Draw from the fewest tokens that have the probability P together [default: 1].
    #[arg(long, value_name = "P", requires = "sample", value_parser = parse::real, allow_negative_numbers = true)]
    pub top_p: Option<f64>,
    /// Draw the same tokens again with the same seed [default: 0].
    #[arg(long, value_name = "SEED", requires = "sample", value_parser = parse::whole::<u32>, allow_negative_numbers = true)]
    pub seed: Option<u32>,
    /// Write all tokens in one pass: the model reads padding instead of what it wrote. For
    /// comparison with results that were published so.
    #[arg(long)]
    pub one_pass: bool,
    /// Write at most N tokens a sentence, the beginning of a language model's text included
    /// [default: as many as the data need].
    #[arg(long, value_name = "N", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub limit: Option<usize>,
    /// Write at least N tokens a sentence, a given beginning included.
    #[arg(long, value_name = "N", conflicts_with = "one_pass", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub min_length: Option<usize>,
    /// Write no sequence of N tokens twice in a sentence.
    #[arg(long, value_name = "N", conflicts_with = "one_pass", value_parser = parse::whole::<usize>, allow_negative_numbers = true)]
    pub no_repeat_ngram: Option<usize>,
    /// Never write `<unk>`: the next most probable token takes its place.
    #[arg(long)]
    pub forbid_unknown: bool,
    /// Write the source word that has the highest attention in place of `<unk>`.
    #[arg(long, conflicts_with_all = ["forbid_unknown", "one_pass"])]
    pub replace_unknown: bool,
}

/// Bounds on what the model may write.
pub struct Bounds {
    /// Most tokens of a translation.
    pub limit: Option<usize>,
    /// Tokens that may not be written.
    pub constraints: Constraints,
    /// True if words of the source replace `<unk>`.
    pub replace_unknown: bool,
    /// Texts at which a language model stops writing.
    pub stops: Vec<String>,
    /// Tokens with which every translation begins.
    pub prefix: Option<Encoded>,
}

impl Bounds {
    /// Refuses a least length that this model cannot write.
    ///
    /// # Errors
    /// If the model has no positions for so many tokens, or never writes so many, or if it answers
    /// in place, where the source decides.
    pub fn check(&self, tokenizer: &Tokenizer) -> Result<(), Error> {
        if self.constraints.minimum_length > 0 && tokenizer.answers_in_place() {
            return Err(Error::Search(
                "`--min-length` is for a model that writes its answer, and this one answers in place, \
                 with as many tokens as the source has; leave it out"
                    .to_owned(),
            ));
        }
        let (minimum, most) = (self.constraints.minimum_length, tokenizer.longest_minimum());
        if minimum > most {
            Err(Error::Search(format!(
                "`--min-length {minimum}` asks for more than the {most} tokens that this model \
                 writes at most; lower it"
            )))
        } else {
            Ok(())
        }
    }
}

/// Returns the first search option that the user gave.
pub fn option(arguments: &SearchArguments) -> Option<&'static str> {
    let options = [
        (arguments.beam.is_some(), "--beam"),
        (arguments.sample, "--sample"),
        (arguments.one_pass, "--one-pass"),
    ];
    let search = options.into_iter().find(|(is_given, _)| *is_given);
    search
        .map(|(_, option)| option)
        .or_else(|| bound(arguments))
}

/// Returns the first option that the user gave among those that bound what is written.
pub fn bound(arguments: &SearchArguments) -> Option<&'static str> {
    let options = [
        (arguments.limit.is_some(), "--limit"),
        (arguments.min_length.is_some(), "--min-length"),
        (arguments.no_repeat_ngram.is_some(), "--no-repeat-ngram"),
        (arguments.forbid_unknown, "--forbid-unknown"),
        (arguments.replace_unknown, "--replace-unknown"),
    ];
    let found = options.into_iter().find(|(is_given, _)| *is_given);
    found.map(|(_, option)| option)
}

/// Returns the bounds that the arguments put on a search.
///
/// # Errors
/// If the bounds allow no output at all.
pub fn bounds(arguments: &SearchArguments) -> Result<Bounds, Error> {
    let minimum_length = arguments.min_length.unwrap_or(0);
    if let Some(limit) = arguments.limit
        && minimum_length > limit
    {
        return Err(Error::Search(format!(
            "`--min-length {minimum_length}` asks for more than `--limit {limit}` lets be written; \
             lower it, or raise the limit"
        )));
    }
    Ok(Bounds {
        limit: arguments.limit,
        constraints: Constraints {
            minimum_length,
            no_repeat_ngram: arguments.no_repeat_ngram.unwrap_or(0),
            past_ends: false,
            forbidden: if arguments.forbid_unknown {
                vec![UNK]
            } else {
                Vec::new()
            },
        },
        replace_unknown: arguments.replace_unknown,
        stops: Vec::new(),
        prefix: None,
    })
}

/// Number of hypotheses in a batch.
const ROWS_AT_ONCE: usize = 128;
/// Number of sentences in a batch, if each has one hypothesis.
const SENTENCES_AT_ONCE: usize = 32;

/// Returns the search that the arguments ask for, with this number of `results` for each source.
///
/// # Errors
/// If a setting is out of range, or the search cannot return this many results.
pub fn read(arguments: &SearchArguments, results: Option<usize>) -> Result<Search, Error> {
    let refused = |sentence: String| Err(Error::Search(sentence));
    if arguments.limit == Some(0) {
        return refused("`--limit 0` lets nothing be written; raise it".to_owned());
    }
    if results == Some(0) {
        return refused("`--nbest 0` asks for no translation; raise it".to_owned());
    }
    let search = if let Some(width) = arguments.beam {
        if results.is_some_and(|results| results > width) {
            return refused(format!(
                "a beam of {width} has not {} translations; raise `--beam`, or lower `--nbest`",
                results.unwrap_or_default()
            ));
        }
        let defaults = BeamConfig::default();
        Search::Beam(BeamConfig {
            width,
            length_penalty: arguments.length_penalty.unwrap_or(defaults.length_penalty),
            results: results.unwrap_or(1),
        })
    } else if arguments.sample {
        let defaults = SamplingConfig::default();
        Search::Sampling(SamplingConfig {
            temperature: arguments.temperature.unwrap_or(defaults.temperature),
            top_k: arguments.top_k.unwrap_or(defaults.top_k),
            top_p: arguments.top_p.unwrap_or(defaults.top_p),
            results: results.unwrap_or(1),
            seed: arguments.seed.unwrap_or_default() as usize,
        })
    } else {
        if results.is_some_and(|results| results > 1) {
            return refused(
                "this search has one translation; for `--nbest` choose `--beam N` or `--sample`"
                    .to_owned(),
            );
        }
        if arguments.one_pass {
            Search::OnePass
        } else {
            Search::Greedy
        }
    };
    match search.check() {
        Ok(()) => Ok(search),
        Err(error) => refused(as_typed(&error.to_string())),
    }
}

/// Rewrites an error of a search with the names of the command-line options.
pub fn as_typed(reason: &str) -> String {
    let options = [
        ("`width` of `beam`", "`--beam`"),
        ("`length_penalty` of `beam`", "`--length-penalty`"),
        ("`results` of `beam`", "`--nbest`"),
        ("`temperature` of `sampling`", "`--temperature`"),
        ("`top_k` of `sampling`", "`--top-k`"),
        ("`top_p` of `sampling`", "`--top-p`"),
        ("`results` of `sampling`", "`--nbest`"),
        ("`seed` of `sampling`", "`--seed`"),
    ];
    let named = options.iter().find(|(name, _)| reason.contains(name));
    named.map_or_else(
        || reason.to_owned(),
        |(name, option)| reason.replace(name, option),
    )
}

/// Returns the number of sentences in a batch of this search.
pub fn sentences_at_once(search: &Search) -> usize {
    (ROWS_AT_ONCE / search.width()).clamp(1, SENTENCES_AT_ONCE)
}
