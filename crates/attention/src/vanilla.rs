//! Vanilla attention: weights = softmax over the keys of f(h, g_i), context = Σ weights_i · v_i
//! (Bahdanau et al. 2015, 3.1; Vaswani et al. 2017, 3.2.1).

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::mechanism::Attend;
use crate::soft::attend;
use crate::{
    AttentionOutput, AttentionWeights, MechanismDescription, Memory, Score, ScoreKind, Words,
};

/// One softmax over all keys.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct VanillaConfig {
    /// The score function.
    pub score: ScoreKind,
}

/// What a person is told about it.
pub(crate) static DESCRIPTION: MechanismDescription = MechanismDescription {
    words: Words {
        name: "vanilla",
        title: "Vanilla",
        help: "One softmax over all keys.",
        formula: "A V, A = softmax(f(h, g))",
        source: "Bahdanau et al. 2015, 3.1; Vaswani et al. 2017, 3.2.1",
    },
    settings: &[ScoreKind::SETTING],
};

/// One softmax over all keys.
#[derive(Module, Debug)]
pub struct Vanilla {
    /// The score function.
    pub score: Score,
}

impl Attend for Vanilla {
    fn score(&self) -> &Score {
        &self.score
    }

    fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let values = memory.values.clone();
        let (context, weights) = attend(&self.score, query, &memory.keys, values, &memory.mask);
        AttentionOutput::new(context, AttentionWeights::Single(weights))
    }
}
