//! How many parameters a mechanism has, without building it.

use crate::{
    HamMix, LocalPosition, MechanismConfig, MultiHeadConfig, PyramidConfig, ScoreKind, SummaryKind,
    Widths,
};

impl ScoreKind {
    /// Its parameters for these widths.
    pub fn parameters(self, widths: Widths) -> u64 {
        let (query, keys) = (widths.query as u64, widths.keys as u64);
        match self {
            Self::Dot | Self::ScaledDot => 0,
            Self::Bilinear => query * keys,
            // W_h, W_g, b and v, as wide as the query.
            Self::Additive => query * (query + keys + 2),
        }
    }
}

impl MechanismConfig {
    /// Its parameters for these widths, inside so many heads.
    pub fn parameters(&self, widths: Widths, heads: usize) -> u64 {
        let query = widths.query as u64;
        let score = self.score().parameters(widths);
        let own = match self {
            Self::Vanilla(_) | Self::Hard(_) | Self::Multilevel(_) => 0,
            Self::Local(config) => match config.position {
                LocalPosition::Monotonic => 0,
                LocalPosition::Predictive => query * (query + 1),
            },
            Self::HamV(config) | Self::HamS(config) => match config.mix {
                HamMix::Layer => config.depth as u64,
                HamMix::Head => (heads * config.depth) as u64,
                HamMix::Last => 0,
            },
            Self::Pyramid(config) => config.above(score, widths.states as u64),
        };
        score + own
    }
}

impl PyramidConfig {
    /// The parameters of the levels above the leaves, with scores of so many each.
    fn above(&self, score: u64, width: u64) -> u64 {
        let scores = if self.shared { 0 } else { score };
        let summary = match self.summary {
            SummaryKind::Cnn => self.block as u64 * width * width + width,
            SummaryKind::Rnn => 6 * width * (width + 1),
            SummaryKind::Act => width + 1,
        };
        (self.levels as u64).saturating_sub(1) * (scores + summary)
    }
}

impl MultiHeadConfig {
    /// The parameters of the whole layer.
    pub fn parameters(&self) -> u64 {
        let linear = |from: usize, to: usize| (from as u64 + 1) * to as u64;
        let head = Widths {
            states: self.input.keys,
            ..Widths::all(self.inner / self.heads.max(1))
        };
        linear(self.input.query, self.inner)
            + linear(self.input.keys, self.inner)
            + linear(self.input.values, self.inner)
            + linear(self.inner, self.output)
            + self.mechanism.parameters(head, self.heads)
    }
}
