//! Arguments of `strata poem`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use strata_models::{BeamConfig, SamplingConfig, Search};
use strata_poems::LENGTHS;
use strata_settings::numeral::parse;
use strata_training::Distinct;

use crate::base::error::Error;
use crate::model::chosen::ModelArguments;
use crate::model::search::as_typed;

#[derive(Args, Debug)]
pub struct PoemArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Characters of a line, 5 or 7.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = parse::one_of(LENGTHS),
          allow_negative_numbers = true)]
    pub length: usize,
    /// Four keywords of one or two characters, separated by commas (also ， and 、) or spaces,
    /// instead of those of a text.
    #[arg(long, value_name = "WORDS")]
    pub keywords: Vec<String>,
    /// First line; a model without keywords needs one.
    #[arg(long, value_name = "LINE")]
    pub first: Option<String>,
    /// First character of each line, four.
    #[arg(long, value_name = "CHARACTERS")]
    pub acrostic: Option<String>,
    /// Text in which words near those of yours are looked for, where these are fewer than four.
    #[arg(long, value_name = "FILE")]
    pub knowledge: Option<PathBuf>,
    /// Search with a beam of N hypotheses.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse::whole_in::<usize>(1..=256),
          conflicts_with = "sample", allow_negative_numbers = true)]
    pub beam: usize,
    /// Draw characters from the model's distribution, its logits divided by T.
    #[arg(long, value_name = "T", value_parser = parse::real, allow_negative_numbers = true)]
    pub sample: Option<f64>,
    /// Characters that may not be written again: of the line, or of the poem.
    #[arg(long, value_enum, default_value_t)]
    pub distinct: DistinctChoice,
    /// Draws the same words and characters again with the same seed.
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = parse::whole::<u32>,
          allow_negative_numbers = true)]
    pub seed: u32,
    /// Print the N best poems, each with its score; of samples, N draws.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse::whole_in::<usize>(1..=100),
          allow_negative_numbers = true)]
    pub nbest: usize,
    /// Write where the model looked to FILE: a picture of each line (.svg; later ones to flow-2.svg,
    /// …), or all weights (.json).
    #[arg(long, value_name = "FILE")]
    pub attention: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Text that the poem is about.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
}

impl PoemArguments {
    /// Returns the search that writes the lines.
    ///
    /// # Errors
    /// If a setting of the search is out of range.
    pub fn search(&self) -> Result<Search, Error> {
        let search = match self.sample {
            Some(temperature) => Search::Sampling(SamplingConfig {
                temperature,
                ..SamplingConfig::default()
            }),
            // All lines have the same length, so no length normalisation is needed.
            None => Search::Beam(BeamConfig {
                width: self.beam.max(self.nbest),
                length_penalty: 0.0,
                results: 1,
            }),
        };
        search.check().map_err(|error| {
            let reason = as_typed(&error.to_string());
            Error::Search(reason.replace("`--temperature`", "`--sample`"))
        })?;
        Ok(search)
    }
}

/// Characters that may not be written again.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistinctChoice {
    /// Every character may be.
    None,
    /// Those of the line.
    #[default]
    Line,
    /// Those of the poem.
    Poem,
}

impl From<DistinctChoice> for Distinct {
    fn from(choice: DistinctChoice) -> Self {
        match choice {
            DistinctChoice::None => Self::None,
            DistinctChoice::Line => Self::Line,
            DistinctChoice::Poem => Self::Poem,
        }
    }
}
