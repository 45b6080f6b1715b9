//! Attention mechanisms with levels, and the mechanisms that they are compared with.
//!
//! Axes, everywhere: `B` batch, `H` heads, `T` query length, `S` key length, `D` width,
//! `N` levels. A mechanism works inside heads, on `[B, H, T, D]`; attention without heads
//! has `H = 1`. Every mechanism returns its context *and* its weights.
//!
//! - [`Mechanism`]: the closed enum of all mechanisms, configured by [`MechanismConfig`] and
//!   described to users by its [`Description`](strata_describe::Description)
//! - [`Score`]: score functions of a query and a key
//! - [`MultiHeadAttention`]: projections around a mechanism
//! - [`RelativePositions`]: positions that a multi-head layer tells by itself, rotary or ALiBi
//! - [`Mask`]: the keys that a query may see
//! - [`Draws`]: random numbers by which hard attention draws its keys, in training
//! - [`AttentionWeights`]: the weights, level by level, computed when they are shown
//! - [`PendingStatistics`]: entropy, peak and other statistics of the weights of a head
//!
//! ```
//! use burn::tensor::Device;
//! use strata_attention::{AttentionInput, Mask, MechanismConfig, ParamInit, Site, Widths};
//!
//! let device = Device::flex();
//! let init = &mut ParamInit::new(0, &device);
//! let multilevel = MechanismConfig::of_kind("multilevel").expect("a mechanism of this name");
//! let mechanism = multilevel.init(Site::DecoderSelf, Widths::all(8), 2, init)?;
//!
//! let x = init.uniform([3, 2, 5, 8], 1.0).val(); // [B, H, S, D]
//! let output = mechanism.forward(AttentionInput {
//!     query: x.clone(),
//!     keys: x.clone(),
//!     values: x,
//!     mask: Mask::causal(5, 5, &device),
//! });
//! assert_eq!(output.context.dims(), [3, 2, 5, 8]); // [B, H, T, D_v]
//! assert_eq!(output.weights.levels(), 4);
//! assert_eq!(output.weights.level(2).dims(), [3, 2, 5, 5]); // A², [B, H, T, S]
//! # Ok::<(), strata_attention::ConfigError>(())
//! ```
//!
//! # Invariants
//!
//! - Every mechanism returns its context and its weights. Test:
//!   `weights_are_shares_of_visible_keys_and_make_the_context`. Weights that the context does not
//!   need are computed only when they are shown. Not tested.
//! - A query whose keys are all hidden has weights 0 and context 0, never NaN; Ham-V with a residual
//!   gives back the query. Test: `a_blind_item_has_context_0_and_padding_has_gradient_0`.
//! - Padding changes no real position. Test: `an_item_has_in_a_batch_what_it_has_alone`.
//! - [`Muted`] parts and [`ForcedRows`] are no parameters: what is put back gives the earlier bits.
//!   Test: `other_rows_and_heads_stay_and_what_is_put_back_gives_the_earlier_bits`.
//! - Levels can be added to a built mechanism or taken away, which changes no parameter
//!   ([`Mechanism::set_levels`]). Tests: `levels_set_after_training_are_those_of_fewer_levels`,
//!   `levels_put_back_give_the_earlier_bits`.
//! - A mechanism applies [`ForcedRows`] to its weights, and in decoding counts the rows by the
//!   position of its cache. Test: `decoding_forces_the_rows_that_a_whole_pass_forces`.
//! - Rotary scores depend only on the difference of two positions. Test:
//!   `rotary_attention_depends_on_distances_alone`.
//! - Muting and forcing cost nothing while nothing is muted or forced. Burn's operations replace a
//!   custom kernel only while a part is muted or a row is forced. Not tested.
//! - In a browser no mechanism waits for a GPU: `host.rs` reads a number there only on the CPU.
//!   Test: `the_webgpu_worker_computes_what_the_native_cpu_does`, which runs every mechanism there.

use strata_describe::OutOfRange;

mod attend;
mod descent;
mod host;
mod initialize;
mod mask;
mod mechanism;
mod memory;
mod multi_head;
mod muted;
mod positions;
mod power;
mod product;
mod pyramid_level;
mod score;
mod site;
mod soft;
mod weights;

pub use attend::{AttentionInput, AttentionOutput, Auxiliary};
pub use descent::{Beam, Descent};
pub use initialize::ParamInit;
pub use mask::Mask;
pub use mechanism::{Mechanism, MechanismConfig};
pub use memory::{CausalCache, Draws, Memory};
pub use multi_head::{MultiHeadAttention, MultiHeadConfig, MultiHeadOutput};
pub use muted::{ForcedRow, ForcedRows, GivenWeights, Muted, Node};
pub use positions::{RelativePositions, alibi_bias, rotate};
pub use score::{
    AdditiveScore, BilinearScore, DotScore, PreparedKeys, Score, ScoreKind, ScoreTerms,
    TrilinearScore,
};
pub use site::{Site, Widths};
pub use soft::SoftWeights;
pub use weights::{
    AttentionWeights, HeadStatistics, Jump, Lengths, LevelStatistics, LevelWeights,
    PendingStatistics, WeightMeasure, jump,
};

// Mechanisms.

mod ham;
pub use ham::{Ham, HamConfig, HamKind, HamLevel, HamMix, HamSConfig, InitialShares};

mod hard;
pub use hard::{Hard, HardConfig};

mod linear;
pub use linear::{LinearAttention, LinearAttentionConfig};

mod local;
pub use local::{Local, LocalConfig, LocalPosition};

mod multilevel;
pub use multilevel::{Chain, Multilevel, MultilevelConfig, MultilevelMix, Recursion};

mod pyramid;
pub use pyramid::{Pyramid, PyramidConfig, Summary, SummaryKind};

mod vanilla;
pub use vanilla::{Vanilla, VanillaConfig};

/// Error: no model can be built from a configuration. Holds the sentence that says why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl ConfigError {
    /// Creates an error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Says that a setting of `of`, a mechanism, a model or a search, is out of its range.
    pub fn out_of_range(of: &str, found: OutOfRange) -> Self {
        let OutOfRange { setting, value } = found;
        Self(format!(
            "`{}` of `{of}` is {value}, which is out of range: choose {}",
            setting.words.name, setting.domain
        ))
    }
}
