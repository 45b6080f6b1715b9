//! Settings of RNNPG.

use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use super::words::DROPOUT;
use super::{LARGEST_BOUND, MOST_DROPPED, WIDEST};

settings! {
    /// RNNPG, which writes a line of a poem out of all lines before it (Zhang and Lapata 2014).
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct RnnpgConfig {
        /// Width of characters, lines and states, q.
        #[title = "Width"]
        #[help = "Of characters, lines and states alike."]
        #[formula = "q"]
        #[source = "Zhang and Lapata 2014, 4.1"]
        pub width: usize in 1..=WIDEST = 200,
        /// Bound of the initial weights of the convolutions. Large ones matter: a sigmoid of small
        /// sums says the same of every line.
        #[title = "Bound of the convolutions"]
        #[help = "Their initial weights lie within this; small ones make all lines alike."]
        #[formula = "|C| ≤ a"]
        #[source = "Zhang and Lapata 2014, 4.1"]
        pub convolution_bound: f64 in 0.0..=LARGEST_BOUND = 10.0,
        /// Share of features dropped in training of the states that the output reads.
        #[words = DROPOUT]
        pub dropout: f64 in 0.0..=MOST_DROPPED = 0.0,
    }
}

/// Name and help text of RNNPG.
pub(super) static DESCRIPTION: Description = Description {
    words: Words {
        name: "rnnpg",
        title: "RNNPG",
        help: "Each line of a poem becomes a vector, and all before it the next line.",
        formula: "hᵢ = σ([vᵢ; hᵢ₋₁] M), rⱼ = σ(rⱼ₋₁ R + x(wⱼ₋₁) + σ(hᵢ Uⱼ) H)",
        source: "Zhang and Lapata 2014",
    },
    settings: RnnpgConfig::SETTINGS,
};
