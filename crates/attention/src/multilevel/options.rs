//! Choices of how one level feeds the next.

use serde::{Deserialize, Serialize};
use strata_describe::options;

use super::config::PAPER;

options! {
    /// Combination of the levels into one result.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum MultilevelMix {
        /// The last level alone, as in the paper; adds no parameters.
        #[title = "Last level alone"]
        #[help = "The last level alone, as in the paper; adds no parameters."]
        #[formula = "Aᴺ V"]
        #[source = PAPER]
        Last = "last",
        /// Σ softmax(w)_i Aⁱ V, one w for all heads.
        #[title = "One for all heads"]
        #[help = "Trained weights, the same for all heads."]
        #[formula = "Σ softmax(w)ᵢ Aⁱ V"]
        #[source = "Hierarchical Attention"]
        Layer = "layer",
        /// Σ softmax(w)_i Aⁱ V, one w per head.
        #[title = "One for each head"]
        #[help = "Trained weights, separate for each head."]
        #[formula = "Σ softmax(wₕ)ᵢ Aⁱ V"]
        #[source = "Hierarchical Attention, future work"]
        Head = "head",
        /// Σ softmax(w)_i Aⁱ V, where each query has a w of its own, W q + b. W and b serve all
        /// heads.
        #[title = "One for each token"]
        #[help = "Each query chooses its shares, by a linear layer that serves all heads."]
        #[formula = "w = W q + b, Σ softmax(w)ᵢ Aⁱ V"]
        #[source = "ours"]
        Token = "token",
    }
}

options! {
    /// Recursion of the levels of a cross-attention, whose A is not square. Self-attention needs
    /// none.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Chain {
        /// A_qk (A_kk)^{N−1} V, with A_kk by the same score function: from key to key. Leak-free.
        #[title = "Keys"]
        #[help = "From key to key, which leaks nothing."]
        #[formula = "A_qk A_kkᴺ⁻¹ V"]
        #[source = "ours"]
        Keys = "keys",
        /// V_{i+1} = A⁽ⁱ⁾ R V_i, where R cuts or zero-pads the rows T → S, and from level 2 on A⁽ⁱ⁾
        /// is A restricted to s ≤ t and renormalised. Leak-free.
        #[title = "Causal"]
        #[help = "Each position reads earlier results and its own, which leaks nothing."]
        #[formula = "Vᵢ₊₁ = A⁽ⁱ⁾ R Vᵢ, s ≤ t from level 2 on"]
        #[source = "ours"]
        Causal = "causal",
        /// As `causal` without the restriction: what the paper's experiment does with T = S.
        ///
        /// **It leaks**: from level 2 on a position's result depends on later target positions, so
        /// that teacher-forced figures can be inflated and decoding cannot reproduce them; padding
        /// of the target changes results too. Only for reproducing the paper.
        #[title = "As in the paper (leaks)"]
        #[help = "Each position reads the results of all, later ones too, which leaks."]
        #[formula = "Vᵢ₊₁ = A R Vᵢ"]
        #[source = PAPER]
        PaperLeaky = "paper_leaky",
    }
}

options! {
    /// Tensors that each level feeds back to the next.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Recursion {
        /// The values alone.
        #[title = "Values"]
        #[formula = "Vᵢ₊₁ = A Vᵢ"]
        #[source = PAPER]
        Value = "value",
        /// Queries, keys and values: Ham-S with the last level alone. The paper reports that its loss
        /// becomes NaN; in runs here it trains about as well as the values alone.
        #[title = "Queries, keys and values"]
        #[help = "Queries, keys and values. The paper reports a loss of NaN; in runs here it trains about as well as the values alone."]
        #[formula = "Qᵢ₊₁ = Kᵢ₊₁ = Vᵢ₊₁ = Attention(Qᵢ, Kᵢ, Vᵢ)"]
        #[source = PAPER]
        QueryKeyValue = "query_key_value",
    }
}
