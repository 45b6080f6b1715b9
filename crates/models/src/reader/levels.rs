//! Levels of Ham-V at a site that computes its weights itself: mixes the levels' results.

use burn::module::{Module, Param};
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, Tensor, TensorData};
use strata_attention::{
    AttentionWeights, ConfigError, HamMix, MechanismConfig, ParamInit, SoftWeights,
};
use strata_kernels::attention::MASKED_SCORE;

/// Shares of d levels in a result; a single level is plain attention.
#[derive(Module, Debug)]
pub struct Levels {
    /// Mix w before the softmax, `[1, d]`; `None` if the result is the last level alone.
    pub mix: Option<Param<Tensor<2>>>,
    #[module(skip)]
    depth: usize,
    /// Muted levels, counted from 0, whose share is 0.
    #[module(skip)]
    muted: Vec<usize>,
}

impl Levels {
    /// Returns depth and mix of a mechanism at the site called `name`.
    ///
    /// # Errors
    /// If the mechanism is neither vanilla nor Ham-V without a residual.
    pub(crate) fn of(
        mechanism: MechanismConfig,
        name: &str,
    ) -> Result<(usize, HamMix), ConfigError> {
        match mechanism {
            MechanismConfig::Vanilla(_) => Ok((1, HamMix::Last)),
            MechanismConfig::HamV(ham) if ham.residual => Err(ConfigError::new(format!(
                "`{name}.residual` is true, but a reader computes the levels of `{name}` itself, \
                 without a residual: set it to false"
            ))),
            MechanismConfig::HamV(ham) => Ok((ham.depth, ham.mix)),
            other => Err(ConfigError::new(format!(
                "`{name}` takes `vanilla` or `ham_v`, whose levels a reader computes itself, not \
                 `{}`",
                other.name()
            ))),
        }
    }

    /// Counts the parameters of a mechanism that [`of`](Self::of) accepts.
    pub(crate) fn parameters(mechanism: MechanismConfig) -> u64 {
        match mechanism {
            MechanismConfig::HamV(ham) if ham.mix != HamMix::Last => ham.depth as u64,
            _ => 0,
        }
    }

    pub(crate) fn init(
        mechanism: MechanismConfig,
        name: &str,
        init: &mut ParamInit,
    ) -> Result<Self, ConfigError> {
        let (depth, mix) = Self::of(mechanism, name)?;
        Ok(Self {
            mix: (mix != HamMix::Last).then(|| init.zeros([1, depth])),
            depth,
            muted: Vec::new(),
        })
    }

    /// Number of levels, d.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Number of levels, all but one of which can be muted; 0 if the result is the last level
    /// alone.
    pub(crate) fn count(&self) -> usize {
        self.mix.as_ref().map_or(0, |_| self.depth)
    }

    /// Mutes these levels, counted from 0. Replaces what an earlier call muted.
    pub(crate) fn mute(&mut self, levels: &[usize]) {
        self.muted = levels.to_vec();
    }

    /// Share of each level in the result, `[1, d]`; `None` if the result is the last level alone.
    pub fn shares(&self) -> Option<Tensor<2>> {
        let mix = self.mix.as_ref()?.val();
        if self.muted.is_empty() {
            return Some(softmax(mix, 1));
        }
        let absent: Vec<bool> = (0..self.depth).map(|it| self.muted.contains(&it)).collect();
        let absent = TensorData::new(absent, [1, self.depth]);
        let absent = Tensor::<2, Bool>::from_data(absent, &mix.device());
        Some(softmax(mix.mask_fill(absent, MASKED_SCORE), 1))
    }

    /// Computes Σ shares_i · level_i. Without `shares` returns the last level.
    ///
    /// # Panics
    /// If `levels` is empty.
    pub(crate) fn mixed<const D: usize>(
        levels: Vec<Tensor<D>>,
        shares: Option<&Tensor<2>>,
    ) -> Tensor<D> {
        let mut levels = levels.into_iter();
        let Some(shares) = shares else {
            return levels.next_back().expect("there is a level");
        };
        let level = |(at, level): (usize, Tensor<D>)| {
            level * shares.clone().narrow(1, at, 1).reshape([1; D]) // [1, 1] → [1, …, 1]
        };
        let sum = levels.enumerate().map(level).reduce(|sum, it| sum + it);
        sum.expect("there is a level")
    }

    /// Combines the weights of each level to the weights of the site.
    pub(crate) fn weights(
        mut own: Vec<SoftWeights>,
        shares: Option<Tensor<2>>,
    ) -> AttentionWeights {
        if own.len() == 1 {
            return AttentionWeights::Single(own.remove(0));
        }
        AttentionWeights::Hierarchy {
            mix: shares.map(|shares| {
                let depth = shares.dims()[1];
                shares.reshape([1, 1, 1, depth])
            }),
            own: own.into(),
            chained: false,
            residual: false,
        }
    }
}
