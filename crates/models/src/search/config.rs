//! How a translation is searched for: the settings of each search.

use serde::{Deserialize, Serialize};
use strata_attention::{ConfigError, check_ranges};
use strata_describe::Description;

use super::description;

/// How a target is searched for, as a user chooses it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Search {
    /// The most probable token at every step.
    #[default]
    Greedy,
    /// Tokens drawn from the model's distribution.
    Sampling(SamplingConfig),
    /// Several hypotheses at once.
    Beam(BeamConfig),
    /// The most probable token at every step, of a model that reads padding instead of what it
    /// wrote: all positions in one pass, as some published code decodes.
    OnePass,
}

/// Tokens drawn from the model's distribution. The temperature comes first, then top-k, then
/// top-p of what is left.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct SamplingConfig {
    /// Divides the logits; 0 is greedy.
    pub temperature: f64,
    /// Draws from so many tokens, the most probable ones; 0: from all.
    pub top_k: usize,
    /// Draws from the fewest tokens that have this probability together.
    pub top_p: f64,
    /// Number of targets that are drawn for each source, each by itself.
    pub results: usize,
    /// Decides the draws.
    pub seed: usize,
}

/// Several hypotheses at once, of which those that ended are compared in the end.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct BeamConfig {
    /// Number of hypotheses that are kept. One that ends gives its place up.
    pub width: usize,
    /// α: how far longer targets are made up for their lower probability.
    pub length_penalty: f64,
    /// How many of the best targets are given.
    pub results: usize,
}

impl Default for SamplingConfig {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
            results: 1,
            seed: 0,
        }
    }
}

impl Default for BeamConfig {
    fn default() -> Self {
        Self {
            width: 4,
            length_penalty: 0.6,
            results: 1,
        }
    }
}

impl Search {
    /// One of each, with its defaults.
    pub fn all() -> [Self; 4] {
        [
            Self::Greedy,
            Self::Sampling(SamplingConfig::default()),
            Self::Beam(BeamConfig::default()),
            Self::OnePass,
        ]
    }

    /// The search of this name, with its defaults.
    pub fn of_kind(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|it| it.name() == name)
    }

    /// Description of it and its settings.
    pub fn description(&self) -> &'static Description {
        match self {
            Self::Greedy => &description::GREEDY,
            Self::Sampling(_) => &description::SAMPLING,
            Self::Beam(_) => &description::BEAM,
            Self::OnePass => &description::ONE_PASS,
        }
    }

    /// The name in configurations.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// Refuses what cannot be searched.
    ///
    /// # Errors
    /// A sentence that says what is out of range, and what to do.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::Greedy | Self::OnePass => Ok(()),
            Self::Sampling(config) => check_ranges(
                &description::SAMPLING,
                &[
                    ("temperature", config.temperature.into()),
                    ("top_k", config.top_k.into()),
                    ("top_p", config.top_p.into()),
                    ("results", config.results.into()),
                    ("seed", config.seed.into()),
                ],
            ),
            Self::Beam(config) => {
                check_ranges(
                    &description::BEAM,
                    &[
                        ("width", config.width.into()),
                        ("length_penalty", config.length_penalty.into()),
                        ("results", config.results.into()),
                    ],
                )?;
                if config.results > config.width {
                    return Err(ConfigError::new(format!(
                        "a beam of {} hypotheses has not {} results: raise `width`, or lower \
                         `results`",
                        config.width, config.results
                    )));
                }
                Ok(())
            }
        }
    }

    /// Number of targets that it gives for each source, at most.
    pub fn results(&self) -> usize {
        match self {
            Self::Greedy | Self::OnePass => 1,
            Self::Sampling(config) => config.results,
            Self::Beam(config) => config.results,
        }
    }

    /// Number of hypotheses of a source that the model reads at once, at most.
    pub fn width(&self) -> usize {
        match self {
            Self::Greedy | Self::OnePass => 1,
            Self::Sampling(config) => config.results,
            Self::Beam(config) => config.width,
        }
    }

    /// The score by which targets of different lengths are compared: log p / ((5 + |y|) / 6)^α
    /// (Wu et al. 2016, 7, formula 14), |y| with the end; α is 0 but in a beam.
    pub fn normalise(&self, score: f64, length: usize) -> f64 {
        match self {
            Self::Greedy | Self::Sampling(_) | Self::OnePass => score,
            Self::Beam(config) => score / ((5.0 + length as f64) / 6.0).powf(config.length_penalty),
        }
    }
}
