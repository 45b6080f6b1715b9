//! Vanilla attention: weights = softmax over the keys of f(h, g_i), context = Σ weights_i · v_i
//! (Bahdanau et al. 2015, 3.1; Vaswani et al. 2017, 3.2.1).

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::mechanism::Attend;
use crate::soft::attend;
use crate::{
    AttentionOutput, AttentionWeights, CausalCache, Mask, MechanismDescription, Memory, Score,
    ScoreKind, Words,
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
    fn prepare(&self, keys: Tensor<4>, values: Tensor<4>, mask: Mask) -> Memory {
        Memory::new(&self.score, keys, values, mask)
    }

    fn attend(&self, query: Tensor<4>, memory: &Memory) -> AttentionOutput {
        let values = memory.values.clone();
        let (context, weights) = attend(&self.score, query, &memory.keys, values, &memory.mask);
        AttentionOutput::new(context, AttentionWeights::Single(weights))
    }

    fn extend(
        &self,
        cache: &mut CausalCache,
        query: Tensor<4>,
        key: Tensor<4>,
        value: Tensor<4>,
    ) -> AttentionOutput {
        let keys = cache.push_key(0, self.score.prepare(key));
        let values = cache.push_value(0, value);
        let (context, weights) = attend(&self.score, query, &keys, values, &Mask::none());
        AttentionOutput::new(context, AttentionWeights::Single(weights))
    }
}
