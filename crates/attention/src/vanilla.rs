//! Vanilla attention: weights = softmax over the keys of f(h, g_i), context = Σ weights_i · v_i
//! (Bahdanau et al. 2015, 3.1; Vaswani et al. 2017, 3.2.1).

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};
use strata_describe::{Description, Words, settings};

use crate::attend::{Attend, Build, Configure};
use crate::soft::attend;
use crate::{
    AttentionOutput, AttentionWeights, ForcedRows, Memory, Muted, ParamInit, Score, ScoreKind,
    Site, Widths,
};

settings! {
    /// One softmax over all keys.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct VanillaConfig {
        /// The score function.
        #[words = ScoreKind::WORDS]
        pub score: ScoreKind = ScoreKind::ScaledDot,
    }
}

/// Name and help text of vanilla attention.
static DESCRIPTION: Description = Description {
    words: Words {
        name: "vanilla",
        title: "Vanilla",
        help: "One softmax over all keys.",
        formula: "A V, A = softmax(f(h, g))",
        source: "Bahdanau et al. 2015, 3.1; Vaswani et al. 2017, 3.2.1",
    },
    settings: VanillaConfig::SETTINGS,
};

impl Configure for VanillaConfig {
    fn description(&self) -> &'static Description {
        &DESCRIPTION
    }

    fn score(&self) -> Option<ScoreKind> {
        Some(self.score)
    }
}

impl Build for VanillaConfig {
    type Built = Vanilla;

    fn init(&self, _: Site, widths: Widths, _: usize, init: &mut ParamInit) -> Vanilla {
        Vanilla::new(self.score.init(widths, init))
    }
}

/// Vanilla attention: one softmax over all keys.
#[derive(Module, Debug)]
pub struct Vanilla {
    /// Score function.
    pub score: Score,
    #[module(skip)]
    forced: ForcedRows,
}

impl Vanilla {
    /// Creates the mechanism with this score function.
    pub fn new(score: Score) -> Self {
        Self {
            score,
            forced: ForcedRows::default(),
        }
    }
}

impl Attend for Vanilla {
    fn score(&self) -> Option<&Score> {
        Some(&self.score)
    }

    fn mute(&mut self, muted: &Muted) {
        self.forced = muted.rows.clone();
    }

    fn attend_from(&self, first: usize, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let (values, forcing) = (memory.values.clone(), (&self.forced, first));
        let (context, weights) = attend(
            &self.score,
            query,
            &memory.keys,
            values,
            &memory.mask,
            forcing,
        );
        AttentionOutput::new(context, AttentionWeights::Single(weights))
    }
}
