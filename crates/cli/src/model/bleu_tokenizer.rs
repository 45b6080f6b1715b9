//! Tokenisers of BLEU, chosen by name in options.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use strata_metrics::{BleuTokenizer, MetricError};

/// Returns the parser for names of tokenisers.
pub fn names() -> impl TypedValueParser<Value = BleuTokenizer> {
    Tokenizers
}

/// Parser for names of tokenisers; for those that this program does not have, it says what to do.
#[derive(Clone)]
struct Tokenizers;

impl Tokenizers {
    fn names() -> PossibleValuesParser {
        PossibleValuesParser::new(BleuTokenizer::ALL.map(BleuTokenizer::name))
    }
}

impl TypedValueParser for Tokenizers {
    type Value = BleuTokenizer;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<BleuTokenizer, clap::Error> {
        let parse = |name: String| name.parse::<BleuTokenizer>();
        let parsed = value.to_str().map(|name| parse(name.to_owned()));
        match parsed {
            Some(Err(MetricError::ForeignTokenizer { .. })) => StringValueParser::new()
                .try_map(parse)
                .parse_ref(command, argument, value),
            _ => Self::names()
                .try_map(parse)
                .parse_ref(command, argument, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let values: Vec<PossibleValue> = Self::names().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}
