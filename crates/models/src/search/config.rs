//! Settings of each search algorithm.

use serde::{Deserialize, Serialize};
use strata_attention::ConfigError;
use strata_describe::{Description, Settings, Words, settings};

/// Largest seed, within the 32-bit unsigned integers of browsers.
const LARGEST_SEED: usize = u32::MAX as usize - 1;

/// Search algorithm with its settings.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Search {
    /// Greedy search: the most probable token at every step.
    #[default]
    Greedy,
    /// Sampling: tokens drawn from the model's distribution.
    Sampling(SamplingConfig),
    /// Beam search: several hypotheses at once.
    Beam(BeamConfig),
    /// Greedy search with a model that reads padding in place of the tokens it wrote: all positions
    /// in one pass, as some published code decodes.
    OnePass,
}

settings! {
    /// Tokens drawn from the model's distribution. The temperature comes first, then top-k, then
    /// top-p of what is left.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct SamplingConfig {
        /// Divisor of the logits; 0 is greedy.
        #[title = "Temperature"]
        #[help = "Below 1 probable tokens become more probable; 0 is greedy."]
        #[formula = "softmax(z / T)"]
        #[source = "Ackley et al. 1985"]
        pub temperature: f64 in 0.0..=10.0 = 1.0,
        /// Draws from so many tokens, the most probable ones; 0: from all.
        #[title = "Top k"]
        #[formula = "k"]
        #[source = "Fan et al. 2018, 5.4"]
        pub top_k: usize in 0..=1_000_000 = 0,
        /// Draws from the fewest tokens that have this probability together.
        #[title = "Top p"]
        #[formula = "Σ p(y) ≥ p"]
        #[source = "Holtzman et al. 2020, 3.1"]
        pub top_p: f64 in 0.0..=1.0 = 1.0,
        /// Number of targets that are drawn for each source, each by itself.
        #[title = "Samples"]
        #[help = "How many targets are drawn for each source, each by itself."]
        pub results: usize in 1..=256 = 1,
        /// Decides the draws.
        #[title = "Seed"]
        #[help = "The same seed draws the same tokens."]
        pub seed: usize in 0..=LARGEST_SEED = 0,
    }
}

settings! {
    /// Several hypotheses at once, of which those that ended are compared in the end.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct BeamConfig {
        /// Number of hypotheses that are kept. One that ends gives its place up.
        #[title = "Width"]
        #[help = "How many hypotheses are kept; 1 is greedy."]
        #[formula = "k"]
        #[source = "Sutskever et al. 2014, 3.2"]
        pub width: usize in 1..=256 = 4,
        /// Exponent α by which longer targets are made up for their lower probability.
        #[title = "Length penalty"]
        #[help = "How far longer targets are made up for their lower probability; 0: not at all."]
        #[formula = "lp(n) = ((5 + n) / 6)^α"]
        #[source = "Wu et al. 2016, 7"]
        pub length_penalty: f64 in 0.0..=5.0 = 0.6,
        /// Number of the best targets that are given.
        #[title = "Results"]
        #[help = "How many of the best targets are given, at most the width."]
        #[formula = "n ≤ k"]
        #[source = "Sutskever et al. 2014, 3.2"]
        pub results: usize in 1..=256 = 1,
    }
}

static GREEDY: Description = Description {
    words: Words {
        name: "greedy",
        title: "Greedy",
        help: "At every step the most probable token.",
        formula: "yₜ = argmax p(y | y₁ … yₜ₋₁, x)",
        source: "Sutskever et al. 2014, 3.2, a beam of 1",
    },
    settings: &[],
};

static ONE_PASS: Description = Description {
    words: Words {
        name: "one_pass",
        title: "In one pass",
        help: "All tokens at once: the model reads padding instead of what it wrote. For comparison with results that were published so.",
        formula: "yₜ = argmax p(y | PAD … PAD, x)",
        source: "P3n9W31/transformer-pytorch, eval.py",
    },
    settings: &[],
};

static SAMPLING: Description = Description {
    words: Words {
        name: "sampling",
        title: "Sampling",
        help: "At every step a token drawn from the model's distribution.",
        formula: "yₜ ~ p(y | y₁ … yₜ₋₁, x)",
        source: "Graves 2013, 2",
    },
    settings: SamplingConfig::SETTINGS,
};

static BEAM: Description = Description {
    words: Words {
        name: "beam",
        title: "Beam",
        help: "Several hypotheses at once; one that ends gives its place up.",
        formula: "argmax Σₜ log p(yₜ | y₁ … yₜ₋₁, x) / lp(|y|)",
        source: "Sutskever et al. 2014, 3.2",
    },
    settings: BeamConfig::SETTINGS,
};

impl Search {
    /// All searches, with default settings.
    pub fn all() -> [Self; 4] {
        [
            Self::Greedy,
            Self::Sampling(SamplingConfig::default()),
            Self::Beam(BeamConfig::default()),
            Self::OnePass,
        ]
    }

    /// Finds the search of this name, with default settings.
    pub fn of_kind(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|it| it.name() == name)
    }

    /// Names and help texts of the search and its settings.
    pub fn description(&self) -> &'static Description {
        match self {
            Self::Greedy => &GREEDY,
            Self::Sampling(_) => &SAMPLING,
            Self::Beam(_) => &BEAM,
            Self::OnePass => &ONE_PASS,
        }
    }

    /// Name of the search in configurations.
    pub fn name(&self) -> &'static str {
        self.description().words.name
    }

    /// Checks that the settings are in their ranges.
    ///
    /// # Errors
    /// A sentence that says what is out of range, and what to do.
    pub fn check(&self) -> Result<(), ConfigError> {
        let in_range = match self {
            Self::Greedy | Self::OnePass => Ok(()),
            Self::Sampling(config) => config.check_ranges(),
            Self::Beam(config) => config.check_ranges(),
        };
        in_range.map_err(|found| ConfigError::out_of_range(self.name(), found))?;
        match self {
            Self::Beam(config) if config.results > config.width => Err(ConfigError::new(format!(
                "a beam of {} hypotheses has not {} results: raise `width`, or lower `results`",
                config.width, config.results
            ))),
            _ => Ok(()),
        }
    }

    /// Largest number of targets that the search returns for each source.
    pub fn results(&self) -> usize {
        match self {
            Self::Greedy | Self::OnePass => 1,
            Self::Sampling(config) => config.results,
            Self::Beam(config) => config.results,
        }
    }

    /// Largest number of hypotheses of a source that the model reads at once.
    pub fn width(&self) -> usize {
        match self {
            Self::Greedy | Self::OnePass => 1,
            Self::Sampling(config) => config.results,
            Self::Beam(config) => config.width,
        }
    }

    /// Score by which targets of different lengths are compared: log p / ((5 + |y|) / 6)^α (Wu et
    /// al. 2016, 7, formula 14), where |y| includes EOS. α is 0 except in a beam search.
    pub fn normalise(&self, score: f64, length: usize) -> f64 {
        match self {
            Self::Greedy | Self::Sampling(_) | Self::OnePass => score,
            Self::Beam(config) => score / ((5.0 + length as f64) / 6.0).powf(config.length_penalty),
        }
    }
}
